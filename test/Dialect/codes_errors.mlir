// RUN: layout-opt %s --split-input-file --verify-diagnostics

// Constraints of the algebra that no other file has: a test fails when a code has none.

func.func @f(%a: !layout<(?,8):(1,?)>, %b: !layout<(?,8,4):(?,1,?)>) {
  // expected-error @+2 {{'layout.equal' op [undecided] expected layouts whose leaves decide (one mode; extents that are equal except for one; or extents of at least 2 and no mode that continues the one before it), found (?0,8):(1,?1) and (?2,8,4):(?3,1,?4)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.equal %a, %b : !layout<(?,8):(1,?)>, !layout<(?,8,4):(?,1,?)>
  return
}

// -----

func.func @f(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+3 {{'layout.coalesce' op [profile] coalesce: expected a profile no deeper than 2, found (1,1)}}
  // expected-note @+2 {{#layout<(1,(1,1))>}}
  // expected-note @+1 {{hint: (1,1) has an entry for each mode}}
  %0 = layout.coalesce %l by #layout<(1,(1,1))> : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @f(%s: !layout.tuple<(4,8)>) {
  // expected-error @+3 {{'layout.make_ordered_layout' op [order] make_ordered_layout: expected an order with 2 entries for (4,8), found (1,0,2)}}
  // expected-note @+2 {{#layout<(1,0,2)>}}
  // expected-note @+1 {{hint: (0,1) is the order of the leaves as written}}
  %0 = layout.make_ordered_layout %s, #layout<(1,0,2)> : !layout.tuple<(4,8)>
  return
}

// -----

func.func @f(%a: !layout<(4,2):(1,4)>, %b: !layout<3:8>) {
  // expected-error @+2 {{'layout.zip' op [rank] zip: expected layouts of the same rank as (4,2):(1,4), found 3:8}}
  // expected-note @+1 {{!layout<3:8>}}
  %0 = layout.zip %a, %b : !layout<(4,2):(1,4)>, !layout<3:8>
  return
}

// -----

func.func @f(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+3 {{'layout.select' op [mode] select: expected a mode below the rank 2 of (4,2):(1,4), found 2}}
  // expected-note @+2 {{[1, 2]}}
  // expected-note @+1 {{hint: 1 is the last mode}}
  %0 = layout.select %l, [1, 2] : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @f(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+3 {{'layout.take' op [mode-range] take: expected a range of modes of (4,2):(1,4) that is not empty, found 1 .. 3}}
  // expected-note @+2 {{hint: 1 to 2 is the nearest}}
  // expected-note @+1 {{in the range:}}
  %0 = layout.take %l, 1 to 3 : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @f(%l: !layout<(4,16):(16,1)>) {
  // expected-error @+3 {{'layout.upcast' op [recast] upcast((4,16):(16,1), 3): expected strides that divide the factor or are multiples of it, found 16}}
  // expected-note @+2 {{!layout<(4,16):(16,1)>}}
  // expected-note @+1 {{hint: 2 is the nearest factor}}
  %0 = layout.upcast %l, 3 : !layout<(4,16):(16,1)>
  return
}

// -----

func.func @f(%s: !layout.tuple<(6,10)>) {
  // expected-error @+3 {{'layout.shape_div' op [divisible] shape_div(10, 4): expected extents that divide each other, found 10 and 4}}
  // expected-note @+2 {{#layout<(3,4)>}}
  // expected-note @+1 {{hint: 5 is the nearest divisor}}
  %0 = layout.shape_div %s, #layout<(3,4)> : !layout.tuple<(6,10)>
  return
}

// -----

func.func @f(%s: !layout.tuple<(10,4)>) {
  // expected-error @+3 {{'layout.round_up' op [division] round_up(10, 0): expected a dividend of at least 0 and a divisor of at least 1, found 10 and 0}}
  // expected-note @+2 {{in the term:}}
  // expected-note @+1 {{hint: 1 is the nearest divisor}}
  %0 = layout.round_up %s, #layout<(0,16)> : !layout.tuple<(10,4)>
  return
}

// -----

// expected-error @+1 {{[condition] to_linear((4,3):(1,4)): expected extents that are powers of two, found 3}}
func.func private @f(!layout<to_layout(to_linear((4,3):(1,4)))>)

// -----

// expected-error @+1 {{[coordinate] expected a coordinate that fits the shape (4,2), found (1,2,3)}}
func.func private @f(!layout.tuple<crd2idx((1,2,3), (4,2):(1,4))>)

// -----

func.func @f(%s: !layout.tuple<?{range=1..7}>) {
  // expected-error @+2 {{'layout.shape_div' op [fact-refuted] shape_div(?0, 8): needs "8 divides ?0", which the facts rule out}}
  // expected-note @+1 {{in the term:}}
  %0 = layout.shape_div %s, #layout<8> : !layout.tuple<?{range=1..7}>
  return
}

// -----

func.func @threads(%l: !layout<(16,8):(8,1)>, %t: index) {
  // expected-error @+3 {{'layout.partition' op [threads] expected a layout that numbers the threads 0 to 7, found (4,2):(4,1)}}
  // expected-note @+2 {{in the term:}}
  // expected-note @+1 {{hint: (4,2):(2,1) does}}
  %0 = layout.partition %l(%t), #layout<(4,2):(4,1)> : !layout<(16,8):(8,1)>
  return
}
