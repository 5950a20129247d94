// Arithmetic on fragments, written out by the pass and by the lowering.

// RUN: layout-opt %s --layout-expand-fragments | FileCheck %s
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER
// RUN: layout-opt %s --verify-each-layout-pass --layout-expand-fragments --layout-lower 2>&1 | FileCheck %s --check-prefix=PROVED

// PROVED-NOT: warning
// PROVED-NOT: error

#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
!x = !layout.view<bf16, global, (2,2):(2,1)>
!y = !layout.view<f32, register, (2,2):(1,2)>
!row = !layout.view<f32, register, (1,2):(0,1)>
gpu.module @fragments {
  // CHECK-LABEL: gpu.func @map
  // CHECK: %[[Y:.*]] = layout.alloc : !layout.view<f32, register, (2,2)
  // CHECK: %[[ROW:.*]] = layout.alloc : !layout.view<f32, register, (1,2)
  // CHECK-NOT: layout.map
  // CHECK: %[[X0:.*]] = layout.load %{{.*}}(0) : !layout.view<bf16, global
  // CHECK-NEXT: %[[R0:.*]] = layout.load %[[ROW]](0)
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X0]] : bf16 to f32
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[WIDE]], %[[R0]] : f32
  // CHECK-NEXT: layout.store %[[SUM]], %[[Y]](0)
  // CHECK-NEXT: layout.load %{{.*}}(1) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](0)
  // CHECK: layout.load %{{.*}}(2) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](1)
  // CHECK: layout.load %{{.*}}(3) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](1)
  // CHECK: layout.store %{{.*}}, %[[Y]](3)
  // CHECK-NEXT: gpu.return
  // LOWER-LABEL: gpu.func @map
  // LOWER-NOT: layout.
  // LOWER-COUNT-4: arith.addf
  // LOWER-NOT: arith.addf
  gpu.func @map(%x: !x) kernel {
    %y = layout.alloc : !y
    %row = layout.alloc : !row
    layout.map ins(%x, %row : !x, !row) outs(%y : !y) {
    ^bb0(%xi: bf16, %b: f32, %old: f32):
      %wide = arith.extf %xi : bf16 to f32
      %sum = arith.addf %wide, %b : f32
      layout.yield %sum : f32
    }
    gpu.return
  }

  // Numbers that are stored in memory are compared as well: coordinates, and what is computed of them.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-COUNT-4: layout.store
  gpu.func @numbers(%o: !layout.view<i32, global, (2,2):(2,1)>) kernel {
    %n = layout.identity_tensor : !layout.view<index, coordinate, (2,2):(1,2)>
    layout.map ins(%n : !layout.view<index, coordinate, (2,2):(1,2)>) outs(%o : !layout.view<i32, global, (2,2):(2,1)>) {
    ^bb0(%i: index, %old: i32):
      %w = arith.index_cast %i : index to i32
      %twice = arith.addi %w, %w : i32
      layout.yield %twice : i32
    }
    gpu.return
  }

  // Lanes that hold parts of a row exchange these, in quads as those of an accumulator of mma.m16n8k16; rows stay apart.
  // CHECK-LABEL: gpu.func @lanes
  // CHECK: %[[A:.*]] = layout.load %{{.*}}(0)
  // CHECK: %[[B:.*]] = layout.load %{{.*}}(1)
  // CHECK: %[[C:.*]] = layout.load %{{.*}}(2)
  // CHECK: %[[D:.*]] = layout.load %{{.*}}(3)
  // CHECK: %[[AB:.*]] = arith.maximumf %[[A]], %[[B]] : f32
  // CHECK: %[[ROW:.*]] = gpu.subgroup_reduce maximumf %[[AB]] cluster(size = 4) : (f32) -> f32
  // CHECK: %[[CD:.*]] = arith.maximumf %[[C]], %[[D]] : f32
  // CHECK: %[[NEXT:.*]] = gpu.subgroup_reduce maximumf %[[CD]] cluster(size = 4) : (f32) -> f32
  // CHECK: layout.store %[[ROW]], %{{.*}}(0)
  // CHECK: layout.store %[[NEXT]], %{{.*}}(2)
  // CHECK-NOT: layout.store
  // CHECK-NOT: gpu.barrier
  // LOWER-LABEL: gpu.func @lanes
  // LOWER-COUNT-4: gpu.shuffle
  // LOWER-NOT: gpu.shuffle
  // LOWER: gpu.return
  gpu.func @lanes() kernel {
    %x = layout.alloc : !y
    %m = layout.alloc : !layout.view<f32, register, (2,2):(0,1)>
    layout.reduce max %x into %m along [1] threads(#layout<((4,8),(2,2)):((32,1),(16,8))>) tile(#layout<(16,8)>)
        : !y, !layout.view<f32, register, (2,2):(0,1)>
    gpu.return
  }

  // The scores of attention, whose holders are the tiled MMA's: the maximum of each of a thread's two rows, of 64 columns.
  // CHECK-LABEL: gpu.func @scores
  // CHECK-COUNT-15: arith.maximumf
  // CHECK: %[[ROW:.*]] = gpu.subgroup_reduce maximumf %{{.*}} cluster(size = 4)
  // CHECK-COUNT-15: arith.maximumf
  // CHECK: %[[NEXT:.*]] = gpu.subgroup_reduce maximumf %{{.*}} cluster(size = 4)
  // CHECK: layout.store %[[ROW]], %{{.*}}(0)
  // CHECK-NEXT: layout.store %[[NEXT]], %{{.*}}(2)
  // CHECK-NEXT: gpu.return
  // LOWER-LABEL: gpu.func @scores
  gpu.func @scores() kernel {
    %s = layout.partition_fragment c of #mma, (64,64)
    %m = layout.alloc : !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
    layout.reduce max %s into %m along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
        : !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>, !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
    gpu.return
  }

  // A region's lanes shuffle.
  // CHECK-LABEL: gpu.func @region
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[OWN:.*]], %[[ONE]], %{{.*}} : f32
  // CHECK: %[[BOTH:.*]] = arith.addf %[[OWN]], %[[OTHER]] : f32
  // CHECK: gpu.shuffle xor %[[BOTH]]
  // CHECK-COUNT-3: gpu.shuffle
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.return
  // LOWER-LABEL: gpu.func @region
  gpu.func @region() kernel {
    %x = layout.alloc : !layout.view<f32, register, 1:1>
    layout.reduce %x into %x along [0] threads(#layout<(32,1):(1,0)>) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      layout.yield %r : f32
    } : !layout.view<f32, register, 1:1>, !layout.view<f32, register, 1:1>
    gpu.return
  }
}
