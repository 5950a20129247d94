// RUN: layout-opt %s --split-input-file --verify-diagnostics

// Names that the dialect does not have: the one that is most like them.

func.func @operation(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+2 {{custom op 'layout.compositon' is unknown}}
  // expected-note @+1 {{hint: 'layout.composition' is the operation most like it}}
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
// expected-note @+1 {{hint: 'schedule<…>' is most like it}}
func.func private @attribute() attributes {s = #layout.shedule<tile = (128,128,32)>}

// -----

// expected-error @+2 {{[syntax]}}
// expected-note @+1 {{hint: 'tuple<…>' is most like it}}
func.func private @type(!layout.tupel<(4,2)>)

// -----

// In generic form, too; there MLIR finds it.

func.func @generic(%l: !layout<(4,2):(1,4)>) {
  // expected-error @+2 {{unregistered operation 'layout.compositon' found in dialect ('layout')}}
  // expected-note @+1 {{hint: 'layout.composition' is the operation most like it}}
  %0 = "layout.compositon"(%l) {term = #layout<2:1>} : (!layout<(4,2):(1,4)>) -> !layout<2:1>
  return
}
