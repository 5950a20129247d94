// Barriers of a kernel's own: they are made once, by one thread, whatever loops they are used in; transactions expect the bytes of
// their copies, and MMAs are in flight until they are waited for.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-translate %s --pipeline --layout-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: not layout-opt %s --layout-to-host 2>&1 | FileCheck %s --check-prefix=HOST

// HOST: error: 'layout.barriers' op expected an operation that layout-serialize knows, found layout.barriers

!v = !layout.view<bf16, global, (64,64):(64,1)>
!s = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2):(64,1,4096)>
!f = !layout.view<f32, register, (32,1,1):(1,0,0)>
!bars = !layout.view<i64, shared, 2:1>
#mma = #layout.tiled_mma<wgmma_m64n64k16_f32_bf16, (1,1,1)>
gpu.module @barriers {
  // CHECK-LABEL: gpu.func @barriers
  // CHECK: scf.if
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK-NOT: gpu.barrier
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[BYTES:.*]] = arith.constant 8192 : i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: llvm.store
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK: nvvm.bar.warp.sync
  // CHECK: nvvm.mbarrier.arrive
  // CHECK-NOT: layout.

  // PTX-LABEL: .entry barriers
  // PTX-COUNT-4: mbarrier.init.shared
  // PTX: wgmma.fence.sync.aligned
  // PTX: setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16
  // PTX: wgmma.commit_group.sync.aligned
  // PTX: wgmma.wait_group.sync.aligned 0
  gpu.func @barriers(%a: !v, %c: !layout.view<f32, global, (64,64):(64,1)>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
        layout.kernel = {grid = [1], block = array<i64: 256, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
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
      %sa = layout.partition %s(%t), a of #mma
      %sb = layout.partition %s(%t), b of #mma
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %x = layout.slice %sa(_, _, _, %stage)
        %y = layout.slice %sb(_, _, _, %stage)
        layout.wait %round, %full(%stage)
        layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %x, %y, %f overwrite async
        layout.wait_mma %f pending 0
        layout.arrive %empty(%stage)
      }
      %out = layout.partition %c(%t), c of #mma
      layout.copy #layout.atom<simt_2> %f, %out
    }
    gpu.return
  }
}
