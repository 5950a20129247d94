// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// A transpose through shared memory whose threads do not wait for each other.
!src = !layout.view<f32, global, (64,64):(64,1)>
!tile = !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(32,1)>
gpu.module @transpose {
  gpu.func @transpose(%in: !src, %out: !src) kernel
      attributes {layout.kernel = {grid = array<i64: 2, 2, 1>, block = array<i64: 256, 1, 1>}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %bn = gpu.block_id y
    %s = layout.alloc : !tile
    %gi = layout.local_tile %in(%bm, %bn), #layout<(32,32)> : !src
    %go = layout.local_tile %out(%bn, %bm), #layout<(32,32)> : !src
    %gi_t = layout.partition %gi(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (32,32):(64,1)>
    %s_w  = layout.partition %s(%t), #layout<(8,32):(32,1)> : !tile
    // expected-note @below {{thread 8 stores it here}}
    layout.copy #layout.atom<simt_1> %gi_t, %s_w : !layout.view<f32, global, (4,1):(512,0)>, !layout.view<f32, shared, S<5,0,5> o 0 o (4,1):(256,0)>
    %st = layout.composition %s, #layout<(32,32):(32,1)> : !tile
    %s_r = layout.partition %st(%t), #layout<(8,32):(32,1)> : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(1,32)>
    %go_t = layout.partition %go(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (32,32):(64,1)>
    // expected-error @below {{expected a barrier between accesses to element 8 of buffer 0, found none: thread 8 stores it and thread 0 loads it, in block (0,0,0) of @transpose}}
    layout.copy #layout.atom<simt_1> %s_r, %go_t : !layout.view<f32, shared, S<5,0,5> o 0 o (4,1):(8,0)>, !layout.view<f32, global, (4,1):(512,0)>
    gpu.return
  }
}

// -----

// A barrier before the next round's stores is missing too: a loop's rounds meet.
!v = !layout.view<f32, global, (4,64):(64,1)>
gpu.module @rounds {
  gpu.func @rounds(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f32, shared, 64:1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %mirror = arith.subi %c63, %t : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = layout.load %in(%i, %t) : !v
      // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: thread 63 loads it and thread 0 stores it}}
      layout.store %x, %s(%t) : !layout.view<f32, shared, 64:1>
      gpu.barrier
      // expected-note @below {{thread 63 loads it here}}
      %y = layout.load %s(%mirror) : !layout.view<f32, shared, 64:1>
      layout.store %y, %out(%i, %t) : !v
    }
    gpu.return
  }
}

// -----

// With both barriers nothing is reported.
!v = !layout.view<f32, global, (4,64):(64,1)>
gpu.module @rounds {
  gpu.func @rounds(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f32, shared, 64:1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %mirror = arith.subi %c63, %t : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = layout.load %in(%i, %t) : !v
      layout.store %x, %s(%t) : !layout.view<f32, shared, 64:1>
      gpu.barrier
      %y = layout.load %s(%mirror) : !layout.view<f32, shared, 64:1>
      layout.store %y, %out(%i, %t) : !v
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// Two threads before the first element.
gpu.module @negative {
  gpu.func @negative(%v: !layout.view<f32, global, (4,4):(4,1)>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 4, 1, 1>}} {
    %t = gpu.thread_id x
    %c = arith.constant 2 : index
    %i = arith.subi %t, %c : index
    // expected-error @below {{expected a coordinate of argument 0 from 0 to 15, found -2 (thread 0, block (0,0,0) of @negative)}}
    layout.store %f, %v(%i) : !layout.view<f32, global, (4,4):(4,1)>
    gpu.return
  }
}

// -----

// Row 1, column 4 is row 2, column 0 in memory; it is past the row's extent all the same. A condition that keeps
// threads from it does.
gpu.module @column {
  gpu.func @column(%v: !layout.view<f32, global, (4,4):(4,1)>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 8, 1, 1>}} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %inside = arith.cmpi ult, %t, %c4 : index
    scf.if %inside {
      layout.store %f, %v(0, %t) : !layout.view<f32, global, (4,4):(4,1)>
    }
    // expected-error @below {{expected a coordinate of argument 0 from 0 to 3, found 4 (thread 4, block (0,0,0) of @column)}}
    %x = layout.load %v(1, %t) : !layout.view<f32, global, (4,4):(4,1)>
    gpu.return
  }
}

// -----

// An unsigned loop over 8-bit numbers, which a signed loop would not run: 100, 150, 200, as words -56 at the end.
module {
gpu.module @unsigned {
  // expected-error @below {{layout-verify: expected loads of argument 0 of @unsigned within 256:1, found offset -106}}
  gpu.func @unsigned(%v: !layout.view<f32, global, 256:1>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>}} {
    %c100 = arith.constant 100 : i8
    %c201 = arith.constant -55 : i8
    %c50 = arith.constant 50 : i8
    scf.for unsigned %i = %c100 to %c201 step %c50 : i8 {
      %u = arith.index_castui %i : i8 to index
      layout.store %f, %v(%u) : !layout.view<f32, global, 256:1>
      %s = arith.index_cast %i : i8 to index
      // expected-error @below {{expected a coordinate of argument 0 from 0 to 255, found -106 (thread 0, block (0,0,0) of @unsigned)}}
      %x = layout.load %v(%s) : !layout.view<f32, global, 256:1>
    }
    gpu.return
  }
}
}

