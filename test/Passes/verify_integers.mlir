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

// -----

// Shifts by a counter, as of the pairs of a bitonic sort, are followed: each of them reads what the step before stored.
!v = !layout.view<i32, global, 64:1>
!s = !layout.view<i32, shared, 64:1>
gpu.module @sorted {
  gpu.func @sorted(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %s = layout.alloc : !s
    %x = layout.load %in(%t) : !v
    layout.store %x, %s(%t) : !s
    scf.for %k = %c0 to %c6 step %c1 {
      %bit = arith.shli %c1, %k : index
      %place = arith.shrui %t, %k : index
      %is = arith.andi %place, %c1 : index
      %is_low = arith.cmpi eq, %is, %c0 : index
      %other = arith.xori %t, %bit : index
      gpu.barrier
      scf.if %is_low {
        %a = layout.load %s(%t) : !s
        %b = layout.load %s(%other) : !s
        %min = arith.minsi %a, %b : i32
        %max = arith.maxsi %a, %b : i32
        layout.store %min, %s(%t) : !s
        layout.store %max, %s(%other) : !s
      }
    }
    gpu.barrier
    %y = layout.load %s(%t) : !s
    layout.store %y, %out(%t) : !v
    gpu.return
  }
}

// -----

// The same without the barrier of a step.
!v = !layout.view<i32, global, 64:1>
!s = !layout.view<i32, shared, 64:1>
gpu.module @unsorted {
  gpu.func @unsorted(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %s = layout.alloc : !s
    %x = layout.load %in(%t) : !v
    layout.store %x, %s(%t) : !s
    gpu.barrier
    scf.for %k = %c0 to %c6 step %c1 {
      %bit = arith.shli %c1, %k : index
      %place = arith.shrui %t, %k : index
      %is = arith.andi %place, %c1 : index
      %is_low = arith.cmpi eq, %is, %c0 : index
      %other = arith.xori %t, %bit : index
      scf.if %is_low {
        // expected-error @below {{expected a barrier between accesses to element 1 of buffer 0, found none: thread 0 stores it and thread 1 loads it, in block (0,0,0) of @unsorted}}
        %a = layout.load %s(%t) : !s
        %b = layout.load %s(%other) : !s
        %min = arith.minsi %a, %b : i32
        %max = arith.maxsi %a, %b : i32
        // expected-note @below {{thread 2 stores it here}}
        // expected-error @below {{expected a barrier between accesses to element 1 of buffer 0, found none: thread 0 stores it and thread 1 stores it}}
        layout.store %min, %s(%t) : !s
        // expected-note @below {{thread 0 stores it here}}
        // expected-error @below {{expected a barrier between accesses to element 2 of buffer 0, found none: thread 2 stores it and thread 0 stores it}}
        layout.store %max, %s(%other) : !s
      }
    }
    gpu.barrier
    %y = layout.load %s(%t) : !s
    layout.store %y, %out(%t) : !v
    gpu.return
  }
}

// -----

// Registers like a part of a view with a dynamic stride are as those of an alloc.
!m = !layout.view<f32, global, (64,?{div=64 range=64..128}):(?{div=64 range=64..128},1)>
gpu.module @fragments {
  // expected-warning @below {{first: @fragments at other sizes than}}
  gpu.func @fragments(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>,
                  layout.kernel = {grid = ["floor_div(n,64)"], sizes = ["n", "n", "n", "n"], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %from = layout.local_tile %in(0, %b), #layout<(64,64)>
    %to = layout.local_tile %out(0, %b), #layout<(64,64)>
    %from_own = layout.partition %from(%t), source of #layout.tiled_copy<simt_4, (4,16):(16,1), (1,4)>
    %to_own = layout.partition %to(%t), target of #layout.tiled_copy<simt_4, (4,16):(16,1), (1,4)>
    %x = layout.make_fragment_like %from_own
    layout.copy #layout.atom<simt_4> %from_own, %x
    layout.copy #layout.atom<simt_4> %x, %to_own
    gpu.return
  }
}
