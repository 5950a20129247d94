// RUN: layout-opt %s --layout-lower=plain=true | FileCheck %s
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=USUAL
// RUN: not layout-opt %s --layout-lower=plain=2 2>&1 | FileCheck %s --check-prefix=ERROR

// Offsets by the definition of a layout: for each extent a quotient, a remainder and a product, of
// which the last extent has no remainder; and a swizzle of the whole sum.

// ERROR: error: 'builtin.module' op expected true or false as the option 'plain', found '2'

// CHECK-LABEL: @continued
// CHECK: arith.divui %{{.*}}, %c1
// CHECK: arith.remui %{{.*}}, %c4
// CHECK: arith.divui %{{.*}}, %c4
// CHECK: arith.muli
// CHECK: arith.addi
// USUAL-LABEL: @continued
// USUAL-NOT: arith.divui
// USUAL-NOT: arith.addi
// USUAL: return
func.func @continued(%i: index) -> index {
  %l = layout.constant #layout<(4,8):(1,4)> : !layout<(4,8):(1,4)>
  %x = layout.crd2idx %l(%i) : !layout<(4,8):(1,4)>
  return %x : index
}

// CHECK-LABEL: @swizzled
// CHECK: arith.remui
// CHECK: arith.addi
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %c0
// CHECK: arith.andi %[[SUM]]
// CHECK: arith.xori %[[SUM]]
// USUAL-LABEL: @swizzled
// USUAL-NOT: arith.remui
// USUAL: return
func.func @swizzled(%i: index) -> index {
  %l = layout.constant #layout<S<2,0,2> o 0 o (4,8):(8,1)> : !layout<S<2,0,2> o 0 o (4,8):(8,1)>
  %x = layout.crd2idx %l(%i) : !layout<S<2,0,2> o 0 o (4,8):(8,1)>
  return %x : index
}

// Where the layout is partly static, too: the quotient and the remainder by an extent that is not known.

// CHECK-LABEL: @partly
// CHECK: %[[FIRST:.*]] = arith.divui %{{.*}}, %c1
// CHECK: arith.remui %[[FIRST]]
// CHECK: arith.divui
// CHECK: arith.muli
// CHECK: arith.addi
// USUAL-LABEL: @partly
// USUAL-NOT: arith.divui %{{.*}}, %c1
// USUAL: return
func.func @partly(%l: !layout<(?{range=1..64},8):(1,?{range=1..64})>, %i: index) -> index {
  %x = layout.crd2idx %l(%i) : !layout<(?{range=1..64},8):(1,?{range=1..64})>
  return %x : index
}

// Under a swizzle, with its offset.

// CHECK-LABEL: @partly_swizzled
// CHECK: arith.shrui
// CHECK: return
// USUAL-LABEL: @partly_swizzled
// USUAL: arith.shrui
// USUAL: return
func.func @partly_swizzled(%l: !layout<S<2,0,2> o 1 o (6):(?{range=1..})>, %i: index) -> index {
  %x = layout.crd2idx %l(%i) : !layout<S<2,0,2> o 1 o (6):(?{range=1..})>
  return %x : index
}

// A round trip, of which the normal form leaves the index.

// CHECK-LABEL: @round_trip
// CHECK: arith.remui
// CHECK: arith.divui
// USUAL-LABEL: @round_trip
// USUAL-NOT: arith.muli %{{.*}}, %c1
// USUAL: return
func.func @round_trip(%l: !layout<(?{range=1..64},8):(1,?{range=1..64})>, %i: index) -> (index, index) {
  %x:2 = layout.idx2crd %i, %l : !layout<(?{range=1..64},8):(1,?{range=1..64})>
  return %x#0, %x#1 : index, index
}
