// RUN: layout-opt %s --layout-fold --split-input-file --verify-diagnostics

// A term without a value is refused where the type needs it, before any pass runs.

func.func @no_layout() {
  // expected-error @+3 {{'layout.constant' op [no-composition] composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, found 7 in the only candidate}}
  // expected-note @+2 {{#layout<composition((6,2):(1,7), (3,2):(2,3))>}}
  // expected-error @+1 {{'layout.constant' op failed to infer returned types}}
  %0 = layout.constant #layout<composition((6,2):(1,7), (3,2):(2,3))> : !layout<1:0>
  return
}
