// y = y + x w^T for 64 tokens on warpgroups, where w has 4 bits and a scale for each group of 128 numbers along K: x (64,8192) bf16,
// w (rows,8192) i4, scales bf16, y (rows,64) f32; the number of blocks of 256 rows is known at run time. Split-K: two blocks compute half of K
// each, and add to the same elements of y by atomics. gemm_int4_64.mlir is the form for sm_80; it packs weights in another order.
//
// The GEMM is transposed: weights are A of wgmma, converted to bf16 in registers, and tokens are B, in shared memory, so that each weight
// is converted once for all tokens. A block's weights of a group are contiguous, 64 bytes for each row of w. In a row, number 32 c + 8 p + 2 t + j
// is in word c of the 16-byte vector t, at place p of half j: thread t of four multiplies it in MMA 2 c + p / 2, for which x needs no
// permutation, and the two halves of a word that one instruction converts to bf16 are neighbours along K.
//
// One thread loads groups into four stages. Four warpgroups have 64 rows each: while one waits for its MMAs, others convert. Accumulators
// go through shared memory, so that the 32 lanes of a `red.add` update neighbours.
#tm = #layout.tiled_mma<wgmma_ra_m64n64k16_f32_bf16, (4,1,1)>
#once = #llvm.loop_annotation<unroll = <disable = true>>
#unrolled = #llvm.loop_annotation<unroll = <full = true>>
!x = !layout.view<bf16, global, (64,8192):(8192,1)>
!w = !layout.view<i8, global, (256,?{range=1..16777216}):(1,256)>
!scale = !layout.view<bf16, global, (256,64,?{range=1..4096}):(1,256,16384)>
!y = !layout.view<f32, global, (?{range=1..1048576},64):(64,1)>
!sx = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,(64,2),4):(64,(1,4096),8192)>
!sw = !layout.view<i8, shared, ((256,64),4):((1,256),16384)>
!ss = !layout.view<bf16, shared, (256,4):(1,256)>
!sy = !layout.view<f32, shared, (256,64):(72,1)>
!bars = !layout.view<i64, shared, 4:1>
!rows = !layout.view<f32, register, 2:1>
!acc = !layout.view<f32, register, ((2,2,8),1,1):((1,2,4),0,0)>
!acc_row = !layout.view<f32, register, ((2,2,8),1,1):((0,1,0),0,0)>
gpu.module @gemm_int4 {
  gpu.func @gemm_int4(%x: !x, %w: !w, %scale: !scale, %y: !y) kernel attributes {known_block_size = array<i32: 640, 1, 1>,
      layout.reference = @gemm_int4_reference,
      layout.kernel = {grid = ["blocks", 2], sizes = ["4096*blocks", "blocks", "256*blocks"], names = ["x", "w", "scale", "y"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %part = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %stages = arith.constant 4 : index
    %groups = arith.constant 32 : index
    %consumers = arith.constant 512 : index
    %sx = layout.alloc : !sx
    %sw = layout.alloc : !sw
    %ss = layout.alloc : !ss
    %sy = layout.alloc : !sy
    // A phase of a `full` barrier completes when a load has filled the stage, a phase of an `empty` one when all consumer warps have read it.
    %full = layout.barriers arrivals 1 : !bars
    %empty = layout.barriers arrivals 16 : !bars
    %consumes = arith.cmpi ult, %t, %consumers : index
    scf.if %consumes {
      nvvm.setmaxregister increase 112
      %zero = arith.constant 0.0 : f32
      // Threads are (4 along K, 8 rows, 4 warps, 4 warpgroups); rows are (8, 2 halves, 4 warps, 4 warpgroups).
      %of:4 = layout.idx2crd %t, #layout<(4,8,4,4)>
      %w4 = layout.recast %sw to i4 : !sw
      %w_of = layout.composition %w4, #layout<<(32,4,8,2,4,4):(1,32,128,1024,2048,8192), _>>
      %s_of = layout.composition %ss, #layout<<(8,2,4,4):(1,8,16,64), _>>
      %x_of = layout.partition %sx(%t), b of #tm
      %fragment = layout.partition_fragment a of #tm, (256,128)
      // The fragment in the order of memory: neighbours along K are four numbers apart.
      %to = layout.composition %fragment, #layout<((2,2,2,4),2):((4,8,1,16),2)>
      %sum = layout.partition_fragment c of #tm, (256,64)
      %acc = layout.partition_fragment c of #tm, (256,64)
      %factor = layout.alloc : !rows
      %by = layout.composition %factor, #layout<((2,2,8),1,1):((0,1,0),0,0)>
      layout.fill %acc, %zero
      scf.for %g = %c0 to %groups step %c1 {
        %stage = arith.remui %g, %stages : index
        %round = arith.divui %g, %stages : index
        %xs = layout.slice %x_of(_, _, _, %stage)
        %ws = layout.slice %w_of((_, %of#0, %of#1, _, %of#2, %of#3), %stage)
        %s = layout.slice %s_of((%of#1, _, %of#2, %of#3), %stage)
        layout.wait %round, %full(%stage)
        layout.copy #layout.atom<simt_32> %ws, %to
        layout.mma #layout.atom<wgmma_ra_m64n64k16_f32_bf16> %fragment, %xs, %sum overwrite async
        layout.copy #layout.atom<simt_1> %s, %factor
        layout.wait_mma %sum pending 0
        layout.arrive %empty(%stage)
        layout.map ins(%sum, %by : !acc, !acc_row) outs(%acc : !acc) {
        ^bb0(%product: f32, %f: f32, %old: f32):
          %r = math.fma %product, %f, %old : f32
          layout.yield %r : f32
        }
      } {llvm.loop_annotation = #once}
      %sy_of = layout.partition %sy(%t), c of #tm
      layout.copy #layout.atom<simt_2> %acc, %sy_of
      %consumers_barrier = arith.constant 1 : i32
      %arrive = arith.constant 512 : i32
      nvvm.barrier id = %consumers_barrier number_of_threads = %arrive
      %from = layout.partition %sy(%t), #layout<(8,64):(64,1)>
      %y_block = layout.local_tile %y(%block, 0), #layout<(256,64)>
      %y_of = layout.partition %y_block(%t), #layout<(8,64):(64,1)>
      %values = arith.constant 32 : index
      scf.for %i = %c0 to %values step %c1 {
        %v = layout.load %from(%i, 0)
        layout.atomic add %v, %y_of(%i, 0) relaxed : !layout.view<f32, global, (32,1):(512,0)>
      } {llvm.loop_annotation = #unrolled}
    } else {
      nvvm.setmaxregister decrease 24
      %loads = arith.cmpi eq, %t, %consumers : index
      scf.if %loads {
        %c64 = arith.constant 64 : index
        %w_row = layout.slice %w(0, _)
        %w_columns = layout.size %w_row
        %s_row = layout.slice %scale(0, 0, _)
        %blocks = layout.size %s_row
        %x_ids0 = layout.identity_tensor : !layout.view<index, coordinate, (64,8192):(1,0)>
        %x_ids1 = layout.identity_tensor : !layout.view<index, coordinate, (64,8192):(0,1)>
        %w_first = layout.make %w_columns : (index) -> !layout<(256,?{i64}):(1,0)>
        %w_second = layout.make %w_columns : (index) -> !layout<(256,?{i64}):(0,1)>
        %w_ids0 = layout.identity_tensor of %w_first : !layout<(256,?{i64}):(1,0)> -> !layout.view<index, coordinate, (256,?{i64}):(1,0)>
        %w_ids1 = layout.identity_tensor of %w_second : !layout<(256,?{i64}):(0,1)> -> !layout.view<index, coordinate, (256,?{i64}):(0,1)>
        %s_first = layout.make %blocks : (index) -> !layout<(256,64,?{i64}):(1,0,0)>
        %s_second = layout.make %blocks : (index) -> !layout<(256,64,?{i64}):(0,1,0)>
        %s_third = layout.make %blocks : (index) -> !layout<(256,64,?{i64}):(0,0,1)>
        %s_ids0 = layout.identity_tensor of %s_first : !layout<(256,64,?{i64}):(1,0,0)> -> !layout.view<index, coordinate, (256,64,?{i64}):(1,0,0)>
        %s_ids1 = layout.identity_tensor of %s_second : !layout<(256,64,?{i64}):(0,1,0)> -> !layout.view<index, coordinate, (256,64,?{i64}):(0,1,0)>
        %s_ids2 = layout.identity_tensor of %s_third : !layout<(256,64,?{i64}):(0,0,1)> -> !layout.view<index, coordinate, (256,64,?{i64}):(0,0,1)>
        %first = arith.muli %part, %groups : index
        %groups_before = arith.muli %block, %c64 : index
        scf.for %g = %c0 to %groups step %c1 {
          %stage = arith.remui %g, %stages : index
          %round = arith.divui %g, %stages : index
          %round_before = arith.subi %round, %c1 : index
          %group = arith.addi %first, %g : index
          %number = arith.addi %groups_before, %group : index
          %from_x = layout.local_tile %x(0, %group), #layout<(64,128)>
          %x0 = layout.local_tile %x_ids0(0, %group), #layout<(64,128)>
          %x1 = layout.local_tile %x_ids1(0, %group), #layout<(64,128)>
          %from_w = layout.local_tile %w(0, %number), #layout<(256,64)>
          %w0 = layout.local_tile %w_ids0(0, %number), #layout<(256,64)>
          %w1 = layout.local_tile %w_ids1(0, %number), #layout<(256,64)>
          %from_s = layout.local_tile %scale(0, %group, %block), #layout<(256,1,1)>
          %s0 = layout.local_tile %s_ids0(0, %group, %block), #layout<(256,1,1)>
          %s1 = layout.local_tile %s_ids1(0, %group, %block), #layout<(256,1,1)>
          %s2 = layout.local_tile %s_ids2(0, %group, %block), #layout<(256,1,1)>
          %to_x = layout.slice %sx(_, _, %stage)
          %to_w = layout.slice %sw(_, %stage)
          %to_s = layout.slice %ss(_, %stage)
          layout.wait %round_before, %empty(%stage)
          layout.transaction %full(%stage) {
            layout.copy #layout.atom<bulk_tensor_load> %from_w, %to_w predicate(%w0 < 256, %w1 < %w_columns) {evict_first}
            layout.copy #layout.atom<bulk_tensor_load> %from_x, %to_x predicate(%x0 < 64, %x1 < 8192)
            layout.copy #layout.atom<bulk_tensor_load> %from_s, %to_s predicate(%s0 < 256, %s1 < 64, %s2 < %blocks)
          }
        }
      }
    }
    gpu.return
  }
}

func.func @gemm_int4_reference(%x: memref<64x8192xbf16>, %w: memref<256x?xi8>, %scale: memref<256x64x?xbf16>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %depth = arith.constant 8192 : index
  %groups = arith.constant 64 : index
  %four = arith.constant 4 : i8
  %rows = memref.dim %y, %c0 : memref<?x64xf32>
  scf.for %n = %c0 to %rows step %c1 {
    %own = arith.remui %n, %c256 : index
    %block = arith.divui %n, %c256 : index
    scf.for %m = %c0 to %c64 step %c1 {
      %old = memref.load %y[%n, %m] : memref<?x64xf32>
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%before = %old) -> f32 {
        %group = arith.divui %k, %c128 : index
        // k = 32 c + 8 p + 2 t + j, with c below 4, is in byte 16 t + 4 c + 2 j + p / 2 of the row's 64.
        %j = arith.remui %k, %c2 : index
        %k2 = arith.divui %k, %c2 : index
        %t = arith.remui %k2, %c4 : index
        %k8 = arith.divui %k, %c8 : index
        %p = arith.remui %k8, %c4 : index
        %k32 = arith.divui %k, %c32 : index
        %c = arith.remui %k32, %c4 : index
        %t_at = arith.muli %t, %c16 : index
        %c_at = arith.muli %c, %c4 : index
        %j_at = arith.muli %j, %c2 : index
        %p_at = arith.divui %p, %c2 : index
        %tc = arith.addi %t_at, %c_at : index
        %jp = arith.addi %j_at, %p_at : index
        %in_row = arith.addi %tc, %jp : index
        // Four rows are 256 bytes.
        %of_four = arith.remui %own, %c4 : index
        %row_at = arith.muli %of_four, %c64 : index
        %at = arith.addi %row_at, %in_row : index
        %fours = arith.divui %own, %c4 : index
        %groups_before = arith.muli %block, %groups : index
        %number = arith.addi %groups_before, %group : index
        %number_at = arith.muli %number, %c64 : index
        %column = arith.addi %number_at, %fours : index
        %byte = memref.load %w[%at, %column] : memref<256x?xi8>
        %low = arith.shli %byte, %four : i8
        %odd = arith.remui %p, %c2 : index
        %is_high = arith.cmpi eq, %odd, %c1 : index
        %top = arith.select %is_high, %byte, %low : i8
        %q = arith.shrsi %top, %four : i8
        %qf = arith.sitofp %q : i8 to f32
        %s16 = memref.load %scale[%own, %group, %block] : memref<256x64x?xbf16>
        %s = arith.extf %s16 : bf16 to f32
        %x16 = memref.load %x[%m, %k] : memref<64x8192xbf16>
        %xf = arith.extf %x16 : bf16 to f32
        %ws = arith.mulf %qf, %s : f32
        %product = arith.mulf %ws, %xf : f32
        %more = arith.addf %before, %product : f32
        scf.yield %more : f32
      }
      memref.store %sum, %y[%n, %m] : memref<?x64xf32>
    }
  }
  return
}
