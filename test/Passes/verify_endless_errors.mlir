// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// The condition is always true.
!v = !layout.view<f32, global, 64:1>
gpu.module @constant {
  gpu.func @constant(%out: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    // expected-error @below {{layout-verify: expected the condition of this loop to become false, found the same integers in rounds 0 and 1: thread 0 never leaves the loop, in block (0,0,0) of @constant}}
    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      // expected-warning @below {{1 not proved, 1 proved; first: stores of argument 0 of @constant: the values of an integer that threads compute in a copy}}
      layout.store %x, %out(%t)
      scf.yield
    }
    gpu.return
  }
}

// -----

// Nothing is accessed at all.
gpu.module @empty {
  gpu.func @empty(%out: !layout.view<f32, global, 64:1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    // expected-error @below {{expected the condition of this loop to become false, found the same integers in rounds 0 and 1}}
    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      scf.yield
    }
    gpu.return
  }
}

// -----

// The integers of some threads come again: 0, 3, 6, 1, 4, 7, 2, 5. Others leave the loop.
!v = !layout.view<f32, global, 64:1>
gpu.module @cycle {
  gpu.func @cycle(%out: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %x = arith.constant 1.0 : f32
    // expected-error @below {{expected the condition of this loop to become false, found the same integers in rounds 8 and 16}}
    %last = scf.while (%at = %t) : (index) -> index {
      %goes_on = arith.cmpi ult, %at, %c32 : index
      scf.condition(%goes_on) %at : index
    } do {
    ^bb0(%at: index):
      %more = arith.addi %at, %c3 : index
      %next = arith.remui %more, %c8 : index
      scf.yield %next : index
    }
    layout.store %x, %out(%t)
    gpu.return
  }
}

// -----

// The counter moves away from its bound; the walk stops before 2^64 rounds.
!v = !layout.view<f32, global, 64:1>
gpu.module @away {
  gpu.func @away(%out: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    // expected-warning @below {{not analysed; first: threads of @away: whether a loop ends that still runs after}}
    %last = scf.while (%at = %c1) : (index) -> index {
      %goes_on = arith.cmpi ne, %at, %c0 : index
      scf.condition(%goes_on) %at : index
    } do {
    ^bb0(%at: index):
      %next = arith.addi %at, %c1 : index
      scf.yield %next : index
    }
    layout.store %x, %out(%t)
    gpu.return
  }
}

// -----

// A thread waits for what another one stores, which memory decides: nothing is refuted.
!v = !layout.view<f32, global, 64:1>
gpu.module @memory {
  gpu.func @memory(%out: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %x = arith.constant 1.0 : f32
    %flag = layout.alloc : !layout.view<i32, shared, 1:1>
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.store %zero, %flag(%c0) : !layout.view<i32, shared, 1:1>
    }
    gpu.barrier
    // expected-warning @below {{not analysed; first: threads of @memory: whether a loop ends that still runs after}}
    scf.while : () -> () {
      %now = layout.load %flag(%c0) : !layout.view<i32, shared, 1:1>
      %goes_on = arith.cmpi ne, %now, %c1 : i32
      scf.condition(%goes_on)
    } do {
      scf.yield
    }
    layout.store %x, %out(%t)
    gpu.return
  }
}

// -----

// Loops that end are proved: halved until 0, and left by each thread in its own round.
!v = !layout.view<f32, global, 64:1>
gpu.module @ends {
  gpu.func @ends(%out: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = array<i64: 1, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %x = arith.constant 1.0 : f32
    %last = scf.while (%at = %t) : (index) -> index {
      %goes_on = arith.cmpi ugt, %at, %c0 : index
      scf.condition(%goes_on) %at : index
    } do {
    ^bb0(%at: index):
      %next = arith.divui %at, %c2 : index
      scf.yield %next : index
    }
    layout.store %x, %out(%t)
    gpu.return
  }
}
