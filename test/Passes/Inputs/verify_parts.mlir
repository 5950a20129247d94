// A fault in one block of many, by a condition on the block alone: it is found.
!v = !layout.view<f32, global, (10000,64):(64,1)>
!s = !layout.view<f32, shared, 64:1>
gpu.module @k {
  gpu.func @one_block(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 10000, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %bad = arith.constant 7000 : index
    %c63 = arith.constant 63 : index
    %m = arith.subi %c63, %t : index
    %s = layout.alloc : !s
    %x = layout.load %in(%b, %t)
    // expected-note @below {{thread 63 stores it here}}
    layout.store %x, %s(%t)
    %p = arith.cmpi ne, %b, %bad : index
    scf.if %p { gpu.barrier }
    // expected-error @below {{expected a barrier between accesses to element 63 of buffer 0, found none: thread 63 stores it and thread 0 loads it, in block (7000,0,0) of @one_block}}
    %y = layout.load %s(%m)
    layout.store %y, %out(%b, %t)
    gpu.return
  }
}

// -----

// Where what threads do in shared memory depends on thread and block at once, blocks that are not followed are named.
!v = !layout.view<f32, global, (10000,64):(64,1)>
!s = !layout.view<f32, shared, 64:1>
gpu.module @k {
  // expected-warning @below {{layout-verify: 1 not analysed; first: threads of @places: 1638 of 10000 blocks}}
  gpu.func @places(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 10000, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c64 = arith.constant 64 : index
    %sum = arith.addi %t, %b : index
    %m = arith.remui %sum, %c64 : index
    %s = layout.alloc : !s
    %x = layout.load %in(%b, %t)
    layout.store %x, %s(%t)
    gpu.barrier
    // expected-warning @below {{1 not proved, 5 proved; first: accesses to buffer 0 of @places}}
    %y = layout.load %s(%m)
    layout.store %y, %out(%b, %t)
    gpu.return
  }
}

// -----

// Where it does not, all blocks are proved by one.
!v = !layout.view<f32, global, (100000,64):(64,1)>
!s = !layout.view<f32, shared, 64:1>
gpu.module @k {
  gpu.func @alike(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 100000, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c63 = arith.constant 63 : index
    %m = arith.subi %c63, %t : index
    %s = layout.alloc : !s
    %x = layout.load %in(%b, %t)
    layout.store %x, %s(%t)
    gpu.barrier
    %y = layout.load %s(%m)
    layout.store %y, %out(%b, %t)
    gpu.return
  }
}

// -----

