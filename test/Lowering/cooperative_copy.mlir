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

// -----

// A function that a kernel calls copies vectors to a tile under a swizzle: what it takes begins at a multiple of what the swizzle keeps in a row.

// CHECK-LABEL: gpu.func @calls
// CHECK:         func.call @fill(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (index, index, !llvm.ptr<1>, !llvm.ptr<3>, i64) -> ()
// CHECK:       func.func private @fill
// CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16
!from = !layout.view<f16, global, (64,32):(32,1)>
!stages = !layout.view<f16, shared, S<2,3,3> o 0 o (64,32,3):(32,1,2048)>
gpu.module @m {
  gpu.func @calls(%from: !from, %number: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %s = layout.alloc : !stages
    func.call @fill(%t, %number, %from, %s) : (index, index, !from, !stages) -> ()
    gpu.return
  }
  func.func private @fill(%t: index, %number: index, %from: !from, %s: !stages) {
    %own = layout.slice %s(_, _, %number) : !stages
    layout.cooperative_copy #layout.tiled_copy<cp_async_16, (32,4):(4,1), (1,8)>(%t) %from, %own : !from, !layout.view<f16, shared, S<2,3,3> o 0 o (64,32):(32,1)>
    return
  }
}
