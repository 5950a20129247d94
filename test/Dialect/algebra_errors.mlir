// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error @+3 {{'layout.constant' op [kind] expected a layout, a tuple or a swizzle, found true}}
  // expected-error @+2 {{'layout.constant' op failed to infer returned types}}
  // expected-note @+1 {{in the term:}}
  %0 = layout.constant #layout<is_injective(8:1)> : !layout<4:1>
  return
}

// -----

func.func @constant() {
  // expected-error @+3 {{'layout.constant' op [operand] composition: expected 2 operands, found 1}}
  // expected-note @+2 {{#layout<composition(4:1)>}}
  // expected-error @+1 {{'layout.constant' op failed to infer returned types}}
  %0 = layout.constant #layout<composition(4:1)> : !layout<4:1>
  return
}

// -----

func.func @constant() {
  // expected-error @+2 {{'layout.constant' op inferred type(s) '!layout<4:1>' are incompatible with return type(s) of operation '!layout<5:1>'}}
  // expected-error @+1 {{'layout.constant' op failed to infer returned types}}
  %0 = layout.constant #layout<4:1> : !layout<5:1>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{custom op 'layout.constant' invalid kind of attribute specified}}
  %0 = layout.constant #layout.atom<simt_1> : !layout<5:1>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{expected ':'}}
  %0 = layout.constant #layout<4:1>
  return
}

// -----

// No layout has the composition's values; the error shows a coordinate.
func.func @composition(%l: !layout<(4,2):(1,5)>) {
  // expected-error @+3 {{'layout.composition' op [no-composition] composition((4,2):(1,5), 8:3): no layout has these values: expected 11 at coordinate 3, found 10 in the only candidate}}
  // expected-note @+2 {{#layout<8:3>}}
  // expected-note @+1 {{hint: 2:3 is the nearest that has one}}
  %0 = layout.composition %l, #layout<8:3> : !layout<(4,2):(1,5)>
  return
}

// -----

func.func @composition(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.composition' op [tiler-rank] expected a tiler of at most 2 entries for (4,2):(1,4), found 3}}
  // expected-note @+2 {{#layout<<4:1, 2:1, 1:0>>}}
  // expected-note @+1 {{hint: <4:1,2:1> has as many}}
  %0 = layout.composition %v, #layout<<4:1, 2:1, 1:0>> : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @composition(%i: index) {
  // expected-error @+2 {{'layout.composition' op [operand] expected a layout, a tuple or a view, found index}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.composition %i, #layout<4:1> : index
  return
}

// -----

func.func @divide(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.zipped_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,2):(1,4), found 3}}
  // expected-note @+2 {{#layout<(2,2,2)>}}
  // expected-note @+1 {{hint: (2,2) has as many}}
  %0 = layout.zipped_divide %v, #layout<(2,2,2)> : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @divide(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+2 {{'layout.logical_divide' op [operand] logical_divide: expected a layout, a shape, `_` or a tuple of tilers as operand 2, found S<1,1,1>}}
  // expected-note @+1 {{#layout.S<1,1,1>}}
  %0 = layout.logical_divide %v, #layout<S<1,1,1>> : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @complement(%l: !layout<(4,4):(1,2)>) {
  // expected-error @+2 {{'layout.complement' op [complement] complement((4,4):(1,2)): expected sorted modes that each start where the last ended, or later, found stride 2 after 4}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.complement %l, 64 : !layout<(4,4):(1,2)>
  return
}

// -----

func.func @left_inverse(%l: !layout<(4,4):(1,2)>) {
  // expected-error @+2 {{'layout.left_inverse' op [inverse] left_inverse((4,4):(1,2)): expected an injective layout, found 4:1 reaching past stride 2}}
  // expected-note @+1 {{!layout<(4,4):(1,2)>}}
  %0 = layout.left_inverse %l : !layout<(4,4):(1,2)>
  return
}

