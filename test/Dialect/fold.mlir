// RUN: layout-opt %s --canonicalize --split-input-file | FileCheck %s

// An integer that follows from a layout's type becomes a constant.
// CHECK-LABEL: @queries
func.func @queries(%l: !layout<((2,2),3):((24,2),8)>, %v: !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>) -> (index, index, index, index, index) {
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 12 : index
  // CHECK-DAG: %[[COSIZE:.*]] = arith.constant 43 : index
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[VIEW:.*]] = arith.constant 512 : index
  // CHECK-NOT: layout.
  %0 = layout.size %l : !layout<((2,2),3):((24,2),8)>
  %1 = layout.cosize %l : !layout<((2,2),3):((24,2),8)>
  %2 = layout.rank %l : !layout<((2,2),3):((24,2),8)>
  %3 = layout.depth %l : !layout<((2,2),3):((24,2),8)>
  %4 = layout.size %v : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
  // CHECK: return %[[SIZE]], %[[COSIZE]], %[[TWO]], %[[TWO]], %[[VIEW]]
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}

// -----

// A constant's term is evaluated.
// CHECK-LABEL: @term
func.func @term() -> !layout<12:1> {
  // CHECK-NEXT: %[[L:.*]] = layout.constant #layout<12:1> : !layout<12:1>
  // CHECK-NEXT: return %[[L]]
  %0 = layout.constant #layout<coalesce((2,(1,6)):(1,(6,2)))> : !layout<12:1>
  return %0 : !layout<12:1>
}

// -----

// Layouts are in their types, so operations on them become constants.
// CHECK-LABEL: @layouts
func.func @layouts(%l: !layout<4:2>) -> !layout<(2,3):(1,8)> {
  // CHECK-NEXT: %[[L:.*]] = layout.constant #layout<(2,3):(1,8)> : !layout<(2,3):(1,8)>
  // CHECK-NEXT: return %[[L]]
  %0 = layout.complement %l, 24 : !layout<4:2>
  return %0 : !layout<(2,3):(1,8)>
}

// -----

// CHECK-LABEL: @coordinates
func.func @coordinates(%l: !layout<(4,(2,4)):(2,(1,8))>, %s: !layout<S<3,3,3> o 0 o (8,64):(64,1)>) -> (index, index, index, index, index) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 5 : index
  // CHECK-DAG: %[[B:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[OFFSET:.*]] = arith.constant 31 : index
  // CHECK-DAG: %[[SWIZZLED:.*]] = arith.constant 200 : index
  // CHECK-NOT: layout.
  %i = arith.constant 101 : index
  %three = arith.constant 3 : index
  // 101 = 5 + 32 * (1 + 2 * 1)
  %a:3 = layout.idx2crd %i, #layout<(32,2,2)>
  // 3 * 2 + 1 * 1 + 3 * 8
  %0 = layout.crd2idx %l(%three, (1, %three)) : !layout<(4,(2,4)):(2,(1,8))>
  // Row 3 starts at 192; its bits 6 and 7 go to bits 3 and 4: 192 + 16 xor 24.
  %1 = layout.crd2idx %s(%three, 16) : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  // CHECK: return %[[A]], %[[B]], %[[B]], %[[OFFSET]], %[[SWIZZLED]]
  return %a#0, %a#1, %a#2, %0, %1 : index, index, index, index, index
}

// -----

// Unknown values stay, and so do views.
// CHECK-LABEL: @stays
func.func @stays(%l: !layout<(4,2):(1,4)>, %v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) -> (index, index, !layout.view<f16, global, 8:1>) {
  // CHECK: layout.crd2idx
  %0 = layout.crd2idx %l(%i, 1) : !layout<(4,2):(1,4)>
  // CHECK: layout.idx2crd
  %1:2 = layout.idx2crd %i, #layout<(4,2)>
  // CHECK: layout.composition
  %2 = layout.composition %v, #layout<8:1> : !layout.view<f16, global, (4,2):(1,4)>
  return %0, %1#1, %2 : index, index, !layout.view<f16, global, 8:1>
}

// -----

// A slice that keeps every mode is what it slices; one that keeps them otherwise, or fixes one, stays.
// CHECK-LABEL: @whole
// CHECK-SAME: (%[[V:.+]]: !layout.view<f16, global, (4,2):(1,4)>, %[[W:.+]]: !layout.view<f16, host, (?,2):(2,1)>
func.func @whole(%v: !layout.view<f16, global, (4,2):(1,4)>, %w: !layout.view<f16, host, (?,2):(2,1)>, %i: index) -> (f16, f16, f16) {
  %0 = layout.slice %v(_, _) : !layout.view<f16, global, (4,2):(1,4)>
  %1 = layout.slice %w(_, _) : !layout.view<f16, host, (?,2):(2,1)>
  // CHECK-NEXT: %[[S:.+]] = layout.slice %[[V]](%{{.+}}, _)
  %2 = layout.slice %v(%i, _) : !layout.view<f16, global, (4,2):(1,4)>
  // CHECK-NEXT: layout.load %[[V]](
  // CHECK-NEXT: layout.load %[[W]](
  // CHECK-NEXT: layout.load %[[S]](
  %3 = layout.load %0(%i, 1) : !layout.view<f16, global, (4,2):(1,4)>
  %4 = layout.load %1(%i, 1) : !layout.view<f16, host, (?,2):(2,1)>
  %5 = layout.load %2(1) : !layout.view<f16, global, (2):(4)>
  return %3, %4, %5 : f16, f16, f16
}

