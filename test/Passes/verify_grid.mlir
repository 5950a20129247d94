// A grid that is a list of fewer than three dimensions bounds the block ids.

// RUN: layout-opt %s --layout-verify --verify-diagnostics -o /dev/null

!m = !layout.view<f32, global, (64,32):(32,1)>

gpu.module @rows {
  gpu.func @clear(%out: !m) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = [64]}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %zero = arith.constant 0.0 : f32
    layout.store %zero, %out(%i, %t) : !m
    gpu.return
  }
}
