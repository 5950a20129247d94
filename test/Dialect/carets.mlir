// RUN: not layout-opt %s --split-input-file 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

// A note shows the text of an attribute, a type or a coordinate, with a caret below the mode that is
// wrong in it; errors of a text that is being parsed stand at the mode itself. All that is wrong with
// an operation is said at once.

//      CHECK:{{.*}}error: 'layout.composition' op [no-composition] composition((4,6):(1,5), 6:1): no layout has these values: expected 5 at coordinate 4, found 4 in the only candidate
//      CHECK:{{.*}}note: in the term:
// CHECK-NEXT:  #layout<(6,3)>
// CHECK-NEXT:           ^
//      CHECK:{{.*}}note: hint: 4 is the nearest size that would do
//      CHECK:{{.*}}error: 'layout.composition' op [no-composition] composition((2,3):(100,7), 3:1): no layout has these values: expected 7 at coordinate 2, found 200 in the only candidate
//      CHECK:{{.*}}note: in the term:
// CHECK-NEXT:  #layout<(6,3)>
// CHECK-NEXT:             ^
//      CHECK:{{.*}}note: hint: 2 is the nearest size that would do
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