// -----

// A coordinate holds the facts about it; what is out of range, in code that does not run, stays.
// CHECK-LABEL: @into_coordinates
// CHECK-SAME: (%[[L:.+]]: !layout<(?,8):(1,?)>, %[[V:.+]]: !layout.view<f16, global, (8,(2,4)):(8,(1,2))>, %[[S:.+]]: !layout<(8,(2,4)):(8,(1,2))>, %[[X:.+]]: f16, %[[I:.+]]: index)
func.func @into_coordinates(%l: !layout<(?,8):(1,?)>, %v: !layout.view<f16, global, (8,(2,4)):(8,(1,2))>, %s: !layout<(8,(2,4)):(8,(1,2))>, %x: f16, %i: index) -> (index, f16, f16, index, index, !layout.view<f16, global, (8):(8)>) {
  %two = arith.constant 2 : index
  %nine = arith.constant 9 : index
  %t = layout.constant #layout<(1,3)> : !layout.tuple<(1,3)>
  // CHECK-DAG: %[[NINE:.+]] = arith.constant 9 : index
  // CHECK: layout.crd2idx %[[L]](2, %[[I]])
  %0 = layout.crd2idx %l(%two, %i) : !layout<(?,8):(1,?)>
  // CHECK: layout.load %[[V]](2, (1, 3))
  %1 = layout.load %v(%two, %t) : !layout.view<f16, global, (8,(2,4)):(8,(1,2))>, index, !layout.tuple<(1,3)>
  // CHECK: layout.load %[[V]](%[[NINE]], %[[I]])
  %2 = layout.load %v(%nine, %i) : !layout.view<f16, global, (8,(2,4)):(8,(1,2))>
  // CHECK: layout.store %[[X]], %[[V]](%[[I]], (1, 3))
  layout.store %x, %v(%i, %t) : !layout.view<f16, global, (8,(2,4)):(8,(1,2))>, index, !layout.tuple<(1,3)>
  // CHECK: layout.crd2idx %[[S]](%[[I]], (1, 3))
  %3 = layout.crd2idx %s(%i, %t) : !layout<(8,(2,4)):(8,(1,2))>, index, !layout.tuple<(1,3)>
  // CHECK-NOT: layout.dice
  %d = layout.dice %s(%two, _) : !layout<(8,(2,4)):(8,(1,2))>
  %4 = layout.size %d : !layout<(8):(8)>
  // CHECK: layout.slice %[[V]](_, (1, 3))
  %5 = layout.slice %v(_, %t) : !layout.view<f16, global, (8,(2,4)):(8,(1,2))>, !layout.tuple<(1,3)>
  return %0, %1, %2, %3, %4, %5 : index, f16, f16, index, index, !layout.view<f16, global, (8):(8)>
}

// -----

// An element of a counting view is the offset of its coordinate, also of a part of one.
// CHECK-LABEL: @counted
// CHECK-SAME: (%[[I:.+]]: index, %[[J:.+]]: index, %[[L:.+]]: !layout<(?,?):(1,?)>)
func.func @counted(%i: index, %j: index, %l: !layout<(?,?):(1,?)>) -> (index, index, index, index, index) {
  // CHECK-DAG: %[[A:.+]] = arith.constant 305 : index
  // CHECK-DAG: %[[B:.+]] = arith.constant 506 : index
  // CHECK-DAG: %[[C:.+]] = layout.constant #layout<(8,9):(100,1)>
  // CHECK-NOT: layout.load %{{.+}}(3, 5)
  %three = arith.constant 3 : index
  %n = layout.identity_tensor : !layout.view<index, coordinate, (8,9):(100,1)>
  %0 = layout.load %n(%three, 5) : !layout.view<index, coordinate, (8,9):(100,1)>
  // Row 5, and the third tile of three columns.
  %d = layout.zipped_divide %n, #layout<(1,3)> : !layout.view<index, coordinate, (8,9):(100,1)>
  %s = layout.slice %d(_, (5, 2)) : !layout.view<index, coordinate, ((1,3),(8,3)):((100,1),(100,3))>
  %1 = layout.load %s(0) : !layout.view<index, coordinate, ((1,3)):((100,1))>
  // CHECK: %[[D:.+]] = layout.crd2idx %[[C]](%[[I]], %[[J]])
  %2 = layout.load %n(%i, %j) : !layout.view<index, coordinate, (8,9):(100,1)>
  %v = layout.identity_tensor of %l : !layout<(?,?):(1,?)> -> !layout.view<index, coordinate, (?,?):(1,?)>
  // CHECK: %[[E:.+]] = layout.crd2idx %[[L]](%[[I]], 3)
  %3 = layout.load %v(%i, %three) : !layout.view<index, coordinate, (?,?):(1,?)>
  // Where a slice begins is not known.
  // CHECK: %[[R:.+]] = layout.slice
  // CHECK: %[[F:.+]] = layout.load %[[R]](3)
  %r = layout.slice %n(%i, _) : !layout.view<index, coordinate, (8,9):(100,1)>
  %4 = layout.load %r(%three) : !layout.view<index, coordinate, (9):(1)>
  // CHECK: return %[[A]], %[[B]], %[[D]], %[[E]], %[[F]]
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}

