// RUN: not layout-opt %s --split-input-file 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

// A note shows the text of an attribute, a type or a coordinate, with a caret below the mode that is
// wrong in it; errors of a text that is being parsed are at the mode itself. All that is wrong with
// an operation is reported at once.

//      CHECK:{{.*}}error: 'layout.composition' op [no-composition] composition((4,6):(1,5), 6:1): no layout has these values: expected 5 at coordinate 4, found 4 in the only candidate
//      CHECK:{{.*}}note: in the term:
// CHECK-NEXT:  #layout<(6,3)>
// CHECK-NEXT:           ^
//      CHECK:{{.*}}note: hint: 4 is the nearest size that has a composition
//      CHECK:{{.*}}error: 'layout.composition' op [no-composition] composition((2,3):(100,7), 3:1): no layout has these values: expected 7 at coordinate 2, found 200 in the only candidate
//      CHECK:{{.*}}note: in the term:
// CHECK-NEXT:  #layout<(6,3)>
// CHECK-NEXT:             ^
//      CHECK:{{.*}}note: hint: 2 is the nearest size that has a composition
func.func @modes(%l: !layout<((4,6),(2,3)):((1,5),(100,7))>) {
  %0 = layout.composition %l, #layout<(6,3)> : !layout<((4,6),(2,3)):((1,5),(100,7))>
  return
}

// -----

//      CHECK:{{.*}}error: 'layout.logical_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,2):(1,4), found 3
//      CHECK:{{.*}}note: in the type of operand 1:
// CHECK-NEXT:  !layout.tuple<(4,(2,1,2))>
// CHECK-NEXT:                        ^
//      CHECK:{{.*}}note: hint: (2,1) has as many
func.func @nested(%v: !layout.view<f16, global, (8,(4,2)):(8,(1,4))>, %t: !layout.tuple<(4,(2,1,2))>) {
  %0 = layout.logical_divide %v, %t : !layout.view<f16, global, (8,(4,2)):(8,(1,4))>, !layout.tuple<(4,(2,1,2))>
  return
}

// -----

//      CHECK:{{.*}}error: 'layout.slice' op [coord-bounds] expected a coordinate below 4 for the mode 4, found 4
//      CHECK:{{.*}}note: in the coordinate:
// CHECK-NEXT:  (4,(_,-1))
// CHECK-NEXT:   ^
//      CHECK:{{.*}}note: hint: 3 is the nearest
//      CHECK:{{.*}}error: 'layout.slice' op [coord-bounds] expected a coordinate below 2 for the mode 2, found -1
//      CHECK:{{.*}}note: in the coordinate:
// CHECK-NEXT:  (4,(_,-1))
// CHECK-NEXT:        ^~
//      CHECK:{{.*}}note: hint: 0 is the nearest
func.func @coordinate(%l: !layout<(4,(3,2)):(1,(8,4))>) {
  %0 = layout.slice %l(4, (_, -1)) : !layout<(4,(3,2)):(1,(8,4))>
  return
}

// -----

//      CHECK:{{.*}}error: [incongruent] expected a stride congruent to the shape (4,(2,3)), found (1,(4,8,16))
// CHECK-NEXT:func.func private @type(!layout.view<f16, global, (4,(2,3)) : (1,(4,8,16))>)
// CHECK-NEXT:                                                                      ^
//      CHECK:{{.*}}note: hint: (1,(4,8)) is congruent
func.func private @type(!layout.view<f16, global, (4,(2,3)) : (1,(4,8,16))>)

// -----

//      CHECK:{{.*}}error: [view-element] expected elements that are floats, integers or index, found vector<2xf16>
// CHECK-NEXT:func.func private @view(!layout.view< vector<2xf16>, gloal, 4:1>)
// CHECK-NEXT:                                      ^
//      CHECK:{{.*}}error: [view-space] expected one of global, shared, register, host and coordinate, found 'gloal'
// CHECK-NEXT:func.func private @view(!layout.view< vector<2xf16>, gloal, 4:1>)
// CHECK-NEXT:                                                     ^
//      CHECK:{{.*}}note: hint: did you mean 'global'?
func.func private @view(!layout.view< vector<2xf16>, gloal, 4:1>)

// -----

// A fact that is missing is at the integer of which it is missing.
//      CHECK:{{.*}}error: 'layout.recast' op [fact-missing] upcast((?0,8):(?1,1), 2): needs "2 divides ?1", which is not known
//      CHECK:{{.*}}note: in the type of operand 0:
// CHECK-NEXT:  !layout.view<f16, global, (?,8):(?{range=0..64},1)>
// CHECK-NEXT:                                   ^~~~~~~~~~~~~~
//      CHECK:{{.*}}note: hint: add the fact ?1{div=2}
func.func @fact(%v: !layout.view<f16, global, (?,8):(?{range=0..64},1)>) {
  %0 = layout.recast %v to i32 : !layout.view<f16, global, (?,8):(?{range=0..64},1)>
  return
}

// -----

// The static modes and bounds of a partly static layout are checked.
//      CHECK:{{.*}}error: 'layout.load' op [coord-bounds] expected a coordinate below 8 for the mode 8, found 8
//      CHECK:{{.*}}note: in the coordinate:
// CHECK-NEXT:  (?,(8,4))
// CHECK-NEXT:      ^
//      CHECK:{{.*}}note: hint: 7 is the nearest
//      CHECK:{{.*}}error: 'layout.load' op [coord-bounds] expected a coordinate below 4 for the mode ?1, found 4
//      CHECK:{{.*}}note: in the coordinate:
// CHECK-NEXT:  (?,(8,4))
// CHECK-NEXT:        ^
//      CHECK:{{.*}}note: hint: 3 is the nearest
func.func @partly(%v: !layout.view<f16, global, (?,(8,?{range=1..4})):(32,(1,8))>, %i: index) {
  %0 = layout.load %v(%i, (8, 4)) : !layout.view<f16, global, (?,(8,?{range=1..4})):(32,(1,8))>
  return
}

// -----

//      CHECK:{{.*}}error: 'layout.copy' op [copy-modes] expected the target to have the modes of (?,8):(8,1), one by one, found (4,16):(16,1)
//      CHECK:{{.*}}note: in the type of operand 1:
// CHECK-NEXT:  !layout.view<f16, shared, (4,16):(16,1)>
// CHECK-NEXT:                               ^~
func.func @modes_of_copies(%a: !layout.view<f16, global, (?,8):(8,1)>, %b: !layout.view<f16, shared, (4,16):(16,1)>) {
  layout.copy #layout.atom<simt_1> %a, %b : !layout.view<f16, global, (?,8):(8,1)>, !layout.view<f16, shared, (4,16):(16,1)>
  return
}

// -----

//      CHECK:{{.*}}error: 'layout.make' op [make-width] expected an i32 for ?1, found i64
//      CHECK:{{.*}}note: in the result's type:
// CHECK-NEXT:  !layout<(?,8):(1,?)>
// CHECK-NEXT:                   ^
//      CHECK:{{.*}}note: hint: ?{i64} takes an i64
func.func @make(%i: i32, %j: i64) {
  %0 = layout.make %i, %j : (i32, i64) -> !layout<(?,8):(1,?)>
  return
}
