// Decode attention over a paged KV cache: one query token for each sequence, 64 heads of 128 elements, bf16, grouped by 8 heads that share
// keys and values; o = softmax(q k^T / sqrt(128)) v. A page holds 16 tokens of one head. A page table lists the pages of each sequence, and
// `lengths` has its number of tokens.
//
// Split-KV: 16 blocks share the pages of a sequence and a head of keys; each of a block's four warps takes every 64th page. A warp has three
// stages of its own in shared memory, and copies two pages ahead; it reads a page's number one iteration before the copy. Tokens past the
// length are zeros in shared memory, and their scores are -1e30.
//
// S = Q K^T has the 8 queries of a group in the first 8 rows of an m16 tile; the other rows repeat them and are ignored. A lane's fragment of
// S is its fragment of B for the second MMA, which therefore computes O^T = V^T P^T, with the 8 queries as its n8. At the end the warps add
// their accumulators. A block stores its part normalised, with the logarithm of its sum; @attention_decode_combine weighs the parts by
// these.

#qk = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (1,1,1), (16,16,16)>
#vp = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (1,1,1), (16,8,16)>
#copy = #layout.tiled_copy<cp_async_16, (2,16):(16,1), (1,8)>
#load_k = #layout.tiled_copy<ldmatrix_x4, b of #qk>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, a of #vp>
// Thread-value layouts of scores, (lane, value) to (query, token), and of accumulators, ((lane, warp), value) to (element, query, warp).
#rows = #layout<((4,8),(2,2)):((2@1,1@0),(1@1,8@1))>
#sums = #layout<((4,8,4),((2,2),8,1)):((2@1,1@0,1@2),((1@1,8@0),16@0,0))>
#once = #llvm.loop_annotation<unroll = <disable = true>>
!q = !layout.view<bf16, global, ((8,2),128,8,?{range=1..4096}):((128,0),1,1024,8192)>
!pages = !layout.view<bf16, global, (16,128,8,?{range=1..1048576}):(128,1,2048,16384)>
!table = !layout.view<i32, global, (?{range=1..8192},?{range=1..4096}):(1,8192)>
!lengths = !layout.view<i32, global, (?{range=1..4096}):(1)>
!parts = !layout.view<f32, global, ((2,4),128,8,16,?{range=1..4096}):((128,256),1,1024,8192,131072)>
!sums = !layout.view<f32, global, ((2,4),8,16,?{range=1..4096}):((1,2),8,64,1024)>
!o = !layout.view<bf16, global, (8,128,8,?{range=1..4096}):(128,1,1024,8192)>
!shared = !layout.view<bf16, shared, S<3,3,4> o 0 o (16,128,3,4):(128,1,2048,6144)>
!one = !layout.view<f32, register, 1:0>
!two = !layout.view<f32, register, 2:1>
!s = !layout.view<f32, register, (2,2):(1,4)>
!acc = !layout.view<f32, register, ((2,2),8,1):((1,2),4,0)>
!acc_query = !layout.view<f32, register, ((2,2),8,1):((1,0),0,0)>
!tokens = !layout.view<index, coordinate, (2,2):(1,8)>
!two_of = !layout.view<f32, register, (2,1):(1,0)>
!slots = !layout.view<f32, shared, ((2,4),4,2):((1,2),8,32)>
!warps = !layout.view<f32, register, (2,4):(1,2)>
!sixteen = !layout.view<f32, register, 16:1>
gpu.module @attention_decode {
  gpu.func @attention_decode(%q: !q, %k: !pages, %v: !pages, %table: !table, %lengths: !lengths, %parts: !parts, %sums: !sums) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @attention_decode_reference,
      layout.kernel = {grid = [16, 8, "seqs"], sizes = ["seqs", "pages", "pages", "context", "seqs", "seqs", "seqs", "seqs"],
        names = ["q", "k", "v", "table", "lengths", "parts", "sums"],
        values = {table = [0, "pages-1"], lengths = [1, "16*context"]}, chip = "sm_80"}} {
    %t = gpu.thread_id x
    %split = gpu.block_id x
    %head = gpu.block_id y
    %seq = gpu.block_id z
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %four = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    %mask = arith.constant -1 : i32
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -1.0e30 : f32
    %tiny = arith.constant 1.0e-30 : f32
    // log2(e) / sqrt(128)
    %scale = arith.constant 0.127517432 : f32
    %in:2 = layout.idx2crd %t, #layout<(32,4)>
    %of:2 = layout.idx2crd %in#0, #layout<(4,8)>
    // The warp's iterations: pages %first, %first + 64, … of the sequence.
    %length32 = layout.load %lengths(%seq) : !lengths
    %length = arith.index_cast %length32 : i32 to index
    %pages = arith.ceildivui %length, %c16 : index
    %last = arith.subi %pages, %c1 : index
    %splits = arith.muli %split, %c4 : index
    %first = arith.addi %splits, %in#1 : index
    %up = arith.addi %pages, %c63 : index
    %left = arith.subi %up, %first : index
    %rounds = arith.divui %left, %c64 : index
    %end = arith.addi %rounds, %c2 : index
    %sk = layout.alloc : !shared
    %sv = layout.alloc : !shared
    %slots = layout.alloc : !slots
    %m_warps = layout.alloc : !warps
    %l_warps = layout.alloc : !warps
    %all_m = layout.alloc : !two_of
    %all_l = layout.alloc : !two_of
    %log = layout.alloc : !two
    %fq = layout.partition_fragment a of #qk, (16,128)
    %fk = layout.partition_fragment b of #qk, (16,128)
    %fs = layout.partition_fragment c of #qk, (16,16)
    %fv = layout.partition_fragment a of #vp, (128,16)
    %p = layout.partition_fragment b of #vp, (8,16)
    %acc = layout.partition_fragment c of #vp, (128,8)
    %m = layout.alloc : !one
    %l = layout.alloc : !one
    %mx = layout.alloc : !one
    %al = layout.alloc : !one
    %pair = layout.alloc : !two
    %pair_acc = layout.composition %pair, #layout<((2,2),8,1):((1,0),0,0)>
    // The lane's row of scores, and the tokens of the page to which they belong.
    %s = layout.slice %fs((_, 0), 0, _)
    %token_ids = layout.identity_tensor : !layout.view<index, coordinate, (16,16):(0,1)>
    %tokens_of = layout.partition %token_ids(%in#0), c of #qk
    %token = layout.slice %tokens_of((_, 0), 0, _)
    %row_ids = layout.identity_tensor : !layout.view<index, coordinate, (16,128):(1,0)>
    %rows = layout.partition %row_ids(%in#0), source of #copy
    %sk_w = layout.slice %sk(_, _, _, %in#1)
    %sv_w = layout.slice %sv(_, _, _, %in#1)
    %vt_w = layout.select %sv_w, [1, 0, 2]
    %kw = layout.partition %sk_w(%in#0), target of #copy
    %vw = layout.partition %sv_w(%in#0), target of #copy
    %kf = layout.partition %sk_w(%in#0), source of #load_k
    %vf = layout.partition %vt_w(%in#0), source of #load_v
    %lk = layout.retile %fk, #load_k
    %lv = layout.retile %fv, #load_v
    %q_own = layout.slice %q(_, _, %head, %seq)
    %qf = layout.partition %q_own(%in#0), a of #qk
    layout.copy #layout.atom<simt_2> %qf, %fq
    layout.fill %acc, %zero
    layout.fill %l, %zero
    layout.fill %m, %low
    // A lane accumulates the columns of queries 2 i and 2 i + 1, whose rows of scores are in lanes 8 i and 8 i + 4.
    %column = arith.muli %of#0, %c8 : index
    %from0 = arith.index_cast %column : index to i32
    %from1 = arith.addi %from0, %four : i32
    %first_on = arith.minui %first, %last : index
    %number0 = layout.load %table(%first_on, %seq) : !table
    // Iteration i loads its page, and computes on the page of iteration i - 2.
    %number_end = scf.for %i = %c0 to %end step %c1 iter_args(%number = %number0) -> i32 {
      %steps = arith.muli %i, %c64 : index
      %at = arith.addi %first, %steps : index
      %next = arith.addi %at, %c64 : index
      %next_on = arith.minui %next, %last : index
      %next_number = layout.load %table(%next_on, %seq) : !table
      nvvm.cp.async.wait.group 1
      nvvm.bar.warp.sync %mask : i32
      %is_more = arith.cmpi ult, %i, %rounds : index
      scf.if %is_more {
        %page = arith.index_cast %number : i32 to index
        %before = arith.muli %at, %c16 : index
        %tokens = arith.subi %length, %before : index
        %stage = arith.remui %i, %c3 : index
        %k_page = layout.slice %k(_, _, %head, %page)
        %v_page = layout.slice %v(_, _, %head, %page)
        %kg = layout.partition %k_page(%in#0), source of #copy
        %vg = layout.partition %v_page(%in#0), source of #copy
        %kh = layout.slice %kw(_, _, _, %stage)
        %vh = layout.slice %vw(_, _, _, %stage)
        layout.copy #layout.atom<cp_async_16> %kg, %kh predicate(%rows < %tokens)
        layout.copy #layout.atom<cp_async_16> %vg, %vh predicate(%rows < %tokens)
      }
      nvvm.cp.async.commit.group
      %is_there = arith.cmpi uge, %i, %c2 : index
      scf.if %is_there {
        %round = arith.subi %i, %c2 : index
        %stage = arith.remui %round, %c3 : index
        %round_steps = arith.muli %round, %c64 : index
        %round_at = arith.addi %first, %round_steps : index
        %before = arith.muli %round_at, %c16 : index
        %tokens = arith.subi %length, %before : index
        %ks = layout.slice %kf(_, _, _, %stage)
        layout.copy #layout.atom<ldmatrix_x4> %ks, %lk
        layout.fill %fs, %zero
        layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %fs
        layout.map ins(%token : !tokens) outs(%s : !s) {
        ^bb0(%own: index, %x: f32):
          %is_token = arith.cmpi ult, %own, %tokens : index
          %y = arith.select %is_token, %x, %low : f32
          layout.yield %y : f32
        }
        layout.reduce max %s into %mx along [1] threads(#rows) : !s, !one
        layout.map ins(%mx : !one) outs(%m, %al : !one, !one) {
        ^bb0(%new: f32, %old: f32, %a0: f32):
          %m1 = arith.maximumf %old, %new : f32
          %d = arith.subf %old, %m1 : f32
          %e = arith.mulf %d, %scale : f32
          %a1 = math.exp2 %e fastmath<afn> : f32
          layout.yield %m1, %a1 : f32, f32
        }
        layout.map ins(%m : !one) outs(%s : !s) {
        ^bb0(%max: f32, %x: f32):
          %d = arith.subf %x, %max : f32
          %y = arith.mulf %d, %scale : f32
          %e = math.exp2 %y fastmath<afn> : f32
          layout.yield %e : f32
        }
        layout.reduce add %s into %mx along [0, 1] : !s, !one
        layout.map ins(%mx, %al : !one, !one) outs(%l : !one) {
        ^bb0(%x: f32, %a: f32, %old: f32):
          %y = math.fma %old, %a, %x : f32
          layout.yield %y : f32
        }
        %alpha = layout.load %al(0) : !one
        %alpha0, %valid0 = gpu.shuffle idx %alpha, %from0, %width : f32
        %alpha1, %valid1 = gpu.shuffle idx %alpha, %from1, %width : f32
        layout.store %alpha0, %pair(0) : !two
        layout.store %alpha1, %pair(1) : !two
        layout.map ins(%pair_acc : !acc_query) outs(%acc : !acc) {
        ^bb0(%a: f32, %x: f32):
          %y = arith.mulf %x, %a : f32
          layout.yield %y : f32
        }
        layout.copy #layout.atom<simt_2> %s, %p
        %vs = layout.slice %vf(_, _, _, %stage)
        layout.copy #layout.atom<ldmatrix_x4_trans> %vs, %lv
        layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fv, %p, %acc
      }
      scf.yield %next_number : i32
    } {llvm.loop_annotation = #once}
    // Exchanges each warp's maximum and sum of a query through shared memory.
    layout.reduce add %l into %l along [1] threads(#layout<((4,8),1):((1@1,1@0),0)>) : !one, !one
    %is_first = arith.cmpi eq, %of#0, %c0 : index
    scf.if %is_first {
      %largest = layout.load %m(0) : !one
      %sum = layout.load %l(0) : !one
      layout.store %largest, %slots(%of#1, %in#1, 0) : !slots
      layout.store %sum, %slots(%of#1, %in#1, 1) : !slots
    }
    gpu.barrier
    %m_there = layout.slice %slots((_, %of#0), _, 0)
    %l_there = layout.slice %slots((_, %of#0), _, 1)
    %m_here = layout.slice %slots((_, %of#0), %in#1, 0)
    layout.copy #layout.atom<simt_1> %m_there, %m_warps
    layout.copy #layout.atom<simt_1> %l_there, %l_warps
    layout.copy #layout.atom<simt_1> %m_here, %pair
    layout.reduce max %m_warps into %all_m along [1] : !warps, !two_of
    layout.map ins(%all_m, %m_warps : !two_of, !warps) outs(%l_warps : !warps) {
    ^bb0(%all: f32, %own: f32, %sum: f32):
      %d = arith.subf %own, %all : f32
      %e = arith.mulf %d, %scale : f32
      %a = math.exp2 %e fastmath<afn> : f32
      %y = arith.mulf %sum, %a : f32
      layout.yield %y : f32
    }
    layout.reduce add %l_warps into %all_l along [1] : !warps, !two_of
    layout.map ins(%all_m, %all_l : !two_of, !two_of) outs(%pair, %log : !two, !two) {
    ^bb0(%all: f32, %sum: f32, %own: f32, %old: f32):
      %some = arith.maximumf %sum, %tiny : f32
      %d = arith.subf %own, %all : f32
      %e = arith.mulf %d, %scale : f32
      %a = math.exp2 %e fastmath<afn> : f32
      %y = arith.divf %a, %some : f32
      %bits = math.log2 %sum fastmath<afn> : f32
      %sum_log = math.fma %all, %scale, %bits : f32
      layout.yield %y, %sum_log : f32, f32
    }
    layout.map ins(%pair_acc : !acc_query) outs(%acc : !acc) {
    ^bb0(%a: f32, %x: f32):
      %y = arith.mulf %x, %a : f32
      layout.yield %y : f32
    }
    layout.reduce add %acc into %acc along [2] threads(#sums) : !acc, !acc
    %is_warp = arith.cmpi eq, %in#1, %c0 : index
    scf.if %is_warp {
      %part = layout.slice %parts(_, _, %head, %split, %seq)
      %part_t = layout.select %part, [1, 0]
      %own = layout.partition %part_t(%in#0), c of #vp
      layout.copy #layout.atom<simt_1> %acc, %own
      %is_row = arith.cmpi eq, %of#1, %c0 : index
      scf.if %is_row {
        %sums_own = layout.slice %sums((_, %of#0), %head, %split, %seq)
        layout.copy #layout.atom<simt_1> %log, %sums_own
      }
    }
    gpu.return
  }

  // Combines the 16 parts of a sequence, weighed by their sums: a block for each head of queries, a thread for each element.
  gpu.func @attention_decode_combine(%parts: !parts, %sums: !sums, %o: !o) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @attention_decode_combine_reference,
      layout.kernel = {grid = [8, 8, "seqs"], sizes = ["seqs", "seqs", "seqs"], names = ["parts", "sums", "o"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %query = gpu.block_id x
    %head = gpu.block_id y
    %seq = gpu.block_id z
    %x = layout.alloc : !sixteen
    %w = layout.alloc : !sixteen
    %largest = layout.alloc : !one
    %sum = layout.alloc : !one
    %part = layout.slice %parts(%query, %t, %head, _, %seq)
    %log = layout.slice %sums(%query, %head, _, %seq)
    layout.copy #layout.atom<simt_1> %part, %x
    layout.copy #layout.atom<simt_1> %log, %w
    layout.reduce max %w into %largest along [0] : !sixteen, !one
    layout.map ins(%largest : !one) outs(%w, %x : !sixteen, !sixteen) {
    ^bb0(%max: f32, %own: f32, %y: f32):
      %d = arith.subf %own, %max : f32
      %e = math.exp2 %d fastmath<afn> : f32
      %z = arith.mulf %y, %e : f32
      layout.yield %e, %z : f32, f32
    }
    layout.reduce add %w into %sum along [0] : !sixteen, !one
    layout.reduce add %x into %largest along [0] : !sixteen, !one
    layout.map ins(%sum : !one) outs(%largest : !one) {
    ^bb0(%all: f32, %y: f32):
      %z = arith.divf %y, %all : f32
      layout.yield %z : f32
    }
    %own = layout.load %largest(0) : !one
    %narrow = arith.truncf %own : f32 to bf16
    layout.store %narrow, %o(%query, %t, %head, %seq) : !o
    gpu.return
  }
}

// The reference computes each part, one row of scores at a time; it rounds probabilities to bf16, as the second MMA reads them.
func.func @attention_decode_reference(%q: memref<16x128x8x?xbf16>, %k: memref<16x128x8x?xbf16>, %v: memref<16x128x8x?xbf16>,
    %table: memref<?x?xi32>, %lengths: memref<?xi32>, %parts: memref<8x128x8x16x?xf32>, %sums: memref<8x8x16x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %d = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %tiny = arith.constant 1.0e-30 : f32
  %scale = arith.constant 0.127517432 : f32
  %seqs = memref.dim %lengths, %c0 : memref<?xi32>
  %context = memref.dim %table, %c0 : memref<?x?xi32>
  %most = arith.muli %context, %c16 : index
  %row = memref.alloc(%most) : memref<?xf32>
  scf.for %seq = %c0 to %seqs step %c1 {
    %length32 = memref.load %lengths[%seq] : memref<?xi32>
    %length = arith.index_cast %length32 : i32 to index
    scf.for %head = %c0 to %c8 step %c1 {
      scf.for %query = %c0 to %c8 step %c1 {
        scf.for %split = %c0 to %c16 step %c1 {
          // Only tokens whose page belongs to this part.
          %max = scf.for %token = %c0 to %length step %c1 iter_args(%before = %low) -> f32 {
            %at = arith.divui %token, %c16 : index
            %group = arith.divui %at, %c4 : index
            %own = arith.remui %group, %c16 : index
            %is_own = arith.cmpi eq, %own, %split : index
            %next = scf.if %is_own -> f32 {
              %number = memref.load %table[%at, %seq] : memref<?x?xi32>
              %page = arith.index_cast %number : i32 to index
              %in_page = arith.remui %token, %c16 : index
              %dot = scf.for %x = %c0 to %d step %c1 iter_args(%sum = %zero) -> f32 {
                %a = memref.load %q[%query, %x, %head, %seq] : memref<16x128x8x?xbf16>
                %b = memref.load %k[%in_page, %x, %head, %page] : memref<16x128x8x?xbf16>
                %aw = arith.extf %a : bf16 to f32
                %bw = arith.extf %b : bf16 to f32
                %p = arith.mulf %aw, %bw : f32
                %more = arith.addf %sum, %p : f32
                scf.yield %more : f32
              }
              memref.store %dot, %row[%token] : memref<?xf32>
              %larger = arith.maximumf %before, %dot : f32
              scf.yield %larger : f32
            } else {
              memref.store %low, %row[%token] : memref<?xf32>
              scf.yield %before : f32
            }
            scf.yield %next : f32
          }
          %total = scf.for %token = %c0 to %length step %c1 iter_args(%before = %zero) -> f32 {
            %score = memref.load %row[%token] : memref<?xf32>
            %is_none = arith.cmpf oeq, %score, %low : f32
            %below = arith.subf %score, %max : f32
            %scaled = arith.mulf %below, %scale : f32
            %e = math.exp2 %scaled : f32
            %p = arith.select %is_none, %zero, %e : f32
            memref.store %p, %row[%token] : memref<?xf32>
            %more = arith.addf %before, %p : f32
            scf.yield %more : f32
          }
          %some = arith.maximumf %total, %tiny : f32
          scf.for %x = %c0 to %d step %c1 {
            memref.store %zero, %parts[%query, %x, %head, %split, %seq] : memref<8x128x8x16x?xf32>
          }
          scf.for %token = %c0 to %length step %c1 {
            %p = memref.load %row[%token] : memref<?xf32>
            %is_some = arith.cmpf one, %p, %zero : f32
            scf.if %is_some {
              %at = arith.divui %token, %c16 : index
              %number = memref.load %table[%at, %seq] : memref<?x?xi32>
              %page = arith.index_cast %number : i32 to index
              %in_page = arith.remui %token, %c16 : index
              %narrow = arith.truncf %p : f32 to bf16
              %rounded = arith.extf %narrow : bf16 to f32
              %part = arith.divf %rounded, %some : f32
              scf.for %x = %c0 to %d step %c1 {
                %b = memref.load %v[%in_page, %x, %head, %page] : memref<16x128x8x?xbf16>
                %bw = arith.extf %b : bf16 to f32
                %add = arith.mulf %part, %bw : f32
                %before = memref.load %parts[%query, %x, %head, %split, %seq] : memref<8x128x8x16x?xf32>
                %more = arith.addf %before, %add : f32
                memref.store %more, %parts[%query, %x, %head, %split, %seq] : memref<8x128x8x16x?xf32>
              }
            }
          }
          %largest = arith.mulf %max, %scale : f32
          %bits = math.log2 %total : f32
          %log = arith.addf %largest, %bits : f32
          memref.store %log, %sums[%query, %head, %split, %seq] : memref<8x8x16x?xf32>
        }
      }
    }
  }
  memref.dealloc %row : memref<?xf32>
  return
}

func.func @attention_decode_combine_reference(%parts: memref<8x128x8x16x?xf32>, %sums: memref<8x8x16x?xf32>, %o: memref<8x128x8x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %d = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %seqs = memref.dim %o, %c3 : memref<8x128x8x?xbf16>
  scf.for %seq = %c0 to %seqs step %c1 {
    scf.for %head = %c0 to %c8 step %c1 {
      scf.for %query = %c0 to %c8 step %c1 {
        scf.for %x = %c0 to %d step %c1 {
          %all, %total = scf.for %split = %c0 to %c16 step %c1 iter_args(%sum = %zero, %weights = %zero) -> (f32, f32) {
            %log = memref.load %sums[%query, %head, %split, %seq] : memref<8x8x16x?xf32>
            %part = memref.load %parts[%query, %x, %head, %split, %seq] : memref<8x128x8x16x?xf32>
            %weight = math.exp2 %log : f32
            %add = arith.mulf %weight, %part : f32
            %more = arith.addf %sum, %add : f32
            %more_weights = arith.addf %weights, %weight : f32
            scf.yield %more, %more_weights : f32, f32
          }
          %mean = arith.divf %all, %total : f32
          %narrow = arith.truncf %mean : f32 to bf16
          memref.store %narrow, %o[%query, %x, %head, %seq] : memref<8x128x8x?xbf16>
        }
      }
    }
  }
  return
}
