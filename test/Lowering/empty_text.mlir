// A kernel whose chip is an empty text is one of no known chip.

// RUN: layout-opt %s --layout-lower | FileCheck %s

// CHECK-LABEL: gpu.func @nameless(
// CHECK:         llvm.load
// CHECK-NOT:     layout.copy
gpu.module @nameless {
  gpu.func @nameless(%s: !layout.view<f8E4M3FN, global, 2:1>, %t: !layout.view<f32, global, 2:1>) kernel attributes {layout.kernel = {chip = ""}} {
    layout.copy #layout.atom<simt_2> %s, %t : !layout.view<f8E4M3FN, global, 2:1>, !layout.view<f32, global, 2:1>
    gpu.return
  }
}
