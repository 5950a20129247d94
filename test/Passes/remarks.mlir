// Remarks state what became simpler, and what kept a term from it. MLIR's filters match the pass's
// whole name.

// RUN: layout-opt %s --layout-simplify=evaluate=false --remarks-filter=layout-simplify -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=PASSED --implicit-check-not=Missed
// RUN: layout-opt %s --layout-simplify="evaluate=false max-nodes=3" \
// RUN:   --remarks-filter-missed=layout-simplify -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NODES --implicit-check-not=Passed
// RUN: layout-opt %s --layout-simplify="evaluate=false max-iterations=1" \
// RUN:   --remarks-filter-missed=layout-simplify -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ROUNDS --implicit-check-not=Passed
// RUN: layout-opt %s --layout-simplify=max-nodes=3 -o %t 2>&1 | count 0

// PASSED: [[@LINE+4]]:8: remark: [Passed] simplified | Category:layout-simplify | Function=f | Reason="coalesce(flatten(coalesce((2,3):(3,1)))) became coalesce((2,3):(3,1))"
// NODES: [[@LINE+3]]:8: remark: [Missed] stopped-early | Category:layout-simplify | Function=f | Reason="the search for the cheapest equal of coalesce(flatten(coalesce((2,3):(3,1)))) ran out of e-nodes, after {{[0-9]+}} e-nodes in {{[0-9]+}} rounds", Suggestion="a greater option 'max-nodes'"
// ROUNDS: [[@LINE+2]]:8: remark: [Missed] stopped-early | Category:layout-simplify | Function=f | Reason="the search for the cheapest equal of coalesce(flatten(coalesce((2,3):(3,1)))) ran out of rounds of matching, after {{[0-9]+}} e-nodes in 2 rounds", Suggestion="a greater option 'max-iterations'"
func.func @f(%v: !layout.view<f32, global, (6,8):(8,1)>) {
  %0 = layout.composition %v, #layout<coalesce(flatten(coalesce((2,3):(3,1))))>
      : !layout.view<f32, global, (6,8):(8,1)>
  return
}