// -----

// Pure operations without uses go; writes stay.
// CHECK-LABEL: @effects
func.func @effects(%v: !layout.view<f32, global, 4:1>, %x: f32, %i: index) {
  // CHECK-NEXT: layout.store
  // CHECK-NEXT: layout.fill
  // CHECK-NEXT: return
  %0 = layout.slice %v(_) : !layout.view<f32, global, 4:1>
  %1 = layout.identity_tensor : !layout.view<index, coordinate, 4:1>
  layout.store %x, %v(%i) : !layout.view<f32, global, 4:1>
  layout.fill %v, %x : !layout.view<f32, global, 4:1>
  return
}

// -----

// An assumption that says nothing new is its operand; one that says more stays.
// CHECK-LABEL: @assume
// CHECK-SAME: (%[[L:.+]]: !layout<(?,8):(1,?)>)
func.func @assume(%l: !layout<(?,8):(1,?)>) -> (!layout<(?,8):(1,?)>, !layout<(?{div=8},8):(1,?)>) {
  // CHECK-NEXT: %[[A:.+]] = layout.assume %[[L]] : !layout<(?,8):(1,?)> to !layout<(?{div=8},8):(1,?)>
  // CHECK-NEXT: return %[[L]], %[[A]]
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,8):(1,?)>
  %1 = layout.assume %0 : !layout<(?,8):(1,?)> to !layout<(?{div=8},8):(1,?)>
  return %0, %1 : !layout<(?,8):(1,?)>, !layout<(?{div=8},8):(1,?)>
}

// -----

// A type that leaves nothing open is all of what is made.
// CHECK-LABEL: @made
func.func @made() -> (!layout<(4,8):(8,1)>, !layout.tuple<(4,_)>) {
  // CHECK-DAG: %[[L:.*]] = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
  // CHECK-DAG: %[[T:.*]] = layout.constant #layout<(4,_)> : !layout.tuple<(4,_)>
  // CHECK-NOT: layout.make
  // CHECK: return %[[L]], %[[T]]
  %0 = layout.make : () -> !layout<(4,8):(8,1)>
  %1 = layout.make : () -> !layout.tuple<(4,_)>
  return %0, %1 : !layout<(4,8):(8,1)>, !layout.tuple<(4,_)>
}

// -----

// CHECK-LABEL: @open
func.func @open() -> !layout<(4,?):(8,1)> {
  // CHECK: layout.make
  %c = arith.constant 4 : i32
  %0 = layout.make %c : (i32) -> !layout<(4,?):(8,1)>
  return %0 : !layout<(4,?):(8,1)>
}

// -----

// A coordinate with which the offset is past 64 bits stays an operand: the code does not run, and the text would
// be refused.
// CHECK-LABEL: @past_64_bits
func.func @past_64_bits(%n: i64) -> index {
  // CHECK: %[[C:.+]] = arith.constant 9223372036854775805 : index
  // CHECK: layout.crd2idx %{{.+}}(%[[C]])
  %l = layout.make %n : (i64) -> !layout<(4,3*?{i64}):(0,-6)>
  %c = arith.constant 9223372036854775805 : index
  %0 = layout.crd2idx %l(%c) : !layout<(4,3*?{i64}):(0,-6)>
  return %0 : index
}

// -----

// CHECK-LABEL: @store_past_64_bits
func.func @store_past_64_bits(%p: !llvm.ptr, %n: i32, %m: i32, %x: i4, %runs: i1) {
  // CHECK: %[[C:.+]] = arith.constant 3341367680608328130 : index
  // CHECK: layout.store %{{.+}}, %{{.+}}(%[[C]])
  %l = layout.make %n, %m : (i32, i32) -> !layout<((1,?0),1):((1,12),min(?{range=1..8},?0))>
  %v = layout.make_view %p, %l of i16 : !llvm.ptr, !layout<((1,?0),1):((1,12),min(?{range=1..8},?0))>
  %w = layout.recast %v to i4 : !layout.view<i16, host, ((1,?0),1):((1,12),min(?{range=1..8},?0))>
  %c = arith.constant 3341367680608328130 : index
  scf.if %runs {
    layout.store %x, %w(%c) : !layout.view<i4, host, ((4,?0),1):((1,48),4*min(?{range=1..8},?0))>
  }
  return
}
