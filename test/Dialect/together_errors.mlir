// RUN: layout-opt %s --split-input-file --verify-diagnostics

// All violations of an operation that do not depend on each other are reported at once.

func.func @select(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+4 {{'layout.select' op [mode] select: expected a mode below the rank 2 of (4,2):(1,4), found 3}}
  // expected-note @+3 {{in the modes:}}
  // expected-note @+2 {{hint: 1 is the last mode}}
  // expected-error @+1 {{'layout.select' op [mode] select: expected a mode below the rank 2 of (4,2):(1,4), found 7}}
  %0 = layout.select %l, [3, 0, 7] : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @select_of_a_tuple(%t: !layout.tuple<(4,2)>) {
  // expected-error @+3 {{'layout.select' op [mode] expected a mode below 2 of (4,2), found 3}}
  // expected-note @+2 {{hint: 1 is the last mode}}
  // expected-error @+1 {{'layout.select' op [mode] expected a mode below 2 of (4,2), found 7}}
  %0 = layout.select %t, [3, 0, 7] : !layout.tuple<(4,2)>
  return
}

// -----

func.func @kinds(%t: !layout.tuple<(4,_)>) {
  // expected-error @+4 {{'layout.tuple_add' op [kind] expected an integer or a tuple of integers, found (4,_)}}
  // expected-error @+3 {{'layout.tuple_add' op [kind] expected an integer or a tuple of integers, found (_,2)}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{in the term:}}
  %0 = layout.tuple_add %t, #layout<(_,2)> : !layout.tuple<(4,_)>
  return
}

// -----

func.func @divisors(%t: !layout.tuple<(?,?)>, %d: !layout.tuple<(?,?)>) {
  // expected-error @+5 {{'layout.tuple_div' op [fact-missing] floor_div(?0, ?2): needs "?2 >= 1", which is not known}}
  // expected-note @+4 {{in the type of operand 1:}}
  // expected-note @+3 {{hint: add the fact ?2{range=1..}}}
  // expected-error @+2 {{'layout.tuple_div' op [fact-missing] floor_div(?1, ?3): needs "?3 >= 1", which is not known}}
  // expected-note @+1 {{hint: add the fact ?3{range=1..}}}
  %0 = layout.tuple_div %t, %d : !layout.tuple<(?,?)>, !layout.tuple<(?,?)>
  return
}

// -----

func.func @composed(%l: !layout<S<1,1,1> o 0 o 8:1>) {
  // expected-error @+4 {{'layout.make_composed_layout' op [kind] expected a swizzle, or a plain or a coordinate layout, found (4,2)}}
  // expected-error @+3 {{'layout.make_composed_layout' op [plain-layout] expected a plain layout, found S<1,1,1> o 0 o 8:1}}
  // expected-note @+2 {{in the outer:}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_composed_layout #layout<(4,2)>, 0, %l : !layout<S<1,1,1> o 0 o 8:1>
  return
}

// -----

func.func @slice(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [coord-bounds] expected a coordinate below 4 for the mode 4, found 5}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-note @+1 {{hint: 3 is the nearest}}
  %0 = layout.slice %l(5, 0) : !layout<(4,2):(1,4)>
  return
}

// -----

// Texts are read on after an error.

