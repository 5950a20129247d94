// RUN: layout-opt %s --split-input-file --verify-diagnostics

// Unknown names: the error names the nearest one.

func.func @operation(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+2 {{custom op 'layout.compositon' is unknown}}
  // expected-note @+1 {{hint: did you mean 'layout.composition'?}}
  %0 = layout.compositon %l, #layout<2:1> : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @nothing_like_it(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+1 {{custom op 'layout.frobnicate' is unknown}}
  %0 = layout.frobnicate %l : !layout<(4,2):(1,4)>
  return
}

// -----

// expected-error @+2 {{[syntax]}}
// expected-note @+1 {{hint: did you mean 'schedule<…>'?}}
func.func private @attribute() attributes {s = #layout.shedule<tile = (128,128,32)>}

// -----

// expected-error @+2 {{[syntax]}}
// expected-note @+1 {{hint: did you mean 'tuple<…>'?}}
func.func private @type(!layout.tupel<(4,2)>)

// -----

// In generic form, too; there MLIR finds it.

func.func @generic(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+2 {{unregistered operation 'layout.compositon' found in dialect ('layout')}}
  // expected-note @+1 {{hint: did you mean 'layout.composition'?}}
  %0 = "layout.compositon"(%l) {term = #layout<2:1>} : (!layout<(4,2):(1,4)>) -> !layout<2:1>
  return
}

// -----

// Spellings of before 0.1 are named as they are called now.

func.func @names(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+2 {{custom op 'layout.iota' is unknown}}
  // expected-note @+1 {{hint: did you mean 'layout.identity_tensor'?}}
  %0 = layout.iota : !layout.view<index, coordinate, 8:1>
  return
}

// -----

// expected-error @+2 {{[view-space] expected one of global, shared, register, host and coordinate, found 'iota'}}
// expected-note @+1 {{hint: 'coordinate' is the new name of this space}}
func.func private @spaces(!layout.view<index, iota, 8:1>)

// -----

func.func @predicate(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, coordinate, 8:1>) {
  // expected-error @+1 {{expected 'predicate', the new name of 'guard', found 'guard'}}
  layout.copy #layout.atom<cp_async_16> %a, %b guard(%g < 3)
  return
}

// -----

func.func @two_level_accumulation(%a: !layout.view<f16, register, 8:1>) {
  // expected-error @+1 {{expected 'two_level_accumulation', the new name of 'promote', found 'promote'}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %a, %a promote
  return
}

// -----

func.func @evict_first(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-evict-first] expected 'evict_first', the new name of 'streamed', found 'streamed'}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy #layout.atom<cp_async_16> %a, %b {streamed}
  return
}
