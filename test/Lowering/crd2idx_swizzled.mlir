// RUN: layout-opt %s --layout-lower | FileCheck %s

// An offset under a swizzle of a layout that is known at run time is one exclusive or, whatever the swizzle.

// CHECK-LABEL: func.func @offset
// CHECK:         %[[LINEAR:.+]] = arith.addi
// CHECK:         %[[MASK:.+]] = arith.constant 14336 : i64
// CHECK:         %[[MOVED:.+]] = arith.andi %[[LINEAR]], %[[MASK]] : i64
// CHECK:         %[[BY:.+]] = arith.constant 7 : i64
// CHECK:         %[[DOWN:.+]] = arith.shrui %[[MOVED]], %[[BY]] : i64
// CHECK:         arith.xori %[[LINEAR]], %[[DOWN]] : i64
// CHECK-NOT:     arith.{{shrui|divui|remui}}
func.func @offset(%n: i64, %i: index, %j: index) -> index {
  %l = layout.make %n : (i64) -> !layout<S<3,4,7> o 0 o (?{i64 div=8},1024):(1024,1)>
  %o = layout.crd2idx %l(%i, %j)
  return %o : index
}

// An offset that is known at run time, too.
// CHECK-LABEL: func.func @moved
// CHECK:         arith.xori
// CHECK-NOT:     arith.{{divui|remui}}
func.func @moved(%n: i64, %at: i64, %i: index, %j: index) -> index {
  %inner = layout.make %n : (i64) -> !layout<(?{i64 div=8},64):(64,1)>
  %l = layout.make_composed_layout #layout<S<3,3,3>>, %at : i64, %inner : !layout<(?{i64 div=8},64):(64,1)>
  %o = layout.crd2idx %l(%i, %j)
  return %o : index
}
