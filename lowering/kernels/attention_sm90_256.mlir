// FlashAttention-3 forward, bf16, head size 256: o = softmax(q k^T / 16) v. Lengths, heads, batches, strides, and whether attention is causal (query i
// sees the keys up to i + keys - queries) are known at run time; heads / key_heads heads of queries share a head of keys. For f16, replace bf16 by f16.
// Persistent blocks compute tiles of 128 queries of a head: two ping-pong warpgroups have 64 queries each, one thread loads Q by TMA, and another
// one K and V, 64 keys at a time. Scores, probabilities and accumulators stay in registers. A work unit is a long and a short tile of one head, so that
// all units take equally long if attention is causal. Tiles end at the last query, so that the first ones may begin in front of the first query.
#qk = #layout.tiled_mma<wgmma_m64n64k16_f32_bf16, (2,1,1)>
#pv = #layout.tiled_mma<wgmma_ra_m64n256k16_f32_bf16, (2,1,1)>
#store = #layout.tiled_copy<stmatrix_x4, c of #layout.tiled_mma<wgmma_ra_m64n256k16_f32_bf16, (1,1,1)>>
#once = #llvm.loop_annotation<unroll = <disable = true>>
!q = !layout.view<bf16, global, (?{range=1..1048576},256,?{range=1..65536},?{range=1..65536}):(?{i64 div=8},1,?{i64 div=8},?{i64 div=8})>
!queries = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,2),(64,4)):((64,16384),(1,4096))>
!keys = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,(64,4),2):(64,(1,4096),16384)>
!bars = !layout.view<i64, shared, 2:1>
!bars_q = !layout.view<i64, shared, 2:1>
!rows = !layout.view<f32, register, 2:1>
!s = !layout.view<f32, register, ((2,2,8),1,1):((1,2,4),0,0)>
!s_row = !layout.view<f32, register, ((2,2,8),1,1):((0,1,0),0,0)>
!s_r = !layout.view<f32, register, ((2,8),2):((1,4),2)>
!s_r_row = !layout.view<f32, register, ((2,8),2):((0,0),1)>
!acc = !layout.view<f32, register, ((2,2,32),1,1):((1,2,4),0,0)>
!acc_row = !layout.view<f32, register, ((2,2,32),1,1):((0,1,0),0,0)>
!row_ids = !layout.view<index, coordinate, ((2,2,8),1,1):((0,8,0),0,0)>
!key_ids = !layout.view<index, coordinate, ((2,2,8),1,1):((1,0,8),0,0)>
gpu.module @attention {
  // Masks the keys from %end on and, in row r, from %seen + r on; both are relative to the thread's first row and key.
  func.func private @mask(%s: !s, %end: i32, %seen: i32) {
    %least = arith.constant 0xFF800000 : f32
    %rows = layout.identity_tensor : !row_ids
    %keys = layout.identity_tensor : !key_ids
    layout.map ins(%rows, %keys : !row_ids, !key_ids) outs(%s : !s) {
    ^bb0(%row: index, %key: index, %x: f32):
      %r = arith.index_cast %row : index to i32
      %k = arith.index_cast %key : index to i32
      %row_end = arith.addi %seen, %r : i32
      %limit = arith.minsi %row_end, %end : i32
      %keep = arith.cmpi slt, %k, %limit : i32
      %y = arith.select %keep, %x, %least : f32
      layout.yield %y : f32
    }
    return
  }
  // Masks a block of scores after %blocks_before blocks of keys, if a row of the warpgroup does not see all of its keys.
  func.func private @mask_block(%s: !s, %blocks_before: i32, %seen_all: i32, %keys: i32, %seen: i32) {
    %i64 = arith.constant 64 : i32
    %before = arith.muli %blocks_before, %i64 : i32
    %past = arith.addi %before, %i64 : i32
    %is_cut = arith.cmpi sgt, %past, %seen_all : i32
    scf.if %is_cut {
      %end = arith.subi %keys, %before : i32
      %seen_here = arith.subi %seen, %before : i32
      func.call @mask(%s, %end, %seen_here) : (!s, i32, i32) -> ()
    }
    return
  }
  // Online softmax: replaces scores by probabilities, not yet divided by the row's sum; %alpha rescales the earlier sums and accumulators.
  func.func private @softmax(%s: !s, %max: !rows, %sum: !rows, %alpha: !rows) {
    // log2(e) / 16
    %scale = arith.constant 0.090168440 : f32
    %x = layout.alloc : !rows
    %x_s = layout.composition %x, #layout<((2,2,8),1,1):((0,1,0),0,0)>
    %max_s = layout.composition %max, #layout<((2,2,8),1,1):((0,1,0),0,0)>
    %x_r = layout.composition %x, #layout<((2,8),2):((0,0),1)>
    %s_r = layout.composition %s, #layout<((2,8),2):((1,4),2)>
    layout.reduce max %s into %x_s along [1] threads(#layout.thread_values<c of #qk, (128,64)>) tile(#layout<(128,64)>) : !s, !s_row
    layout.map ins(%x : !rows) outs(%max, %alpha : !rows, !rows) {
    ^bb0(%here: f32, %old: f32, %a: f32):
      %new = arith.maximumf %here, %old : f32
      %d = arith.subf %old, %new : f32
      %y = arith.mulf %d, %scale : f32
      %e = math.exp2 %y fastmath<afn> : f32
      layout.yield %new, %e : f32, f32
    }
    layout.map ins(%max_s : !s_row) outs(%s : !s) {
    ^bb0(%m: f32, %y: f32):
      %top = arith.mulf %m, %scale : f32
      %minus = arith.negf %top : f32
      %z = math.fma %y, %scale, %minus : f32
      %e = math.exp2 %z fastmath<afn> : f32
      layout.yield %e : f32
    }
    layout.reduce add %s_r into %x_r along [0] : !s_r, !s_r_row
    layout.map ins(%x, %alpha : !rows, !rows) outs(%sum : !rows) {
    ^bb0(%here: f32, %a: f32, %old: f32):
      %z = math.fma %old, %a, %here : f32
      layout.yield %z : f32
    }
    return
  }
  func.func private @multiply_rows(%acc: !acc, %by: !rows) {
    %by_acc = layout.composition %by, #layout<((2,2,32),1,1):((0,1,0),0,0)>
    layout.map ins(%by_acc : !acc_row) outs(%acc : !acc) {
    ^bb0(%a: f32, %x: f32):
      %y = arith.mulf %x, %a : f32
      layout.yield %y : f32
    }
    return
  }
  gpu.func @attention(%q: !q, %k: !q, %v: !q, %o: !q, %causal: i32) kernel attributes {
      layout.reference = @attention_reference, known_block_size = array<i32: 384, 1, 1>,
      layout.kernel = {grid = [132], names = ["q", "k", "v", "o", "causal"], chip = "sm_90a", flops = "ceil_div(1024*queries*keys*heads*batches,1+causal)",
                       sizes = ["queries", "heads", "batches", "256", "256*queries", "256*queries*heads",
                                "keys", "key_heads", "batches", "256", "256*keys", "256*keys*key_heads",
                                "keys", "key_heads", "batches", "256", "256*keys", "256*keys*key_heads",
                                "queries", "heads", "batches", "256", "256*queries", "256*queries*heads"]}} {
    %t = gpu.thread_id x
    %block_x = gpu.block_id x
    %blocks_x = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %warpgroups = arith.constant 2 : index
    %consumers = arith.constant 256 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i63 = arith.constant 63 : i32
    %i64 = arith.constant 64 : i32
    %i128 = arith.constant 128 : i32
    %of_tile = arith.constant 2 : i32
    %q_column = layout.slice %q(_, 0, 0, 0)
    %queries_x = layout.size %q_column
    %k_column = layout.slice %k(_, 0, 0, 0)
    %keys_x = layout.size %k_column
    %q_heads = layout.slice %q(0, 0, _, 0)
    %heads_x = layout.size %q_heads
    %k_heads = layout.slice %k(0, 0, _, 0)
    %key_heads_x = layout.size %k_heads
    %q_batches = layout.slice %q(0, 0, 0, _)
    %batches_x = layout.size %q_batches
    %block = arith.index_cast %block_x : index to i32
    %blocks = arith.index_cast %blocks_x : index to i32
    %queries = arith.index_cast %queries_x : index to i32
    %keys = arith.index_cast %keys_x : index to i32
    %heads = arith.index_cast %heads_x : index to i32
    %batches = arith.index_cast %batches_x : index to i32
    // Query i sees the keys below i + 1 + %ahead: all of them if attention is not causal.
    %more = arith.subi %keys, %queries : i32
    %is_causal = arith.cmpi ne, %causal, %i0 : i32
    %ahead = arith.select %is_causal, %more, %keys : i32
    // Chunks of 64 queries, tiles of chunks, and work units: two tiles of a head, or one tile if the grid has a block for every tile.
    %queries_63 = arith.addi %queries, %i63 : i32
    %chunks = arith.divui %queries_63, %i64 : i32
    %all_heads = arith.muli %heads, %batches : i32
    %chunks_up = arith.addi %chunks, %of_tile : i32
    %chunks_up_1 = arith.subi %chunks_up, %i1 : i32
    %tiles_up = arith.divui %chunks_up_1, %of_tile : i32
    %all_tiles = arith.muli %tiles_up, %all_heads : i32
    %are_few = arith.cmpi ule, %all_tiles, %blocks : i32
    %per_unit = arith.select %are_few, %i1, %i2 : i32
    %units_up = arith.addi %tiles_up, %per_unit : i32
    %units_up_1 = arith.subi %units_up, %i1 : i32
    %units_of_head = arith.divui %units_up_1, %per_unit : i32
    // The first tile of a head begins %front chunks in front of the first query.
    %tiles_of_head = arith.muli %units_of_head, %per_unit : i32
    %chunks_of_head = arith.muli %tiles_of_head, %of_tile : i32
    %front = arith.subi %chunks_of_head, %chunks : i32
    %units = arith.muli %units_of_head, %all_heads : i32
    %units_left = arith.subi %units, %block : i32
    %own_up = arith.addi %units_left, %blocks : i32
    %own_up_1 = arith.subi %own_up, %i1 : i32
    %own_units = arith.divsi %own_up_1, %blocks : i32
    %tiles = arith.muli %own_units, %per_unit : i32
    // Each warpgroup has its own part of the buffer of Q, in which the output is staged too; K and V have two stages.
    %sq = layout.alloc : !queries
    %sk = layout.alloc : !keys
    %sv = layout.alloc : !keys
    // For the current tile and the next: the number of blocks of keys, the number of keys that the first query sees, first chunk, head, batch.
    %plan = layout.alloc : !layout.view<i32, shared, (5,2):(1,5)>
    // A phase of a `full` barrier completes when a load has filled the buffer, a phase of an `empty` one when all consumer warps have read it.
    %full_q = layout.barriers arrivals 1 : !bars_q
    %empty_q = layout.barriers arrivals 4 : !bars_q
    %full_k = layout.barriers arrivals 1 : !bars
    %empty_k = layout.barriers arrivals 8 : !bars
    %full_v = layout.barriers arrivals 1 : !bars
    %empty_v = layout.barriers arrivals 8 : !bars
    %row_ids = layout.make %queries_x, %heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(1,0,0,0)>
    %rows_q = layout.identity_tensor of %row_ids : !layout<(?{i64},256,?{i64},?{i64}):(1,0,0,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(1,0,0,0)>
    %channel_ids = layout.make %queries_x, %heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,1,0,0)>
    %channels_q = layout.identity_tensor of %channel_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,1,0,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,1,0,0)>
    %head_ids = layout.make %queries_x, %heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,0,1,0)>
    %heads_q = layout.identity_tensor of %head_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,0,1,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,0,1,0)>
    %batch_ids = layout.make %queries_x, %heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,0,0,1)>
    %batches_q = layout.identity_tensor of %batch_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,0,0,1)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,0,0,1)>
    %consumes = arith.cmpi ult, %t, %consumers : index
    scf.if %consumes {
      nvvm.setmaxregister increase 232
      // The warpgroup's index, in a warp-uniform register.
      %wg_own = arith.divui %t, %c128 : index
      %wg_i = arith.index_cast %wg_own : index to i32
      %lanes = arith.constant 32 : i32
      %wg, %is_valid = gpu.shuffle idx %wg_i, %i0, %lanes : i32
      %wg_x = arith.index_cast %wg : i32 to index
      %first_thread = arith.muli %wg_x, %c128 : index
      %thread_of_wg = arith.remui %t, %c128 : index
      %rows_of_wg = arith.muli %wg, %i64 : i32
      // Ping-pong: warpgroups issue MMAs alternately. Each waits at its own named barrier, where the previous one arrives.
      %turn = arith.addi %wg, %i1 : i32
      %turn_up = arith.remui %turn, %of_tile : i32
      %next_turn = arith.addi %turn_up, %i1 : i32
      %of_store = arith.constant 8 : i32
      %own_barrier = arith.addi %wg, %of_store : i32
      %of_turn = arith.constant 256 : i32
      %is_last = arith.cmpi eq, %turn, %of_tile : i32
      scf.if %is_last {
        nvvm.barrier.arrive id = %next_turn number_of_threads = %of_turn
      }
      %qa = layout.partition %sq(%first_thread), a of #qk
      %kb = layout.partition %sk(%first_thread), b of #qk
      %vt = layout.select %sv, [1, 0, 2]
      %vb = layout.partition %vt(%first_thread), b of #pv
      %s = layout.partition_fragment c of #qk, (128,64)
      %p = layout.partition_fragment a of #pv, (128,64)
      %acc = layout.partition_fragment c of #pv, (128,256)
      %out = layout.alloc : !layout.view<bf16, register, ((2,2,32),1,1):((1,2,4),0,0)>
      %out_own = layout.retile %out, #store
      %sq_wg = layout.slice %sq((_, %wg_x), _)
      %out_place = layout.partition %sq_wg(%thread_of_wg), target of #store
      %max = layout.alloc : !rows
      %sum = layout.alloc : !rows
      %alpha = layout.alloc : !rows
      // The thread's first row and key of a block of scores.
      %tile_rows = layout.identity_tensor : !layout.view<index, coordinate, (128,64):(1,0)>
      %tile_keys = layout.identity_tensor : !layout.view<index, coordinate, (128,64):(0,1)>
      %own_rows = layout.partition %tile_rows(%t), c of #qk
      %own_keys = layout.partition %tile_keys(%t), c of #qk
      %row_x = layout.load %own_rows(%c0)
      %key_x = layout.load %own_keys(%c0)
      %row = arith.index_cast %row_x : index to i32
      %key = arith.index_cast %key_x : index to i32
      %row_key = arith.subi %row, %key : i32
      %keys_own = arith.subi %keys, %key : i32
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %tiny = arith.constant 1.0e-30 : f32
      %low = arith.constant -1.0e30 : f32
      scf.for %tile = %i0 to %tiles step %i1 iter_args(%begin = %i0) -> (i32) : i32 {
        %tile_x = arith.index_castui %tile : i32 to index
        %slot = arith.remui %tile_x, %c2 : index
        layout.wait %tile_x, %full_q(%wg_x)
        %n = layout.load %plan(%c0, %slot)
        %seen = layout.load %plan(%c1, %slot)
        %tile_chunk = layout.load %plan(%c2, %slot)
        %head = layout.load %plan(%c3, %slot)
        %batch = layout.load %plan(%c4, %slot)
        %chunk = arith.addi %tile_chunk, %wg : i32
        %seen_wg = arith.addi %seen, %rows_of_wg : i32
        %seen_all = arith.minsi %seen_wg, %keys : i32
        %seen_own = arith.addi %seen, %row_key : i32
        // The number of the tile's blocks of keys that the warpgroup's last row sees; the others are released unread.
        %seen_last = arith.addi %seen_wg, %i63 : i32
        %seen_up = arith.addi %seen_last, %i63 : i32
        %blocks_seen = arith.divsi %seen_up, %i64 : i32
        %blocks_there = arith.minsi %blocks_seen, %n : i32
        %is_front = arith.cmpi slt, %chunk, %i0 : i32
        %blocks_own = arith.select %is_front, %i1, %blocks_there : i32
        %n_own = arith.maxsi %blocks_own, %i1 : i32
        %end = arith.addi %begin, %n : i32
        %last = arith.subi %end, %i1 : i32
        %first = arith.subi %end, %n_own : i32
        scf.for %j = %begin to %first step %i1 : i32 {
          %j_x = arith.index_castui %j : i32 to index
          %stage = arith.remui %j_x, %c2 : index
          %round = arith.divui %j_x, %c2 : index
          layout.wait %round, %full_k(%stage)
          nvvm.barrier id = %turn number_of_threads = %of_turn
          nvvm.barrier.arrive id = %next_turn number_of_threads = %of_turn
          layout.arrive %empty_k(%stage)
          layout.wait %round, %full_v(%stage)
          layout.arrive %empty_v(%stage)
        } {llvm.loop_annotation = #once}
        layout.fill %max, %low
        layout.fill %sum, %zero
        layout.fill %acc, %zero
        // Scores and softmax of the first block. Blocks run from the last key to the first.
        %first_x = arith.index_castui %first : i32 to index
        %stage0 = arith.remui %first_x, %c2 : index
        %round0 = arith.divui %first_x, %c2 : index
        %k0 = layout.slice %kb(_, _, _, %stage0)
        layout.wait %round0, %full_k(%stage0)
        nvvm.barrier id = %turn number_of_threads = %of_turn
        layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %qa, %k0, %s overwrite async
        nvvm.barrier.arrive id = %next_turn number_of_threads = %of_turn
        layout.wait_mma %s pending 0
        layout.arrive %empty_k(%stage0)
        %keys_before0 = arith.subi %last, %first : i32
        func.call @mask_block(%s, %keys_before0, %seen_all, %keys_own, %seen_own) : (!s, i32, i32, i32, i32) -> ()
        func.call @softmax(%s, %max, %sum, %alpha) : (!s, !rows, !rows, !rows) -> ()
        layout.copy #layout.atom<simt_2> %s, %p
        layout.wait %round0, %full_v(%stage0)
        // Q K^T of a block and P V of the previous one are in flight together; softmax overlaps with P V.
        %second = arith.addi %first, %i1 : i32
        scf.for %j = %second to %end step %i1 : i32 {
          %before = arith.subi %j, %i1 : i32
          %j_x = arith.index_castui %j : i32 to index
          %before_x = arith.index_castui %before : i32 to index
          %stage = arith.remui %j_x, %c2 : index
          %round = arith.divui %j_x, %c2 : index
          %stage_v = arith.remui %before_x, %c2 : index
          %k_j = layout.slice %kb(_, _, _, %stage)
          %v_j = layout.slice %vb(_, _, _, %stage_v)
          layout.wait %round, %full_k(%stage)
          nvvm.barrier id = %turn number_of_threads = %of_turn
          layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %qa, %k_j, %s overwrite async
          layout.mma #layout.atom<wgmma_ra_m64n256k16_f32_bf16> %p, %v_j, %acc async
          nvvm.barrier.arrive id = %next_turn number_of_threads = %of_turn
          layout.wait_mma %s pending 1
          layout.arrive %empty_k(%stage)
          %blocks_before = arith.subi %last, %j : i32
          func.call @mask_block(%s, %blocks_before, %seen_all, %keys_own, %seen_own) : (!s, i32, i32, i32, i32) -> ()
          func.call @softmax(%s, %max, %sum, %alpha) : (!s, !rows, !rows, !rows) -> ()
          // This wait keeps `ptxas` from moving the exponentials past the next one.
          layout.wait %round, %full_v(%stage)
          layout.wait_mma %acc pending 0
          layout.arrive %empty_v(%stage_v)
          layout.copy #layout.atom<simt_2> %s, %p
          func.call @multiply_rows(%acc, %alpha) : (!acc, !rows) -> ()
        } {llvm.loop_annotation = #once}
        %last_x = arith.index_castui %last : i32 to index
        %stage_n = arith.remui %last_x, %c2 : index
        %v_n = layout.slice %vb(_, _, _, %stage_n)
        layout.mma #layout.atom<wgmma_ra_m64n256k16_f32_bf16> %p, %v_n, %acc async
        // Four lanes share a row.
        layout.reduce add %sum into %alpha along [1] threads(#layout<((4,8,4,2),2):((1@1,1@0,16@0,64@0),8@0)>) : !rows, !rows
        layout.map outs(%alpha : !rows) {
        ^bb0(%x: f32):
          %some = arith.maximumf %x, %tiny : f32
          %y = arith.divf %one, %some : f32
          layout.yield %y : f32
        }
        layout.wait_mma %acc pending 0
        layout.arrive %empty_v(%stage_n)
        func.call @multiply_rows(%acc, %alpha) : (!acc, !rows) -> ()
        // Stores through the buffer of Q. Chunks in front of the first query are not stored.
        layout.copy #layout.atom<simt_2> %acc, %out
        nvvm.barrier id = %own_barrier number_of_threads = %i128
        layout.copy #layout.atom<stmatrix_x4> %out_own, %out_place
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %own_barrier number_of_threads = %i128
        %is_there = arith.cmpi sge, %chunk, %i0 : i32
        scf.if %is_there {
          %chunk_x = arith.index_cast %chunk : i32 to index
          %head_x = arith.index_castui %head : i32 to index
          %batch_x = arith.index_castui %batch : i32 to index
          %to = layout.local_tile %o(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
          %rows = layout.local_tile %rows_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
          %channels = layout.local_tile %channels_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
          %heads_t = layout.local_tile %heads_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
          %batches_t = layout.local_tile %batches_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
          layout.copy #layout.atom<bulk_tensor_store> %sq_wg, %to predicate(%rows < %queries_x, %channels < 256, %heads_t < %heads_x, %batches_t < %batches_x)
        }
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0 {read}
        nvvm.barrier id = %own_barrier number_of_threads = %i128
        layout.arrive %empty_q(%wg_x)
        scf.yield %end : i32
      } {llvm.loop_annotation = #once}
      nvvm.cp.async.bulk.wait_group 0
    } else {
      nvvm.setmaxregister decrease 40
      %second_loader = arith.constant 288 : index
      %loads_q = arith.cmpi eq, %t, %consumers : index
      %loads_k = arith.cmpi eq, %t, %second_loader : index
      %loads = arith.ori %loads_q, %loads_k : i1
      scf.if %loads {
        %key_row_ids = layout.make %keys_x, %key_heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(1,0,0,0)>
        %rows_k = layout.identity_tensor of %key_row_ids : !layout<(?{i64},256,?{i64},?{i64}):(1,0,0,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(1,0,0,0)>
        %key_channel_ids = layout.make %keys_x, %key_heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,1,0,0)>
        %channels_k = layout.identity_tensor of %key_channel_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,1,0,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,1,0,0)>
        %key_head_ids = layout.make %keys_x, %key_heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,0,1,0)>
        %heads_k = layout.identity_tensor of %key_head_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,0,1,0)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,0,1,0)>
        %key_batch_ids = layout.make %keys_x, %key_heads_x, %batches_x : (index, index, index) -> !layout<(?{i64},256,?{i64},?{i64}):(0,0,0,1)>
        %batches_k = layout.identity_tensor of %key_batch_ids : !layout<(?{i64},256,?{i64},?{i64}):(0,0,0,1)> -> !layout.view<index, coordinate, (?{i64},256,?{i64},?{i64}):(0,0,0,1)>
        %group = arith.divui %heads_x, %key_heads_x : index
        %last_of_head = arith.subi %tiles_of_head, %i1 : i32
        scf.for %tile = %i0 to %tiles step %i1 iter_args(%begin = %i0) -> (i32) : i32 {
          // The tile of the unit: the long one comes first.
          %pass = arith.divui %tile, %per_unit : i32
          %side = arith.remui %tile, %per_unit : i32
          %skipped = arith.muli %pass, %blocks : i32
          %unit = arith.addi %skipped, %block : i32
          %own_head = arith.divui %unit, %units_of_head : i32
          %short = arith.remui %unit, %units_of_head : i32
          %batch = arith.divui %own_head, %heads : i32
          %head = arith.remui %own_head, %heads : i32
          %long = arith.subi %last_of_head, %short : i32
          %is_short = arith.cmpi eq, %side, %i1 : i32
          %of_head = arith.select %is_short, %short, %long : i32
          %chunk_up = arith.muli %of_head, %of_tile : i32
          %chunk = arith.subi %chunk_up, %front : i32
          %past = arith.addi %chunk, %of_tile : i32
          // The number of blocks of keys that the tile's last query sees, at least one.
          %past_row = arith.muli %past, %i64 : i32
          %past_seen = arith.addi %past_row, %ahead : i32
          %there = arith.minsi %past_seen, %keys : i32
          %is_front = arith.cmpi sle, %past, %i0 : i32
          %some = arith.select %is_front, %i1, %there : i32
          %least_one = arith.maxsi %some, %i1 : i32
          %up = arith.addi %least_one, %i63 : i32
          %n = arith.divui %up, %i64 : i32
          %head_x = arith.index_castui %head : i32 to index
          %batch_x = arith.index_castui %batch : i32 to index
          scf.if %loads_q {
            %tile_x = arith.index_castui %tile : i32 to index
            %slot = arith.remui %tile_x, %c2 : index
            %tile_before = arith.subi %tile_x, %c1 : index
            %row = arith.muli %chunk, %i64 : i32
            %row_seen = arith.addi %row, %ahead : i32
            %seen = arith.addi %row_seen, %i1 : i32
            layout.store %n, %plan(%c0, %slot)
            layout.store %seen, %plan(%c1, %slot)
            layout.store %chunk, %plan(%c2, %slot)
            layout.store %head, %plan(%c3, %slot)
            layout.store %batch, %plan(%c4, %slot)
            scf.for %wg = %c0 to %warpgroups step %c1 {
              %wg_i = arith.index_cast %wg : index to i32
              %chunk_wg = arith.addi %chunk, %wg_i : i32
              %chunk_x = arith.index_cast %chunk_wg : i32 to index
              %to = layout.slice %sq((_, %wg), _)
              layout.wait %tile_before, %empty_q(%wg)
              layout.transaction %full_q(%wg) {
                %from = layout.local_tile %q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
                %rows = layout.local_tile %rows_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
                %channels = layout.local_tile %channels_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
                %heads_t = layout.local_tile %heads_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
                %batches_t = layout.local_tile %batches_q(%chunk_x, 0, %head_x, %batch_x), #layout<(64,256,1,1)>
                layout.copy #layout.atom<bulk_tensor_load> %from, %to predicate(%rows < %queries_x, %channels < 256, %heads_t < %heads_x, %batches_t < %batches_x)
              }
            }
          } else {
            %key_head = arith.divui %head_x, %group : index
            scf.for %j = %i0 to %n step %i1 : i32 {
              %now = arith.addi %begin, %j : i32
              %now_x = arith.index_castui %now : i32 to index
              %stage = arith.remui %now_x, %c2 : index
              %round = arith.divui %now_x, %c2 : index
              %round_before = arith.subi %round, %c1 : index
              %n_1 = arith.subi %n, %i1 : i32
              %left = arith.subi %n_1, %j : i32
              %b = arith.index_castui %left : i32 to index
              %rows = layout.local_tile %rows_k(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
              %channels = layout.local_tile %channels_k(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
              %heads_t = layout.local_tile %heads_k(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
              %batches_t = layout.local_tile %batches_k(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
              %to_k = layout.slice %sk(_, _, %stage)
              %to_v = layout.slice %sv(_, _, %stage)
              layout.wait %round_before, %empty_k(%stage)
              layout.transaction %full_k(%stage) {
                %from = layout.local_tile %k(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
                layout.copy #layout.atom<bulk_tensor_load> %from, %to_k predicate(%rows < %keys_x, %channels < 256, %heads_t < %key_heads_x, %batches_t < %batches_x)
              }
              layout.wait %round_before, %empty_v(%stage)
              layout.transaction %full_v(%stage) {
                %from = layout.local_tile %v(%b, 0, %key_head, %batch_x), #layout<(64,256,1,1)>
                layout.copy #layout.atom<bulk_tensor_load> %from, %to_v predicate(%rows < %keys_x, %channels < 256, %heads_t < %key_heads_x, %batches_t < %batches_x)
              }
            }
          }
          %end = arith.addi %begin, %n : i32
          scf.yield %end : i32
        }
      }
    }
    gpu.return
  }
}

// The reference computes one row of scores at a time. A query that sees no key gets zeros.
func.func @attention_reference(%q: memref<?x256x?x?xbf16>, %k: memref<?x256x?x?xbf16>, %v: memref<?x256x?x?xbf16>, %o: memref<?x256x?x?xbf16>,
                               %causal: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %d = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %tiny = arith.constant 1.0e-30 : f32
  %root = arith.constant 0.062500000000 : f32
  %queries = memref.dim %q, %c0 : memref<?x256x?x?xbf16>
  %keys = memref.dim %k, %c0 : memref<?x256x?x?xbf16>
  %heads = memref.dim %q, %c2 : memref<?x256x?x?xbf16>
  %key_heads = memref.dim %k, %c2 : memref<?x256x?x?xbf16>
  %batches = memref.dim %q, %c3 : memref<?x256x?x?xbf16>
  %group = arith.divui %heads, %key_heads : index
  %more = arith.subi %keys, %queries : index
  %is_causal = arith.cmpi ne, %causal, %i0 : i32
  %ahead = arith.select %is_causal, %more, %keys : index
  %row = memref.alloc(%keys) : memref<?xf32>
  scf.for %b = %c0 to %batches step %c1 {
    scf.for %h = %c0 to %heads step %c1 {
      %hk = arith.divui %h, %group : index
      scf.for %i = %c0 to %queries step %c1 {
        %i1 = arith.addi %i, %c1 : index
        %seen = arith.addi %i1, %ahead : index
        %there = arith.minsi %seen, %keys : index
        %n = arith.maxsi %there, %c0 : index
        %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %low) -> f32 {
          %dot = scf.for %x = %c0 to %d step %c1 iter_args(%sum = %zero) -> f32 {
            %a = memref.load %q[%i, %x, %h, %b] : memref<?x256x?x?xbf16>
            %kv = memref.load %k[%j, %x, %hk, %b] : memref<?x256x?x?xbf16>
            %aw = arith.extf %a : bf16 to f32
            %bw = arith.extf %kv : bf16 to f32
            %p = arith.mulf %aw, %bw : f32
            %next = arith.addf %sum, %p : f32
            scf.yield %next : f32
          }
          %score = arith.mulf %dot, %root : f32
          memref.store %score, %row[%j] : memref<?xf32>
          %larger = arith.maximumf %m, %score : f32
          scf.yield %larger : f32
        }
        %total = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
          %score = memref.load %row[%j] : memref<?xf32>
          %below = arith.subf %score, %max : f32
          %e = math.exp %below : f32
          memref.store %e, %row[%j] : memref<?xf32>
          %next = arith.addf %sum, %e : f32
          scf.yield %next : f32
        }
        %some = arith.maximumf %total, %tiny : f32
        scf.for %x = %c0 to %d step %c1 {
          %sum = scf.for %j = %c0 to %n step %c1 iter_args(%before = %zero) -> f32 {
            %e = memref.load %row[%j] : memref<?xf32>
            %kv = memref.load %v[%j, %x, %hk, %b] : memref<?x256x?x?xbf16>
            %bw = arith.extf %kv : bf16 to f32
            %narrow_e = arith.truncf %e : f32 to bf16
            %rounded = arith.extf %narrow_e : bf16 to f32
            %p = arith.mulf %rounded, %bw : f32
            %next = arith.addf %before, %p : f32
            scf.yield %next : f32
          }
          %mean = arith.divf %sum, %some : f32
          %narrow = arith.truncf %mean : f32 to bf16
          memref.store %narrow, %o[%i, %x, %h, %b] : memref<?x256x?x?xbf16>
        }
      }
    }
  }
  memref.dealloc %row : memref<?xf32>
  return
}
