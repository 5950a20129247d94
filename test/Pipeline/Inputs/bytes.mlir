// Each number of 8 bits as bf16 and as f16, which have it exactly.
!bytes = !layout.view<i8, global, (32,16):(16,1)>
!floats = !layout.view<f32, global, (32,16):(16,1)>
gpu.module @bytes {
  gpu.func @to_bf16(%in: !bytes, %out: !floats) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.reference = @reference,
      layout.kernel = {grid = [1], names = ["in", "out"], values = {in = [-128, 127]}, chip = "sm_80"}} {
    %t = gpu.thread_id x
    %x = layout.alloc : !layout.view<bf16, register, 16:1>
    %own = layout.slice %in(%t, _)
    layout.copy #layout.atom<simt_16> %own, %x
    %to = layout.slice %out(%t, _)
    layout.copy #layout.atom<simt_4> %x, %to
    gpu.return
  }
  gpu.func @to_f16(%in: !bytes, %out: !floats) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.reference = @reference,
      layout.kernel = {grid = [1], names = ["in", "out"], values = {in = [-128, 127]}, chip = "sm_80"}} {
    %t = gpu.thread_id x
    %x = layout.alloc : !layout.view<f16, register, 16:1>
    %own = layout.slice %in(%t, _)
    layout.copy #layout.atom<simt_16> %own, %x
    %to = layout.slice %out(%t, _)
    layout.copy #layout.atom<simt_4> %x, %to
    gpu.return
  }
}

func.func @reference(%in: memref<32x16xi8>, %out: memref<32x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%in : memref<32x16xi8>) outs(%out : memref<32x16xf32>) {
  ^bb0(%x: i8, %old: f32):
    %f = arith.sitofp %x : i8 to f32
    linalg.yield %f : f32
  }
  return
}
