// RUN: layout-opt %s --layout-lower --cse --canonicalize --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s --check-prefix=LEAK

// LEAK-NOT: {{[%"# ]}}layout.{{[a-z]}}
// LEAK-NOT: !layout

// A view of a partly static layout is a pointer and the integers that the layout leaves open.

// CHECK-LABEL: gpu.func @row(
// CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[M:.+]]: i32, %[[K:.+]]: i32, %[[O:.+]]: !llvm.ptr<1>
// CHECK:         %[[T:.+]] = gpu.thread_id
// CHECK:         %[[I:.+]] = arith.index_cast %[[T]] : index to i32
// CHECK:         %[[A:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
// CHECK:         %[[E:.+]] = llvm.getelementptr %[[P]][%[[A]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
// A static offset is an immediate.
// CHECK:         %[[F:.+]] = llvm.getelementptr %[[E]][3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
// CHECK:         llvm.load %[[F]]
gpu.module @m {
  gpu.func @row(%v: !layout.view<f32, global, (?{range=1..4096},?1{range=1..4096}):(?1,1)>,
                %o: !layout.view<f32, global, 1:1>) kernel {
    %t = gpu.thread_id x
    %r = layout.slice %v(%t, _) : !layout.view<f32, global, (?{range=1..4096},?1{range=1..4096}):(?1,1)>
    %x = layout.load %r(3) : !layout.view<f32, global, (?{range=1..4096}):(1)>
    layout.store %x, %o(0) : !layout.view<f32, global, 1:1>
    gpu.return
  }
}

// -----

// Offsets that may leave 32 bits are computed in 64.

// CHECK-LABEL: func.func @wide(
// CHECK:         arith.muli %{{.+}}, %{{.+}} : i64
// CHECK-NOT:     arith.muli %{{.+}}, %{{.+}} : i32
// CHECK:         return
func.func @wide(%v: !layout.view<f32, host, (?,?1):(?1,1)>, %i: index, %j: index) -> f32 {
  %x = layout.load %v(%i, %j) : !layout.view<f32, host, (?,?1):(?1,1)>
  return %x : f32
}

// -----

// Rows of 8 end on a multiple: no division, and the vector is where the slice is.

// CHECK-LABEL: func.func @made(
// CHECK-SAME:    %[[P:.+]]: !llvm.ptr, %[[M:.+]]: i32
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         return
func.func @made(%p: !llvm.ptr, %m: i32, %i: index) -> f16 {
  %l = layout.make %m : (i32) -> !layout<(?{div=8},8):(8,1)>
  %v = layout.make_view %p, %l of f16 : !llvm.ptr, !layout<(?{div=8},8):(8,1)>
  %t = layout.local_tile %v(%i, 0), #layout<(8,8)> : !layout.view<f16, host, (?{div=8},8):(8,1)>
  %x = layout.load %t(1, 2) : !layout.view<f16, host, (8,8):(8,1)>
  return %x : f16
}

// -----

// A memref's first element lies an offset past its pointer; its sizes and strides are the layout's.

// CHECK-LABEL: func.func @of_memref(
// CHECK-SAME:    %[[M:[^:]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>, %[[I:.+]]: index
// CHECK:         %[[A:.+]] = memref.extract_aligned_pointer_as_index %[[M]]
// CHECK:         %[[C:.+]] = arith.index_cast %[[A]] : index to i64
// CHECK:         %[[P:.+]] = llvm.inttoptr %[[C]] : i64 to !llvm.ptr
// CHECK:         %{{.+}}, %[[O:.+]], %{{.+}}:2, %[[S:.+]]:2 = memref.extract_strided_metadata %[[M]]
// CHECK:         %[[D:.+]] = arith.index_cast %[[O]] : index to i64
// CHECK:         %[[F:.+]] = llvm.getelementptr %[[P]][%[[D]]]
// CHECK:         llvm.getelementptr %[[F]]
func.func @of_memref(%m: memref<?x?xf32, strided<[?, 1], offset: ?>>, %i: index) -> f32 {
  %v = layout.make_view %m : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %x = layout.load %v(%i, 3) : !layout.view<f32, host, (?{i64},?{i64}):(?{i64},1)>
  return %x : f32
}

// -----

// In a kernel, shared memory stays shared.

// CHECK-LABEL: gpu.func @shared(
// CHECK:         llvm.inttoptr %{{.+}} : i64 to !llvm.ptr<3>
// CHECK-NOT:     extract_strided_metadata
gpu.module @shared_memory {
  gpu.func @shared(%m: memref<4x8xf32, #gpu.address_space<workgroup>>, %i: index) {
    %v = layout.make_view %m : memref<4x8xf32, #gpu.address_space<workgroup>>
    %x = layout.load %v(%i, 3) : !layout.view<f32, shared, (4,8):(8,1)>
    layout.store %x, %v(0, 0) : !layout.view<f32, shared, (4,8):(8,1)>
    gpu.return
  }
}
