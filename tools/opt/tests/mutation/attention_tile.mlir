// FlashAttention-3 forward, causal, bf16, head size 128, 64 heads (4 sequences of 16) of 4096, four of which share keys and values:
// o = softmax(q k^T / sqrt(128)) v, each query with the keys up to its own.
// A block has 128 queries of a head: two warpgroups of 64, and one that loads 128 keys at a time. Scores and results are in
// registers, and so are the probabilities when they are multiplied. Blocks with the most keys come first.
#qk = #layout.tiled_mma<wgmma_m64n128k16_f32_bf16, (2,1,1)>
#pv = #layout.tiled_mma<wgmma_ra_m64n128k16_f32_bf16, (2,1,1)>
!q = !layout.view<bf16, global, (4096,128,64):(128,1,524288)>
!kv = !layout.view<bf16, global, (4096,128,16):(128,1,524288)>
!bars = !layout.view<i64, shared, 2:1>
!rows = !layout.view<f32, register, 2:1>
!s = !layout.view<f32, register, ((2,2,16),1,1):((1,2,4),0,0)>
!s_row = !layout.view<f32, register, ((2,2,16),1,1):((0,1,0),0,0)>
!acc = !layout.view<f32, register, ((2,2,16),1,1):((1,2,4),0,0)>
!acc_row = !layout.view<f32, register, ((2,2,16),1,1):((0,1,0),0,0)>
!by_row = !layout.view<f32, register, ((2,16),2):((1,4),2)>
!by_row_1 = !layout.view<f32, register, ((2,16),2):((0,0),1)>
gpu.module @attention {
  gpu.func @attention(%q: !q, %k: !kv, %v: !kv, %o: !q) kernel attributes {
      known_block_size = array<i32: 384, 1, 1>,
      layout.kernel = {grid = [32, 64], names = ["q", "k", "v", "o"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %head = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %st_n = arith.constant 2 : index
    %consumers = arith.constant 256 : index
    %group = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %diagonal = arith.constant 0 : i32
    %ninf = arith.constant 0xFF800000 : f32
    %low = arith.constant -1.0e30 : f32
    %scale = arith.constant 0.127517431 : f32
    %kvh = arith.divui %head, %group : index
    // The last tile has the most keys.
    %last_tile = arith.constant 31 : index
    %bm = arith.subi %last_tile, %bx : index
    %n = arith.addi %bm, %c1 : index
    // The loaded tiles, in rows of 128 bytes under a swizzle; keys and values have two stages.
    %sq = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))>
    %sk = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (128,(64,2),2):(64,(1,8192),16384)>
    %sv = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (128,(64,2),2):(64,(1,8192),16384)>
    // The engine fills a buffer and a phase of `full` is over; all consuming warps have read it and one of `empty` is.
    %full_q = layout.barriers arrivals 1 : !layout.view<i64, shared, 1:1>
    %full_k = layout.barriers arrivals 1 : !bars
    %empty_k = layout.barriers arrivals 8 : !bars
    %full_v = layout.barriers arrivals 1 : !bars
    %empty_v = layout.barriers arrivals 8 : !bars
    %consumes = arith.cmpi ult, %t, %consumers : index
    scf.if %consumes {
      nvvm.setmaxregister increase 240
      %qa = layout.partition %sq(%t), a of #qk
      %kb = layout.partition %sk(%t), b of #qk
      %svt = layout.select %sv, [1, 0, 2]
      %vb = layout.partition %svt(%t), b of #pv
      %s = layout.partition_fragment c of #qk, (128,128)
      %p = layout.partition_fragment a of #pv, (128,128)
      %acc = layout.partition_fragment c of #pv, (128,128)
      %m = layout.alloc : !rows
      %l = layout.alloc : !rows
      %al = layout.alloc : !rows
      %nm = layout.alloc : !rows
      %mx = layout.alloc : !rows
      %part = layout.alloc : !rows
      // A thread's values of each of its two rows, as the fragments see it.
      %mx_s = layout.composition %mx, #layout<((2,2,16),1,1):((0,1,0),0,0)>
      %nm_s = layout.composition %nm, #layout<((2,2,16),1,1):((0,1,0),0,0)>
      %al_o = layout.composition %al, #layout<((2,2,16),1,1):((0,1,0),0,0)>
      %by_row = layout.composition %s, #layout<((2,16),2):((1,4),2)>
      %part_s = layout.composition %part, #layout<((2,16),2):((0,0),1)>
      %ri = layout.identity_tensor : !layout.view<index, coordinate, (128,128):(1,0)>
      %ci = layout.identity_tensor : !layout.view<index, coordinate, (128,128):(0,1)>
      %rp = layout.partition %ri(%t), c of #qk
      %cp = layout.partition %ci(%t), c of #qk
      layout.fill %m, %low
      layout.fill %l, %zero
      layout.fill %acc, %zero
      layout.wait %c0, %full_q(0)
      layout.wait %c0, %full_k(0)
      // The scores of the first block, and their softmax.
      %k0 = layout.slice %kb(_, _, _, 0)
      layout.mma #layout.atom<wgmma_m64n128k16_f32_bf16> %qa, %k0, %s overwrite async
      layout.wait_mma %s pending 0
      layout.arrive %empty_k(0)
      // The last block of keys is on the diagonal; keys after the query do not count.
      layout.map ins(%rp, %cp : !layout.view<index, coordinate, ((2,2,16),1,1):((0,8,0),0,0)>, !layout.view<index, coordinate, ((2,2,16),1,1):((1,0,8),0,0)>) outs(%s : !s) {
      ^bb0(%r: index, %c: index, %x: f32):
        %r32 = arith.index_cast %r : index to i32
        %c32 = arith.index_cast %c : index to i32
        %d = arith.subi %c32, %r32 : i32
        %keep = arith.cmpi sle, %d, %diagonal : i32
        %y = arith.select %keep, %x, %ninf : f32
        layout.yield %y : f32
      }
      layout.reduce max %s into %mx_s along [1] threads(#layout.thread_values<c of #qk, (128,128)>) tile(#layout<(128,128)>) : !s, !s_row
      layout.map ins(%mx : !rows) outs(%m, %al, %nm, %l : !rows, !rows, !rows, !rows) {
      ^bb0(%new: f32, %old: f32, %a0: f32, %n0: f32, %l0: f32):
        %m1 = arith.maximumf %old, %new : f32
        %d0 = arith.subf %old, %m1 : f32
        %d1 = arith.mulf %d0, %scale : f32
        %a1 = math.exp2 %d1 fastmath<afn> : f32
        %ms = arith.mulf %m1, %scale : f32
        %n1 = arith.negf %ms : f32
        %l1 = arith.mulf %l0, %a1 : f32
        layout.yield %m1, %a1, %n1, %l1 : f32, f32, f32, f32
      }
      layout.map ins(%nm_s : !s_row) outs(%s : !s) {
      ^bb0(%n0: f32, %x: f32):
        %y = math.fma %x, %scale, %n0 : f32
        %e = math.exp2 %y fastmath<afn> : f32
        layout.yield %e : f32
      }
      layout.reduce add %by_row into %part_s along [0] : !by_row, !by_row_1
      layout.map ins(%part : !rows) outs(%l : !rows) {
      ^bb0(%x: f32, %l0: f32):
        %l1 = arith.addf %l0, %x : f32
        layout.yield %l1 : f32
      }
      layout.copy #layout.atom<simt_2> %s, %p
      // The scores of the next block and this one's sums are in flight together; while the sums are, softmax.
      scf.for %j = %c1 to %n step %c1 {
        %before = arith.subi %j, %c1 : index
        %sk_j = arith.remui %j, %st_n : index
        %rk_j = arith.divui %j, %st_n : index
        %sv_j = arith.remui %before, %st_n : index
        %rv_j = arith.divui %before, %st_n : index
        %kj = layout.slice %kb(_, _, _, %sk_j)
        %vj = layout.slice %vb(_, _, _, %sv_j)
        layout.wait %rk_j, %full_k(%sk_j)
        layout.mma #layout.atom<wgmma_m64n128k16_f32_bf16> %qa, %kj, %s overwrite async
        layout.wait %rv_j, %full_v(%sv_j)
        layout.mma #layout.atom<wgmma_ra_m64n128k16_f32_bf16> %p, %vj, %acc async
        layout.wait_mma %s pending 1
        layout.arrive %empty_k(%sk_j)
        layout.reduce max %s into %mx_s along [1] threads(#layout.thread_values<c of #qk, (128,128)>) tile(#layout<(128,128)>) : !s, !s_row
        layout.map ins(%mx : !rows) outs(%m, %al, %nm, %l : !rows, !rows, !rows, !rows) {
        ^bb0(%new: f32, %old: f32, %a0: f32, %n0: f32, %l0: f32):
          %m1 = arith.maximumf %old, %new : f32
          %d0 = arith.subf %old, %m1 : f32
          %d1 = arith.mulf %d0, %scale : f32
          %a1 = math.exp2 %d1 fastmath<afn> : f32
          %ms = arith.mulf %m1, %scale : f32
          %n1 = arith.negf %ms : f32
          %l1 = arith.mulf %l0, %a1 : f32
          layout.yield %m1, %a1, %n1, %l1 : f32, f32, f32, f32
        }
        layout.map ins(%nm_s : !s_row) outs(%s : !s) {
        ^bb0(%n0: f32, %x: f32):
          %y = math.fma %x, %scale, %n0 : f32
          %e = math.exp2 %y fastmath<afn> : f32
          layout.yield %e : f32
        }
        layout.reduce add %by_row into %part_s along [0] : !by_row, !by_row_1
        layout.map ins(%part : !rows) outs(%l : !rows) {
        ^bb0(%x: f32, %l0: f32):
          %l1 = arith.addf %l0, %x : f32
          layout.yield %l1 : f32
        }
        layout.wait_mma %acc pending 0
        layout.arrive %empty_v(%sv_j)
        layout.copy #layout.atom<simt_2> %s, %p
        layout.map ins(%al_o : !acc_row) outs(%acc : !acc) {
        ^bb0(%a0: f32, %x: f32):
          %y = arith.mulf %x, %a0 : f32
          layout.yield %y : f32
        }
      } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
      %sl = arith.remui %bm, %st_n : index
      %rl = arith.divui %bm, %st_n : index
      %vl = layout.slice %vb(_, _, _, %sl)
      layout.wait %rl, %full_v(%sl)
      layout.mma #layout.atom<wgmma_ra_m64n128k16_f32_bf16> %p, %vl, %acc async
      // A row is in four lanes.
      layout.reduce add %l into %part along [1] threads(#layout<((4,8,4,2),2):((1@1,1@0,16@0,64@0),8@0)>) : !rows, !rows
      layout.map ins(%part : !rows) outs(%al : !rows) {
      ^bb0(%x: f32, %a0: f32):
        %y = arith.divf %one, %x : f32
        layout.yield %y : f32
      }
      layout.wait_mma %acc pending 0
      layout.map ins(%al_o : !acc_row) outs(%acc : !acc) {
      ^bb0(%a0: f32, %x: f32):
        %y = arith.mulf %x, %a0 : f32
        layout.yield %y : f32
      }
      %oh = layout.slice %o(_, _, %head)
      %ot = layout.local_tile %oh(%bm, 0), #layout<(128,128)>
      %og = layout.partition %ot(%t), c of #pv
      layout.copy #layout.atom<simt_2> %acc, %og
    } else {
      nvvm.setmaxregister decrease 24
      // One thread loads.
      %loads = arith.cmpi eq, %t, %consumers : index
      scf.if %loads {
        %iqa = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,64):(1,0,0)>
        %iqb = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,64):(0,1,0)>
        %iqc = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,64):(0,0,1)>
        %ika = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,16):(1,0,0)>
        %ikb = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,16):(0,1,0)>
        %ikc = layout.identity_tensor : !layout.view<index, coordinate, (4096,128,16):(0,0,1)>
        layout.transaction %full_q(0) {
          %g = layout.local_tile %q(%bm, 0, %head), #layout<(128,128,1)>
          %ga = layout.local_tile %iqa(%bm, 0, %head), #layout<(128,128,1)>
          %gb = layout.local_tile %iqb(%bm, 0, %head), #layout<(128,128,1)>
          %gc = layout.local_tile %iqc(%bm, 0, %head), #layout<(128,128,1)>
          layout.copy #layout.atom<bulk_tensor_load> %g, %sq predicate(%ga < 4096, %gb < 128, %gc < 64)
        }
        scf.for %j = %c0 to %n step %c1 {
          %st = arith.remui %j, %st_n : index
          %rt = arith.divui %j, %st_n : index
          %rd1 = arith.subi %rt, %c1 : index
          %jb = arith.subi %bm, %j : index
          %skj = layout.slice %sk(_, _, %st)
          %svj = layout.slice %sv(_, _, %st)
          layout.wait %rd1, %empty_k(%st)
          layout.transaction %full_k(%st) {
            %g = layout.local_tile %k(%jb, 0, %kvh), #layout<(128,128,1)>
            %ga = layout.local_tile %ika(%jb, 0, %kvh), #layout<(128,128,1)>
            %gb = layout.local_tile %ikb(%jb, 0, %kvh), #layout<(128,128,1)>
            %gc = layout.local_tile %ikc(%jb, 0, %kvh), #layout<(128,128,1)>
            layout.copy #layout.atom<bulk_tensor_load> %g, %skj predicate(%ga < 4096, %gb < 128, %gc < 16)
          }
          layout.wait %rd1, %empty_v(%st)
          layout.transaction %full_v(%st) {
            %g = layout.local_tile %v(%jb, 0, %kvh), #layout<(128,128,1)>
            %ga = layout.local_tile %ika(%jb, 0, %kvh), #layout<(128,128,1)>
            %gb = layout.local_tile %ikb(%jb, 0, %kvh), #layout<(128,128,1)>
            %gc = layout.local_tile %ikc(%jb, 0, %kvh), #layout<(128,128,1)>
            layout.copy #layout.atom<bulk_tensor_load> %g, %svj predicate(%ga < 4096, %gb < 128, %gc < 16)
          }
        }
      }
    }
    gpu.return
  }
}

