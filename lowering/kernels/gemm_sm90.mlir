// The tile of gemm_sm80.mlir on `wgmma`: two warpgroups compute 64 rows each, with both operands in shared memory, in steps of 64 along
// K.
#mma = #layout.tiled_mma<wgmma_m64n128k16_f32_f16, (2,1,1)>
#copy = #layout.tiled_copy<cp_async_16, (32,8):(8,1), (1,8)>
#store = #layout.tiled_copy<simt_2, c of #mma>
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
    // The warpgroup's operands in shared memory, and the thread's accumulators.
    %ma = layout.partition %sa(%t), a of #mma
    %mb = layout.partition %sb(%t), b of #mma
    %acc = layout.partition_fragment c of #mma, (128,128)
    layout.fill %acc, %zero
    scf.for %k = %c0 to %steps step %c1 {
      %ga = layout.local_tile %a(%m, %k), #layout<(128,64)>
      %gb = layout.local_tile %b(%n, %k), #layout<(128,64)>
      gpu.barrier
      layout.cooperative_copy #copy(%t) %ga, %sa
      layout.cooperative_copy #copy(%t) %gb, %sb
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      layout.mma #layout.atom<wgmma_m64n128k16_f32_f16> %ma, %mb, %acc
    }
    %gc = layout.local_tile %c(%m, %n), #layout<(128,128)>
    layout.cooperative_copy #store(%t) %acc, %gc
    gpu.return
  }
}
