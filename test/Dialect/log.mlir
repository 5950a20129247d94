// RUN: env LAYOUT_LOG=debug layout-opt %s --layout-tile-matmul -o %t 2>&1 | FileCheck %s --check-prefix=DEBUG
// RUN: env LAYOUT_LOG=layout_dialect=trace layout-opt %s -o %t 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: env LAYOUT_LOG=a=b=c layout-opt %s -o %t 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: layout-opt %s --layout-tile-matmul -o %t 2>&1 | count 0

// Events are after LAYOUT_LOG; without it the tools are silent.
// DEBUG: DEBUG layout_dialect::passes: ran pass="layout-tile-matmul" succeeded=true
// TRACE: TRACE layout_dialect::hooks: inferred operation=layout.composition types=[{{.*}}!layout<4:2>{{.*}}]
// BAD: warning: expected LAYOUT_LOG to be a filter such as debug or layout_passes=trace, found "a=b=c"
func.func @f(%l: !layout<8:1>) {
  %0 = layout.composition %l, #layout<4:2> : !layout<8:1>
  return
}