// A fault in one round of many: rounds that are not followed are named.
!v = !layout.view<f32, global, (5000,64):(64,1)>
!s = !layout.view<f32, shared, 64:1>
gpu.module @k {
  // expected-warning @below {{layout-verify: 1 not analysed; first: threads of @one_round: 17 of 5000 rounds of a loop}}
  gpu.func @one_round(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 5000 : index
    %bad = arith.constant 2500 : index
    %c63 = arith.constant 63 : index
    %m = arith.subi %c63, %t : index
    %s = layout.alloc : !s
    scf.for %i = %c0 to %n step %c1 {
      %x = layout.load %in(%i, %t)
      layout.store %x, %s(%t)
      %p = arith.cmpi ne, %i, %bad : index
      scf.if %p { gpu.barrier }
      %y = layout.load %s(%m)
      layout.store %y, %out(%i, %t)
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// Rounds that go through three stages again and again are proved, and what comes after the last is followed.
!v = !layout.view<f32, global, (5000,64):(64,1)>
!s = !layout.view<f32, shared, (3,64):(64,1)>
gpu.module @k {
  gpu.func @stages(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %n = arith.constant 5000 : index
    %zero = arith.constant 0.0 : f32
    %c63 = arith.constant 63 : index
    %m = arith.subi %c63, %t : index
    %s = layout.alloc : !s
    scf.for %i = %c0 to %n step %c1 {
      %stage = arith.remui %i, %c3 : index
      %x = layout.load %in(%i, %t)
      layout.store %x, %s(%stage, %t)
      gpu.barrier
      // expected-note @below {{thread 63 loads it here}}
      %y = layout.load %s(%stage, %m)
      layout.store %y, %out(%i, %t)
    }
    // Stage 4999 % 3 = 1 was read last, and stage 0 before the last barrier.
    layout.store %zero, %s(0, %t)
    // expected-error @below {{expected a barrier between accesses to element 64 of buffer 0, found none: thread 63 loads it and thread 0 stores it}}
    layout.store %zero, %s(1, %t)
    gpu.return
  }
}

// -----

// Bulk copies read what threads stored once a fence shows it, and not before.
!v = !layout.view<f32, global, 32:1>
!s = !layout.view<f32, shared, 32:1>
gpu.module @k {
  gpu.func @fence(%out: !v, %other: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>}} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %s = layout.alloc : !s
    %few = arith.cmpi ult, %t, %c32 : index
    %place = arith.remui %t, %c32 : index
    scf.if %few {
      // expected-note @below {{thread 0 stores it here}}
      layout.store %zero, %s(%place)
    }
    gpu.barrier
    // expected-error @below {{expected a fence.proxy.async between a store to element 0 of buffer 0 and its asynchronous read, found none: thread 0 stores it and a bulk copy of thread 0 reads it}}
    layout.copy #layout.atom<bulk_store> %s, %out
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.barrier
    scf.if %few {
      layout.store %zero, %s(%place)
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    layout.copy #layout.atom<bulk_store> %s, %other
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }
}

// -----

// Lanes of a warp that part before they reduce, or shuffle.
!v = !layout.view<f32, global, 64:1>
gpu.module @k {
  gpu.func @parted(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %all = arith.constant 32 : i32
    %x = layout.load %in(%t)
    %few = arith.cmpi ult, %t, %c7 : index
    %warp = arith.cmpi ult, %t, %c32 : index
    %r = scf.if %few -> f32 {
      // expected-error @below {{expected all lanes of the warp to execute this operation together, found thread 0 there and thread 7 absent, in block (0,0,0) of @parted}}
      %y = gpu.subgroup_reduce add %x : (f32) -> f32
      // expected-error @below {{expected all lanes of the warp to execute this operation together, found thread 0 there and thread 7 absent}}
      %z, %valid = gpu.shuffle xor %y, %one, %all : f32
      scf.yield %z : f32
    } else {
      scf.yield %x : f32
    }
    // A whole warp may do so.
    %q = scf.if %warp -> f32 {
      %y = gpu.subgroup_reduce add %r : (f32) -> f32
      scf.yield %y : f32
    } else {
      scf.yield %x : f32
    }
    layout.store %q, %out(%t)
    gpu.return
  }
}

// -----

// The same of a reduction across lanes, of matrices that a warp loads, and of those that it multiplies.
!r = !layout.view<f32, register, 1:1>
!row = !layout.view<f16, register, 8:1>
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,1,1), (32,8,16)>
gpu.module @k {
  gpu.func @alone(%out: !layout.view<f32, global, 64:1>) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f16
    %one = arith.constant 1.0 : f32
    %x = layout.alloc : !r
    layout.fill %x, %one : !r
    %s = layout.alloc : !layout.view<f16, shared, 8:1>
    %own = layout.alloc : !row
    %a = layout.partition_fragment a of #mma, (32,16)
    %b = layout.partition_fragment b of #mma, (8,16)
    %c = layout.partition_fragment c of #mma, (32,8)
    %first = arith.cmpi ult, %t, %c1 : index
    %few = arith.cmpi ult, %t, %c7 : index
    %warp = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      layout.fill %s, %zero : !layout.view<f16, shared, 8:1>
    }
    gpu.barrier
    scf.if %few {
      // expected-error @below {{expected all lanes of the warp to execute this operation together, found thread 0 there and thread 7 absent, in block (0,0,0) of @alone}}
      layout.reduce add %x into %x along [0] threads(#layout<(32,1):(1,1)>)
      // expected-error @below {{expected all lanes of the warp to execute this operation together, found thread 0 there and thread 7 absent}}
      layout.copy #layout.atom<ldmatrix_x4> %s, %own
      // expected-error @below {{expected all lanes of the warp to execute this operation together, found thread 0 there and thread 7 absent}}
      layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
    }
    scf.if %warp {
      layout.reduce add %x into %x along [0] threads(#layout<(32,1):(1,1)>)
      layout.copy #layout.atom<ldmatrix_x4> %s, %own
      layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
    }
    %y = layout.load %x(%c0)
    layout.store %y, %out(%t)
    gpu.return
  }
}

// -----

// The mask of a warp's barrier holds the lanes that come to it.
gpu.module @k {
  gpu.func @mask(%out: !layout.view<i32, global, 64:1>) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %half = arith.constant 65535 : i32
    %all = arith.constant -1 : i32
    nvvm.bar.warp.sync %all : i32
    // expected-error @below {{expected the mask of a warp barrier to contain each lane that executes it, found 0xffff without lane 16 (thread 16, block (0,0,0) of @mask)}}
    nvvm.bar.warp.sync %half : i32
    layout.store %one, %out(%t)
    gpu.return
  }
}

// -----

// A mask that is made of data is not followed.
!v = !layout.view<i32, global, 64:1>
gpu.module @k {
  gpu.func @masks(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    // expected-warning @below {{1 not analysed; first: threads of @masks: a loop, a barrier or a wait that depends on an integer which is not known}}
    %mask = layout.load %in(%t)
    nvvm.bar.warp.sync %mask : i32
    layout.store %mask, %out(%t)
    gpu.return
  }
}

// -----

// There are 16 numbered barriers.
gpu.module @k {
  gpu.func @numbered(%out: !layout.view<i32, global, 64:1>) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %number = arith.constant 16 : i32
    %all = arith.constant 64 : i32
    // expected-error @below {{expected a barrier of number 0 to 15, found 16 (thread 0, block (0,0,0) of @numbered)}}
    nvvm.barrier id = %number number_of_threads = %all
    layout.store %all, %out(%t)
    gpu.return
  }
}
