// Operations that cannot be expanded are errors with a reason, in the pass and in the lowering.

// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-expand-fragments
// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-lower

gpu.module @many {
  gpu.func @many(%v: !layout.view<f32, global, 65537:1>) kernel {
    // expected-error @+1 {{'layout.map' op expected at most 65536 elements to expand, found 65537}}
    layout.map outs(%v : !layout.view<f32, global, 65537:1>) {
    ^bb0(%old: f32):
      layout.yield %old : f32
    }
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, 2:1>
gpu.module @reductions {
  gpu.func @unknown_block() kernel {
    %x = layout.alloc : !x
    // expected-error @+1 {{'layout.reduce' op expected known_block_size on the kernel of a reduction through shared memory, found none}}
    layout.reduce add %x into %x along [0] threads(#layout<(128,2):(2,1)>) : !x, !x
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, 2:1>
gpu.module @reductions {
  gpu.func @two_dimensions() kernel attributes {known_block_size = array<i32: 8, 16, 1>} {
    %x = layout.alloc : !x
    // expected-error @+1 {{'layout.reduce' op expected a block with threads along x alone for a reduction through shared memory, found [8, 16, 1]}}
    layout.reduce add %x into %x along [0] threads(#layout<(128,2):(2,1)>) : !x, !x
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, 2:1>
gpu.module @reductions {
  gpu.func @other_block() kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %x = layout.alloc : !x
    // expected-error @+1 {{'layout.reduce' op expected a block size that is a multiple of the 128 threads that hold a tile, found 192}}
    layout.reduce add %x into %x along [0] threads(#layout<(128,2):(2,1)>) : !x, !x
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, 2:1>
gpu.module @reductions {
  gpu.func @holders() kernel {
    %x = layout.alloc : !x
    // expected-error @+1 {{'layout.reduce' op expected threads that hold each element once, or by digits of their number that move no other element, found element 2 a second time in thread 2}}
    layout.reduce add %x into %x along [0] threads(#layout<((2,2),2):((2,2),1)>) : !x, !x
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, (2,2):(1,2)>
!one = !layout.view<f32, register, 1:0>
gpu.module @reductions {
  gpu.func @target() kernel {
    %x = layout.alloc : !x
    %one = layout.alloc : !one
    // expected-error @+1 {{'layout.reduce' op expected a target with an element for each of the 2 results of a thread, found 1:0, whose element 2 aliases another result's}}
    layout.reduce add %x into %one along [0] : !x, !one
    gpu.return
  }
}

// -----

!x = !layout.view<f32, register, 2:1>
func.func @host(%x: !x) {
  // expected-error @+1 {{'layout.reduce' op expected a reduction across threads inside a kernel, found a function of the host}}
  layout.reduce add %x into %x along [0] threads(#layout<(32,2):(2,1)>) : !x, !x
  return
}

// -----

!x = !layout.view<f32, register, 2:1>
gpu.module @reductions {
  gpu.func @consumers(%i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %x = layout.alloc : !x
    layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
      // expected-error @+1 {{'layout.reduce' op expected a reduction within warps inside layout.pipeline, whose regions not all threads execute, found one through shared memory}}
      layout.reduce add %x into %x along [0] threads(#layout<(128,2):(2,1)>) : !x, !x
    }
    gpu.return
  }
}
