// RUN: layout-opt %s | FileCheck %s
// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER
// RUN: layout-opt %s | layout-opt --layout-lower | FileCheck %s --check-prefix=LOWER

// The integers of a type are in the order in which its text mentions them, also where the normal form of
// a minimum, a sum or a product has its parts in another order.

// CHECK-LABEL: @first(
// CHECK: !layout<(2,4):(min(?0{div=4 range=4..4032},?{range=..65}),?0)>
// LOWER-LABEL: @first(%arg0: i32, %arg1: i32
// LOWER: arith.addi %{{.+}}, %arg0 : i32
func.func @first(%a: i32, %b: i32, %i: index) -> index {
  %l = layout.make %a, %b : (i32, i32) -> !layout<(2,4):(min(?0{div=4 range=1..4032},?1{range=..65}),?0)>
  %o = layout.crd2idx %l(%i, 1) : !layout<(2,4):(min(?0{div=4 range=1..4032},?1{range=..65}),?0)>
  return %o : index
}

// CHECK-LABEL: @second(
// CHECK: !layout<(2,4):(min(?{range=..65},?1{div=4 range=4..4032}),?1)>
// LOWER-LABEL: @second(%arg0: i32, %arg1: i32
// LOWER: arith.addi %{{.+}}, %arg1 : i32
func.func @second(%a: i32, %b: i32, %i: index) -> index {
  %l = layout.make %a, %b : (i32, i32) -> !layout<(2,4):(min(?0{range=..65},?1{div=4 range=1..4032}),?1)>
  %o = layout.crd2idx %l(%i, 1) : !layout<(2,4):(min(?0{range=..65},?1{div=4 range=1..4032}),?1)>
  return %o : index
}

// Two spellings of one type.
// CHECK-LABEL: @sums(
// CHECK-COUNT-2: !layout<(2,4):(?0-?,?0)>
func.func private @sums(!layout<(2,4):(?1-?0,?1)>, !layout<(2,4):(?0-?1,?0)>)

// CHECK-LABEL: @products(
// CHECK-SAME: !layout<(2,4):(?0{div=4}*?,?0)>
// CHECK-SAME: !layout<(2,4):(?*?1{div=4},?1)>
func.func private @products(!layout<(2,4):(?0{div=4}*?1,?0)>, !layout<(2,4):(?0*?1{div=4},?1)>)
