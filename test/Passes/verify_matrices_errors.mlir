// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics
// RUN: grep -v 'expected-' %s | layout-opt --split-input-file --layout-lower -o %t.mlir
// RUN: not layout-opt %t.mlir --split-input-file --layout-verify -o /dev/null 2>&1 | FileCheck %s

// Lanes of a warp hold the elements of rows that other lanes give the addresses of. Transposed on the way, a lane reads what others
// have written by stmatrix; that is so in lowered code, too.
// CHECK: 'nvvm.ldmatrix' op layout-verify: expected a barrier between accesses to byte 0 of shared memory, found none: the warp of thread 0 stores it by stmatrix and the warp of thread 0 loads it by ldmatrix, in block (0,0,0) of @transposed
// CHECK-NOT: op layout-verify:
// CHECK: 'nvvm.ldmatrix' op layout-verify: expected a barrier between accesses to byte 0 of shared memory, found none: thread 4 stores it and the warp of thread 0 loads it by ldmatrix, in block (0,0,0) of @rows
// CHECK-NOT: op layout-verify:
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#turn = #layout.tiled_copy<ldmatrix_x4_trans, a of #mma>
#store = #layout.tiled_copy<stmatrix_x4, a of #mma>
!m = !layout.view<f16, global, (32,2):(2,1)>
!s = !layout.view<f16, shared, (16,16):(16,1)>
gpu.module @transposed {
  gpu.func @transposed(%out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f16
    %s = layout.alloc : !s
    %f = layout.partition_fragment a of #mma, (16,16)
    layout.fill %f, %zero
    %to = layout.partition %s(%t), target of #store
    %from = layout.retile %f, #store
    // expected-note @below {{the warp of thread 0 stores it by stmatrix here}}
    layout.copy #layout.atom<stmatrix_x4> %from, %to
    %turned = layout.select %s, [1, 0]
    %own = layout.partition %turned(%t), source of #turn
    %back = layout.retile %f, #turn
    // expected-error @below {{expected a barrier between accesses to element 0 of buffer 0, found none: the warp of thread 0 stores it by stmatrix and the warp of thread 0 loads it by ldmatrix, in block (0,0,0) of @transposed}}
    layout.copy #layout.atom<ldmatrix_x4_trans> %own, %back
    %x = layout.load %f(1)
    layout.store %x, %out(%t, 0)
    gpu.return
  }
}

// -----

// A barrier of the warp orders them.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#turn = #layout.tiled_copy<ldmatrix_x4_trans, a of #mma>
#store = #layout.tiled_copy<stmatrix_x4, a of #mma>
!m = !layout.view<f16, global, (32,2):(2,1)>
!s = !layout.view<f16, shared, (16,16):(16,1)>
gpu.module @ordered {
  gpu.func @ordered(%out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f16
    %s = layout.alloc : !s
    %f = layout.partition_fragment a of #mma, (16,16)
    layout.fill %f, %zero
    %to = layout.partition %s(%t), target of #store
    %from = layout.retile %f, #store
    layout.copy #layout.atom<stmatrix_x4> %from, %to
    %mask = arith.constant -1 : i32
    nvvm.bar.warp.sync %mask : i32
    %turned = layout.select %s, [1, 0]
    %own = layout.partition %turned(%t), source of #turn
    %back = layout.retile %f, #turn
    layout.copy #layout.atom<ldmatrix_x4_trans> %own, %back
    %x = layout.load %f(1)
    layout.store %x, %out(%t, 0)
    gpu.return
  }
}

// -----

// Each lane loads what it has stored itself: nothing is missing.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#turn = #layout.tiled_copy<ldmatrix_x4_trans, a of #mma>
#store = #layout.tiled_copy<stmatrix_x4, a of #mma>
!m = !layout.view<f16, global, (32,2):(2,1)>
!s = !layout.view<f16, shared, (16,16):(16,1)>
gpu.module @own {
  gpu.func @own(%out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f16
    %s = layout.alloc : !s
    %f = layout.partition_fragment a of #mma, (16,16)
    layout.fill %f, %zero
    %to = layout.partition %s(%t), target of #store
    %from = layout.retile %f, #store
    layout.copy #layout.atom<stmatrix_x4> %from, %to
    %own = layout.partition %s(%t), source of #load
    %back = layout.retile %f, #load
    layout.copy #layout.atom<ldmatrix_x4> %own, %back
    %x = layout.load %f(1)
    layout.store %x, %out(%t, 0)
    gpu.return
  }
}

// -----

// A thread stores the row of which it gives the address; its elements go to four lanes.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#turn = #layout.tiled_copy<ldmatrix_x4_trans, a of #mma>
#store = #layout.tiled_copy<stmatrix_x4, a of #mma>
!m = !layout.view<f16, global, (32,2):(2,1)>
!s = !layout.view<f16, shared, (16,16):(16,1)>
gpu.module @rows {
  gpu.func @rows(%out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f16
    %s = layout.alloc : !s
    %f = layout.partition_fragment a of #mma, (16,16)
    layout.fill %f, %zero
    %halves = layout.composition %s, #layout<((2,16),8):((128,8),1)>
    %to = layout.slice %halves(%t, _)
    // expected-note @below {{thread 4 stores it here}}
    layout.fill %to, %zero
    %own = layout.partition %s(%t), source of #load
    %back = layout.retile %f, #load
    // expected-error @below {{expected a barrier between accesses to element 1 of buffer 0, found none: thread 4 stores it and the warp of thread 0 loads it by ldmatrix, in block (0,0,0) of @rows}}
    layout.copy #layout.atom<ldmatrix_x4> %own, %back
    %x = layout.load %f(1)
    layout.store %x, %out(%t, 0)
    gpu.return
  }
}

// -----

#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#turn = #layout.tiled_copy<ldmatrix_x4_trans, a of #mma>
#store = #layout.tiled_copy<stmatrix_x4, a of #mma>
!m = !layout.view<f16, global, (32,2):(2,1)>
!s = !layout.view<f16, shared, (16,16):(16,1)>
gpu.module @ordered_rows {
  gpu.func @ordered_rows(%out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f16
    %s = layout.alloc : !s
    %f = layout.partition_fragment a of #mma, (16,16)
    layout.fill %f, %zero
    %halves = layout.composition %s, #layout<((2,16),8):((128,8),1)>
    %to = layout.slice %halves(%t, _)
    layout.fill %to, %zero
    %mask = arith.constant -1 : i32
    nvvm.bar.warp.sync %mask : i32
    %own = layout.partition %s(%t), source of #load
    %back = layout.retile %f, #load
    layout.copy #layout.atom<ldmatrix_x4> %own, %back
    %x = layout.load %f(1)
    layout.store %x, %out(%t, 0)
    gpu.return
  }
}
