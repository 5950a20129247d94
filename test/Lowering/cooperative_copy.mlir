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

// -----

// Registers give a run in any order: a tile is turned in them, and each of its rows stored at once.

// CHECK-LABEL: func.func @turned
// CHECK:         %[[ROW:.+]] = vector.from_elements %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi8>
// CHECK:         llvm.store %[[ROW]], %{{.+}} : vector<4xi8>, !llvm.ptr
!rows = !layout.view<i8, global, (4,4):(1,64)>
!own = !layout.view<i8, register, (4,4):(1,4)>
func.func @turned(%from: !rows, %to: !rows) {
  %x = layout.alloc : !own
  layout.copy #layout.atom<simt_4> %from, %x : !rows, !own
  %turned = layout.select %x, [1, 0] : !own
  layout.copy #layout.atom<simt_4> %turned, %to : !layout.view<i8, register, (4,4):(4,1)>, !rows
  return
}
