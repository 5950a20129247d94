// Reductions through shared memory: writes, reads and barriers.

// RUN: layout-opt %s --layout-expand-fragments | FileCheck %s
// RUN: layout-opt %s --layout-expand-fragments --layout-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERIFIED --allow-empty
// RUN: layout-opt %s --verify-each-layout-pass --layout-expand-fragments -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLLOWED
// RUN: layout-opt %s --layout-expand-fragments | layout-opt --verify-each-layout-pass --layout-lower -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERIFIED --allow-empty

// After the expansion, none of our passes changes what threads exchange, and no thread reads unwritten memory.
// VERIFIED-NOT: error
// VERIFIED-NOT: warning

// FOLLOWED: warning: layout-expand-fragments: {{.*}} first: the exchange through shared memory of layout.reduce in @once

!x = !layout.view<f32, register, 2:1>
!one = !layout.view<f32, register, 1:0>
gpu.module @exchange {
  // The first lane of each warp writes for it; all threads read all warps.
  // CHECK-LABEL: gpu.func @once
  // CHECK: %[[SUM:.*]] = gpu.subgroup_reduce add
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: %[[D:.*]]:2 = layout.idx2crd %[[T]], #layout<(32,4)>
  // CHECK: %[[BUFFER:.*]] = layout.alloc : !layout.view<f32, shared, (4,1):(1,0)>
  // CHECK: layout.store %[[SUM]], %[[HELD:.*]](0)
  // CHECK-NOT: gpu.barrier
  // CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[D]]#0, %{{.*}} : index
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT:   %[[OWN:.*]] = layout.load %[[HELD]](0)
  // CHECK-NEXT:   layout.store %[[OWN]], %[[BUFFER]](%[[D]]#1, 0)
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[A:.*]] = layout.load %[[BUFFER]](0, 0)
  // CHECK-NEXT: %[[B:.*]] = layout.load %[[BUFFER]](1, 0)
  // CHECK-NEXT: layout.load %[[BUFFER]](2, 0)
  // CHECK-NEXT: layout.load %[[BUFFER]](3, 0)
  // CHECK-NEXT: arith.addf %[[A]], %[[B]] : f32
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @once() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %x = layout.alloc : !x
    %s = layout.alloc : !one
    layout.reduce add %x into %s along [0] threads(#layout<(128,2):(2,1)>) : !x, !one
    gpu.return
  }

  // In a loop threads meet before they write, too, since others may still read. Two pairs of warps have a tile each.
  // CHECK-LABEL: gpu.func @again
  // CHECK: scf.for
  // CHECK: layout.idx2crd %{{.*}}, #layout<(32,2,2)>
  // CHECK: layout.alloc : !layout.view<f32, shared, (2,2,1):(1,2,0)>
  // CHECK: gpu.barrier
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: arith.cmpi
  // CHECK-NEXT: scf.if
  // CHECK: gpu.barrier
  // CHECK-NEXT: layout.load %{{.*}}(0, %{{.*}}#2, 0)
  // CHECK-NEXT: layout.load %{{.*}}(1, %{{.*}}#2, 0)
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @again(%n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %x = layout.alloc : !x
    %s = layout.alloc : !one
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      layout.reduce add %x into %s along [0] threads(#layout<(64,2):(2,1)>) : !x, !one
    }
    gpu.return
  }

  // Two sources of a region: each has shuffles and a buffer of its own.
  // CHECK-LABEL: gpu.func @together
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  // CHECK-DAG: layout.alloc : !layout.view<f32, shared, (2,1):(1,0)>
  // CHECK-DAG: layout.alloc : !layout.view<i32, shared, (2,1):(1,0)>
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @together() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %x = layout.alloc : !layout.view<f32, register, 1:1>
    %n = layout.alloc : !layout.view<i32, register, 1:1>
    layout.reduce %x, %n into %x, %n along [0] threads(#layout<(64,1):(1,0)>) {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %is = arith.cmpf ogt, %a, %b : f32
      %most = arith.select %is, %a, %b : f32
      %at = arith.select %is, %i, %j : i32
      layout.yield %most, %at : f32, i32
    }
    gpu.return
  }
}
