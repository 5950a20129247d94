// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+2 {{[incongruent] expected a stride congruent to the shape (4,2), found (1,2,3)}}
// expected-note @+1 {{hint: (1,4) is congruent}}
func.func private @f(!layout<(4,2):(1,2,3)>)

// -----

// expected-error @+2 {{[kind] expected a layout, found (4,2)}}
// expected-note @+1 {{hint: (4,2):(1,4) is the compact layout of that shape}}
func.func private @f(!layout<(4,2)>)

// -----

// expected-error @+1 {{[kind] expected a layout, found <4:1, 2:1>}}
func.func private @f(!layout<<4:1, 2:1>>)

// -----

// expected-error @+1 {{[operand] composition: expected 2 operands, found 1}}
func.func private @f(!layout<composition(4:1)>)

// -----

// expected-error @+2 {{[no-composition] composition((4,2):(1,5), 8:3): no layout has these values: expected 11 at coordinate 3, found 10 in the only candidate}}
// expected-note @+1 {{hint: 2:3 is the nearest that has one}}
func.func private @f(!layout<composition((4,2):(1,5), 8:3)>)

// -----

// expected-error @+2 {{[view-space] expected one of global, shared, register, host and coordinate, found 'gloal'}}
// expected-note @+1 {{hint: did you mean 'global'?}}
func.func private @f(!layout.view<f16, gloal, 4:1>)

// -----

// expected-error @+2 {{[view-element] expected elements of type index in an identity tensor, found f16}}
// expected-note @+1 {{hint: index is the type of its elements}}
func.func private @f(!layout.view<f16, coordinate, 4:1>)

// -----

// expected-error @+1 {{[view-element] expected elements that are floats, integers or index, found vector<4xf16>}}
func.func private @f(!layout.view<vector<4xf16>, global, 4:1>)

// -----

// expected-error @+1 {{unbalanced '(' character in pretty dialect name}}
func.func private @f(!layout.view<f16, global, (4,2):(1,>)

// -----

// expected-error @+2 {{[kind] expected a layout, found (4,2)}}
// expected-note @+1 {{hint: (4,2):(1,4) is the compact layout of that shape}}
func.func private @f(!layout.view<f16, global, (4,2)>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @f(!layout.view<f16, global>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @f(!layout.view<global, 4:1>)
