// Distributions build LLVM without statistics, so that MLIR's own report is empty; ours is not.

// RUN: layout-opt %s --layout-fold --layout-simplify --mlir-pass-statistics -o %t 2>&1 \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace
// RUN: layout-opt %s --layout-fold --layout-simplify -o %t 2>&1 | count 0

//      CHECK:                     ... Layout pass statistics report ...
// CHECK-NEXT:===-------------------------------------------------------------------------===
// CHECK-NEXT:layout-fold
// CHECK-NEXT:  (S)        2 evaluated - terms that became values
// CHECK-NEXT:layout-simplify
// CHECK-NEXT:  (S)        2 terms - terms examined
// CHECK-NEXT:  (S)        0 simplified - terms that became cheaper
// CHECK-NEXT:  (S)        0 rules applied - equations that rules added
// CHECK-NEXT:  (S)        {{[0-9]+}} nodes - e-nodes of all searches
// CHECK-NEXT:  (S)        0 stopped early - searches that a budget ended
// CHECK-NEXT:  (S)        0 arithmetic - results of arithmetic that became cheaper
// CHECK-NEXT:  (S)        2 stop: evaluated - searches that ended for this reason

// A pass that runs twice counts twice.
// RUN: layout-opt %s --pass-pipeline='builtin.module(func.func(layout-fold),layout-fold)' \
// RUN:   --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: layout-fold
// SUM-NEXT: (S) 2 evaluated

func.func @f(%l: !layout<8:1>) {
  %0 = layout.composition %l, #layout<coalesce((2,2):(1,2))> : !layout<8:1>
  return
}

func.func @g(%l: !layout<8:1>) {
  %0 = layout.composition %l, #layout<coalesce((2,2):(2,4))> : !layout<8:1>
  return
}
