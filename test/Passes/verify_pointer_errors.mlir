// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Accesses through the address of a view are followed: right ones are proved.
!v = !layout.view<i32, global, (32,2):(2,1)>
!s = !layout.view<i32, shared, 64:1>
gpu.module @right {
  gpu.func @right(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %s = layout.alloc : !s
    %row = layout.slice %in(%t, _)
    %p = layout.pointer %row -> !llvm.ptr<1>
    %both = llvm.load %p {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
    %rows = layout.composition %s, #layout<(32,2):(2,1)> : !s
    %own = layout.slice %rows(%t, _)
    %q = layout.pointer %own -> !llvm.ptr<3>
    llvm.store %both, %q : vector<2xi32>, !llvm.ptr<3>
    gpu.barrier
    %u = arith.subi %c31, %t : index
    %other = layout.slice %rows(%u, _)
    %r = layout.pointer %other -> !llvm.ptr<3>
    %again = llvm.load %r : !llvm.ptr<3> -> vector<2xi32>
    %to = layout.slice %out(%t, _)
    %w = layout.pointer %to -> !llvm.ptr<1>
    llvm.store %again, %w : vector<2xi32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// The same without the barrier.
!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 32:1>
gpu.module @race {
  gpu.func @race(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %s = layout.alloc : !s
    %x = layout.load %in(%t)
    %own = layout.slice %s(%t)
    %q = layout.pointer %own -> !llvm.ptr<3>
    // expected-note @below {{thread 31 stores it here}}
    llvm.store %x, %q : i32, !llvm.ptr<3>
    %u = arith.subi %c31, %t : index
    // expected-error @below {{expected a barrier between accesses to element 31 of buffer 0, found none: thread 31 stores it and thread 0 loads it, in block (0,0,0) of @race}}
    %y = layout.load %s(%u)
    layout.store %y, %out(%t)
    gpu.return
  }
}

// -----

// A step past the end of the buffer.
!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 32:1>
gpu.module @outside {
  gpu.func @outside(%in: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %x = layout.load %in(%t)
    %own = layout.slice %s(%t)
    %q = layout.pointer %own -> !llvm.ptr<3>
    %next = llvm.getelementptr %q[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    // expected-error @below {{expected a store of buffer 0 within bytes 0 to 127, found byte 128 (thread 31, block (0,0,0) of @outside)}}
    llvm.store %x, %next : i32, !llvm.ptr<3>
    gpu.return
  }
}

// -----

// Nothing wrote what is loaded.
!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 32:1>
gpu.module @unwritten {
  gpu.func @unwritten(%out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %own = layout.slice %s(%t)
    %q = layout.pointer %own -> !llvm.ptr<3>
    // expected-error @below {{expected byte 0 of buffer 0 to be written before it is read, found no store: thread 0 loads it, in block (0,0,0) of @unwritten}}
    %x = llvm.load %q : !llvm.ptr<3> -> i32
    layout.store %x, %out(%t)
    gpu.return
  }
}

// -----

// Atomic updates race with other accesses alone.
!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 1:1>
gpu.module @atomic {
  gpu.func @ordered(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %s = layout.alloc : !s
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %zero, %s(%c0)
    }
    gpu.barrier
    %x = layout.load %in(%t)
    %q = layout.pointer %s -> !llvm.ptr<3>
    %old = llvm.atomicrmw add %q, %x monotonic : !llvm.ptr<3>, i32
    gpu.barrier
    %sum = layout.load %s(%c0)
    layout.store %sum, %out(%t)
    gpu.return
  }
  gpu.func @unordered(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %s = layout.alloc : !s
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %zero, %s(%c0)
    }
    gpu.barrier
    %x = layout.load %in(%t)
    %q = layout.pointer %s -> !llvm.ptr<3>
    // expected-note @below {{thread 1 updates it here}}
    %old = llvm.atomicrmw add %q, %x monotonic : !llvm.ptr<3>, i32
    // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: thread 1 updates it and thread 0 loads it, in block (0,0,0) of @unordered}}
    %sum = layout.load %s(%c0)
    layout.store %sum, %out(%t)
    gpu.return
  }
}

// -----

// Warnings name other uses: a pointer that a loop carries, and memory that an intrinsic of LLVM's takes.
!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 32:1>
gpu.module @carried {
  gpu.func @carried(%in: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = layout.load %in(%t)
    %s = layout.alloc : !s
    %q = layout.pointer %s -> !llvm.ptr<3>
    %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %q) -> !llvm.ptr<3> {
      // expected-warning @below {{1 not analysed; first: threads of @carried: an address of llvm.store (an argument of type !llvm.ptr<3> is unknown)}}
      // expected-warning @below {{2 not proved, 0 proved; first: loads of argument 0 of @carried: an address of llvm.store}}
      llvm.store %x, %p : i32, !llvm.ptr<3>
      %next = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      scf.yield %next : !llvm.ptr<3>
    }
    gpu.return
  }
}

// -----

!v = !layout.view<i32, global, 32:1>
!s = !layout.view<i32, shared, 32:1>
gpu.module @intrinsic {
  gpu.func @intrinsic(%in: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %bytes = arith.constant 128 : i64
    %s = layout.alloc : !s
    %q = layout.pointer %s -> !llvm.ptr<3>
    %p = layout.pointer %in -> !llvm.ptr<1>
    // expected-warning @below {{1 not analysed; first: threads of @intrinsic: llvm.intr.memcpy}}
    // expected-warning @below {{2 not proved, 0 proved; first: loads of argument 0 of @intrinsic: llvm.intr.memcpy}}
    "llvm.intr.memcpy"(%q, %p, %bytes) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr<1>, i64) -> ()
    gpu.return
  }
}

