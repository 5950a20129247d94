// Options that users of MLIR expect, each with passes of ours. The suite is run a second time with a stock
// mlir-opt that loads the plugin; remarks, reproducers and statistics have files of their own besides.

// The program after each pass.
// RUN: layout-opt %s --split-input-file --layout-fold --layout-simplify --mlir-print-ir-after-all -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// AFTER: {{/}}/ -----// IR Dump After {{.*}}layout-fold
// AFTER: layout.constant #layout<(4,2):(1,4)>
// AFTER: {{/}}/ -----// IR Dump After {{.*}}layout-simplify
// AFTER: {{/}}/ -----// IR Dump After {{.*}}layout-fold

// Only where a pass changed it.
// RUN: layout-opt %s --split-input-file --layout-fold --mlir-print-ir-after-all --mlir-print-ir-after-change \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=CHANGE --implicit-check-not=@known
// CHANGE: {{/}}/ -----// IR Dump After {{.*}}layout-fold
// CHANGE: func.func @term

// Each piece of a file by itself.
// RUN: layout-opt %s --split-input-file --layout-fold | FileCheck %s --check-prefix=SPLIT
// SPLIT: func.func @term
// SPLIT: {{/}}/ -----
// SPLIT: func.func @known

// Errors, where they are expected.
// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-tile-matmul
// RUN: sed "s/composition(.*> :/(8,2):1> :/" %s > %t.wrong
// RUN: not layout-opt %t.wrong --split-input-file --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=UNEXPECTED
// UNEXPECTED: error: unexpected error: [incongruent] expected a stride congruent to the shape (8,2), found 1

// How long each pass takes.
// RUN: layout-opt %s --split-input-file --layout-fold --layout-simplify --mlir-timing -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING
// TIMING: ... Execution time report ...
// TIMING: layout-fold
// TIMING: layout-simplify
// TIMING: Total

// Statistics of passes.
// RUN: layout-opt %s --layout-fold --mlir-pass-statistics -o %t 2>&1 --split-input-file \
// RUN:   | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: Layout pass statistics report
// STATISTICS: layout-fold
// STATISTICS-NEXT: evaluated - terms that became values

// The input of a failing pass.
// RUN: sed '1,/^\/\/ [-]----/d' %s > %t.fails
// RUN: not layout-opt %t.fails --layout-tile-matmul --mlir-pass-pipeline-crash-reproducer=%t.repro 2> %t.error
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.repro
// REPRODUCER: layout.matmul
// REPRODUCER: pipeline: "builtin.module(layout-tile-matmul)"

// Remarks by the name of a pass.
// RUN: sed '/^\/\/ [-]----/,$d' %s > %t.term
// RUN: layout-opt %t.term --layout-simplify --remarks-filter=layout-simplify -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARKS
// RUN: layout-opt %t.term --layout-simplify --remarks-filter=another -o %t 2>&1 | count 0
// REMARKS: remark: [Passed] {{.*}}Category:layout-simplify

func.func @term() -> !layout<(4,2):(1,4)> {
  %0 = layout.constant #layout<composition((4,2):(1,4), (4,2):(1,4))> : !layout<(4,2):(1,4)>
  return %0 : !layout<(4,2):(1,4)>
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @known(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{expected tile M to be a positive multiple of 32 (warps along M times the atom's M), found 120}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (120,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}
