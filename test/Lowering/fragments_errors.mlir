// What cannot be written out says why, by the pass and by the lowering alike.

// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-expand-fragments
// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-lower

gpu.module @many {
  gpu.func @many(%v: !layout.view<f32, global, 65537:1>) kernel {
    // expected-error @+1 {{'layout.map' op expected at most 65536 elements to write out, found 65537}}
    layout.map outs(%v : !layout.view<f32, global, 65537:1>) {
    ^bb0(%old: f32):
      layout.yield %old : f32
    }
    gpu.return
  }
}
