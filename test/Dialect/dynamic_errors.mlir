// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a layout, found (?,8)}}
func.func private @no_layout(!layout<(?,8)>)

// -----

// expected-error @+1 {{expected an integer, a tuple or a tuple of tilers, found (?,8):(1,?)}}
func.func private @no_tuple(!layout.tuple<(?,8):(1,?)>)

// -----

// expected-error @+1 {{expected `i32`, `i64`, `div=`, `range=` or `}`, found `by`}}
func.func private @facts(!layout<(?,8):(1,?{by=8})>)

// -----

// expected-error @+1 {{expected facts that a value can have, found no multiple of 8 in 1..7}}
func.func private @contradiction(!layout<(?{div=8 range=..7},8):(1,?)>)

// -----

// A fact that is needed and not known is named, and how to state it.
// expected-error @+1 {{needs "2 divides ?0" or "?0 >= 7", neither of which is known; say ?0{div=2} or say ?0{range=7..}}}
func.func private @needed(!layout<composition((?,8):(8,1), (4,8):(2,8))>)

// -----

func.func @make(%m: i32) {
  // expected-error @+1 {{'layout.make' op expected 2 integers for (?,8):(1,?), found 1}}
  %0 = layout.make %m : (i32) -> !layout<(?,8):(1,?)>
  return
}

// -----

func.func @make(%m: i32, %n: index) {
  // expected-error @+2 {{'layout.make' op expected an i64 or an index for ?0{i64 range=1..}, found i32}}
  // expected-error @+1 {{'layout.make' op expected an i32 for ?1, found index}}
  %0 = layout.make %m, %n : (i32, index) -> !layout<(?{i64},8):(1,?)>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.assume' op expected a type that nests as (?,8):(1,?), found (?,(2,4)):(1,(?,1))}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,(2,4)):(1,(?,1))>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.assume' op expected 8 where (?,8):(1,?) has it, found 9}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,9):(1,?)>
  return
}

// -----

func.func @assume(%l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.assume' op expected a leaf that is ?1 alone, found (?,8):(1,2*?)}}
  %0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?0,8):(1,2*?)>
  return
}
