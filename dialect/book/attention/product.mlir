// Step 2: S = Q Kᵀ of a tile, by `cp.async`, `ldmatrix` and `mma.sync`.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_q = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_k = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#store = #layout.tiled_copy<simt_2, c of #mma>
!in = !layout.view<bf16, global, (64,64):(64,1)>
!out = !layout.view<f32, global, (64,64):(64,1)>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>

gpu.module @kernels {
  gpu.func @product(%q: !in, %k: !in, %s: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @product_reference,
                  layout.kernel = {grid = [1], names = ["q", "k", "s"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    // Global to shared memory, 16 bytes a thread at a time.
    %sq = layout.alloc : !tile
    %sk = layout.alloc : !tile
    layout.cooperative_copy #copy(%t) %q, %sq
    layout.cooperative_copy #copy(%t) %k, %sk
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    // Shared memory to the operands' fragments.
    %fq = layout.partition_fragment a of #mma, (64,64)
    %fk = layout.partition_fragment b of #mma, (64,64)
    %acc = layout.partition_fragment c of #mma, (64,64)
    layout.cooperative_copy #load_q(%t) %sq, %fq
    layout.cooperative_copy #load_k(%t) %sk, %fk
    // The product, and the accumulators to global memory.
    layout.fill %acc, %zero
    layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %acc
    layout.cooperative_copy #store(%t) %acc, %s
    gpu.return
  }
}

func.func @product_reference(%q: memref<64x64xbf16>, %k: memref<64x64xbf16>, %s: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<64x64xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %k : memref<64x64xbf16>, memref<64x64xbf16>) outs(%s : memref<64x64xf32>)
  return
}
