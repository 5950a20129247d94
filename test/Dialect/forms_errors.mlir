// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @types(%l: !layout<(4,(2,4)):(2,(1,8))>, %t: !layout.tuple<(?,?,?)>) {
  // expected-note @+3 {{(1,(?,?,?))}}
  // expected-note @+2 {{hint: (?,?) has as many}}
  // expected-error @+1 {{'layout.crd2idx' op [coord-rank] expected a coordinate of 2 modes for the shape (2,4), found (?,?,?) of 3}}
  %0 = layout.crd2idx %l(1, %t) : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,?,?)>
  return
}

// -----

func.func @range(%l: !layout<(4,(2,4)):(2,(1,8))>, %t: !layout.tuple<(?,4)>) {
  // expected-note @+3 {{(1,(?,4))}}
  // expected-note @+2 {{hint: 3 is the nearest}}
  // expected-error @+1 {{'layout.crd2idx' op [coord-bounds] expected a coordinate below 4 for the mode 4, found 4}}
  %0 = layout.crd2idx %l(1, %t) : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,4)>
  return
}

// -----

func.func @kept(%v: !layout.view<f32, global, (?,8):(8,1)>, %t: !layout.tuple<(_,4)>) {
  // expected-error @+3 {{'layout.load' op [coord-element] expected the coordinate of one element, without '_', found (_,4)}}
  // expected-note @+2 {{in the type of operand 1:}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  %0 = layout.load %v(%t) : !layout.view<f32, global, (?,8):(8,1)>, !layout.tuple<(_,4)>
  return
}

// -----

func.func @count(%l: !layout<(4,8):(8,1)>, %t: !layout.tuple<(?,4)>, %i: index) {
  // expected-error @+1 {{custom op 'layout.crd2idx' number of operands and types do not match: got 2 operands and 1 types}}
  %0 = layout.crd2idx %l(%i, %i) : !layout<(4,8):(8,1)>, index
  return
}

// -----

func.func @outer_value(%l: !layout<(4,8):(8,1)>, %o: !layout<S<2,0,3> o 0 o (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [kind] expected a swizzle, or a plain or a coordinate layout, found S<2,0,3> o 0 o (?0,8):(8,1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.make_composed_layout %o : !layout<S<2,0,3> o 0 o (?,8):(8,1)>, 0, %l : !layout<(4,8):(8,1)>
  return
}

// -----

func.func @order(%l: !layout<(2,2):(1,2)>) {
  // expected-error @+3 {{'layout.tile_to_shape' op [order] make_ordered_layout: expected an order with 2 entries for (2,3), found (1,0,2)}}
  // expected-note @+2 {{in the order:}}
  // expected-note @+1 {{hint: (0,1) is the order of the modes as written}}
  %0 = layout.tile_to_shape %l order #layout<(1,0,2)>, #layout<(4,6)> : !layout<(2,2):(1,2)>
  return
}

// -----

func.func @outer(%l: !layout<(4,8):(8,1)>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [kind] expected a swizzle, or a plain or a coordinate layout, found (4,8)}}
  // expected-note @+1 {{in the outer:}}
  %0 = layout.make_composed_layout #layout<(4,8)>, 0, %l : !layout<(4,8):(8,1)>
  return
}

// -----

func.func @increment(%c: !layout.tuple<(?,9)>) {
  // expected-error @+2 {{'layout.increment_coord' op [coord-bounds] expected a coordinate in range of (4,8), found (?0,9)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.increment_coord %c, #layout<(4,8)> : !layout.tuple<(?,9)>
  return
}

// -----

func.func @equal(%a: !layout<(?,?,4):(1,?,?)>, %b: !layout<(?,?,4):(1,?,?)>) {
  // expected-error @+2 {{'layout.equal' op [undecided] expected layouts whose leaves decide (one mode; extents that are equal except for one; or extents of at least 2 and no mode that continues the one before it), found (?0,?1,4):(1,?2,?3) and (?4,?5,4):(1,?6,?7)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.equal %a, %b : !layout<(?,?,4):(1,?,?)>, !layout<(?,?,4):(1,?,?)>
  return
}

// -----

func.func @layout_to_rank(%l: !layout<(4,2):(1,4)>, %t: !layout.tuple<5>) {
  // expected-error @+2 {{'layout.append_to_rank' op [kind] expected a layout, found 5}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.append_to_rank %l, 3 with %t : !layout<(4,2):(1,4)>, !layout.tuple<5>
  return
}

// -----

func.func @tuple_to_rank(%l: !layout<(4,2):(1,4)>, %t: !layout.tuple<(5,6)>) {
  // expected-error @+2 {{'layout.prepend_to_rank' op [kind] expected a tuple or an integer, found (4,2):(1,4)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.prepend_to_rank %t, 2 with %l : !layout.tuple<(5,6)>, !layout<(4,2):(1,4)>
  return
}

// -----

// expected-note @+2 {{hint: it is (2,4):(?*?1+?1*?,1), which numbers them differently}}
// expected-error @+1 {{[kind] expected integers numbered in the order of the canonical text, found (2,4):((?0+?1)*?2,1)}}
func.func private @order(!layout<(2,4):((?0+?1)*?2,1)>)
