// RUN: layout-opt %s --split-input-file --layout-derive-launch --layout-verify --verify-diagnostics

// A float by value is no size: the kernel is examined at sizes of `n` as without it, and an element is found that no thread has stored where `n` ends inside
// of a block.
!v = !layout.view<f32, global, ?{range=1..4096}:1>
gpu.module @m {
  // expected-warning @below {{first: @scaled at other sizes than n = 1, seed = 1}}
  gpu.func @scaled(%in: !v, %eps: f32, %seed: i32, %out: !v) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>,
                  layout.kernel = {grid = ["ceil_div(n,64)"], sizes = ["n", "n"], names = ["in", "eps", "seed", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %n = layout.size %in
    %first = arith.muli %b, %c64 : index
    %i = arith.addi %first, %t : index
    %s = layout.alloc : !layout.view<f32, shared, 64:1>
    %is = arith.cmpi ult, %i, %n : index
    scf.if %is {
      %x = layout.load %in(%i)
      %y = arith.addf %x, %eps : f32
      layout.store %y, %s(%t)
    }
    gpu.barrier
    %u = arith.subi %c63, %t : index
    // expected-error @below {{layout-verify: expected element 63 of buffer 0 to be written before it is read, found no store: thread 0 loads it, in block (0,0,0) of @scaled, at n = 1, seed = 1}}
    %z = layout.load %s(%u)
    scf.if %is {
      layout.store %z, %out(%i)
    }
    gpu.return
  }
}

// -----

// Blocks that a lock orders store to one element: nothing is refuted, and nothing claimed of it.
!v = !layout.view<f32, global, (4,64):(64,1)>
!o = !layout.view<f32, global, 64:1>
!l = !layout.view<i32, global, 1:1>
gpu.module @m {
  // expected-warning @below {{@locked, of which the order of accesses of two blocks is not followed}}
  gpu.func @locked(%in: !v, %out: !o, %lock: !l) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>,
                  layout.kernel = {grid = [4], names = ["in", "out", "lock"], values = {lock = [0, 0]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      layout.atomic or %i0, %lock(0) acquire
    }
    gpu.barrier
    %x = layout.load %in(%b, %t)
    %y = layout.load %out(%t)
    %s = arith.addf %x, %y : f32
    layout.store %s, %out(%t)
    gpu.barrier
    scf.if %first {
      layout.atomic exchange %i0, %lock(0) release
    }
    gpu.return
  }
}

// -----

// A block's number in its cluster.
!in = !layout.view<f32, global, (4,64):(64,1)>
gpu.module @m {
  gpu.func @ranked(%in: !in, %out: !in) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>,
                  layout.kernel = {grid = [4], cluster = 2, names = ["in", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c2 = arith.constant 2 : index
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %r = arith.index_castui %rank : i32 to index
    %c = arith.divui %b, %c2 : index
    %twice = arith.muli %c, %c2 : index
    %row = arith.addi %twice, %r : index
    %x = layout.load %in(%row, %t)
    layout.store %x, %out(%row, %t)
    gpu.return
  }
}

// -----

// An integer that is stored is no coordinate, and may be negative.
!v = !layout.view<i32, global, (?{range=1..4096},64):(64,1)>
gpu.module @m {
  // expected-warning @below {{first: @negative at other sizes than n = 1; n = 63; n = 64; n = 65; n = 193; bounds are proved for all sizes}}
  gpu.func @negative(%out: !v) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>,
                  layout.kernel = {grid = ["n"], sizes = ["n"], names = ["out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c = arith.constant -5 : i32
    layout.store %c, %out(%b, %t)
    gpu.return
  }
}
