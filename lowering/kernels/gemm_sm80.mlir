// C = A · Bᵀ, 256×256×128 in f16 with sums in f32: a block of four warps has 128 by 128 of C, 32 of K at a time, on
// `mma.sync`. Nobody derived a layout: the tiled copies and the tiled MMA say who has what.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
#copy = #layout.tiled_copy<cp_async_16, (32,4):(4,1), (1,8)>
#load_a = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_b = #layout.tiled_copy<ldmatrix_x4, b of #mma>
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
    // The block's tiles, (rows, k, steps), and what the thread copies of them.
    %ga = layout.local_tile %a(%m, _), #layout<(128,32)>
    %gb = layout.local_tile %b(%n, _), #layout<(128,32)>
    %gc = layout.local_tile %c(%m, %n), #layout<(128,128)>
    %ca = layout.partition %ga(%t), source of #copy
    %cb = layout.partition %gb(%t), source of #copy
    %wa = layout.partition %sa(%t), target of #copy
    %wb = layout.partition %sb(%t), target of #copy
    // What it loads for the tensor core, and where it accumulates.
    %ra = layout.partition %sa(%t), source of #load_a
    %rb = layout.partition %sb(%t), source of #load_b
    %out = layout.partition %gc(%t), c of #mma
    %fa = layout.partition_fragment a of #mma, (128,32)
    %fb = layout.partition_fragment b of #mma, (128,32)
    %acc = layout.partition_fragment c of #mma, (128,128)
    %la = layout.retile %fa, #load_a
    %lb = layout.retile %fb, #load_b
    layout.fill %acc, %zero
    scf.for %k = %c0 to %steps step %c1 {
      %cak = layout.slice %ca(_, _, _, %k)
      %cbk = layout.slice %cb(_, _, _, %k)
      gpu.barrier
      layout.copy #layout.atom<cp_async_16> %cak, %wa
      layout.copy #layout.atom<cp_async_16> %cbk, %wb
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      layout.copy #layout.atom<ldmatrix_x4> %ra, %la
      layout.copy #layout.atom<ldmatrix_x4> %rb, %lb
      layout.mma #layout.atom<mma_m16n8k16_f32_f16> %fa, %fb, %acc
    }
    layout.copy #layout.atom<simt_2> %acc, %out
    gpu.return
  }
}
