// RUN: layout-opt %s --layout-lower | FileCheck %s

// Elements of less than a byte: element 195 is in the upper half of byte 97, the first element of a byte in its lowest bits.

// CHECK-LABEL: func.func @known
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.+}}[97] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[BYTE:.+]] = llvm.load %[[AT]] : !llvm.ptr -> i8
// CHECK: %[[BY:.+]] = arith.constant 4 : i8
// CHECK: %[[MOVED:.+]] = arith.shrui %[[BYTE]], %[[BY]] : i8
// CHECK: arith.trunci %[[MOVED]] : i8 to i4
func.func @known(%v: !layout.view<i8, global, (64,32):(32,1)>) -> i4 {
  %w = layout.recast %v to i4 : !layout.view<i8, global, (64,32):(32,1)>
  %x = layout.load %w(3, 3) : !layout.view<i4, global, (64,64):(64,1)>
  return %x : i4
}

// A row begins a byte, whatever row it is.
// CHECK-LABEL: func.func @row
// CHECK: %[[BYTES:.+]] = arith.shrsi
// CHECK: llvm.getelementptr %{{.+}}[%[[BYTES]]] : (!llvm.ptr, i32) -> !llvm.ptr, i8
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr -> vector<16xi8>
func.func @row(%v: !layout.view<i4, global, (64,32):(32,1)>, %i: index, %to: !layout.view<f32, host, 32:1>) {
  %row = layout.slice %v(%i, _) : !layout.view<i4, global, (64,32):(32,1)>
  layout.copy #layout.atom<simt_32> %row, %to : !layout.view<i4, global, (32):(1)>, !layout.view<f32, host, 32:1>
  return
}

// An element that is known at run time alone: both its byte and its place in that are.
// CHECK-LABEL: func.func @any
// CHECK: arith.andi
// CHECK: arith.muli
// CHECK: %[[SHIFT:.+]] = arith.trunci %{{.+}} : i32 to i8
// CHECK: arith.shrui %{{.+}}, %[[SHIFT]] : i8
func.func @any(%v: !layout.view<i4, global, (64,32):(1,64)>, %i: index) -> i4 {
  %x = layout.load %v(%i, 5) : !layout.view<i4, global, (64,32):(1,64)>
  return %x : i4
}
