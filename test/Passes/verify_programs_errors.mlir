// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Operations of threads beside accesses: integers that loops carry and lanes pass, functions that are called, barriers that a kernel
// makes itself, MMAs in flight, atomic updates. Each is followed, and each fault is found where it is.

// A producer and a warpgroup: two stages, a phase of `full` for each load, one of `empty` for each MMA.
!v = !layout.view<bf16, global, (64,64):(64,1)>
!s = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2):(64,1,4096)>
!f = !layout.view<f32, register, ((2,2,8),1,1):((1,2,4),0,0)>
!bars = !layout.view<i64, shared, 2:1>
#mma = #layout.tiled_mma<wgmma_m64n64k16_f32_bf16, (1,1,1)>
gpu.module @stages {
  gpu.func @stages(%a: !v, %c: !layout.view<f32, global, (64,64):(64,1)>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>, layout.kernel = {grid = [1], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.constant 5 : index
    %c128 = arith.constant 128 : index
    %s = layout.alloc : !s
    %full = layout.barriers arrivals 1 : !bars
    %empty = layout.barriers arrivals 4 : !bars
    %loads = arith.cmpi eq, %t, %c128 : index
    scf.if %loads {
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %before = arith.subi %round, %c1 : index
        %to = layout.slice %s(_, _, %stage)
        %rows = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(1,0)>
        %columns = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(0,1)>
        layout.wait %before, %empty(%stage)
        layout.transaction %full(%stage) {
          layout.copy #layout.atom<bulk_tensor_load> %a, %to predicate(%rows < 64, %columns < 64)
        }
      }
    }
    %consumes = arith.cmpi ult, %t, %c128 : index
    scf.if %consumes {
      %f = layout.partition_fragment c of #mma, (64,64)
      %zero = arith.constant 0.0 : f32
      layout.fill %f, %zero
      %sa = layout.partition %s(%c0), a of #mma
      %sb = layout.partition %s(%c0), b of #mma
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %x = layout.slice %sa(_, _, _, %stage)
        %y = layout.slice %sb(_, _, _, %stage)
        layout.wait %round, %full(%stage)
        layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %x, %y, %f async
        layout.wait_mma %f pending 0
        layout.arrive %empty(%stage)
      }
      %own = layout.partition %c(%t), c of #mma
      layout.copy #layout.atom<simt_2> %f, %own
    }
    gpu.return
  }
}

// -----

// Rows as many as is known at run time: the predicate keeps all accesses in bounds, whatever the number; that stores of two blocks do not
// meet is proved at some.
!m = !layout.view<f32, global, (?{range=1..1048576},64):(64,1)>
gpu.module @rows {
  // expected-warning @below {{first: @rows at other sizes than rows = 1; rows = 3; rows = 4; rows = 5; rows = 13; bounds are proved for all sizes}}
  gpu.func @rows(%in: !m, %out: !m) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["ceil_div(rows,4)"], sizes = ["rows", "rows"], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %column = layout.slice %in(_, 0)
    %rows = layout.size %column
    %first = arith.muli %b, %c4 : index
    scf.for %r = %c0 to %c4 step %c1 {
      %i = arith.addi %first, %r : index
      %is = arith.cmpi ult, %i, %rows : index
      scf.if %is {
        %x = layout.load %in(%i, %t) : !m
        layout.store %x, %out(%i, %t) : !m
      }
    }
    gpu.return
  }
}

// -----

// One row more than there is.
!m = !layout.view<f32, global, (?{range=1..1048576},64):(64,1)>
module { gpu.module @rows {
  // expected-warning @below {{@rows at other sizes than rows = 1}}
  // expected-error @below {{expected loads of argument 0 of @rows within (1,64):(64,1), found offset 64, at rows = 1}}
  // expected-error @below {{expected stores of argument 1 of @rows within (1,64):(64,1), found offset 64, at rows = 1}}
  gpu.func @rows(%in: !m, %out: !m) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["ceil_div(rows,4)"], sizes = ["rows", "rows"], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %column = layout.slice %in(_, 0)
    %rows = layout.size %column
    %first = arith.muli %b, %c4 : index
    scf.for %r = %c0 to %c4 step %c1 {
      %i = arith.addi %first, %r : index
      %is = arith.cmpi ule, %i, %rows : index
      scf.if %is {
        // expected-error @below {{expected a load of argument 0 within elements 0 to 63, found element 64 (thread 0, block (0,0,0) of @rows), at rows = 1}}
        %x = layout.load %in(%i, %t) : !m
        // expected-error @below {{expected a store of argument 1 within elements 0 to 63, found element 64 (thread 0, block (0,0,0) of @rows), at rows = 1}}
        layout.store %x, %out(%i, %t) : !m
      }
    }
    gpu.return
  }
}}

// -----