// -----

func.func @right_inverse(%v: !layout.view<f16, global, 4:1>) {
  // expected-error @+1 {{'layout.right_inverse' op operand #0 must be a layout value, but got '!layout.view<f16, global, 4:1>'}}
  %0 = layout.right_inverse %v : !layout.view<f16, global, 4:1>
  return
}

// -----

func.func @idx2crd(%i: index) {
  // expected-error @+2 {{'layout.idx2crd' op [kind] expected a shape or a layout, found <4:1, 2:1>}}
  // expected-note @+1 {{in the shape:}}
  %0 = layout.idx2crd %i, #layout<<4:1, 2:1>>
  return
}

// -----

func.func @idx2crd(%i: index) {
  // expected-error @+1 {{'layout.idx2crd' op [fact-refuted] idx2crd(?0, (-4,4)): needs "-4 >= 1", which the facts rule out}}
  %0:2 = layout.idx2crd %i, #layout<(-4,4)>
  return
}

// -----

func.func @idx2crd(%i: index) {
  // expected-error @+1 {{operation defines 2 results but was provided 1 to bind}}
  %0 = layout.idx2crd %i, #layout<(4,2)>
  return
}

// -----

func.func @crd2idx(%l: !layout<(4,(2,4)):(2,(1,8))>, %i: index) {
  // expected-error @+3 {{'layout.crd2idx' op [coord-element] expected the coordinate of one element, without '_', found (?,_)}}
  // expected-note @+2 {{(?,_)}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  %0 = layout.crd2idx %l(%i, _) : !layout<(4,(2,4)):(2,(1,8))>
  return
}

// -----

func.func @crd2idx(%l: !layout<(4,(2,4)):(2,(1,8))>, %i: index) {
  // expected-error @+3 {{'layout.crd2idx' op [coord-rank] expected a coordinate of 2 modes for the shape (2,4), found (0,0,0) of 3}}
  // expected-note @+2 {{(?,(0,0,0))}}
  // expected-note @+1 {{hint: (0,0) has as many}}
  %0 = layout.crd2idx %l(%i, (0, 0, 0)) : !layout<(4,(2,4)):(2,(1,8))>
  return
}

// -----

func.func @crd2idx(%l: !layout<(4,(2,4)):(2,(1,8))>, %i: index) {
  // expected-error @+3 {{'layout.crd2idx' op [coord-bounds] expected a coordinate below 8 for the mode (2,4), found 8}}
  // expected-note @+2 {{(?,8)}}
  // expected-note @+1 {{hint: 7 is the nearest}}
  %0 = layout.crd2idx %l(%i, 8) : !layout<(4,(2,4)):(2,(1,8))>
  return
}

// -----

func.func @crd2idx(%l: !layout<(4,2):(1,4)>, %i: index) {
  // expected-error @+2 {{'layout.crd2idx' op [coord-operands] expected 2 index operands for the coordinate (?,?), found 1}}
  // expected-note @+1 {{in the coordinate:}}
  %0 = "layout.crd2idx"(%l, %i) <{coord = "(?,?)"}> : (!layout<(4,2):(1,4)>, index) -> index
  return
}

// -----

func.func @linear_complement(%l: !layout<linear<{x = [1,2]} -> {y = 4}>>) {
  // expected-error @+2 {{'layout.complement' op [operand] complement: expected a plain layout as operand 1, found linear<{x = [1,2]} -> {y = 4}>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.complement %l, 64 : !layout<linear<{x = [1,2]} -> {y = 4}>>
  return
}

// -----

func.func @swizzled_product(%l: !layout<S<3,3,3> o 0 o (8,64):(64,1)>) {
  // expected-error @+2 {{'layout.logical_product' op [operand] logical_product: expected a layout, a shape, `_` or a tuple of tilers as operand 2, found S<3,3,3> o 0 o (8,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.logical_product %l, %l : !layout<S<3,3,3> o 0 o (8,64):(64,1)>, !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  return
}

