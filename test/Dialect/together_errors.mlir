// RUN: layout-opt %s --split-input-file --verify-diagnostics

// All violations of an operation that do not depend on each other are told at once.

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
  // expected-error @+2 {{'layout.tuple_add' op [kind] expected an integer or a tuple of integers, found (4,_)}}
  // expected-error @+1 {{'layout.tuple_add' op [kind] expected an integer or a tuple of integers, found (_,2)}}
  %0 = layout.tuple_add %t, #layout<(_,2)> : !layout.tuple<(4,_)>
  return
}

// -----

func.func @divisors(%t: !layout.tuple<(?,?)>, %d: !layout.tuple<(?,?)>) {
  // expected-error @+4 {{'layout.tuple_div' op [fact-missing] floor_div(?0, ?2): needs "?2 >= 1", which is not known}}
  // expected-note @+3 {{hint: say ?2{range=1..}}}
  // expected-error @+2 {{'layout.tuple_div' op [fact-missing] floor_div(?1, ?3): needs "?3 >= 1", which is not known}}
  // expected-note @+1 {{hint: say ?3{range=1..}}}
  %0 = layout.tuple_div %t, %d : !layout.tuple<(?,?)>, !layout.tuple<(?,?)>
  return
}

// -----

func.func @composed(%l: !layout<S<1,1,1> o 0 o 8:1>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [kind] expected a swizzle or a plain layout, found (4,2)}}
  // expected-error @+1 {{'layout.make_composed_layout' op [plain-layout] expected a plain layout, found S<1,1,1> o 0 o 8:1}}
  %0 = layout.make_composed_layout #layout<(4,2)>, 0, %l : !layout<S<1,1,1> o 0 o 8:1>
  return
}

// -----

func.func @slice(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+5 {{'layout.slice' op [coord-bounds] expected a coordinate below 4 for the mode 4, found 5}}
  // expected-note @+4 {{in the coordinate:}}
  // expected-note @+3 {{hint: 3 is the nearest}}
  // expected-error @+2 {{'layout.slice' op [coord-slice] expected a coordinate with at least one '_', found (5,0)}}
  // expected-note @+1 {{hint: layout.load reads a single element}}
  %0 = layout.slice %l(5, 0) : !layout<(4,2):(1,4)>
  return
}
