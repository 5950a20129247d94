// RUN: layout-opt %s --layout-verify --verify-diagnostics -o /dev/null

// All four warps of a warpgroup read the tiles of `wgmma`: a store of one thread in front of it takes a barrier, in its own warpgroup too.

#mma = #layout.tiled_mma<wgmma_m64n128k16_f32_f16, (1,1,1)>
!a = !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!b = !layout.view<f16, shared, S<3,3,3> o 0 o (128,64):(64,1)>
gpu.module @kernels {
  gpu.func @stores() kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %half = arith.constant 0.5 : f16
    %zero = arith.constant 0.0 : f32
    %sa = layout.alloc : !a
    %sb = layout.alloc : !b
    %ma = layout.partition %sa(%t), a of #mma
    %mb = layout.partition %sb(%t), b of #mma
    %acc = layout.partition_fragment c of #mma, (64,128)
    layout.fill %acc, %zero
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      // expected-note@below {{thread 0 stores it here}}
      layout.fill %sa, %half
      // expected-note@below {{thread 0 stores it here}}
      layout.fill %sb, %half
    }
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    // expected-note@below 2 {{see current operation}}
    // expected-error@below {{expected a barrier, or a wait, between accesses to element 0 of buffer 0, found none: thread 0 stores it and MMAs of the warpgroup of thread 32 read it, in block (0,0,0) of @stores}}
    // expected-error@below {{expected a barrier, or a wait, between accesses to element 0 of buffer 1, found none: thread 0 stores it and MMAs of the warpgroup of thread 32 read it, in block (0,0,0) of @stores}}
    layout.mma #layout.atom<wgmma_m64n128k16_f32_f16> %ma, %mb, %acc
    gpu.return
  }

  gpu.func @meets() kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %half = arith.constant 0.5 : f16
    %zero = arith.constant 0.0 : f32
    %sa = layout.alloc : !a
    %sb = layout.alloc : !b
    %ma = layout.partition %sa(%t), a of #mma
    %mb = layout.partition %sb(%t), b of #mma
    %acc = layout.partition_fragment c of #mma, (64,128)
    layout.fill %acc, %zero
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      layout.fill %sa, %half
      layout.fill %sb, %half
    }
    gpu.barrier
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    layout.mma #layout.atom<wgmma_m64n128k16_f32_f16> %ma, %mb, %acc
    gpu.return
  }
}