// A slot that a loop carries, and a function that stores to it.
!ring = !layout.view<f32, shared, (64,2):(1,64)>
!v = !layout.view<f32, global, (64,5):(1,64)>
gpu.module @carried {
  func.func private @put(%s: !ring, %slot: i32, %t: index, %x: f32) {
    %slot_x = arith.index_cast %slot : i32 to index
    layout.store %x, %s(%t, %slot_x) : !ring
    return
  }
  gpu.func @carried(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !ring
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c63 = arith.constant 63 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %mirror = arith.subi %c63, %t : index
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%slot = %i0) -> i32 {
      %x = layout.load %in(%t, %i) : !v
      func.call @put(%s, %slot, %t, %x) : (!ring, i32, index, f32) -> ()
      gpu.barrier
      %slot_x = arith.index_cast %slot : i32 to index
      %y = layout.load %s(%mirror, %slot_x) : !ring
      layout.store %y, %out(%t, %i) : !v
      %next = arith.subi %i1, %slot : i32
      scf.yield %next : i32
    }
    gpu.return
  }
}

// -----

// With one slot, the store of the next round meets the load of the one before: the fault is in the function.
!ring = !layout.view<f32, shared, (64,2):(1,64)>
!v = !layout.view<f32, global, (64,5):(1,64)>
gpu.module @carried {
  func.func private @put(%s: !ring, %slot: i32, %t: index, %x: f32) {
    %slot_x = arith.index_cast %slot : i32 to index
    // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: thread 63 loads it and thread 0 stores it}}
    // expected-warning @below {{first: accesses to buffer 0 of @carried: a start that depends on thread x, an integer that threads compute}}
    layout.store %x, %s(%t, %slot_x) : !ring
    return
  }
  gpu.func @carried(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !ring
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c63 = arith.constant 63 : index
    %i0 = arith.constant 0 : i32
    %mirror = arith.subi %c63, %t : index
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%slot = %i0) -> i32 {
      %x = layout.load %in(%t, %i) : !v
      func.call @put(%s, %slot, %t, %x) : (!ring, i32, index, f32) -> ()
      gpu.barrier
      %slot_x = arith.index_cast %slot : i32 to index
      // expected-note @below {{thread 63 loads it here}}
      %y = layout.load %s(%mirror, %slot_x) : !ring
      layout.store %y, %out(%t, %i) : !v
      scf.yield %slot : i32
    }
    gpu.return
  }
}

// -----

// Atomic updates of one element do not race; a load of it waits for all.
!sum = !layout.view<f32, shared, 1:1>
gpu.module @atomic {
  gpu.func @atomic(%out: !layout.view<f32, global, 64:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %x = arith.constant 1.0 : f32
    %sum = layout.alloc : !sum
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %x, %sum(%c0) : !sum
    }
    gpu.barrier
    layout.atomic add %x, %sum(%c0) relaxed : !sum
    gpu.barrier
    %y = layout.load %sum(%c0) : !sum
    layout.store %y, %out(%t) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}

// -----

!sum = !layout.view<f32, shared, 1:1>
gpu.module @atomic {
  gpu.func @atomic(%out: !layout.view<f32, global, 64:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %x = arith.constant 1.0 : f32
    %sum = layout.alloc : !sum
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %x, %sum(%c0) : !sum
    }
    gpu.barrier
    // expected-note @below {{thread 1 updates it here}}
    layout.atomic add %x, %sum(%c0) relaxed : !sum
    // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: thread 1 updates it and thread 0 loads it}}
    %y = layout.load %sum(%c0) : !sum
    layout.store %y, %out(%t) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}

// -----

// An integer goes through shared memory: the other threads load what the first one stores, and count down from it.
!plan = !layout.view<i32, shared, 1:1>
gpu.module @plan {
  gpu.func @plan(%out: !layout.view<f32, global, (64,4):(1,64)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i3 = arith.constant 3 : i32
    %x = arith.constant 1.0 : f32
    %plan = layout.alloc : !plan
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %i3, %plan(%c0) : !plan
    }
    gpu.barrier
    %n = layout.load %plan(%c0) : !plan
    %end = scf.while (%i = %n) : (i32) -> i32 {
      %goes_on = arith.cmpi sge, %i, %i0 : i32
      scf.condition(%goes_on) %i : i32
    } do {
    ^bb0(%i: i32):
      %i_x = arith.index_cast %i : i32 to index
      layout.store %x, %out(%t, %i_x) : !layout.view<f32, global, (64,4):(1,64)>
      %next = arith.subi %i, %i1 : i32
      scf.yield %next : i32
    }
    gpu.return
  }
}

// -----

// It is one too large.
!plan = !layout.view<i32, shared, 1:1>
gpu.module @plan {
  gpu.func @plan(%out: !layout.view<f32, global, (64,4):(1,64)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    %x = arith.constant 1.0 : f32
    %plan = layout.alloc : !plan
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %i4, %plan(%c0) : !plan
    }
    gpu.barrier
    %n = layout.load %plan(%c0) : !plan
    %end = scf.while (%i = %n) : (i32) -> i32 {
      %goes_on = arith.cmpi sge, %i, %i0 : i32
      scf.condition(%goes_on) %i : i32
    } do {
    ^bb0(%i: i32):
      %i_x = arith.index_cast %i : i32 to index
      // expected-error @below {{expected a coordinate of argument 0 from 0 to 3, found 4 (thread 0, block (0,0,0) of @plan)}}
      // expected-warning @below {{first: stores of argument 0 of @plan: the values of an integer that threads compute in a copy}}
      layout.store %x, %out(%t, %i_x) : !layout.view<f32, global, (64,4):(1,64)>
      %next = arith.subi %i, %i1 : i32
      scf.yield %next : i32
    }
    gpu.return
  }
}

