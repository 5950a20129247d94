// Loops whose copies cannot run ahead.

// RUN: layout-opt %s --split-input-file --layout-pipeline-loops --verify-diagnostics

// As many stages as there are.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    // expected-error@+1 {{expected an integer from 2 to 16 as layout.stages, found 1}}
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 1 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Another attribute.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    // expected-error@+1 {{expected an integer from 2 to 16 as layout.stages, found "3"}}
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = "3"}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Loops of kernels alone.

func.func @host(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected layout.stages of an scf.for in a gpu.func, found it of scf.for in func.func}}
  scf.for %i = %c0 to %n step %c1 {
  } {layout.stages = 3 : i64}
  return
}

// -----

// Nothing copies while other things run.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    // expected-error@+1 {{expected copies with cp_async atoms in the loop's body, found none}}
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<simt_1> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A branch copies, or not.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      %c = arith.cmpi ult, %t, %last : index
      scf.if %c {
        // expected-error@+1 {{expected copies with cp_async atoms directly in the loop's body, found one in scf.if}}
        layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      }
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Rounds are in flight already.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      // expected-error@+1 {{expected a wait for all copies in a sequential loop, found one that leaves 1 in flight}}
      nvvm.cp.async.wait.group 1
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A copy for which nobody waits.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      // expected-error@+1 {{expected nvvm.cp.async.wait.group 0 after the copy in the loop's body, found none}}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A copy that is in no group.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      // expected-error@+1 {{expected nvvm.cp.async.commit.group between the copy and the wait for it, found none}}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A barrier before the threads' copies are there.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      // expected-error@+1 {{expected barriers before the copies and after the wait for them, found one between them}}
      gpu.barrier
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// No barrier after the wait.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      // expected-error@+1 {{expected a barrier between the wait and the reads of the copied buffers, found none}}
      nvvm.cp.async.wait.group 0
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// No barrier before the next round's copies.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    // expected-error@+1 {{expected a barrier before the copies or at the end of the loop's body, since threads may still read what others will overwrite, found none}}
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// An element that the round before left is read.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      // expected-error@+1 {{expected reads of a buffer after the wait for its copies, found one before it}}
      %old = layout.load %row(0, %t) : !row
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %old, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Other memory that threads share, on the other side of the barrier.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %other = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      // expected-error@+1 {{expected no access to shared memory other than the copies before the barrier that follows them, found layout.store}}
      layout.store %before, %other(0, %t) : !row
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A round decides what the next one copies.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum, %end = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero, %at = %c0) -> (f32, index) {
      %from = layout.slice %in(%at, (_, %t)) : !in
      // expected-error@+1 {{expected a copy that depends on the induction variable alone, found one that depends on a loop-carried value}}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      %next = arith.addi %at, %c1 : index
      scf.yield %after, %next : f32, index
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// The copied element is read from memory first.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out, %order: !layout.view<i32, global, (64):(1)>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %number = layout.load %order(%i) : !layout.view<i32, global, (64):(1)>
      %at = arith.index_cast %number : i32 to index
      %from = layout.slice %in(%at, (_, %t)) : !in
      // expected-error@+1 {{expected a copy that depends on the induction variable alone, found one that depends on layout.load in the loop}}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// The buffer is read after the loop.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    // expected-error@+1 {{expected a buffer without uses outside of the loop, found layout.load}}
    %left = layout.load %row(0, %t) : !row
    layout.store %left, %out(%t) : !out
    gpu.return
  }
}

// -----

// The buffer is written by others, too.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      gpu.barrier
      // expected-error@+1 {{expected a buffer that the loop's copies alone write, found layout.store}}
      layout.store %x, %row(0, %t) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Memory that copies read is written.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      // expected-error@+1 {{expected a loop that writes no global memory, which copies ahead may read, found layout.store}}
      layout.store %x, %out(%t) : !out
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A buffer that is none of the kernel's own.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out, %row: !row) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      // expected-error@+1 {{expected a copy to a buffer of layout.alloc in front of the loop, found a target of type !layout.view<f32, shared, }}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Rounds copy to places of their own.

!in = !layout.view<f32, global, (64,(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!rows = !layout.view<f32, shared, (64,(1,128)):(128,(0,1))>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %rows = layout.alloc : !rows
    %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %to = layout.slice %rows(%i, (_, %t)) : !rows
      %from = layout.slice %in(%i, (_, %t)) : !in
      // expected-error@+1 {{expected a copy to the same buffer in each iteration, found one that depends on the induction variable}}
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %rows(%i, (0, %turned)) : !rows
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}
