// Step 3: O = softmax(Q Kᵀ / 8) V of one tile of keys.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_q = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_k = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, b of #mma>
#store = #layout.tiled_copy<simt_2, c of #mma>
!matrix = !layout.view<bf16, global, (64,64):(64,1)>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!scores = !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>
!row = !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>

gpu.module @kernels {
  gpu.func @tile(%q: !matrix, %k: !matrix, %v: !matrix, %o: !matrix) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @tile_reference,
                  layout.kernel = {grid = [1], names = ["q", "k", "v", "o"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %scale = arith.constant 0.125 : f32
    // Global to shared memory, 16 bytes a thread at a time.
    %sq = layout.alloc : !tile
    %sk = layout.alloc : !tile
    %sv = layout.alloc : !tile
    layout.cooperative_copy #copy(%t) %q, %sq
    layout.cooperative_copy #copy(%t) %k, %sk
    layout.cooperative_copy #copy(%t) %v, %sv
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    // Shared memory to fragments; V is read as (columns, keys).
    %fq = layout.partition_fragment a of #mma, (64,64)
    %fk = layout.partition_fragment b of #mma, (64,64)
    %fv = layout.partition_fragment b of #mma, (64,64)
    %vt = layout.select %sv, [1, 0]
    layout.cooperative_copy #load_q(%t) %sq, %fq
    layout.cooperative_copy #load_k(%t) %sk, %fk
    layout.cooperative_copy #load_v(%t) %vt, %fv
    // S = Q Kᵀ.
    %s = layout.partition_fragment c of #mma, (64,64)
    layout.fill %s, %zero
    layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %s
    // The softmax of its rows, without the division.
    %max = layout.alloc : !row
    %sum = layout.alloc : !row
    layout.reduce max %s into %max along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
    layout.map ins(%max) outs(%s) {
    ^bb0(%m: f32, %e: f32):
      %d = arith.subf %e, %m : f32
      %x = arith.mulf %d, %scale : f32
      %p = math.exp %x : f32
      layout.yield %p : f32
    }
    layout.reduce add %s into %sum along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
    // O = P V, divided by the sums.
    %p = layout.partition_fragment a of #mma, (64,64)
    %acc = layout.partition_fragment c of #mma, (64,64)
    layout.copy #layout.atom<simt_2> %s, %p
    layout.fill %acc, %zero
    layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %p, %fv, %acc
    layout.map ins(%sum) outs(%acc) {
    ^bb0(%l: f32, %e: f32):
      %r = arith.divf %e, %l : f32
      layout.yield %r : f32
    }
    layout.cooperative_copy #store(%t) %acc, %o
    gpu.return
  }
}

func.func @tile_reference(%q: memref<64x64xbf16>, %k: memref<64x64xbf16>, %v: memref<64x64xbf16>, %o: memref<64x64xbf16>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %s = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %max = affine.for %j = 0 to 64 iter_args(%m = %least) -> f32 {
      %dot = affine.for %d = 0 to 64 iter_args(%sum = %zero) -> f32 {
        %x = affine.load %q[%i, %d] : memref<64x64xbf16>
        %y = affine.load %k[%j, %d] : memref<64x64xbf16>
        %xf = arith.extf %x : bf16 to f32
        %yf = arith.extf %y : bf16 to f32
        %r = math.fma %xf, %yf, %sum : f32
        affine.yield %r : f32
      }
      %scaled = arith.mulf %dot, %scale : f32
      affine.store %scaled, %s[%j] : memref<64xf32>
      %r = arith.maximumf %m, %scaled : f32
      affine.yield %r : f32
    }
    %sum = affine.for %j = 0 to 64 iter_args(%l = %zero) -> f32 {
      %x = affine.load %s[%j] : memref<64xf32>
      %d = arith.subf %x, %max : f32
      %p = math.exp %d : f32
      affine.store %p, %s[%j] : memref<64xf32>
      %r = arith.addf %l, %p : f32
      affine.yield %r : f32
    }
    affine.for %d = 0 to 64 {
      %dot = affine.for %j = 0 to 64 iter_args(%a = %zero) -> f32 {
        %p = affine.load %s[%j] : memref<64xf32>
        %narrow = arith.truncf %p : f32 to bf16
        %pf = arith.extf %narrow : bf16 to f32
        %y = affine.load %v[%j, %d] : memref<64x64xbf16>
        %yf = arith.extf %y : bf16 to f32
        %r = math.fma %pf, %yf, %a : f32
        affine.yield %r : f32
      }
      %e = arith.divf %dot, %sum : f32
      %b = arith.truncf %e : f32 to bf16
      affine.store %b, %o[%i, %d] : memref<64x64xbf16>
    }
  }
  memref.dealloc %s : memref<64xf32>
  return
}