// expected-error @+4 {{[incongruent] expected a stride congruent to the shape (4,2), found (1,2,3)}}
// expected-note @+3 {{hint: (1,4) is congruent}}
// expected-error @+2 {{[syntax] expected an operation of the algebra, found `complemen`}}
// expected-note @+1 {{hint: did you mean 'complement'?}}
func.func private @text() attributes {x = #layout<composition((4,2):(1,2,3), complemen(4:1))>}

// -----

// expected-error @+5 {{[view-space] expected one of global, shared, register, host and coordinate, found 'gloal'}}
// expected-note @+4 {{hint: did you mean 'global'?}}
// expected-error @+3 {{[view-element] expected elements that are floats, integers or index, found tensor<4xf16>}}
// expected-error @+2 {{[extent] expected extents of at least 1, found 0 in (?,0)}}
// expected-note @+1 {{hint: 1 is the least}}
func.func private @view(!layout.view<tensor<4xf16>, gloal, (?,0):(1,4)>)

// -----

// expected-error @+4 {{[schedule-value] expected an integer from 1 to 65536, found '-1'}}
// expected-error @+3 {{found 'warp'}}
// expected-note @+2 {{hint: did you mean 'warps'?}}
// expected-error @+1 {{[schedule-value] expected an integer from 1 to 65536, found '0'}}
func.func private @schedule() attributes {x = #layout.schedule<tile = (128,-1,32), warp = (2,2), stages = 0>}

// -----

func.func @profile(%l: !layout<(16,8):(8,1)>) {
  // expected-error @+4 {{'layout.coalesce' op [profile] expected a profile no deeper than 16, found (1,1)}}
  // expected-note @+3 {{in the profile:}}
  // expected-note @+2 {{hint: 1 has an entry for each mode}}
  // expected-error @+1 {{'layout.coalesce' op [profile] expected a profile no deeper than 8, found (1,2)}}
  %0 = layout.coalesce %l by #layout<((1,1),(1,2))> : !layout<(16,8):(8,1)>
  return
}

// -----

func.func @complement(%l: !layout<(4,4):(1,2)>) {
  // expected-error @+5 {{'layout.complement' op [complement] complement((4,4):(1,2)): expected a codomain of at least 1, found 0}}
  // expected-note @+4 {{hint: 1 is the least codomain}}
  // expected-error @+3 {{'layout.complement' op [complement] complement((4,4):(1,2)): expected sorted modes that each start where the last ended, or later, found stride 2 after 4}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.complement %l, 0 : !layout<(4,4):(1,2)>
  return
}

// -----

func.func @strides(%l: !layout<(4,8):(3,5)>) {
  // expected-error @+3 {{'layout.upcast' op [recast] upcast(4:3, 2): expected strides that divide the factor or are multiples of it, found 3}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-error @+1 {{'layout.upcast' op [recast] upcast(8:5, 2): expected strides that divide the factor or are multiples of it, found 5}}
  %0 = layout.upcast %l, 2 : !layout<(4,8):(3,5)>
  return
}

// -----

func.func @operands(%a: !layout.tuple<(3,2)>, %b: !layout.tuple<(4,2)>) {
  // expected-error @+6 {{'layout.blocked_product' op [operand] blocked_product: expected a plain layout as operand 1, found (3,2)}}
  // expected-note @+5 {{in the type of operand 0:}}
  // expected-note @+4 {{hint: (3,2):(1,3) is the compact layout of that shape}}
  // expected-error @+3 {{'layout.blocked_product' op [operand] blocked_product: expected a plain layout as operand 2, found (4,2)}}
  // expected-note @+2 {{in the type of operand 1:}}
  // expected-note @+1 {{hint: (4,2):(1,4) is the compact layout of that shape}}
  %0 = layout.blocked_product %a, %b : !layout.tuple<(3,2)>, !layout.tuple<(4,2)>
  return
}

// -----

func.func @leaves(%t: !layout.tuple<(4,6,5)>) {
  // expected-error @+4 {{'layout.ceil_div' op [division] ceil_div(4, 0): expected a dividend of at least 0 and a divisor of at least 1, found 4 and 0}}
  // expected-note @+3 {{in the term:}}
  // expected-note @+2 {{hint: 1 is the nearest divisor}}
  // expected-error @+1 {{'layout.ceil_div' op [division] ceil_div(5, -4): expected a dividend of at least 0 and a divisor of at least 1, found 5 and -4}}
  %0 = layout.ceil_div %t, #layout<(0,4,-4)> : !layout.tuple<(4,6,5)>
  return
}

// -----

func.func @guide(%t: !layout.tuple<(4,6,5)>) {
  // expected-error @+3 {{'layout.product_like' op [nesting] expected a guide that nests no deeper than 4, found (0,0)}}
  // expected-note @+2 {{in the term:}}
  // expected-error @+1 {{'layout.product_like' op [nesting] expected a guide that nests no deeper than 5, found (0,1)}}
  %0 = layout.product_like %t, #layout<((0,0),0,(0,1))> : !layout.tuple<(4,6,5)>
  return
}

// -----

func.func @assumed(%l: !layout<(?,4):(?,7)>) {
  // expected-error @+6 {{'layout.assume' op [assume-value] expected 4 as in (?,4):(?,7), found 8}}
  // expected-note @+5 {{hint: 4 is known}}
  // expected-error @+4 {{'layout.assume' op [assume-value] expected 7 as in (?,4):(?,7), found 1}}
  // expected-note @+3 {{hint: 7 is known}}
  // expected-error @+2 {{'layout.assume' op [assume-leaf] expected a leaf that is ?0 alone, found (2*?,8):(?,1)}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %l : !layout<(?,4):(?,7)> to !layout<(2*?,8):(?,1)>
  return
}

// -----

func.func @tile(%l: !layout<(2,2):(1,2)>, %i: index) {
  // expected-error @+3 {{'layout.local_tile' op [tiler-rank] expected a tiler of at most 2 entries for (2,2):(1,2), found 3}}
  // expected-note @+2 {{in the term:}}
  // expected-note @+1 {{hint: (3,5) has as many}}
  %0 = layout.local_tile %l(%i, 0), #layout<(3,5,7)> : !layout<(2,2):(1,2)>
  return
}

// -----

func.func @threads_and_number(%l: !layout<(16,8):(8,1)>, %t: index) {
  // expected-error @+5 {{'layout.partition' op [threads] expected a layout that numbers the threads 0 to 7, found (4,2):(4,1)}}
  // expected-note @+4 {{in the term:}}
  // expected-note @+3 {{hint: (4,2):(2,1) does}}
  // expected-error @+2 {{'layout.partition' op [coord-rank] expected the number of a thread, as in (%t), found (?,0)}}
  // expected-note @+1 {{in the coordinate:}}
  %0 = layout.partition %l(%t, 0), #layout<(4,2):(4,1)> : !layout<(16,8):(8,1)>
  return
}

// -----

func.func @rank(%t: !layout.tuple<(4,2)>) {
  // expected-error @+2 {{'layout.append_to_rank' op [operand] expected an entry to put there, as in `with %x`, found none}}
  // expected-error @+1 {{'layout.append_to_rank' op [rank] expected a rank from 2, that of (4,2), to 64, found 65}}
  %0 = layout.append_to_rank %t, 65 : !layout.tuple<(4,2)>
  return
}

// -----

func.func @identity_tensor() {
  // expected-error @+3 {{'layout.identity_tensor' op [identity-tensor-space] expected the space coordinate, found register}}
  // expected-error @+2 {{'layout.identity_tensor' op [identity-tensor-layout] expected a layout to take the integers of (?,8):(8,1) from, found none}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.identity_tensor : !layout.view<index, register, (?,8):(8,1)>
  return
}
