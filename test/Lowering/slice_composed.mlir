// RUN: layout-opt %s | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER

// The offset of the coordinates that a slice of a composed layout fixes is added between the two, known or not: it is
// no offset of the result as a whole. Steps by whole periods of a swizzle are, and go.

// CHECK-LABEL: @known(
func.func @known(%i: index, %l: !layout<(4,5):(1,8) o 2 o (8,3):(1,3)>, %s: !layout<S<3,4,3> o 0 o (64,128):(1,64)>) -> (index, index) {
  // CHECK: !layout<(4,5):(1,8) o 5 o (3):(3)>
  %a = layout.slice %l(3, _) : !layout<(4,5):(1,8) o 2 o (8,3):(1,3)>
  %x = layout.crd2idx %a(%i) : !layout<(4,5):(1,8) o 5 o (3):(3)>
  // CHECK: !layout<S<3,4,3> o 192 o (64):(1)>
  %b = layout.slice %s(_, 3) : !layout<S<3,4,3> o 0 o (64,128):(1,64)>
  %y = layout.crd2idx %b(%i) : !layout<S<3,4,3> o 192 o (64):(1)>
  return %x, %y : index, index
}

// A value and its slices fold to the same offsets.
// FOLD-LABEL: @folded(
func.func @folded(%s: !layout<S<3,4,3> o 0 o (64,128):(1,64)>, %l: !layout<(4,5):(1,8) o 2 o (8,3):(1,3)>) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %b = layout.slice %s(_, 3) : !layout<S<3,4,3> o 0 o (64,128):(1,64)>
  // Offsets 192 and 208 are swizzled to 208 and 192.
  // FOLD-DAG: %[[A:.+]] = arith.constant 208 : index
  // FOLD-DAG: %[[B:.+]] = arith.constant 192 : index
  %x = layout.crd2idx %b(%c0) : !layout<S<3,4,3> o 192 o (64):(1)>
  %y = layout.crd2idx %b(%c16) : !layout<S<3,4,3> o 192 o (64):(1)>
  %a = layout.slice %l(3, _) : !layout<(4,5):(1,8) o 2 o (8,3):(1,3)>
  // FOLD-DAG: %[[C:.+]] = arith.constant 9 : index
  // FOLD-DAG: %[[D:.+]] = arith.constant 19 : index
  %p = layout.crd2idx %a(%c0) : !layout<(4,5):(1,8) o 5 o (3):(3)>
  %q = layout.crd2idx %a(%c2) : !layout<(4,5):(1,8) o 5 o (3):(3)>
  // FOLD: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %x, %y, %p, %q, %c0 : index, index, index, index, index
}

// A coordinate that is known at run time alone: the offset is an integer of the result.
// CHECK-LABEL: @dynamic(
// LOWER-LABEL: @dynamic(
// LOWER-SAME: %[[J:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index
func.func @dynamic(%s: !layout<S<3,4,3> o 0 o (64,128):(1,64)>, %j: index, %i: index) -> index {
  // CHECK: layout.slice %{{.+}}(_, %{{.+}}) : !layout<S<3,4,3> o 0 o (64,128):(1,64)>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}) : !layout<S<3,4,3> o 64*?{i64 range=0..} o (64):(1)>
  %b = layout.slice %s(_, %j) : !layout<S<3,4,3> o 0 o (64,128):(1,64)>
  %x = layout.crd2idx %b(%i) : !layout<S<3,4,3> o 64*?{i64 range=0..} o (64):(1)>
  // LOWER: arith.muli
  return %x : index
}

// A tile of a value: the rows step by four periods, the columns by a quarter of one.
// CHECK-LABEL: @tile(
func.func @tile(%s: !layout<S<2,0,3> o 0 o (8,16):(16,1)>, %j: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  // CHECK: !layout<S<2,0,3> o 8 o (4,8):(16,1)>
  %t = layout.local_tile %s(1, 1), #layout<(4,8)> : !layout<S<2,0,3> o 0 o (8,16):(16,1)>
  %x = layout.crd2idx %t(%c1) : !layout<S<2,0,3> o 8 o (4,8):(16,1)>
  // CHECK: !layout<S<2,0,3> o 8*?{i64 range=0..} o (4,8):(16,1)>
  %u = layout.local_tile %s(%j, %j), #layout<(4,8)> : !layout<S<2,0,3> o 0 o (8,16):(16,1)>
  %y = layout.crd2idx %u(%c1) : !layout<S<2,0,3> o 8*?{i64 range=0..} o (4,8):(16,1)>
  return %x, %y : index, index
}

// A swizzle of no bits is none: all that is fixed is an offset of the result as a whole, as of a plain layout.
// CHECK-LABEL: @identity(
// FOLD-LABEL: @identity(
func.func @identity(%s: !layout<S<0,2,2> o 0 o (2,22):(1,2)>, %l: !layout<S<0,2,2> o 0 o (44):(1)>, %j: index) -> (index, index) {
  %c2 = arith.constant 2 : index
  %b = layout.slice %s(1, _) : !layout<S<0,2,2> o 0 o (2,22):(1,2)>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}) : !layout<S<0,2,2> o 0 o (22):(2)>
  %x = layout.crd2idx %b(%c2) : !layout<S<0,2,2> o 0 o (22):(2)>
  %p = layout.partition %l(%j), #layout<(2):(1)> : !layout<S<0,2,2> o 0 o (44):(1)>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}) : !layout<(22):(2)>
  %y = layout.crd2idx %p(%c2) : !layout<(22):(2)>
  // FOLD: %[[A:.+]] = arith.constant 4 : index
  // FOLD: return %[[A]], %[[A]]
  return %x, %y : index, index
}
