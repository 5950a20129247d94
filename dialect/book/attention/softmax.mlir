// Step 1: the softmax of the rows of a tile, in layouts.
#copy = #layout.tiled_copy<simt_4, (32,4):(4,1), (1,4)>
!matrix = !layout.view<f32, global, (64,64):(64,1)>
!own = !layout.view<f32, register, ((4,1),2,4):((1,0),4,8)>
!row = !layout.view<f32, register, ((4,1),2,4):((0,0),1,0)>

gpu.module @kernels {
  gpu.func @softmax(%in: !matrix, %out: !matrix) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @softmax_reference,
                  layout.kernel = {grid = [1], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %from = layout.partition %in(%t), source of #copy
    %to = layout.partition %out(%t), target of #copy
    %x = layout.alloc : !own
    %row = layout.alloc : !row
    layout.copy #layout.atom<simt_4> %from, %x
    layout.reduce max %x into %row along [1] threads(#layout.thread_values<#copy, (64,64)>) tile(#layout<(64,64)>)
    layout.map ins(%row) outs(%x) {
    ^bb0(%max: f32, %e: f32):
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      layout.yield %p : f32
    }
    layout.reduce add %x into %row along [1] threads(#layout.thread_values<#copy, (64,64)>) tile(#layout<(64,64)>)
    layout.map ins(%row) outs(%x) {
    ^bb0(%sum: f32, %e: f32):
      %p = arith.divf %e, %sum : f32
      layout.yield %p : f32
    }
    layout.copy #layout.atom<simt_4> %x, %to
    gpu.return
  }
}

func.func @softmax_reference(%in: memref<64x64xf32>, %out: memref<64x64xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    %max = affine.for %j = 0 to 64 iter_args(%m = %least) -> f32 {
      %x = affine.load %in[%i, %j] : memref<64x64xf32>
      %r = arith.maximumf %m, %x : f32
      affine.yield %r : f32
    }
    %sum = affine.for %j = 0 to 64 iter_args(%s = %zero) -> f32 {
      %x = affine.load %in[%i, %j] : memref<64x64xf32>
      %d = arith.subf %x, %max : f32
      %p = math.exp %d : f32
      %r = arith.addf %s, %p : f32
      affine.store %p, %out[%i, %j] : memref<64x64xf32>
      affine.yield %r : f32
    }
    affine.for %j = 0 to 64 {
      %p = affine.load %out[%i, %j] : memref<64x64xf32>
      %r = arith.divf %p, %sum : f32
      affine.store %r, %out[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