// -----

// Asynchronous copies through pointers are waited for.
!v = !layout.view<i32, global, (32,4):(4,1)>
!s = !layout.view<i32, shared, (32,4):(4,1)>
gpu.module @copies {
  gpu.func @waits(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %from = layout.slice %in(%t, _)
    %p = layout.pointer %from -> !llvm.ptr<1>
    %to = layout.slice %s(%t, _)
    %q = layout.pointer %to -> !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %p, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %x = layout.load %s(%t, 2)
    layout.store %x, %out(%t, 2)
    gpu.return
  }
  gpu.func @pending(%in: !v, %out: !v) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !s
    %from = layout.slice %in(%t, _)
    %p = layout.pointer %from -> !llvm.ptr<1>
    %to = layout.slice %s(%t, _)
    %q = layout.pointer %to -> !llvm.ptr<3>
    // expected-note @below {{thread 0 copies to it here}}
    // expected-warning @below {{2 not proved, 8 proved; first: loads of argument 0 of @pending: an access by an address}}
    nvvm.cp.async.shared.global %q, %p, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    // expected-error @below {{expected a wait between an asynchronous copy to element 2 of buffer 0 and the next access, found none: thread 0 copies to it and thread 0 loads it, in block (0,0,0) of @pending}}
    %x = layout.load %s(%t, 2)
    layout.store %x, %out(%t, 2)
    gpu.return
  }
}

// -----

// A barrier in shared memory that asynchronous copies arrive at, and text of PTX, are not followed.
!s = !layout.view<i64, shared, 1:1>
gpu.module @other {
  gpu.func @arrives() kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %s = layout.alloc : !s
    %q = layout.pointer %s -> !llvm.ptr<3>
    // expected-warning @below {{1 not analysed; first: threads of @arrives: nvvm.cp.async.mbarrier.arrive}}
    nvvm.cp.async.mbarrier.arrive %q : !llvm.ptr<3>
    gpu.return
  }
}

// -----

!s = !layout.view<i64, shared, 1:1>
gpu.module @other {
  gpu.func @text() kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %s = layout.alloc : !s
    %q = layout.pointer %s -> !llvm.ptr<3>
    // expected-warning @below {{1 not analysed; first: threads of @text: the text of PTX `st.shared.u64 [$0], 0;`}}
    llvm.inline_asm has_side_effects "st.shared.u64 [$0], 0;", "r" %q : (!llvm.ptr<3>) -> ()
    gpu.return
  }
}
