// A function for which upstream's conversion calls CUDA's library is an error: nothing links that.

// RUN: not layout-opt %s --layout-to-nvvm 2>&1 | FileCheck %s

gpu.module @wide {
  gpu.func @both(%x: !layout.view<f64, global, (4):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 4, 1, 1>, chip = "sm_80"}} {
    %i = gpu.thread_id x
    %a = layout.load %x(%i) : !layout.view<f64, global, (4):(1)>
    // CHECK: [[@LINE+1]]:14: error: 'llvm.call' op expected functions that PTX or the lowering of math has, found one that becomes a call of __nv_sincos
    %b, %c = math.sincos %a : f64
    layout.store %b, %x(%i) : !layout.view<f64, global, (4):(1)>
    gpu.return
  }
}
