// RUN: layout-opt %s --layout-simplify | FileCheck %s
// RUN: layout-opt %s --layout-simplify=evaluate=false | FileCheck %s --check-prefix=RULES
// RUN: layout-opt %s --layout-simplify --layout-simplify -o %t.twice
// RUN: layout-opt %s --layout-simplify -o %t.once
// RUN: diff %t.once %t.twice
// RUN: env LAYOUT_LOG=info layout-opt %s --layout-simplify=evaluate=false -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATISTICS
// RUN: env LAYOUT_LOG=info layout-opt %s --layout-simplify="evaluate=false max-iterations=1" -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EARLY

// STATISTICS: layout-simplify terms=4 simplified=3 applied={{[1-9][0-9]*}} nodes={{[0-9]+}} early=0
// EARLY: early={{[1-9]}}

// Evaluation gives the value; the rules alone find the shorter term.

// CHECK-LABEL: func.func @terms
// CHECK:         layout.composition %arg0, #layout<(2,3):(3,1)>
// RULES-LABEL: func.func @terms
// RULES:         layout.composition %arg0, #layout<coalesce((2,3):(3,1))>
func.func @terms(%v: !layout.view<f32, global, (6,8):(8,1)>) {
  %0 = layout.composition %v, #layout<coalesce(flatten(coalesce((2,3):(3,1))))>
      : !layout.view<f32, global, (6,8):(8,1)>
  // Keeping every mode keeps the layout.
  // RULES: layout.composition %{{.+}}, #layout<(2,3):(3,1)>
  %1 = layout.composition %v, #layout<composition((2,3):(3,1), <_, _>)>
      : !layout.view<f32, global, (6,8):(8,1)>
  // Reading past the domain of the left operand: no rule drops the composition.
  // CHECK: layout.constant #layout<(2,2):(1,80)>
  // RULES: layout.constant #layout<composition((2,1):(1,80), 4:1)>
  %2 = layout.constant #layout<composition((2,1):(1,80), 4:1)> : !layout<(2,2):(1,80)>
  // Both operands are simplified where the whole stays a call.
  // RULES: layout.constant #layout<coalesce((4,8):(8,1))>
  %3 = layout.constant #layout<composition((4,8):(8,1), 32:1)> : !layout<(4,8):(8,1)>
  return
}

// Operations without terms stay as it is.

// CHECK-LABEL: func.func @none
// CHECK-NEXT:    arith.constant 1 : index
// CHECK-NEXT:    return
func.func @none() -> index {
  %0 = arith.constant 1 : index
  return %0 : index
}
