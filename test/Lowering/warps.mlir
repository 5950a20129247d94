// Numbers of 8 and 16 bits are shuffled as words of 32, and segments of a warp among themselves; a thread's warp, the warps of a block
// and their lanes are arithmetic.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-opt %s --layout-to-nvvm -o %t.mlir
// RUN: layout-translate %t.mlir --layout-to-ptx | FileCheck %s --check-prefix=PTX

gpu.module @warps {
  // CHECK-LABEL: gpu.func @shuffles(
  // CHECK:         %[[H:.+]] = arith.bitcast %{{.+}} : f16 to i16
  // CHECK:         %[[W:.+]] = arith.extui %[[H]] : i16 to i32
  // CHECK:         %[[S:.+]], %[[V:.+]] = gpu.shuffle down %[[W]], %{{.+}}, %{{.+}} : i32
  // CHECK:         %[[N:.+]] = arith.trunci %[[S]] : i32 to i16
  // CHECK:         %[[R:.+]] = arith.bitcast %[[N]] : i16 to f16
  // CHECK:         arith.select %[[V]], %[[R]], %{{.+}} : f16
  // CHECK:         %[[B:.+]] = arith.extui %{{.+}} : i8 to i32
  // CHECK:         %[[T:.+]], %{{.+}} = gpu.shuffle xor %[[B]], %{{.+}}, %{{.+}} : i32
  // CHECK:         arith.trunci %[[T]] : i32 to i8
  // CHECK:         gpu.shuffle idx %{{.+}}, %{{.+}}, %{{.+}} : f32
  // PTX-LABEL:   .entry shuffles(
  // PTX:         shfl.sync.down.b32
  // PTX:         shfl.sync.bfly.b32
  // PTX:         shfl.sync.idx.b32
  gpu.func @shuffles(%h: !layout.view<f16, global, 64:1>, %b: !layout.view<i8, global, 64:1>, %f: !layout.view<f32, global, 64:1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %0 = layout.load %h(%t)
    %1, %valid = gpu.shuffle down %0, %c2, %c32 : f16
    %2 = arith.select %valid, %1, %0 : f16
    layout.store %2, %h(%t)
    %3 = layout.load %b(%t)
    %4, %valid_4 = gpu.shuffle xor %3, %c2, %c32 : i8
    layout.store %4, %b(%t)
    %5 = layout.load %f(%t)
    %6, %valid_6 = gpu.shuffle idx %5, %c2, %c32 : f32
    layout.store %6, %f(%t)
    gpu.return
  }

  // The CPU takes gpu.shuffle; LLVM's dialect for a device has the lanes of a segment of 16: 4096 is their mask, 31 and 0 are the last
  // and the first of a segment.
  // CHECK-LABEL: gpu.func @segments(
  // CHECK:         gpu.shuffle idx
  // CHECK:         gpu.shuffle up
  // PTX-LABEL:   .entry segments(
  // PTX:         shfl.sync.idx.b32 {{.*}}, 4127, -1;
  // PTX:         shfl.sync.up.b32 {{.*}}, 4096, -1;
  // PTX:         shfl.sync.up.b32 {{.*}}, 4096, -1;
  gpu.func @segments(%f: !layout.view<f32, global, 64:1>, %d: !layout.view<f64, global, 64:1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    %0 = layout.load %f(%t)
    %1, %valid_1 = gpu.shuffle idx %0, %c2, %c16 : f32
    layout.store %1, %f(%t)
    %2 = layout.load %d(%t)
    %3, %valid_3 = gpu.shuffle up %2, %c2, %c16 : f64
    layout.store %3, %d(%t)
    gpu.return
  }

  // In a branch, which the other segment may not reach, a lane names those of its own segment.
  // PTX-LABEL:   .entry branch(
  // PTX:         %laneid
  // PTX:         shfl.sync.idx.b32 {{.*}}, 4127, %r{{[0-9]+}};
  gpu.func @branch(%f: !layout.view<f32, global, 64:1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    %c48 = arith.constant 48 : index
    %is_last = arith.cmpi uge, %t, %c48 : index
    scf.if %is_last {
      %0 = layout.load %f(%t)
      %1, %valid = gpu.shuffle idx %0, %c2, %c16 : f32
      layout.store %1, %f(%t)
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @known_block(
  // CHECK-NOT:     subgroup
  // CHECK:         gpu.thread_id z
  // CHECK:         %[[Z:.+]] = gpu.thread_id z
  // CHECK:         %[[Y:.+]] = gpu.thread_id y
  // CHECK:         arith.muli %[[Z]], %{{c6.*}} : index
  // CHECK:         arith.addi %{{.+}}, %[[Y]] : index
  // CHECK:         arith.muli %{{.+}}, %{{c8.*}} : index
  // CHECK:         arith.addi %{{.+}}, %{{.+}} : index
  // CHECK:         arith.divui %{{.+}}, %{{c32.*}} : index
  // CHECK-NOT:     subgroup
  // PTX-LABEL:   .entry known_block(
  // PTX:         %tid.z
  gpu.func @known_block(%out: !layout.view<i32, global, (8,6,2):(1,8,48)>) kernel attributes {known_block_size = array<i32: 8, 6, 2>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %z = gpu.thread_id z
    %warp = gpu.subgroup_id : index
    %warps = gpu.num_subgroups : index
    %lanes = gpu.subgroup_size : index
    %0 = arith.muli %warp, %warps : index
    %1 = arith.muli %0, %lanes : index
    %2 = arith.index_cast %1 : index to i32
    layout.store %2, %out(%x, %y, %z)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one_dimension(
  // CHECK:         %[[X:.+]] = gpu.thread_id x
  // CHECK-NOT:     gpu.thread_id {{[yz]}}
  // CHECK:         arith.divui %{{.+}}, %{{c32.*}} : index
  gpu.func @one_dimension(%out: !layout.view<i32, global, 64:1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %warp = gpu.subgroup_id : index
    %0 = arith.index_cast %warp : index to i32
    layout.store %0, %out(%t)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown_block(
  // CHECK-DAG:     gpu.thread_id z
  // CHECK-DAG:     gpu.block_dim y
  // CHECK-DAG:     gpu.block_dim x
  // CHECK:         arith.divui
  // CHECK:         gpu.block_dim z
  // CHECK:         arith.divui
  gpu.func @unknown_block(%out: !layout.view<i32, global, 64:1>) kernel {
    %t = gpu.thread_id x
    %warp = gpu.subgroup_id : index
    %warps = gpu.num_subgroups : index
    %0 = arith.addi %warp, %warps : index
    %1 = arith.index_cast %0 : index to i32
    layout.store %1, %out(%t)
    gpu.return
  }
}
