// A pass that fails leaves a reproducer with its pipeline and options, which fails in the same way.

// RUN: not layout-opt %s --layout-simplify="evaluate=false max-nodes=5" --layout-tile-matmul \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir 2> %t.first
// RUN: FileCheck %s --check-prefix=ERROR < %t.first
// RUN: FileCheck %s < %t.mlir
// RUN: not layout-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERROR

// A local reproducer starts at the pass that failed.
// RUN: not layout-opt %s --layout-simplify --layout-tile-matmul \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.local.mlir \
// RUN:   --mlir-pass-pipeline-local-reproducer --mlir-disable-threading 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=LOCAL < %t.local.mlir

// ERROR: error: 'layout.matmul' op expected tile M to be a positive multiple of 32
// CHECK: layout.matmul
// CHECK: pipeline: "builtin.module(layout-simplify{{{}}arithmetic=true chip=sm_90a count=false evaluate=false explain=false fuel=all max-iterations=16 max-matches=200000 max-nodes=5 max-time=60000 without=none}, layout-tile-matmul)"
// LOCAL: pipeline: "builtin.module(layout-tile-matmul)"

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @tile_m(%a: !v, %b: !v, %c: !v) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (120,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}
