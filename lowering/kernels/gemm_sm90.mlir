// The tile of gemm_sm80.mlir on `wgmma`: two warpgroups have 64 rows each, and read both operands from shared memory,
// 64 of K at a time.
#mma = #layout.tiled_mma<wgmma_m64n128k16_f32_f16, (2,1,1)>
#copy = #layout.tiled_copy<cp_async_16, (32,8):(8,1), (1,8)>
!ab = !layout.view<f16, global, (256,128):(128,1)>
!c = !layout.view<f32, global, (256,256):(256,1)>
!s = !layout.view<f16, shared, S<3,3,3> o 0 o (128,64):(64,1)>
gpu.module @gemm {
  gpu.func @gemm(%a: !ab, %b: !ab, %c: !c) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.kernel = {grid = array<i64: 2, 2, 1>, block = array<i64: 256, 1, 1>, chip = "sm_90a",
        problem = {kind = "matmul", m = 256 : i64, n = 256 : i64, k = 128 : i64},
        args = [{name = "a", element = "f16", shape = "(256,128)", stride = "(128,1)", access = "read"},
                {name = "b", element = "f16", shape = "(256,128)", stride = "(128,1)", access = "read"},
                {name = "c", element = "f32", shape = "(256,256)", stride = "(256,1)", access = "write"}]}} {
    %t = gpu.thread_id x
    %m = gpu.block_id x
    %n = gpu.block_id y
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 2 : index
    %sa = layout.alloc : !s
    %sb = layout.alloc : !s
    // The block's tiles, (rows, k, steps), and what the thread copies of them.
    %ga = layout.local_tile %a(%m, _), #layout<(128,64)>
    %gb = layout.local_tile %b(%n, _), #layout<(128,64)>
    %gc = layout.local_tile %c(%m, %n), #layout<(128,128)>
    %ca = layout.partition %ga(%t), source of #copy
    %cb = layout.partition %gb(%t), source of #copy
    %wa = layout.partition %sa(%t), target of #copy
    %wb = layout.partition %sb(%t), target of #copy
    // What its warpgroup multiplies, in shared memory, and where the thread accumulates.
    %ma = layout.partition %sa(%t), a of #mma
    %mb = layout.partition %sb(%t), b of #mma
    %out = layout.partition %gc(%t), c of #mma
    %acc = layout.partition_fragment c of #mma, (128,128)
    layout.fill %acc, %zero
    scf.for %k = %c0 to %steps step %c1 {
      %cak = layout.slice %ca(_, _, _, %k)
      %cbk = layout.slice %cb(_, _, _, %k)
      gpu.barrier
      layout.copy #layout.atom<cp_async_16> %cak, %wa
      layout.copy #layout.atom<cp_async_16> %cbk, %wb
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      layout.mma #layout.atom<wgmma_m64n128k16_f32_f16> %ma, %mb, %acc
    }
    layout.copy #layout.atom<simt_2> %acc, %out
    gpu.return
  }
}
