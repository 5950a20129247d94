// The positive elements of each tile of 256, in their order and followed by zeros, and how many there are (stream compaction).
//
// A vote gives each lane the bits of its warp's elements that stay; those below its own bit are in front of it. Shared memory has the warps' counts.
!vector = !layout.view<i32, global, ?{range=1..1048576}:1>
!tiles = !layout.view<i32, global, (256,?{range=1..4096}):(1,256)>
!counts = !layout.view<i32, global, ?{range=1..4096}:1>
!of_warps = !layout.view<i32, shared, 8:1>

gpu.module @kernels {
  gpu.func @compact(%in: !vector, %out: !tiles, %counts: !counts) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @compact_reference,
                  layout.kernel = {grid = ["ceil_div(n,256)"], sizes = ["n", "ceil_div(n,256)", "ceil_div(n,256)"],
                                   names = ["in", "out", "counts"], chip = "sm_80"}} {
    %thread = gpu.thread_id x
    %tile = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %warps = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %none = arith.constant 0 : i32
    %all_lanes = arith.constant -1 : i32
    %lane, %warp = layout.idx2crd %thread, #layout<(32,8)>
    %n = layout.size %in
    %of_warps = layout.alloc : !of_warps
    %first = arith.muli %tile, %c256 : index
    %i = arith.addi %first, %thread : index
    %is_there = arith.cmpi ult, %i, %n : index
    %element = scf.if %is_there -> i32 {
      %x = layout.load %in(%i)
      scf.yield %x : i32
    } else {
      scf.yield %none : i32
    }
    %stays = arith.cmpi sgt, %element, %none : i32
    %votes = nvvm.vote.sync ballot %all_lanes, %stays -> i32
    %lanes_below = nvvm.read.ptx.sreg.lanemask.lt : i32
    %votes_below = arith.andi %votes, %lanes_below : i32
    %in_front = math.ctpop %votes_below : i32
    %is_first = arith.cmpi eq, %lane, %c0 : index
    scf.if %is_first {
      %of_warp = math.ctpop %votes : i32
      layout.store %of_warp, %of_warps(%warp)
    }
    gpu.barrier
    // The counts of the warps before this one, and of all.
    %before, %count = scf.for %w = %c0 to %warps step %c1 iter_args(%sum = %none, %all = %none) -> (i32, i32) {
      %of_warp = layout.load %of_warps(%w)
      %is_before = arith.cmpi ult, %w, %warp : index
      %own = arith.select %is_before, %of_warp, %none : i32
      %more = arith.addi %sum, %own : i32
      %more_of_all = arith.addi %all, %of_warp : i32
      scf.yield %more, %more_of_all : i32, i32
    }
    scf.if %stays {
      %place_i = arith.addi %before, %in_front : i32
      %place = arith.index_cast %place_i : i32 to index
      layout.store %element, %out(%place, %tile)
    }
    %end = arith.index_cast %count : i32 to index
    %is_rest = arith.cmpi uge, %thread, %end : index
    scf.if %is_rest {
      layout.store %none, %out(%thread, %tile)
    }
    %counts_it = arith.cmpi eq, %thread, %c0 : index
    scf.if %counts_it {
      layout.store %count, %counts(%tile)
    }
    gpu.return
  }
}

func.func @compact_reference(%in: memref<?xi32>, %out: memref<256x?xi32>, %counts: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %none = arith.constant 0 : i32
  %n = memref.dim %in, %c0 : memref<?xi32>
  %tiles = memref.dim %counts, %c0 : memref<?xi32>
  linalg.fill ins(%none : i32) outs(%out : memref<256x?xi32>)
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c256 : index
    %past = arith.addi %first, %c256 : index
    %end = arith.minui %past, %n : index
    %count = scf.for %i = %first to %end step %c1 iter_args(%place = %c0) -> index {
      %element = memref.load %in[%i] : memref<?xi32>
      %stays = arith.cmpi sgt, %element, %none : i32
      %next = scf.if %stays -> index {
        memref.store %element, %out[%place, %tile] : memref<256x?xi32>
        %after = arith.addi %place, %c1 : index
        scf.yield %after : index
      } else {
        scf.yield %place : index
      }
      scf.yield %next : index
    }
    %count_i = arith.index_cast %count : index to i32
    memref.store %count_i, %counts[%tile] : memref<?xi32>
  }
  return
}
