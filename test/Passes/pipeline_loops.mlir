// Loops that copy tiles to shared memory and compute on them copy ahead.

// RUN: layout-opt %s --layout-pipeline-loops --split-input-file | FileCheck %s

// Three rows are in memory at once: the first two are copied in front of the loop, where a round copies the row after next. One barrier is
// left, after the wait for the row of the round.

// CHECK-LABEL: gpu.func @sums(
// CHECK:         %[[ROWS:.+]] = layout.alloc : !layout.view<f32, shared, (1,128,3):(0,1,128)>
// CHECK:         %[[FIRST:.+]] = layout.slice %[[ROWS]](_, _, %{{.+}})
// CHECK-NEXT:    %[[TO:.+]] = layout.slice %[[FIRST]](_, %{{.+}})
// CHECK-NEXT:    %[[FROM:.+]] = layout.slice %arg0(%c0, (_, %{{.+}}))
// CHECK-NEXT:    layout.copy #layout.atom<cp_async_4> %[[FROM]], %[[TO]]
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK:         layout.copy #layout.atom<cp_async_4>
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK-NEXT:    scf.for %[[I:.+]] = %c0 to %c64 step %c1 iter_args(%[[BEFORE:.+]] = %{{.+}})
// CHECK-NEXT:      nvvm.cp.async.wait.group 1
// CHECK-NEXT:      gpu.barrier
// CHECK:           %[[AHEAD:.+]] = arith.addi %[[I]], %c2
// CHECK:           %[[IS:.+]] = arith.cmpi slt, %[[AHEAD]], %c64
// CHECK-NEXT:      scf.if %[[IS]] {
// CHECK:             arith.remui
// CHECK:             layout.slice %arg0(%[[AHEAD]], (_, %{{.+}}))
// CHECK-NEXT:        layout.copy #layout.atom<cp_async_4>
// CHECK-NEXT:      }
// CHECK-NEXT:      nvvm.cp.async.commit.group
// CHECK:           %[[STAGE:.+]] = arith.remui %[[I]], %c3
// CHECK-NEXT:      %[[ROW:.+]] = layout.slice %[[ROWS]](_, _, %[[STAGE]])
// CHECK-NEXT:      %[[X:.+]] = layout.load %[[ROW]](0, %{{.+}})
// CHECK-NEXT:      arith.addf %[[BEFORE]], %[[X]]
// CHECK-NEXT:      scf.yield
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    layout.store
// CHECK-NOT:     layout.stages
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
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// Fewer rounds than stages: what is not there is not copied. A barrier that is in the middle of what computes stays.

// CHECK-LABEL: gpu.func @sums(
// CHECK-COUNT-2: layout.copy #layout.atom<cp_async_4>
// CHECK-NOT:     layout.copy
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK:         scf.for
// CHECK-NEXT:      nvvm.cp.async.wait.group 2
// CHECK-NEXT:      gpu.barrier
// CHECK:           layout.load
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      layout.load
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
    %c64 = arith.constant 2 : index
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
      %y = layout.load %row(0, %t) : !row
      %z = arith.addf %x, %y : f32
      %after = arith.addf %before, %z : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 4 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

// -----

// A swizzled tile stays one in each stage. The first round is not the first of its kind, and a step is not 1: rounds are counted.

// CHECK-LABEL: gpu.func @tiles(
// CHECK:         layout.alloc : !layout.view<f16, shared, S<2,3,3> o 0 o (32,32,2):(32,1,1024)>
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK:           %[[FROM:.+]] = arith.subi %[[I]], %{{.+}}
// CHECK-NEXT:      %[[ROUND:.+]] = arith.divui %[[FROM]], %{{.+}}
// CHECK:           arith.addi %[[ROUND]], %{{.+}}
// CHECK:           arith.remui %[[ROUND]], %{{.+}}
#copy = #layout.tiled_copy<cp_async_16, (8,4):(4,1), (1,8)>
!a = !layout.view<f16, global, (32,256):(256,1)>
!s = !layout.view<f16, shared, S<2,3,3> o 0 o (32,32):(32,1)>
gpu.module @tiles {
  gpu.func @tiles(%a: !a, %from: index, %to: index, %by: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !s
    %x = layout.alloc : !layout.view<f16, register, (1):(1)>
    %g = layout.local_tile %a(0, _), #layout<(32,32)>
    %c = layout.partition %g(%t), source of #copy
    %w = layout.partition %s(%t), target of #copy
    scf.for %k = %from to %to step %by {
      %ck = layout.slice %c(_, _, _, %k)
      gpu.barrier
      layout.copy #layout.atom<cp_async_16> %ck, %w
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %y = layout.load %s(%t, 0) : !s
      layout.store %y, %x(0) : !layout.view<f16, register, (1):(1)>
    } {layout.stages = 2 : i64}
    gpu.return
  }
}