// -----

// An integer of which nothing is known decides where threads store: a warning at its origin states this.
gpu.module @unknown {
  gpu.func @unknown(%at: !layout.view<i32, global, 64:1>, %out: !layout.view<f32, global, 64:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    // expected-warning @below {{layout-verify: 1 not analysed; first: threads of @unknown: an access that depends on an integer which is not known}}
    %i = layout.load %at(%t) : !layout.view<i32, global, 64:1>
    %i_x = arith.index_cast %i : i32 to index
    // expected-warning @below {{first: stores of argument 1 of @unknown: the values of an integer that threads compute in a copy}}
    layout.store %x, %out(%i_x) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}

// -----

// The lanes of a warp read from the first: each warp stores in its own row.
gpu.module @lanes {
  gpu.func @lanes(%out: !layout.view<f32, global, (32,2):(1,32)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %i0 = arith.constant 0 : i32
    %width = arith.constant 32 : i32
    %x = arith.constant 1.0 : f32
    %warp = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %warp_i = arith.index_cast %warp : index to i32
    %own, %valid = gpu.shuffle idx %warp_i, %i0, %width : i32
    %own_x = arith.index_cast %own : i32 to index
    layout.store %x, %out(%lane, %own_x) : !layout.view<f32, global, (32,2):(1,32)>
    gpu.return
  }
}

// -----

// A store before an arrival is seen after the wait for it.
!row = !layout.view<f32, shared, 32:1>
gpu.module @alternating {
  gpu.func @alternating(%out: !layout.view<f32, global, 32:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !row
    %one = arith.constant 1 : i32
    %all = arith.constant 64 : i32
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %x = arith.constant 1.0 : f32
    %is_first = arith.cmpi ult, %t, %c32 : index
    scf.if %is_first {
      layout.store %x, %s(%t) : !row
      nvvm.barrier.arrive id = %one number_of_threads = %all
    } else {
      nvvm.barrier id = %one number_of_threads = %all
      %other = arith.subi %c63, %t : index
      %y = layout.load %s(%other) : !row
      layout.store %y, %out(%other) : !layout.view<f32, global, 32:1>
    }
    gpu.return
  }
}

// -----

// A store after it is not.
!row = !layout.view<f32, shared, 32:1>
gpu.module @alternating {
  gpu.func @alternating(%out: !layout.view<f32, global, 32:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !row
    %one = arith.constant 1 : i32
    %all = arith.constant 64 : i32
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %x = arith.constant 1.0 : f32
    %is_first = arith.cmpi ult, %t, %c32 : index
    scf.if %is_first {
      nvvm.barrier.arrive id = %one number_of_threads = %all
      // expected-note @below {{thread 31 stores it here}}
      // expected-warning @below {{first: accesses to buffer 0 of @alternating: a start that depends on thread x}}
      layout.store %x, %s(%t) : !row
    } else {
      nvvm.barrier id = %one number_of_threads = %all
      %other = arith.subi %c63, %t : index
      // expected-error @below {{expected a barrier between accesses to element 31 of buffer 0, found none: thread 31 stores it and thread 32 loads it}}
      %y = layout.load %s(%other) : !row
      layout.store %y, %out(%other) : !layout.view<f32, global, 32:1>
    }
    gpu.return
  }
}

// -----

// Modes in another order, and four bits at a time: a thread reads the word of its neighbour.
!words = !layout.view<i32, shared, (2,32):(32,1)>
!g = !layout.view<i32, global, (2,32):(32,1)>
gpu.module @narrow {
  gpu.func @narrow(%in: !g, %out: !layout.view<f32, global, (8,32):(1,8)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>}} {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %mirror = arith.subi %c31, %t : index
    %s = layout.alloc : !layout.view<i4, shared, (8,32):(1,8)>
    %in_row = layout.slice %in(0, _)
    %in4 = layout.recast %in_row to i4 : !layout.view<i32, global, (32):(1)>
    %turned = layout.select %s, [1, 0]
    %from = layout.composition %in4, #layout<(8,32):(1,8)>
    %from_t = layout.slice %from(_, %t)
    %to_t = layout.slice %turned(%t, _)
    layout.copy #layout.atom<cp_async_4> %from_t, %to_t
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %f = layout.alloc : !layout.view<f32, register, 8:1>
    %own = layout.slice %turned(%mirror, _)
    layout.copy #layout.atom<simt_8> %own, %f
    %out_t = layout.slice %out(_, %t)
    layout.copy #layout.atom<simt_4> %f, %out_t
    gpu.return
  }
}
