// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Attributions of a kernel and globals in a block's memory are followed as buffers are.

!v = !layout.view<i32, global, (64):(1)>
!w = memref<64xi32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @shift(%v: !v) workgroup(%w: !w) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = [1], names = ["v"]}} {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %x = layout.load %v(%t) : !v
    memref.store %x, %w[%t] : !w
    gpu.barrier
    %other = arith.subi %c63, %t : index
    %y = memref.load %w[%other] : !w
    layout.store %y, %v(%t) : !v
    gpu.return
  }
}

// -----

!v = !layout.view<i32, global, (64):(1)>
!w = memref<64xi32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @racy(%v: !v) workgroup(%w: !w) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = [1], names = ["v"]}} {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %x = layout.load %v(%t) : !v
    // expected-note @below {{thread 63 stores it here}}
    memref.store %x, %w[%t] : !w
    %other = arith.subi %c63, %t : index
    // expected-error @below {{expected a barrier between accesses to element 63 of buffer 0, found none: thread 63 stores it and thread 0 loads it, in block (0,0,0) of @racy}}
    %y = memref.load %w[%other] : !w
    layout.store %y, %v(%t) : !v
    gpu.return
  }
}

// -----

// Past the end of a row of a global, and of the memory.
!v = !layout.view<i32, global, (64):(1)>
!w = memref<4x16xi32, 3>
gpu.module @kernels {
  memref.global @tile : !w = uninitialized
  gpu.func @beyond(%v: !v) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = [1], names = ["v"]}} {
    %t = gpu.thread_id x
    %c15 = arith.constant 15 : index
    %row, %column = layout.idx2crd %t, #layout<(15,5)>
    %w = memref.get_global @tile : !w
    %x = layout.load %v(%t) : !v
    // expected-warning @below {{first: accesses to buffer 0 of @beyond}}
    // expected-error @below {{expected a coordinate of buffer 0 from 0 to 3, found 4}}
    memref.store %x, %w[%row, %column] : !w
    gpu.return
  }
}
