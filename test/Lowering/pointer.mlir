// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s

// The address of a view's first element: where a slice begins, also under a swizzle.

// CHECK-LABEL: gpu.func @pointers
// CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[I:.+]]: index
// CHECK:         %[[AT:.+]] = llvm.getelementptr %[[P]][%{{.+}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
// CHECK:         llvm.atomicrmw fadd %[[AT]], %{{.+}} monotonic : !llvm.ptr<1>, f32
// CHECK:         %[[GENERIC:.+]] = llvm.addrspacecast %[[P]] : !llvm.ptr<1> to !llvm.ptr
// CHECK:         llvm.load %[[GENERIC]] : !llvm.ptr -> f32
// CHECK:         %[[FIRST:.+]] = llvm.getelementptr %{{.+}}[72] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f16
// CHECK:         llvm.store %{{.+}}, %[[FIRST]] : f16, !llvm.ptr<3>
gpu.module @m {
  gpu.func @pointers(%v: !layout.view<f32, global, (8,32):(32,1)>, %i: index) kernel {
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f16
    %row = layout.slice %v(%i, _)
    %p = layout.pointer %row -> !llvm.ptr<1>
    %old = llvm.atomicrmw fadd %p, %one monotonic : !llvm.ptr<1>, f32
    %q = layout.pointer %v -> !llvm.ptr
    %x = llvm.load %q : !llvm.ptr -> f32
    layout.store %x, %v(0, 0)
    // The second row of 64 elements, whose units of 8 are exchanged with their neighbours.
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
    %second = layout.slice %s(1, _)
    %t = layout.pointer %second -> !llvm.ptr<3>
    llvm.store %half, %t : f16, !llvm.ptr<3>
    gpu.return
  }
}
