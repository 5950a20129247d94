// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Threads beyond the extent of a ragged tile read shared memory that nothing wrote, or that others store at the same time, and discard
// the value: that is right. A value that comes to an argument, an address, a condition or another lane is used, and refuted.

// A sum of 100 elements by 128 threads: those past the extent store nothing, read all, and select 0.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
!one = !layout.view<f32, global, 4:1>
gpu.module @selected {
  gpu.func @selected(%in: !v, %out: !one) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c32 = arith.constant 32 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    gpu.barrier
    %y = layout.load %s(%t) : !s
    %kept = arith.select %is, %y, %zero : f32
    %sum = gpu.subgroup_reduce add %kept : (f32) -> f32
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %c0 = arith.constant 0 : index
    %is_first = arith.cmpi eq, %lane, %c0 : index
    scf.if %is_first {
      layout.store %sum, %out(%warp) : !one
    }
    gpu.return
  }
}

// -----

// The same with the operands of the selection the other way round.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
!w = !layout.view<f32, global, 128:1>
gpu.module @chosen {
  gpu.func @chosen(%in: !v, %out: !w) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    gpu.barrier
    // expected-error @below {{expected element 100 of buffer 0 to be written before it is read, found no store: thread 100 loads it, in block (0,0,0) of @chosen}}
    %y = layout.load %s(%t) : !s
    %kept = arith.select %is, %zero, %y : f32
    layout.store %kept, %out(%t) : !w
    gpu.return
  }
}

// -----

