// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file --verify-each-layout-pass -o /dev/null 2>&1 | count 0
// RUN: layout-opt %s --layout-lower --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// Shared buffers whose lifetimes are disjoint have the same bytes: 4096 each, from one 1024th byte to another.

// COUNT: 12288 shared-bytes-reused

// A barrier is between the last load of one and the first store to the other.
// CHECK-LABEL: gpu.func @disjoint(
// CHECK-SAME:    shared_bytes = 4096 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @disjoint(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    layout.store %zero, %a(0, %t) : !s
    gpu.barrier
    %va = layout.load %a(0, %turned) : !s
    layout.store %va, %g(0, %t) : !g
    gpu.barrier
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}

// -----

// A thread may store to the second while another one loads from the first.
// CHECK-LABEL: gpu.func @no_barrier(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @no_barrier(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    layout.store %zero, %a(0, %t) : !s
    gpu.barrier
    %va = layout.load %a(0, %turned) : !s
    layout.store %va, %g(0, %t) : !g
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}

// -----

// The first is loaded again after the second.
// CHECK-LABEL: gpu.func @again(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @again(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    layout.store %zero, %a(0, %t) : !s
    gpu.barrier
    %va = layout.load %a(0, %turned) : !s
    layout.store %va, %g(0, %t) : !g
    gpu.barrier
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    %again = layout.load %a(0, %turned) : !s
    layout.store %again, %h(0, %t) : !g
    gpu.return
  }
}

// -----

// Both live in each round: the barrier between them is in the loop.
// CHECK-LABEL: gpu.func @in_a_loop(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @in_a_loop(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    scf.for %i = %c0 to %c8 step %c1 {
      layout.store %zero, %a(0, %t) : !s
      gpu.barrier
      %va = layout.load %a(0, %turned) : !s
      layout.store %va, %g(0, %t) : !g
      gpu.barrier
      layout.store %zero, %b(0, %t) : !s
      gpu.barrier
      %vb = layout.load %b(0, %turned) : !s
      layout.store %vb, %g(0, %t) : !g
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// A loop each, and a barrier between the loops.
// CHECK-LABEL: gpu.func @two_loops(
// CHECK-SAME:    shared_bytes = 4096 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @two_loops(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    scf.for %i = %c0 to %c8 step %c1 {
      layout.store %zero, %a(0, %t) : !s
      gpu.barrier
      %va = layout.load %a(0, %turned) : !s
      layout.store %va, %g(0, %t) : !g
      gpu.barrier
    }
    gpu.barrier
    scf.for %i = %c0 to %c8 step %c1 {
      layout.store %zero, %b(0, %t) : !s
      gpu.barrier
      %vb = layout.load %b(0, %turned) : !s
      layout.store %vb, %g(0, %t) : !g
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// A barrier in a branch is not in all threads' way.
// CHECK-LABEL: gpu.func @in_a_branch(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @in_a_branch(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    layout.store %zero, %a(0, %t) : !s
    gpu.barrier
    %va = layout.load %a(0, %turned) : !s
    layout.store %va, %g(0, %t) : !g
    %is = arith.cmpi ult, %t, %c8 : index
    scf.if %is {
      gpu.barrier
    }
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}

// -----

// An asynchronous copy may still write the first one: nothing waits for it.
// CHECK-LABEL: gpu.func @copies_on_the_way(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @copies_on_the_way(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    %from = layout.slice %g(_, %t) : !g
    %to = layout.slice %a(_, %t) : !s
    layout.copy #layout.atom<cp_async_4> %from, %to : !layout.view<f32, global, (8):(128)>, !layout.view<f32, shared, (8):(128)>
    nvvm.cp.async.commit.group
    gpu.barrier
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}

// -----

// The wait for all copies ends its life, and the barrier follows that.
// CHECK-LABEL: gpu.func @copies_waited_for(
// CHECK-SAME:    shared_bytes = 4096 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @copies_waited_for(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    %from = layout.slice %g(_, %t) : !g
    %to = layout.slice %a(_, %t) : !s
    layout.copy #layout.atom<cp_async_4> %from, %to : !layout.view<f32, global, (8):(128)>, !layout.view<f32, shared, (8):(128)>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}

// -----

// A wait that leaves a group in flight does not.
// CHECK-LABEL: gpu.func @a_wait_that_leaves_one(
// CHECK-SAME:    shared_bytes = 8192 : i64
!g = !layout.view<f32, global, (8,128):(128,1)>
!s = !layout.view<f32, shared, (8,128):(128,1)>
gpu.module @m {
  gpu.func @a_wait_that_leaves_one(%g: !g, %h: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1]}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 127 : index
    %turned = arith.subi %last, %t : index
    %zero = arith.constant 0.0 : f32
    %a = layout.alloc : !s
    %b = layout.alloc : !s
    %from = layout.slice %g(_, %t) : !g
    %to = layout.slice %a(_, %t) : !s
    layout.copy #layout.atom<cp_async_4> %from, %to : !layout.view<f32, global, (8):(128)>, !layout.view<f32, shared, (8):(128)>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    gpu.barrier
    layout.store %zero, %b(0, %t) : !s
    gpu.barrier
    %vb = layout.load %b(0, %turned) : !s
    layout.store %vb, %g(0, %t) : !g
    gpu.return
  }
}
