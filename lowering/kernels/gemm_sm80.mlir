// C = A · Bᵀ, 256×256×128, f16 with f32 accumulators, on `mma.sync`: a block of four warps computes a tile of 128×128, in steps of 32 along
// K. No layout is derived by hand: all partitions follow from the tiled copies and the tiled MMA.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
#copy = #layout.tiled_copy<cp_async_16, (32,4):(4,1), (1,8)>
#load_a = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_b = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#store = #layout.tiled_copy<simt_2, c of #mma>
!ab = !layout.view<f16, global, (256,128):(128,1)>
!c = !layout.view<f32, global, (256,256):(256,1)>
!s = !layout.view<f16, shared, S<2,3,3> o 0 o (128,32):(32,1)>
gpu.module @gemm {
  gpu.func @gemm(%a: !ab, %b: !ab, %c: !c) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
      layout.kernel = {grid = array<i64: 2, 2, 1>, block = array<i64: 128, 1, 1>, chip = "sm_80",
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
    %steps = arith.constant 4 : index
    %sa = layout.alloc : !s
    %sb = layout.alloc : !s
    // The thread's fragments of A and B, and its accumulators.
    %fa = layout.partition_fragment a of #mma, (128,32)
    %fb = layout.partition_fragment b of #mma, (128,32)
    %acc = layout.partition_fragment c of #mma, (128,128)
    layout.fill %acc, %zero
    scf.for %k = %c0 to %steps step %c1 {
      %ga = layout.local_tile %a(%m, %k), #layout<(128,32)>
      %gb = layout.local_tile %b(%n, %k), #layout<(128,32)>
      gpu.barrier
      layout.cooperative_copy #copy(%t) %ga, %sa
      layout.cooperative_copy #copy(%t) %gb, %sb
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      layout.cooperative_copy #load_a(%t) %sa, %fa
      layout.cooperative_copy #load_b(%t) %sb, %fb
      layout.mma #layout.atom<mma_m16n8k16_f32_f16> %fa, %fb, %acc
    }
    %gc = layout.local_tile %c(%m, %n), #layout<(128,128)>
    layout.cooperative_copy #store(%t) %acc, %gc
    gpu.return
  }
}
