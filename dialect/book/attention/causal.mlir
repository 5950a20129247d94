// Step 5: causal, with a number of tokens known at run time, and two heads of queries for each head of keys and values.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_q = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_k = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, b of #mma>
// (tokens, channels, heads): four heads of queries, two of keys and values.
!queries = !layout.view<bf16, global, (?{range=1..65536},64,4):(256,1,64)>
!keys = !layout.view<bf16, global, (?{range=1..65536},64,2):(128,1,64)>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!stages = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,3):(64,1,4096)>
!scores = !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>
!row = !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
!row_ids = !layout.view<index, coordinate, ((2,2),1,8):((0,8),0,0)>
!column_ids = !layout.view<index, coordinate, ((2,2),1,8):((1,0),0,8)>
!two = !layout.view<f32, register, (2):(1)>

gpu.module @kernels {
  gpu.func @causal(%q: !queries, %k: !keys, %v: !keys, %o: !queries) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @causal_reference,
                  layout.kernel = {grid = ["ceil_div(n,64)", 4], sizes = ["n", "n", "n", "n"],
                                   names = ["q", "k", "v", "o"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %head = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %scale = arith.constant 0.125 : f32
    // Keys past the last query of the block are masked: as many tiles as queries have.
    %tiles = arith.addi %block, %c1 : index
    %sq = layout.alloc : !tile
    %sk = layout.alloc : !stages
    %sv = layout.alloc : !stages
    // The head's matrices; two heads of queries share one of keys and values.
    %kv_head = arith.divui %head, %c2 : index
    %q_head = layout.slice %q(_, _, %head)
    %k_head = layout.slice %k(_, _, %kv_head)
    %v_head = layout.slice %v(_, _, %kv_head)
    %o_head = layout.slice %o(_, _, %head)
    // Thread partition of the K and V copies: (moved, rows, columns, tiles) to (moved, rows, columns, stages).
    %q_tile = layout.local_tile %q_head(%block, 0), #layout<(64,64)>
    %k_tiles = layout.local_tile %k_head(_, 0), #layout<(64,64)>
    %v_tiles = layout.local_tile %v_head(_, 0), #layout<(64,64)>
    %q_from = layout.partition %q_tile(%t), source of #copy
    %k_from = layout.partition %k_tiles(%t), source of #copy
    %v_from = layout.partition %v_tiles(%t), source of #copy
    %q_to = layout.partition %sq(%t), target of #copy
    %k_to = layout.partition %sk(%t), target of #copy
    %v_to = layout.partition %sv(%t), target of #copy
    // The identity tensor of a tile: rows, as the copies and the accumulators have them, and columns as these do.
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(0,1)>
    %row_copied = layout.partition %rows(%t), source of #copy
    %row_own = layout.partition %rows(%t), c of #mma
    %column_own = layout.partition %columns(%t), c of #mma
    // Rows of the block's tile, and of a tile of keys, in front of the end.
    %tokens = layout.slice %q(_, 0, 0)
    %n = layout.size %tokens : !layout.view<bf16, global, (?{range=1..65536}):(256)>
    %first = arith.muli %block, %c64 : index
    %limit = arith.subi %n, %first : index
    // Its loads for the tensor core.
    %fq = layout.partition_fragment a of #mma, (64,64)
    %fk = layout.partition_fragment b of #mma, (64,64)
    %fv = layout.partition_fragment b of #mma, (64,64)
    %vt = layout.select %sv, [1, 0, 2]
    %q_own = layout.partition %sq(%t), source of #load_q
    %k_own = layout.partition %sk(%t), source of #load_k
    %v_own = layout.partition %vt(%t), source of #load_v
    %q_regs = layout.retile %fq, #load_q
    %k_regs = layout.retile %fk, #load_k
    %v_regs = layout.retile %fv, #load_v
    // Scores, probabilities, accumulators; the state of each row, as the reductions see it and as two numbers.
    %s = layout.partition_fragment c of #mma, (64,64)
    %p = layout.partition_fragment a of #mma, (64,64)
    %acc = layout.partition_fragment c of #mma, (64,64)
    %tile_max = layout.alloc : !row
    %tile_sum = layout.alloc : !row
    %max = layout.alloc : !row
    %sum = layout.alloc : !row
    %alpha = layout.alloc : !row
    %tile_max2 = layout.slice %tile_max((0, _), 0, 0)
    %tile_sum2 = layout.slice %tile_sum((0, _), 0, 0)
    %max2 = layout.slice %max((0, _), 0, 0)
    %sum2 = layout.slice %sum((0, _), 0, 0)
    %alpha2 = layout.slice %alpha((0, _), 0, 0)
    layout.fill %acc, %zero
    layout.fill %sum2, %zero
    layout.fill %max2, %least
    // Prologue: Q and the first two tiles of K and V are in flight, a group each.
    layout.copy #layout.atom<cp_async_16> %q_from, %q_to predicate(%row_copied < %limit : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>)
    scf.for %j = %c0 to %c2 step %c1 {
      %before = arith.muli %j, %c64 : index
      %end = arith.subi %n, %before : index
      %k_j = layout.slice %k_from(_, _, _, %j)
      %v_j = layout.slice %v_from(_, _, _, %j)
      %k_stage = layout.slice %k_to(_, _, _, %j)
      %v_stage = layout.slice %v_to(_, _, _, %j)
      layout.copy #layout.atom<cp_async_16> %k_j, %k_stage predicate(%row_copied < %end : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>)
      layout.copy #layout.atom<cp_async_16> %v_j, %v_stage predicate(%row_copied < %end : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>)
      nvvm.cp.async.commit.group
    }
    nvvm.cp.async.wait.group 1
    gpu.barrier
    layout.copy #layout.atom<ldmatrix_x4> %q_own, %q_regs
    scf.for %j = %c0 to %tiles step %c1 {
      // Tile j is here for all threads, and all are done with tile j - 1, whose stage the copies below take.
      nvvm.cp.async.wait.group 1
      gpu.barrier
      %next = arith.addi %j, %c2 : index
      %is_more = arith.cmpi ult, %next, %tiles : index
      scf.if %is_more {
        %before = arith.muli %next, %c64 : index
        %end = arith.subi %n, %before : index
        %free = arith.remui %next, %c3 : index
        %k_j = layout.slice %k_from(_, _, _, %next)
        %v_j = layout.slice %v_from(_, _, _, %next)
        %k_stage = layout.slice %k_to(_, _, _, %free)
        %v_stage = layout.slice %v_to(_, _, _, %free)
        layout.copy #layout.atom<cp_async_16> %k_j, %k_stage predicate(%row_copied < %end : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>)
        layout.copy #layout.atom<cp_async_16> %v_j, %v_stage predicate(%row_copied < %end : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>)
      }
      nvvm.cp.async.commit.group
      // S = Q Kᵀ.
      %stage = arith.remui %j, %c3 : index
      %k_now = layout.slice %k_own(_, _, _, %stage)
      layout.copy #layout.atom<ldmatrix_x4> %k_now, %k_regs
      layout.fill %s, %zero
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %s
      // The tile on the diagonal is masked: a query sees the keys up to itself.
      %is_diagonal = arith.cmpi eq, %j, %block : index
      scf.if %is_diagonal {
        layout.map ins(%row_own, %column_own) outs(%s) {
        ^bb0(%row: index, %column: index, %e: f32):
          %is_seen = arith.cmpi ule, %column, %row : index
          %r = arith.select %is_seen, %e, %least : f32
          layout.yield %r : f32
        }
      }
      // The new maximum of each row, and what sums so far are multiplied by.
      layout.reduce max %s into %tile_max along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
      layout.map ins(%tile_max2) outs(%max2, %alpha2) {
      ^bb0(%here: f32, %before: f32, %old: f32):
        %new = arith.maximumf %here, %before : f32
        %d = arith.subf %before, %new : f32
        %x = arith.mulf %d, %scale : f32
        %a = math.exp %x : f32
        layout.yield %new, %a : f32, f32
      }
      layout.map ins(%max) outs(%s) {
      ^bb0(%m: f32, %e: f32):
        %d = arith.subf %e, %m : f32
        %x = arith.mulf %d, %scale : f32
        %r = math.exp %x : f32
        layout.yield %r : f32
      }
      layout.reduce add %s into %tile_sum along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
      layout.map ins(%tile_sum2, %alpha2) outs(%sum2) {
      ^bb0(%here: f32, %a: f32, %before: f32):
        %r = math.fma %before, %a, %here : f32
        layout.yield %r : f32
      }
      // O = alpha O + P V.
      layout.map ins(%alpha) outs(%acc) {
      ^bb0(%a: f32, %e: f32):
        %r = arith.mulf %e, %a : f32
        layout.yield %r : f32
      }
      layout.copy #layout.atom<simt_2> %s, %p
      %v_now = layout.slice %v_own(_, _, _, %stage)
      layout.copy #layout.atom<ldmatrix_x4_trans> %v_now, %v_regs
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %p, %fv, %acc
    }
    layout.map ins(%sum) outs(%acc) {
    ^bb0(%l: f32, %e: f32):
      %r = arith.divf %e, %l : f32
      layout.yield %r : f32
    }
    %o_tile = layout.local_tile %o_head(%block, 0), #layout<(64,64)>
    %o_own = layout.partition %o_tile(%t), c of #mma
    layout.copy #layout.atom<simt_2> %acc, %o_own predicate(%row_own < %limit : !row_ids)
    gpu.return
  }
}

func.func @causal_reference(%q: memref<?x64x4xbf16>, %k: memref<?x64x2xbf16>, %v: memref<?x64x2xbf16>, %o: memref<?x64x4xbf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %q, %c0 : memref<?x64x4xbf16>
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %s = memref.alloc(%n) : memref<?xf32>
  affine.for %h = 0 to 4 {
    affine.for %i = 0 to %n {
      %max = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%m = %least) -> f32 {
        %dot = affine.for %d = 0 to 64 iter_args(%sum = %zero) -> f32 {
          %x = affine.load %q[%i, %d, %h] : memref<?x64x4xbf16>
          %y = affine.load %k[%j, %d, %h floordiv 2] : memref<?x64x2xbf16>
          %xf = arith.extf %x : bf16 to f32
          %yf = arith.extf %y : bf16 to f32
          %r = math.fma %xf, %yf, %sum : f32
          affine.yield %r : f32
        }
        %scaled = arith.mulf %dot, %scale : f32
        affine.store %scaled, %s[%j] : memref<?xf32>
        %r = arith.maximumf %m, %scaled : f32
        affine.yield %r : f32
      }
      %sum = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%l = %zero) -> f32 {
        %x = affine.load %s[%j] : memref<?xf32>
        %d = arith.subf %x, %max : f32
        %p = math.exp %d : f32
        affine.store %p, %s[%j] : memref<?xf32>
        %r = arith.addf %l, %p : f32
        affine.yield %r : f32
      }
      affine.for %d = 0 to 64 {
        %dot = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%a = %zero) -> f32 {
          %p = affine.load %s[%j] : memref<?xf32>
          %narrow = arith.truncf %p : f32 to bf16
          %pf = arith.extf %narrow : bf16 to f32
          %y = affine.load %v[%j, %d, %h floordiv 2] : memref<?x64x2xbf16>
          %yf = arith.extf %y : bf16 to f32
          %r = math.fma %pf, %yf, %a : f32
          affine.yield %r : f32
        }
        %e = arith.divf %dot, %sum : f32
        %b = arith.truncf %e : f32 to bf16
        affine.store %b, %o[%i, %d, %h] : memref<?x64x4xbf16>
      }
    }
  }
  memref.dealloc %s : memref<?xf32>
  return
}
