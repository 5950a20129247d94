// FlashAttention-2 forward on `mma.sync`: not causal, head size 64, 32 heads of 4096 positions. A block computes 128 queries of a head, 32 in each of four warps.
// q, k, v, o: (sequence, 64, heads), bf16. o = softmax(q k^T / 8) v.
// A warp has two m16 tiles of queries, and multiplies 16 keys or columns of v at a time: the four matrices of an `ldmatrix.x4`.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_b = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, b of #mma>
!t = !layout.view<bf16, global, (4096,64,32):(64,1,262144)>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!s = !layout.view<f32, register, ((2,2),2,8):((1,2),4,8)>
!s_row = !layout.view<f32, register, ((2,2),2,8):((0,1),2,0)>
!rows = !layout.view<f32, register, 4:1>
gpu.module @attention {
  gpu.func @attention(%q: !t, %k: !t, %v: !t, %o: !t) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
      layout.reference = @attention_reference, layout.kernel = {grid = [32, 32], names = ["q", "k", "v", "o"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %head = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tiles = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -1.0e30 : f32
    // log2(e) / sqrt(64)
    %scale = arith.constant 0.18033688 : f32
    %sk = layout.alloc : !tile
    %sv = layout.alloc : !tile
    %fq = layout.partition_fragment a of #mma, (128,64)
    %b = layout.partition_fragment b of #mma, (64,64)
    %p = layout.partition_fragment a of #mma, (128,64)
    %s = layout.partition_fragment c of #mma, (128,64)
    %acc = layout.partition_fragment c of #mma, (128,64)
    // One number for each of the thread's four rows, and views that broadcast it along the columns of a fragment.
    %max = layout.alloc : !rows
    %sum = layout.alloc : !rows
    %x = layout.alloc : !rows
    %max_s = layout.composition %max, #layout<((2,2),2,8):((0,1),2,0)>
    %sum_s = layout.composition %sum, #layout<((2,2),2,8):((0,1),2,0)>
    %x_s = layout.composition %x, #layout<((2,2),2,8):((0,1),2,0)>
    // The scores as the A operand of the second MMA.
    %s_a = layout.composition %s, #layout<((2,2,2),2,4):((1,2,8),4,16)>
    // The queries, as the A operand of the first MMA.
    %q1 = layout.local_tile %q(%bm, 0, %head), #layout<(128,64,1)>
    layout.cooperative_copy #layout.tiled_copy<simt_2, a of #mma>(%t) %q1, %fq
    // v is read as (columns, keys).
    %vt = layout.select %sv, [1, 0]
    layout.fill %acc, %zero
    layout.fill %sum, %zero
    layout.fill %max, %low
    // The loop over tiles of keys; `layout.stages` makes its copies run ahead.
    scf.for %j = %c0 to %tiles step %c1 {
      %k1 = layout.local_tile %k(%j, 0, %head), #layout<(64,64,1)>
      %v1 = layout.local_tile %v(%j, 0, %head), #layout<(64,64,1)>
      gpu.barrier
      layout.cooperative_copy #copy(%t) %k1, %sk
      layout.cooperative_copy #copy(%t) %v1, %sv
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      layout.fill %s, %zero
      layout.cooperative_copy #load_b(%t) %sk, %b
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %b, %s
      layout.reduce max %s into %x_s along [1] threads(#layout.thread_values<c of #mma, (128,64)>) tile(#layout<(128,64)>) : !s, !s_row
      // Updates the running maximum, and rescales the running sum by exp(old - new).
      layout.map outs(%max, %x, %sum : !rows, !rows, !rows) { ^bb0(%old: f32, %here: f32, %before: f32):
        %new = arith.maximumf %old, %here : f32
        %d = arith.subf %old, %new : f32
        %e = arith.mulf %d, %scale : f32
        %a = math.exp2 %e fastmath<afn> : f32
        %z = arith.mulf %before, %a : f32
        layout.yield %new, %a, %z : f32, f32, f32
      }
      // Rescales the accumulators and exponentiates the scores in one map: both fragments have the same shape.
      layout.map ins(%x_s, %max_s : !s_row, !s_row) outs(%acc, %s : !s, !s) { ^bb0(%a: f32, %m: f32, %before: f32, %y: f32):
        %z = arith.mulf %before, %a : f32
        %top = arith.mulf %m, %scale : f32
        %minus = arith.negf %top : f32
        %w = math.fma %y, %scale, %minus : f32
        %e = math.exp2 %w fastmath<afn> : f32
        layout.yield %z, %e : f32, f32
      }
      layout.reduce add %s into %x_s along [1] threads(#layout.thread_values<c of #mma, (128,64)>) tile(#layout<(128,64)>) : !s, !s_row
      layout.map ins(%x : !rows) outs(%sum : !rows) { ^bb0(%here: f32, %before: f32):
        %z = arith.addf %before, %here : f32
        layout.yield %z : f32
      }
      layout.copy #layout.atom<simt_2> %s_a, %p
      layout.cooperative_copy #load_v(%t) %vt, %b
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %p, %b, %acc
    } {layout.stages = 2, llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    layout.map ins(%sum_s : !s_row) outs(%acc : !s) { ^bb0(%l: f32, %y: f32):
      %z = arith.divf %y, %l fastmath<arcp> : f32
      layout.yield %z : f32
    }
    %o1 = layout.local_tile %o(%bm, 0, %head), #layout<(128,64,1)>
    %og = layout.partition %o1(%t), c of #mma
    layout.copy #layout.atom<simt_2> %acc, %og
    gpu.return
  }
}

// The reference computes one row of scores at a time; it rounds probabilities to bf16, as the second MMA reads them.
func.func @attention_reference(%q: memref<4096x64x32xbf16>, %k: memref<4096x64x32xbf16>, %v: memref<4096x64x32xbf16>,
                               %o: memref<4096x64x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant 32 : index
  %s = arith.constant 4096 : index
  %d = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %root = arith.constant 0.125000000000 : f32
  %row = memref.alloc() : memref<4096xf32>
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %s step %c1 {
      %i1 = arith.addi %i, %c1 : index
      %max = scf.for %j = %c0 to %s step %c1 iter_args(%m = %low) -> f32 {
        %dot = scf.for %x = %c0 to %d step %c1 iter_args(%sum = %zero) -> f32 {
          %a = memref.load %q[%i, %x, %h] : memref<4096x64x32xbf16>
          %b = memref.load %k[%j, %x, %h] : memref<4096x64x32xbf16>
          %aw = arith.extf %a : bf16 to f32
          %bw = arith.extf %b : bf16 to f32
          %p = arith.mulf %aw, %bw : f32
          %next = arith.addf %sum, %p : f32
          scf.yield %next : f32
        }
        %score = arith.mulf %dot, %root : f32
        memref.store %score, %row[%j] : memref<4096xf32>
        %larger = arith.maximumf %m, %score : f32
        scf.yield %larger : f32
      }
      %total = scf.for %j = %c0 to %s step %c1 iter_args(%sum = %zero) -> f32 {
        %score = memref.load %row[%j] : memref<4096xf32>
        %below = arith.subf %score, %max : f32
        %e = math.exp %below : f32
        memref.store %e, %row[%j] : memref<4096xf32>
        %next = arith.addf %sum, %e : f32
        scf.yield %next : f32
      }
      scf.for %x = %c0 to %d step %c1 {
        %sum = scf.for %j = %c0 to %s step %c1 iter_args(%before = %zero) -> f32 {
          %e = memref.load %row[%j] : memref<4096xf32>
          %b = memref.load %v[%j, %x, %h] : memref<4096x64x32xbf16>
          %bw = arith.extf %b : bf16 to f32
          %narrow_e = arith.truncf %e : f32 to bf16
          %rounded = arith.extf %narrow_e : bf16 to f32
          %p = arith.mulf %rounded, %bw : f32
          %next = arith.addf %before, %p : f32
          scf.yield %next : f32
        }
        %mean = arith.divf %sum, %total : f32
        %narrow = arith.truncf %mean : f32 to bf16
        memref.store %narrow, %o[%i, %x, %h] : memref<4096x64x32xbf16>
      }
    }
  }
  memref.dealloc %row : memref<4096xf32>
  return
}
