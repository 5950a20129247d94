// The transpose of 2048 x 4096 f32. A block moves a tile of 32 x 32 through shared memory, so that its loads and its stores
// are of neighbours; the swizzle keeps the columns of the tile in different banks.

!src = !layout.view<f32, global, (2048,4096):(4096,1)>
!dst = !layout.view<f32, global, (4096,2048):(2048,1)>
!tile = !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(32,1)>

gpu.module @transpose {
  gpu.func @transpose(%in: !src, %out: !dst) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @transpose_reference,
                  layout.kernel = {grid = [64, 128], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %bn = gpu.block_id y
    %s = layout.alloc : !tile
    // A warp loads rows of 32 neighbours.
    %from = layout.local_tile %in(%bm, %bn), #layout<(32,32)> : !src
    %from_t = layout.partition %from(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (32,32):(4096,1)>
    %s_t = layout.partition %s(%t), #layout<(8,32):(32,1)> : !tile
    layout.copy #layout.atom<simt_1> %from_t, %s_t : !layout.view<f32, global, (4,1):(32768,0)>, !layout.view<f32, shared, S<5,0,5> o 0 o (4,1):(256,0)>
    gpu.barrier
    // The same tile, seen transposed: a warp stores rows of 32 neighbours too.
    %turned = layout.composition %s, #layout<(32,32):(32,1)> : !tile
    %turned_t = layout.partition %turned(%t), #layout<(8,32):(32,1)> : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(1,32)>
    %to = layout.local_tile %out(%bn, %bm), #layout<(32,32)> : !dst
    %to_t = layout.partition %to(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (32,32):(2048,1)>
    layout.copy #layout.atom<simt_1> %turned_t, %to_t : !layout.view<f32, shared, S<5,0,5> o 0 o (4,1):(8,0)>, !layout.view<f32, global, (4,1):(16384,0)>
    gpu.return
  }
}

func.func @transpose_reference(%in: memref<2048x4096xf32>, %out: memref<4096x2048xf32>) {
  linalg.transpose ins(%in : memref<2048x4096xf32>) outs(%out : memref<4096x2048xf32>) permutation = [1, 0]
  return
}