// -----

// Half of the buffer was never written.
gpu.module @unwritten {
  gpu.func @unwritten(%v: !layout.view<f32, global, 64:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f32, shared, 64:1>
    %c32 = arith.constant 32 : index
    %half = arith.cmpi slt, %t, %c32 : index
    %one = arith.constant 1.0 : f32
    scf.if %half {
      layout.store %one, %s(%t) : !layout.view<f32, shared, 64:1>
    }
    gpu.barrier
    // expected-error @below {{expected element 32 of buffer 0 to be written before it is read, found no store: thread 32 loads it, in block (0,0,0) of @unwritten}}
    %x = layout.load %s(%t) : !layout.view<f32, shared, 64:1>
    layout.store %x, %v(%t) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}

// -----

// A barrier that half of the threads never reach.
gpu.module @divergent {
  gpu.func @divergent() kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f32, shared, 64:1>
    %c32 = arith.constant 32 : index
    %half = arith.cmpi slt, %t, %c32 : index
    %one = arith.constant 1.0 : f32
    layout.store %one, %s(%t) : !layout.view<f32, shared, 64:1>
    scf.if %half {
      // expected-error @below {{expected all threads of the block at the barrier, found thread 0 there and thread 32 absent, in block (0,0,0) of @divergent}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// One of two groups of copies may still be on its way, though all threads meet.
!g = !layout.view<f32, global, (2,256):(256,1)>
!s = !layout.view<f32, shared, (2,256):(256,1)>
gpu.module @groups {
  gpu.func @groups(%in: !g, %out: !g) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %from = layout.composition %in, #layout<(2,(4,64)):(1,(2,8))> : !g
    %to = layout.composition %s, #layout<(2,(4,64)):(1,(2,8))> : !s
    %f0 = layout.slice %from(0, (_, %t)) : !layout.view<f32, global, (2,(4,64)):(256,(1,4))>
    %f1 = layout.slice %from(1, (_, %t)) : !layout.view<f32, global, (2,(4,64)):(256,(1,4))>
    %t0 = layout.slice %to(0, (_, %t)) : !layout.view<f32, shared, (2,(4,64)):(256,(1,4))>
    %t1 = layout.slice %to(1, (_, %t)) : !layout.view<f32, shared, (2,(4,64)):(256,(1,4))>
    layout.copy #layout.atom<cp_async_4> %f0, %t0 : !layout.view<f32, global, (4):(1)>, !layout.view<f32, shared, (4):(1)>
    nvvm.cp.async.commit.group
    // expected-note @below {{thread 63 copies to it here}}
    layout.copy #layout.atom<cp_async_4> %f1, %t1 : !layout.view<f32, global, (4):(1)>, !layout.view<f32, shared, (4):(1)>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    gpu.barrier
    %c255 = arith.constant 255 : index
    %mirror = arith.subi %c255, %t : index
    %x = layout.load %s(0, %mirror) : !s
    // expected-error @below {{expected a wait between an asynchronous copy to element 511 of buffer 0 and the next access, found none: thread 63 copies to it and thread 0 loads it}}
    %y = layout.load %s(1, %mirror) : !s
    layout.store %x, %out(0, %t) : !g
    layout.store %y, %out(1, %t) : !g
    gpu.return
  }
}

// -----

// The range that a type states of integers made inside is checked for each thread.
gpu.module @claims {
  gpu.func @claims(%p: !layout.view<f32, global, 4096:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %sum = arith.addi %t, %c4 : index
    %n = arith.index_cast %sum : index to i32
    // expected-error @below {{expected an integer within -2147483648 to 2147483647 and a multiple of 4, as its type states, found 5 (thread 1, block (0,0,0) of @claims)}}
    %l = layout.make %n : (i32) -> !layout<16:?{div=4}>
    %i = layout.crd2idx %l(1) : !layout<16:?{div=4}>
    gpu.return
  }
}

// -----

// Attributes that contradict each other about a launch.
module {
  gpu.module @launch {
    // expected-error @below {{expected one launch size of @launch, found 1 in layout.kernel's grid and 2 in another attribute}}
    gpu.func @launch(%v: !layout.view<f32, global, 64:1>, %f: f32) kernel
        attributes {known_grid_size = array<i32: 2, 1, 1>,
                    layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
      %t = gpu.thread_id x
      layout.store %f, %v(%t) : !layout.view<f32, global, 64:1>
      gpu.return
    }
  }
}

// -----

// An arrival that does not wait: what the others wait for comes.
module {
gpu.module @alternating {
  gpu.func @alternating(%out: !layout.view<f32, global, 64:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %all = arith.constant 64 : i32
    %c32 = arith.constant 32 : index
    %x = arith.constant 1.0 : f32
    %is_first = arith.cmpi ult, %t, %c32 : index
    scf.if %is_first {
      nvvm.barrier.arrive id = %one number_of_threads = %all
    } else {
      nvvm.barrier id = %one number_of_threads = %all
    }
    layout.store %x, %out(%t) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}
}
