// FlashAttention-2 forward on `mma.sync`, not causal, head dimension 64, 32 heads of 4096: a block has 64 queries of a head, four warps of 16.
// q, k, v, o: (sequence, 64, heads), bf16. o = softmax(q k^T / 8) v.
// Four warps have 16 queries each, of 16 keys or columns of v at a time, which is what an `ldmatrix` of four matrices brings.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_a = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_b = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, b of #mma>
#once = #llvm.loop_annotation<unroll = <disable = true>>
!t = !layout.view<bf16, global, (4096,64,32):(64,1,262144)>
!kv = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2):(64,1,4096)>
!s = !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>
!s_row = !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
!by_row = !layout.view<f32, register, ((2,8),2):((1,4),2)>
!by_row_1 = !layout.view<f32, register, ((2,8),2):((0,0),1)>
!rows = !layout.view<f32, register, 2:1>
gpu.module @attention {
  gpu.func @attention(%q: !t, %k: !t, %v: !t, %o: !t) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
      layout.reference = @attention_reference, layout.kernel = {grid = [64, 32], names = ["q", "k", "v", "o"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %head = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %last = arith.constant 63 : index
    %tiles = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -1.0e30 : f32
    // log2(e) / sqrt(64)
    %scale = arith.constant 0.18033688 : f32
    %sq = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    %sk = layout.alloc : !kv
    %sv = layout.alloc : !kv
    %fq = layout.partition_fragment a of #mma, (64,64)
    %fk = layout.partition_fragment b of #mma, (64,64)
    %fv = layout.partition_fragment b of #mma, (64,64)
    %p = layout.partition_fragment a of #mma, (64,64)
    %s = layout.partition_fragment c of #mma, (64,64)
    %acc = layout.partition_fragment c of #mma, (64,64)
    %m = layout.alloc : !rows
    %l = layout.alloc : !rows
    %x = layout.alloc : !rows
    %al = layout.alloc : !rows
    // A number for each of a thread's two rows, as fragments see it, and the scores by row.
    %m_s = layout.composition %m, #layout<((2,2),1,8):((0,1),0,0)>
    %x_s = layout.composition %x, #layout<((2,2),1,8):((0,1),0,0)>
    %al_s = layout.composition %al, #layout<((2,2),1,8):((0,1),0,0)>
    %x_r = layout.composition %x, #layout<((2,8),2):((0,0),1)>
    %s_r = layout.composition %s, #layout<((2,8),2):((1,4),2)>
    // What the thread copies of the head's tiles.
    %q1 = layout.local_tile %q(%bm, 0, %head), #layout<(64,64,1)>
    %k1 = layout.local_tile %k(_, 0, %head), #layout<(64,64,1)>
    %v1 = layout.local_tile %v(_, 0, %head), #layout<(64,64,1)>
    %qg = layout.partition %q1(%t), source of #copy
    %kg = layout.partition %k1(%t), source of #copy
    %vg = layout.partition %v1(%t), source of #copy
    %qw = layout.partition %sq(%t), target of #copy
    %kw = layout.partition %sk(%t), target of #copy
    %vw = layout.partition %sv(%t), target of #copy
    // What it loads for the tensor core: v is read as (columns, keys).
    %vt = layout.select %sv, [1, 0, 2]
    %qf = layout.partition %sq(%t), source of #load_a
    %kf = layout.partition %sk(%t), source of #load_b
    %vf = layout.partition %vt(%t), source of #load_v
    %lq = layout.retile %fq, #load_a
    %lk = layout.retile %fk, #load_b
    %lv = layout.retile %fv, #load_v
    layout.fill %acc, %zero
    layout.fill %l, %zero
    layout.fill %m, %low
    layout.copy #layout.atom<cp_async_16> %qg, %qw
    %gka = layout.slice %kg(_, _, _, _, %c0)
    %ska = layout.slice %kw(_, _, _, 0)
    layout.copy #layout.atom<cp_async_16> %gka, %ska
    %gva = layout.slice %vg(_, _, _, _, %c0)
    %sva = layout.slice %vw(_, _, _, 0)
    layout.copy #layout.atom<cp_async_16> %gva, %sva
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    layout.copy #layout.atom<ldmatrix_x4> %qf, %lq
    scf.for %j = %c0 to %tiles step %c1 {
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %st = arith.remui %j, %c2 : index
      %next0 = arith.addi %j, %c1 : index
      %next = arith.minui %next0, %last : index
      %sn = arith.remui %next0, %c2 : index
      %gkb = layout.slice %kg(_, _, _, _, %next)
      %skb = layout.slice %kw(_, _, _, %sn)
      layout.copy #layout.atom<cp_async_16> %gkb, %skb
      %gvb = layout.slice %vg(_, _, _, _, %next)
      %svb = layout.slice %vw(_, _, _, %sn)
      layout.copy #layout.atom<cp_async_16> %gvb, %svb
      nvvm.cp.async.commit.group
      layout.fill %s, %zero
      %kf1 = layout.slice %kf(_, _, _, %st)
      layout.copy #layout.atom<ldmatrix_x4> %kf1, %lk
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %s
      layout.reduce max %s into %x_s along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>) : !s, !s_row
      layout.map ins(%x : !rows) outs(%m, %al : !rows, !rows) { ^bb0(%new: f32, %old: f32, %a0: f32):
        %m1 = arith.maximumf %old, %new : f32
        %d = arith.subf %old, %m1 : f32
        %e = arith.mulf %d, %scale : f32
        %a1 = math.exp2 %e fastmath<afn> : f32
        layout.yield %m1, %a1 : f32, f32
      }
      layout.map ins(%m_s : !s_row) outs(%s : !s) { ^bb0(%max: f32, %y: f32):
        %top = arith.mulf %max, %scale : f32
        %minus = arith.negf %top : f32
        %z = math.fma %y, %scale, %minus : f32
        %e = math.exp2 %z fastmath<afn> : f32
        layout.yield %e : f32
      }
      layout.reduce add %s_r into %x_r along [0] : !by_row, !by_row_1
      layout.map ins(%x, %al : !rows, !rows) outs(%l : !rows) { ^bb0(%y: f32, %a: f32, %old: f32):
        %z = math.fma %old, %a, %y : f32
        layout.yield %z : f32
      }
      layout.map ins(%al_s : !s_row) outs(%acc : !s) { ^bb0(%a: f32, %y: f32):
        %z = arith.mulf %y, %a : f32
        layout.yield %z : f32
      }
      layout.copy #layout.atom<simt_2> %s, %p
      %vf1 = layout.slice %vf(_, _, _, %st)
      layout.copy #layout.atom<ldmatrix_x4_trans> %vf1, %lv
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %p, %fv, %acc
    } {llvm.loop_annotation = #once}
    nvvm.cp.async.wait.group 0
    // Of each row, four lanes have a sum.
    layout.reduce add %l into %x along [1] threads(#layout<((4,8,4),2):((1@1,1@0,16@0),8@0)>) : !rows, !rows
    layout.map ins(%x_s : !s_row) outs(%acc : !s) { ^bb0(%sum: f32, %y: f32):
      %z = arith.divf %y, %sum fastmath<arcp> : f32
      layout.yield %z : f32
    }
    %o1 = layout.local_tile %o(%bm, 0, %head), #layout<(64,64,1)>
    %og = layout.partition %o1(%t), c of #mma
    layout.copy #layout.atom<simt_2> %acc, %og
    gpu.return
  }
}

// In the order of the definition, a row of scores at a time; probabilities are rounded as the tensor core takes them.
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
