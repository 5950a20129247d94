// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s

// Columns of a matrix whose rows lie apart by a number that is known at run time, one element at once.

// CHECK-LABEL: func.func @strided
// CHECK-NOT:     layout.
// CHECK:         llvm.load
// CHECK:         llvm.store
!v = !layout.view<f32, global, (16,8):(?{div=4},1)>
!s = !layout.view<f32, shared, (16,8):(8,1)>
func.func @strided(%v: !v, %s: !s, %t: index) {
  layout.cooperative_copy #layout.tiled_copy<simt_1, (16,8):(8,1), (1,1)>(%t) %v, %s : !v, !s
  return
}
