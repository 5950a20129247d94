// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{[kind] expected a layout, found (?,8)}}
func.func private @no_layout(!layout<(?,8)>)

// -----

// expected-error @+2 {{[kind] expected an integer, a tuple or a tuple of tilers, found (?,8):(1,?)}}
// expected-note @+1 {{hint: !layout<(?,8):(1,?)> is a layout's type}}
func.func private @no_tuple(!layout.tuple<(?,8):(1,?)>)

// -----

// expected-error @+1 {{[syntax] expected `i32`, `i64`, `div=`, `range=` or `}`, found `by`}}
func.func private @facts(!layout<(?,8):(1,?{by=8})>)

// -----

// expected-error @+1 {{[fact-contradiction] ?0: expected facts that a value can have, found no multiple of 8 in 1..7}}
func.func private @contradiction(!layout<(?{div=8 range=..7},8):(1,?)>)

// -----

// A fact that is needed and not known is named, and how to state it.
// expected-error @+2 {{[fact-missing] composition((?0,8):(8,1), (4,8):(2,8)): needs "2 divides ?0" or "?0 >= 7", neither of which is known}}
// expected-note @+1 {{hint: add the fact ?0{div=2} or add the fact ?0{range=7..}}}
func.func private @needed(!layout<composition((?,8):(8,1), (4,8):(2,8))>)

// -----

func.func @make(%m: i32) {
  // expected-error @+2 {{'layout.make' op [make-operands] expected 2 integers for (?,8):(1,?), found 1}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.make %m : (i32) -> !layout<(?,8):(1,?)>
  return
}

// -----

func.func @make(%m: i32, %n: index) {
  // expected-error @+5 {{'layout.make' op [make-width] expected an i64 or an index for ?0{i64 range=1..}, found i32}}
  // expected-note @+4 {{hint: ? takes an i32}}
  // expected-error @+3 {{'layout.make' op [make-width] expected an i32 for ?1, found index}}
  // expected-note @+2 {{hint: ?{i64} takes an i64}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.make %m, %n : (i32, index) -> !layout<(?{i64},8):(1,?)>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.assume' op [nesting] expected a type that nests as (?,8):(1,?), found (?,(2,4)):(1,(?,1))}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,(2,4)):(1,(?,1))>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+3 {{'layout.assume' op [assume-value] expected 8 as in (?,8):(1,?), found 9}}
  // expected-note @+2 {{hint: 8 is known}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,9):(1,?)>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.assume' op [assume-leaf] expected a leaf that is ?1 alone, found (?,8):(1,2*?)}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?0,8):(1,2*?)>
  return
}

// -----

// A tiler is known by its layouts, which have no form at run time.
func.func @print(%t: !layout.tuple<<4:1, (2,4):(1,8)>>) {
  // expected-error @+2 {{'layout.print' op [kind] expected a layout or a tuple of integers, found <4:1, (2,4):(1,8)>}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.print %t : !layout.tuple<<4:1, (2,4):(1,8)>>
  return
}