// A transpose of a ragged tile: threads read a row of it, of which the predicate lets through what was written.
!v = !layout.view<f32, global, (20,30):(30,1)>
!t = !layout.view<f32, global, (30,20):(20,1)>
!s = !layout.view<f32, shared, (32,33):(33,1)>
!r = !layout.view<f32, register, 4:1>
gpu.module @tile {
  gpu.func @tile(%in: !v, %out: !t) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %x = layout.alloc : !r
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c20 = arith.constant 20 : index
    %c30 = arith.constant 30 : index
    %of:2 = layout.idx2crd %t, #layout<(32,8)>
    scf.for %k = %c0 to %c4 step %c1 {
      %down = arith.muli %k, %c8 : index
      %i = arith.addi %of#1, %down : index
      %is_i = arith.cmpi ult, %i, %c20 : index
      %is_j = arith.cmpi ult, %of#0, %c30 : index
      %is = arith.andi %is_i, %is_j : i1
      scf.if %is {
        %e = layout.load %in(%i, %of#0) : !v
        layout.store %e, %s(%i, %of#0) : !s
      }
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %down = arith.muli %k, %c8 : index
      %j = arith.addi %of#1, %down : index
      %e = layout.load %s(%of#0, %j) : !s
      layout.store %e, %x(%k) : !r
    }
    scf.for %k = %c0 to %c4 step %c1 {
      %down = arith.muli %k, %c8 : index
      %j = arith.addi %of#1, %down : index
      %is_i = arith.cmpi ult, %of#0, %c20 : index
      %is_j = arith.cmpi ult, %j, %c30 : index
      %is = arith.andi %is_i, %is_j : i1
      scf.if %is {
        %e = layout.load %x(%k) : !r
        layout.store %e, %out(%j, %of#0) : !t
      }
    }
    gpu.return
  }
}

// -----

// A column more than was written is let through: registers keep what is undefined.
!v = !layout.view<f32, global, 64:1>
!s = !layout.view<f32, shared, 256:1>
!r = !layout.view<f32, register, 4:1>
!w = !layout.view<f32, global, (64,4):(4,1)>
gpu.module @columns {
  gpu.func @columns(%in: !v, %out: !w) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %x = layout.alloc : !r
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %own = arith.constant 3 : index
    %e = layout.load %in(%t) : !v
    %part = layout.composition %s, #layout<(4,64):(1,4)>
    %row = layout.slice %part(_, %t)
    scf.for %k = %c0 to %own step %c1 {
      layout.store %e, %row(%k)
    }
    // expected-error @below {{expected element 3 of buffer 0 to be written before it is read, found no store: thread 0 loads it, in block (0,0,0) of @columns}}
    layout.copy #layout.atom<simt_1> %row, %x
    %to = layout.slice %out(%t, _)
    layout.copy #layout.atom<simt_1> %x, %to
    gpu.return
  }
}

// -----

// The others store half of the tile while all threads read it; whoever reads the other half uses it.
!v = !layout.view<f32, global, 64:1>
!s = !layout.view<f32, shared, 64:1>
gpu.module @race {
  gpu.func @race(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %e = layout.load %in(%t) : !v
    layout.store %e, %s(%t) : !s
    gpu.barrier
    %mirror = arith.subi %c63, %t : index
    %y = layout.load %s(%mirror) : !s
    %is_low = arith.cmpi ult, %t, %c32 : index
    scf.if %is_low {
      %z = arith.addf %y, %e : f32
      layout.store %z, %s(%t) : !s
      layout.store %z, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// Here all threads use it: the store of thread 0 meets the load of thread 63.
!v = !layout.view<f32, global, 64:1>
!s = !layout.view<f32, shared, 64:1>
gpu.module @raced {
  gpu.func @raced(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %e = layout.load %in(%t) : !v
    layout.store %e, %s(%t) : !s
    gpu.barrier
    %mirror = arith.subi %c63, %t : index
    // expected-note @below {{thread 63 loads it here}}
    %y = layout.load %s(%mirror) : !s
    %z = arith.addf %y, %e : f32
    %is_low = arith.cmpi ult, %t, %c32 : index
    scf.if %is_low {
      // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: thread 63 loads it and thread 0 stores it, in block (0,0,0) of @raced}}
      layout.store %z, %s(%t) : !s
    }
    layout.store %z, %out(%t) : !v
    gpu.return
  }
}

// -----

// Loops and calls pass values on: sums of threads past the extent are discarded.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, (128,2):(1,128)>
gpu.module @carried {
  func.func private @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  gpu.func @carried(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t, %c0) : !s
      layout.store %x, %s(%t, %c1) : !s
    }
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%before = %zero) -> f32 {
      %y = layout.load %s(%t, %k) : !s
      %z = func.call @twice(%y) : (f32) -> f32
      %next = arith.addf %before, %z : f32
      scf.yield %next : f32
    }
    %kept = scf.if %is -> f32 {
      scf.yield %sum : f32
    } else {
      scf.yield %zero : f32
    }
    %c99 = arith.constant 99 : index
    %place = arith.minui %t, %c99 : index
    scf.if %is {
      layout.store %kept, %out(%place) : !v
    }
    gpu.return
  }
}

// -----

// Another lane takes the value, and stores it; lanes that exchange what was written do not.
!v = !layout.view<f32, global, 100:1>
!w = !layout.view<f32, global, 128:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @lanes {
  gpu.func @lanes(%in: !v, %out: !w) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c100 = arith.constant 100 : index
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    // expected-error @below {{expected element 100 of buffer 0 to be written before it is read, found no store: thread 100 loads it, in block (0,0,0) of @lanes}}
    %y = layout.load %s(%t) : !s
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle down %y, %one, %width : f32
    scf.if %is {
      layout.store %other, %out(%t) : !w
    }
    gpu.return
  }
}

// -----

!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @pairs {
  gpu.func @pairs(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c100 = arith.constant 100 : index
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    %y = layout.load %s(%t) : !s
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %y, %one, %width : f32
    scf.if %is {
      layout.store %other, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// A branch on the value uses it, though nothing is stored there.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @branch {
  gpu.func @branch(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    // expected-error @below {{expected element 100 of buffer 0 to be written before it is read, found no store: thread 100 loads it, in block (0,0,0) of @branch}}
    %y = layout.load %s(%t) : !s
    %is_positive = arith.cmpf ogt, %y, %zero : f32
    %z = scf.if %is_positive -> f32 {
      scf.yield %zero : f32
    } else {
      scf.yield %zero : f32
    }
    scf.if %is {
      layout.store %z, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// Idle threads of a ragged tile store what they read, undefined, to shared memory, read it there again, and discard it at the end.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @through_memory {
  gpu.func @through_memory(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c100 = arith.constant 100 : index
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    %y = layout.load %s(%t) : !s
    %twice = arith.addf %y, %y : f32
    layout.store %twice, %s(%t) : !s
    gpu.barrier
    scf.if %is {
      %z = layout.load %s(%t) : !s
      layout.store %z, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// One of them is read by a thread that stores it: its neighbour is undefined.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @through_memory_to_store {
  gpu.func @through_memory_to_store(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    // expected-error @below {{expected element 100 of buffer 0 to be written before it is read, found no store: thread 100 loads it, in block (0,0,0) of @through_memory_to_store}}
    %y = layout.load %s(%t) : !s
    %twice = arith.addf %y, %y : f32
    layout.store %twice, %s(%t) : !s
    gpu.barrier
    scf.if %is {
      %next = arith.addi %t, %c1 : index
      // expected-warning @below {{first: accesses to buffer 0 of @through_memory_to_store: a start that depends on thread x}}
      %z = layout.load %s(%next) : !s
      layout.store %z, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// An atomic update of what is undefined uses it.
!v = !layout.view<f32, global, 100:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @through_memory_to_update {
  gpu.func @through_memory_to_update(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %one = arith.constant 1.0 : f32
    %c100 = arith.constant 100 : index
    %is = arith.cmpi ult, %t, %c100 : index
    scf.if %is {
      %x = layout.load %in(%t) : !v
      layout.store %x, %s(%t) : !s
    }
    // expected-error @below {{expected element 100 of buffer 0 to be written before it is read, found no store: thread 100 loads it, in block (0,0,0) of @through_memory_to_update}}
    %y = layout.load %s(%t) : !s
    layout.store %y, %s(%t) : !s
    %old = layout.atomic add %one, %s(%t) relaxed : !s
    scf.if %is {
      layout.store %old, %out(%t) : !v
    }
    gpu.return
  }
}

// -----

// A histogram whose counts nothing set to 0: an update is of what an element holds, an exchange is not.
!v = !layout.view<i32, global, 128:1>
!s = !layout.view<i32, shared, 128:1>
gpu.module @counts {
  gpu.func @counts(%in: !v, %out: !v) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %flags = layout.alloc : !s
    %one = arith.constant 1 : i32
    %set = layout.atomic exchange %one, %flags(%t) relaxed : !s
    // expected-error @below {{expected element 0 of buffer 0 to be written before it is read, found no store: thread 0 updates it, in block (0,0,0) of @counts}}
    %old = layout.atomic add %one, %s(%t) relaxed : !s
    layout.store %old, %out(%t) : !v
    gpu.return
  }
}
