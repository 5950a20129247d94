// MMAs of a warp, 32 by 16 by 32 of f16 and of bf16: each lane multiplies operands of other lanes.
#f16 = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,8,16)>
#bf16 = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (1,1,1), (16,8,16)>
!c = !layout.view<f32, global, (32,16):(16,1)>
gpu.module @product {
  gpu.func @product_f16(%a: !layout.view<f16, global, (32,32):(32,1)>, %b: !layout.view<f16, global, (16,32):(32,1)>, %c: !c) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, layout.reference = @product_f16_reference,
      layout.kernel = {grid = [1], names = ["a", "b", "c"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %pa = layout.partition %a(%t), a of #f16
    %pb = layout.partition %b(%t), b of #f16
    %pc = layout.partition %c(%t), c of #f16
    %fa = layout.partition_fragment a of #f16, (32,32)
    %fb = layout.partition_fragment b of #f16, (16,32)
    %fc = layout.partition_fragment c of #f16, (32,16)
    layout.copy #layout.atom<simt_2> %pa, %fa
    layout.copy #layout.atom<simt_2> %pb, %fb
    layout.fill %fc, %zero
    layout.mma #layout.atom<mma_m16n8k16_f32_f16> %fa, %fb, %fc
    layout.copy #layout.atom<simt_2> %fc, %pc
    gpu.return
  }
  gpu.func @product_bf16(%a: !layout.view<bf16, global, (32,32):(32,1)>, %b: !layout.view<bf16, global, (16,32):(32,1)>, %c: !c) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, layout.reference = @product_bf16_reference,
      layout.kernel = {grid = [1], names = ["a", "b", "c"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %pa = layout.partition %a(%t), a of #bf16
    %pb = layout.partition %b(%t), b of #bf16
    %pc = layout.partition %c(%t), c of #bf16
    %fa = layout.partition_fragment a of #bf16, (32,32)
    %fb = layout.partition_fragment b of #bf16, (16,32)
    %fc = layout.partition_fragment c of #bf16, (32,16)
    layout.copy #layout.atom<simt_2> %pa, %fa
    layout.copy #layout.atom<simt_2> %pb, %fb
    layout.fill %fc, %zero
    layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fa, %fb, %fc
    layout.copy #layout.atom<simt_2> %fc, %pc
    gpu.return
  }
}
func.func @product_f16_reference(%a: memref<32x32xf16>, %b: memref<16x32xf16>, %c: memref<32x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<32x16xf32>)
  linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>]
    ins(%a, %b : memref<32x32xf16>, memref<16x32xf16>) outs(%c : memref<32x16xf32>)
  return
}
func.func @product_bf16_reference(%a: memref<32x32xbf16>, %b: memref<16x32xbf16>, %c: memref<32x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<32x16xf32>)
  linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>]
    ins(%a, %b : memref<32x32xbf16>, memref<16x32xbf16>) outs(%c : memref<32x16xf32>)
  return
}
