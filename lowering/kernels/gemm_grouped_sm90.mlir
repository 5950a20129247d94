// Grouped GEMM of a mixture of experts, bf16: y(m, n) = sum over k of x(m, k) w(n, k, e) for the rows m of expert e, from first[e] to
// first[e + 1]. A router writes `first` to device memory: experts may have any number of rows, 0 included. Rows, columns, K (a multiple of
// 64) and experts are known at run time.
//
// Persistent blocks compute tiles of 128×256: two warpgroups have 64 rows each, and one thread loads tiles of K by TMA into four stages.
// Tiles begin at an expert's first row: the layout of all tiles, one row apart, has overlapping modes. A tile may contain rows of the next
// expert: they are multiplied, but not stored. A block finds a tile's expert by binary search in the prefix sums of tiles, in shared memory.
#tm = #layout.tiled_mma<wgmma_m64n256k16_f32_bf16, (2,1,1)>
#store = #layout.tiled_copy<stmatrix_x4, c of #layout.tiled_mma<wgmma_m64n64k16_f32_bf16, (1,1,1)>>
#rest = #layout.tiled_copy<simt_1, (4,32):(32,1), (1,2)>
#unrolled = #llvm.loop_annotation<unroll = <full = true>>
#once = #llvm.loop_annotation<unroll = <disable = true>>
!x = !layout.view<bf16, global, (?{range=1..16777216},?{range=64..65536 div=64}):(?{i64 div=8},1)>
!w = !layout.view<bf16, global, (?{range=8..65536 div=8},?{range=64..65536 div=64},?{range=1..256}):(?{i64 div=8},1,?{i64 div=8})>
!y = !layout.view<bf16, global, (?{range=1..16777216},?{range=8..65536 div=8}):(?{i64 div=8},1)>
!first = !layout.view<i32, global, (?{range=2..257}):(1)>
!sx = !layout.view<bf16, shared, S<3,3,3> o 0 o (128,64,4):(64,1,8192)>
!sw = !layout.view<bf16, shared, S<3,3,3> o 0 o (256,64,4):(64,1,16384)>
!sy = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2,2):(64,1,4096,8192)>
!sums = !layout.view<i32, shared, 256:1>
!bars = !layout.view<i64, shared, 4:1>
!out = !layout.view<bf16, register, ((2,2,8),1,1):((1,2,4),0,0)>
// Identity tensors of a matrix, and of the matrices of all experts.
!ids0 = !layout.view<index, coordinate, (16777216,65536):(1,0)>
!ids1 = !layout.view<index, coordinate, (16777216,65536):(0,1)>
!all0 = !layout.view<index, coordinate, (65536,65536,256):(1,0,0)>
!all1 = !layout.view<index, coordinate, (65536,65536,256):(0,1,0)>
!all2 = !layout.view<index, coordinate, (65536,65536,256):(0,0,1)>
gpu.module @gemm_grouped {
  // The tile of work unit %unit: its expert, the end of the expert's rows, the tile's first row, and its column of tiles. Rasterisation is in
  // bands of 16 rows of tiles, so that blocks that run at the same time read few rows and columns.
  func.func private @tile(%sums: !sums, %first: !first, %unit: i32, %columns: i32) -> (index, i32, i32, i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i16 = arith.constant 16 : i32
    %i128 = arith.constant 128 : i32
    %steps = arith.constant 8 : index
    %half = arith.constant 128 : index
    %row_of_all = arith.divui %unit, %columns : i32
    %e = scf.for %i = %c0 to %steps step %c1 iter_args(%low = %c0) -> (index) {
      %step = arith.shrui %half, %i : index
      %next = arith.addi %low, %step : index
      %last = arith.subi %next, %c1 : index
      %sum = layout.load %sums(%last)
      %is_behind = arith.cmpi ule, %sum, %row_of_all : i32
      %found = arith.select %is_behind, %next, %low : index
      scf.yield %found : index
    }
    %e_1 = arith.addi %e, %c1 : index
    %begin = layout.load %first(%e)
    %end = layout.load %first(%e_1)
    %tiles_end = layout.load %sums(%e)
    %rows = arith.subi %end, %begin : i32
    %rows_up = arith.addi %rows, %i128 : i32
    %rows_up_1 = arith.subi %rows_up, %i1 : i32
    %tiles = arith.divui %rows_up_1, %i128 : i32
    %tiles_before = arith.subi %tiles_end, %tiles : i32
    %units_before = arith.muli %tiles_before, %columns : i32
    %own = arith.subi %unit, %units_before : i32
    %of_band = arith.muli %columns, %i16 : i32
    %band = arith.divui %own, %of_band : i32
    %in_band = arith.remui %own, %of_band : i32
    %band_row = arith.muli %band, %i16 : i32
    %left = arith.subi %tiles, %band_row : i32
    %height = arith.minui %left, %i16 : i32
    %column = arith.divui %in_band, %height : i32
    %row_in = arith.remui %in_band, %height : i32
    %row_tile = arith.addi %band_row, %row_in : i32
    %before = arith.muli %row_tile, %i128 : i32
    %row = arith.addi %begin, %before : i32
    return %e, %end, %row, %column : index, i32, i32, i32
  }
  gpu.func @gemm_grouped(%x: !x, %w: !w, %y: !y, %first: !first) kernel attributes {
      layout.reference = @gemm_grouped_reference, known_block_size = array<i32: 384, 1, 1>,
      layout.kernel = {grid = [132], names = ["x", "w", "y", "first"], chip = "sm_90a",
                       ascending = {first = [0, "rows"]},
                       sizes = ["rows", "depth", "depth", "columns", "depth", "experts", "depth", "columns*depth",
                                "rows", "columns", "columns", "bounds"]}} {
    %t = gpu.thread_id x
    %block_x = gpu.block_id x
    %blocks_x = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %stages = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c384 = arith.constant 384 : index
    
    %consumers = arith.constant 256 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i64 = arith.constant 64 : i32
    %i127 = arith.constant 127 : i32
    %i128 = arith.constant 128 : i32
    %most = arith.constant 2147483647 : i32
    %x_column = layout.slice %x(_, 0)
    %rows_x = layout.size %x_column
    %x_row = layout.slice %x(0, _)
    %depth = layout.size %x_row
    %y_row = layout.slice %y(0, _)
    %width = layout.size %y_row
    %w_matrices = layout.slice %w(0, 0, _)
    %experts = layout.size %w_matrices
    %block = arith.index_cast %block_x : index to i32
    %blocks = arith.index_cast %blocks_x : index to i32
    %width_up = arith.addi %width, %c256 : index
    %width_up_1 = arith.subi %width_up, %c1 : index
    %columns_x = arith.divui %width_up_1, %c256 : index
    %columns = arith.index_cast %columns_x : index to i32
    %steps = arith.divui %depth, %c64 : index
    %steps_i = arith.index_cast %steps : index to i32
    %sx = layout.alloc : !sx
    %sw = layout.alloc : !sw
    %sy = layout.alloc : !sy
    // Prefix sums of the experts' numbers of rows of tiles.
    %sums = layout.alloc : !sums
    // A phase of a `full` barrier completes when a load has filled the stage, a phase of an `empty` one when all consumer warps have read it.
    %full = layout.barriers arrivals 1 : !bars
    %empty = layout.barriers arrivals 8 : !bars
    scf.for %e = %t to %c256 step %c384 {
      %is_expert = arith.cmpi ult, %e, %experts : index
      %sum = scf.if %is_expert -> (i32) {
        %e_2 = arith.addi %e, %c2 : index
        %start = layout.load %first(%c0)
        %all, %end_of_all = scf.for %i = %c1 to %e_2 step %c1 iter_args(%before = %i0, %begin = %start) -> (i32, i32) {
          %end = layout.load %first(%i)
          %rows = arith.subi %end, %begin : i32
          %rows_up = arith.addi %rows, %i127 : i32
          %tiles = arith.divui %rows_up, %i128 : i32
          %up = arith.addi %before, %tiles : i32
          scf.yield %up, %end : i32, i32
        }
        scf.yield %all : i32
      } else {
        scf.yield %most : i32
      }
      layout.store %sum, %sums(%e)
    } {llvm.loop_annotation = #once}
    gpu.barrier
    %last_expert = arith.subi %experts, %c1 : index
    %row_tiles = layout.load %sums(%last_expert)
    %units = arith.muli %row_tiles, %columns : i32
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
      %of_store = arith.constant 8 : i32
      %own_barrier = arith.addi %wg, %of_store : i32
      %xa = layout.partition %sx(%first_thread), a of #tm
      %wb = layout.partition %sw(%first_thread), b of #tm
      %acc = layout.partition_fragment c of #tm, (128,256)
      %parts = layout.composition %acc, #layout<((2,2,8),1,1,4):((1,2,4),0,0,32)>
      %out = layout.alloc : !out
      %out_own = layout.retile %out, #store
      %sy_wg = layout.slice %sy(_, _, _, %wg_x)
      %y_tiles = layout.composition %y, #layout<<(64,16777216):(1,1), (64,1024):(1,64)>>
      %ids0 = layout.identity_tensor : !ids0
      %ids1 = layout.identity_tensor : !ids1
      %ids0_t = layout.composition %ids0, #layout<<(64,16777216):(1,1), (64,1024):(1,64)>>
      %ids1_t = layout.composition %ids1, #layout<<(64,16777216):(1,1), (64,1024):(1,64)>>
      %row_ids = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(1,0)>
      scf.for %unit = %block to %units step %blocks iter_args(%begin = %i0) -> (i32) : i32 {
        %e, %row_end, %row, %column = func.call @tile(%sums, %first, %unit, %columns) : (!sums, !first, i32, i32) -> (index, i32, i32, i32)
        %end = arith.addi %begin, %steps_i : i32
        %second = arith.addi %begin, %i1 : i32
        %begin_x = arith.index_castui %begin : i32 to index
        %stage0 = arith.remui %begin_x, %stages : index
        %round0 = arith.divui %begin_x, %stages : index
        %x0 = layout.slice %xa(_, _, _, %stage0)
        %w0 = layout.slice %wb(_, _, _, %stage0)
        layout.wait %round0, %full(%stage0)
        layout.mma #layout.atom<wgmma_m64n256k16_f32_bf16> %x0, %w0, %acc overwrite async
        scf.for %j = %second to %end step %i1 : i32 {
          %before = arith.subi %j, %i1 : i32
          %j_x = arith.index_castui %j : i32 to index
          %before_x = arith.index_castui %before : i32 to index
          %stage = arith.remui %j_x, %stages : index
          %round = arith.divui %j_x, %stages : index
          %stage_before = arith.remui %before_x, %stages : index
          %x_j = layout.slice %xa(_, _, _, %stage)
          %w_j = layout.slice %wb(_, _, _, %stage)
          layout.wait %round, %full(%stage)
          layout.mma #layout.atom<wgmma_m64n256k16_f32_bf16> %x_j, %w_j, %acc async
          nvvm.wgmma.wait.group.sync.aligned 1
          layout.arrive %empty(%stage_before)
        } {llvm.loop_annotation = #once}
        %last = arith.subi %end, %i1 : i32
        %last_x = arith.index_castui %last : i32 to index
        %stage_n = arith.remui %last_x, %stages : index
        layout.wait_mma %acc pending 0
        layout.arrive %empty(%stage_n)
        // Stores 64 columns at a time through two buffers of shared memory, once the store before the last has read its own. Threads store a
        // chunk that ends past its expert.
        %row_wg = arith.addi %row, %rows_of_wg : i32
        %left = arith.subi %row_end, %row_wg : i32
        %left_x = arith.index_cast %left : i32 to index
        %is_there = arith.cmpi sgt, %left, %i0 : i32
        %is_whole = arith.cmpi sge, %left, %i64 : i32
        %row_x = arith.index_castui %row_wg : i32 to index
        %column_x = arith.index_castui %column : i32 to index
        %column_4 = arith.muli %column_x, %stages : index
        scf.for %c = %c0 to %stages step %c1 {
          %buffer = arith.remui %c, %c2 : index
          %part = layout.slice %parts(_, _, _, %c)
          %column_c = arith.addi %column_4, %c : index
          %sy_c = layout.slice %sy_wg(_, _, %buffer)
          %sy_own = layout.partition %sy_c(%thread_of_wg), target of #store
          layout.copy #layout.atom<simt_2> %part, %out
          nvvm.cp.async.bulk.wait_group 1 {read}
          nvvm.barrier id = %own_barrier number_of_threads = %i128
          layout.copy #layout.atom<stmatrix_x4> %out_own, %sy_own
          nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
          nvvm.barrier id = %own_barrier number_of_threads = %i128
          scf.if %is_there {
            %to = layout.slice %y_tiles((_, %row_x), (_, %column_c))
            %rows_c = layout.slice %ids0_t((_, %row_x), (_, %column_c))
            %columns_c = layout.slice %ids1_t((_, %row_x), (_, %column_c))
            scf.if %is_whole {
              layout.copy #layout.atom<bulk_tensor_store> %sy_c, %to predicate(%rows_c < %rows_x, %columns_c < %width)
            } else {
              layout.cooperative_copy #rest(%thread_of_wg) %sy_c, %to predicate(%row_ids < %left_x, %columns_c < %width)
            }
          }
          nvvm.cp.async.bulk.commit.group
        } {llvm.loop_annotation = #unrolled}
        scf.yield %end : i32
      } {llvm.loop_annotation = #once}
      nvvm.cp.async.bulk.wait_group 0
    } else {
      nvvm.setmaxregister decrease 40
      %loads = arith.cmpi eq, %t, %consumers : index
      scf.if %loads {
        %ids0 = layout.identity_tensor : !ids0
        %ids1 = layout.identity_tensor : !ids1
        %all0 = layout.identity_tensor : !all0
        %all1 = layout.identity_tensor : !all1
        %all2 = layout.identity_tensor : !all2
        %x_tiles = layout.composition %x, #layout<<(128,16777216):(1,1), (64,1024):(1,64)>>
        %ids0_t = layout.composition %ids0, #layout<<(128,16777216):(1,1), (64,1024):(1,64)>>
        %ids1_t = layout.composition %ids1, #layout<<(128,16777216):(1,1), (64,1024):(1,64)>>
        scf.for %unit = %block to %units step %blocks iter_args(%begin = %c0) -> (index) : i32 {
          %e, %row_end, %row, %column = func.call @tile(%sums, %first, %unit, %columns) : (!sums, !first, i32, i32) -> (index, i32, i32, i32)
          %row_x = arith.index_castui %row : i32 to index
          %column_x = arith.index_castui %column : i32 to index
          scf.for %k = %c0 to %steps step %c1 {
            %now = arith.addi %begin, %k : index
            %stage = arith.remui %now, %stages : index
            %round = arith.divui %now, %stages : index
            %round_before = arith.subi %round, %c1 : index
            %from_x = layout.slice %x_tiles((_, %row_x), (_, %k))
            %rows_t = layout.slice %ids0_t((_, %row_x), (_, %k))
            %depth_t = layout.slice %ids1_t((_, %row_x), (_, %k))
            %from_w = layout.local_tile %w(%column_x, %k, %e), #layout<(256,64,1)>
            %w0 = layout.local_tile %all0(%column_x, %k, %e), #layout<(256,64,1)>
            %w1 = layout.local_tile %all1(%column_x, %k, %e), #layout<(256,64,1)>
            %w2 = layout.local_tile %all2(%column_x, %k, %e), #layout<(256,64,1)>
            %to_x = layout.slice %sx(_, _, %stage)
            %to_w = layout.slice %sw(_, _, %stage)
            layout.wait %round_before, %empty(%stage)
            layout.transaction %full(%stage) {
              layout.copy #layout.atom<bulk_tensor_load> %from_x, %to_x predicate(%rows_t < %rows_x, %depth_t < %depth)
              layout.copy #layout.atom<bulk_tensor_load> %from_w, %to_w predicate(%w0 < %width, %w1 < %depth, %w2 < %experts)
            }
          }
          %end = arith.addi %begin, %steps : index
          scf.yield %end : index
        } {llvm.loop_annotation = #once}
      }
    }
    gpu.return
  }
}

func.func @gemm_grouped_reference(%x: memref<?x?xbf16>, %w: memref<?x?x?xbf16>, %y: memref<?x?xbf16>, %first: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %columns = memref.dim %w, %c0 : memref<?x?x?xbf16>
  %depth = memref.dim %w, %c1 : memref<?x?x?xbf16>
  %experts = memref.dim %w, %c2 : memref<?x?x?xbf16>
  scf.for %e = %c0 to %experts step %c1 {
    %next = arith.addi %e, %c1 : index
    %begin_i = memref.load %first[%e] : memref<?xi32>
    %end_i = memref.load %first[%next] : memref<?xi32>
    %begin = arith.index_cast %begin_i : i32 to index
    %end = arith.index_cast %end_i : i32 to index
    scf.for %m = %begin to %end step %c1 {
      scf.for %n = %c0 to %columns step %c1 {
        %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%before = %zero) -> f32 {
          %a16 = memref.load %x[%m, %k] : memref<?x?xbf16>
          %b16 = memref.load %w[%n, %k, %e] : memref<?x?x?xbf16>
          %a = arith.extf %a16 : bf16 to f32
          %b = arith.extf %b16 : bf16 to f32
          %product = arith.mulf %a, %b : f32
          %more = arith.addf %before, %product : f32
          scf.yield %more : f32
        }
        %narrow = arith.truncf %sum : f32 to bf16
        memref.store %narrow, %y[%m, %n] : memref<?x?xbf16>
      }
    }
  }
  return
}
