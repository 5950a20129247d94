// A stock mlir-opt loads the dialect and the passes.

// RUN: mlir-opt %s --load-dialect-plugin=%plugin | FileCheck %s --check-prefix=DIALECT
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(layout-simplify)' | FileCheck %s --check-prefix=PASSES
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(func.func(layout-simplify{evaluate=false},canonicalize))' \
// RUN:   | FileCheck %s --check-prefix=MIXED

// Without the plugin the dialect is unknown: it is the plugin that brings it.
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=STOCK

// STOCK: error: `!"layout"<"(4,8):(8,1)">` type created with unregistered dialect

// DIALECT-LABEL: func.func @term
// PASSES-LABEL:  func.func @term
// MIXED-LABEL:   func.func @term
func.func @term() -> !layout<(4,8):(8,1)> {
  // DIALECT: layout.constant #layout<composition((4,8):(8,1), 32:1)> : !layout<(4,8):(8,1)>
  // PASSES:  layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
  // MIXED:   layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
  %0 = layout.constant #layout<composition((4,8):(8,1), 32:1)> : !layout<(4,8):(8,1)>
  return %0 : !layout<(4,8):(8,1)>
}