// -----

func.func @complement_codomain(%l: !layout<4:1>) {
  // expected-error @+3 {{'layout.complement' op [complement] complement(4:1): expected a codomain of at least 1, found -5}}
  // expected-note @+2 {{hint: 1 is the least codomain}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.complement %l, -5 : !layout<4:1>
  return
}

// -----

func.func @linear_composition(%v: !layout.view<f16, global, (8,64):(64,1)>) {
  // expected-error @+2 {{'layout.composition' op [operand] composition: expected a linear layout as operand 1, found (8,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.composition %v, #layout<linear<{lane = [1,2]} -> {row = 4}>> : !layout.view<f16, global, (8,64):(64,1)>
  return
}

// -----

// The missing fact is named, whichever operand it is of.
func.func @swizzled_right(%l: !layout<2:64>, %r: !layout<S<2,0,3> o ? o (?,8):(8,1)>) {
  // expected-error @+3 {{'layout.composition' op [fact-missing] composition(2:64, S<2,0,3> o ?0 o (?1,8):(8,1)): needs "?0 = n" for one n, which is not known}}
  // expected-note @+2 {{in the type of operand 1:}}
  // expected-note @+1 {{hint: add the fact ?0{range=n..n}}}
  %0 = layout.composition %l, %r : !layout<2:64>, !layout<S<2,0,3> o ? o (?,8):(8,1)>
  return
}

// -----

func.func @linear_take(%l: !layout<linear<{a = [1,2]} -> {x = 4}>>) {
  // expected-error @+2 {{'layout.take' op [operand] take: expected a plain layout as operand 1, found linear<{a = [1,2]} -> {x = 4}>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.take %l, 0 to 1 : !layout<linear<{a = [1,2]} -> {x = 4}>>
  return
}

// -----

func.func @swizzled_zip(%l: !layout<(4,2):(1,4)>, %r: !layout<S<2,0,3> o 0 o (8,8):(8,1)>) {
  // expected-error @+2 {{'layout.zip' op [operand] zip: expected a plain layout as operand 2, found S<2,0,3> o 0 o (8,8):(8,1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.zip %l, %r : !layout<(4,2):(1,4)>, !layout<S<2,0,3> o 0 o (8,8):(8,1)>
  return
}

// -----

func.func @step_and_integer(%l: !layout<(4,2):(1@0,1@1)>, %m: !layout<8:2>) {
  // expected-error @+1 {{'layout.append' op [operand] layout: expected strides that take each part of a coordinate for an integer or for a tuple of at most 64 modes, found (4,2,8):(1@0,1@1,2)}}
  %0 = layout.append %l, %m : !layout<(4,2):(1@0,1@1)>, !layout<8:2>
  return
}

// -----

func.func @step_as_coordinate(%l: !layout<(4,2):(1,4)>, %t: !layout.tuple<(1@0,1@1)>) {
  // expected-error @+2 {{'layout.crd2idx' op [kind] expected an integer or a tuple of integers, found (1@0,1@1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.crd2idx %l(%t) : !layout<(4,2):(1,4)>, !layout.tuple<(1@0,1@1)>
  return
}

// -----

// expected-error @+1 {{[operand] layout: expected strides that take each part of a coordinate for an integer or for a tuple of at most 64 modes, found (1@0,4)}}
func.func private @steps_that_differ(!layout.tuple<(1@0,4)>)

// -----

func.func @increment_coord(%c: !layout.tuple<(?{range=0..3},?{range=0..8})>) {
  // expected-error @+2 {{'layout.increment_coord' op [extent] expected a shape whose extents are at least 1, found (-4,8)}}
  // expected-note @+1 {{in the term:}}
  %0 = layout.increment_coord %c, #layout<(-4,8)> : !layout.tuple<(?{range=0..3},?{range=0..8})>
  return
}
