// y = y + x w^T for 16 tokens, where w has 4 bits and a scale for each group of 128 numbers along K: x (16,8192) bf16, w (rows,8192) i4,
// scales bf16, y (16,rows) f32; the number of blocks of 256 rows is known at run time. Split-K: four blocks compute a quarter of K each, and
// add to the same elements of y by atomics.
//
// Layouts alone describe the packing. In each 8 numbers along K the first, third, fifth and seventh precede the others, (4,2):(2,1), so that
// the two halves of a word that one instruction converts to bf16 are neighbours along K. A block's part of a group, 16384 bytes of weights
// and 256 scales, is contiguous.
//
// Weights are the m16 operand of mma.sync, tokens the n8 operand. The order along K is free: in a row, thread t of four reads the 32
// numbers of a group from 32 t on, 16 bytes, and MMA s of the group takes 4 of them, from 4 s on. A warp has 32 rows, as 2 tiles of
// (8 lanes, 2 halves). cp.async loads weights, scales and tokens three groups ahead: weights to slots of the thread's own, tokens to a
// swizzled tile, whose reads have no bank conflicts. The accumulators of a group are multiplied by its scales in f32.

!w_bytes = !layout.view<i8, global, ((16,4,16,4),(8,2,2,8,?{range=1..4096})):((1,16,16384,262144),(64,512,1024,2048,1048576))>
!x = !layout.view<bf16, global, ((8,16,16,4),16):((1,8,128,2048),8192)>
!scale = !layout.view<bf16, global, ((8,32),(16,4),?{range=1..4096}):((1,8),(256,4096),16384)>
!y = !layout.view<f32, global, ((2,4,2),(8,2,2,8,?{range=1..4096})):((1,2,8),(16,128,256,512,4096))>
!sw = !layout.view<i4, shared, (32,256,(2,2),4):(1,32,(8192,16384),32768)>
!sx = !layout.view<bf16, shared, S<2,3,3> o 0 o ((8,16),16,4):((1,8),128,2048)>
!ss = !layout.view<bf16, shared, ((8,32),4):((1,8),256)>
!fw = !layout.view<bf16, register, 64:1>
!fx = !layout.view<bf16, register, 64:1>
!acc = !layout.view<f32, register, (2,2,2,2):(1,2,4,8)>
#unrolled = #llvm.loop_annotation<unroll = <full = true>>
gpu.module @gemm_int4 {
  gpu.func @gemm_int4(%x: !x, %w: !w_bytes, %scale: !scale, %y: !y) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @gemm_int4_reference,
      layout.kernel = {grid = ["blocks", 4], sizes = ["blocks", "blocks", "blocks"], names = ["x", "w", "scale", "y"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %part = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %groups = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %sw = layout.alloc : !sw
    %sx = layout.alloc : !sx
    %ss = layout.alloc : !ss
    %fw = layout.alloc : !fw
    %fx = layout.alloc : !fx
    %acc = layout.alloc : !acc
    %group_acc = layout.alloc : !acc
    %factor = layout.alloc : !layout.view<f32, register, (1,2,2,1):(0,1,2,0)>
    // Lanes are (4 along K, 8 rows or tokens), and (16 vectors of a row, 16 tokens) for copies of tokens.
    %of:3 = layout.idx2crd %t, #layout<(4,8,8)>
    %tok:2 = layout.idx2crd %t, #layout<(16,16)>
    %w4 = layout.recast %w to i4 : !w_bytes
    %from_w = layout.slice %w4((_, %of#0, _, %part), (%of#1, _, _, %of#2, %block))
    %to_w = layout.slice %sw(_, %t, _, _)
    %from_x = layout.slice %x((_, %tok#0, _, %part), %tok#1)
    %to_x = layout.slice %sx((_, %tok#0), %tok#1, _)
    %copies_scales = arith.cmpi ult, %t, %c32 : index
    layout.fill %acc, %zero
    scf.for %g = %c0 to %c3 step %c1 {
      %gw = layout.slice %from_w(_, %g, _, _)
      %hw = layout.slice %to_w(_, (_, _), %g)
      layout.copy #layout.atom<cp_async_16> %gw, %hw
      %gx = layout.slice %from_x(_, %g)
      %hx = layout.slice %to_x(_, %g)
      layout.copy #layout.atom<cp_async_16> %gx, %hx
      scf.if %copies_scales {
        %gs = layout.slice %scale((_, %t), (%g, %part), %block)
        %hs = layout.slice %ss((_, %t), %g)
        layout.copy #layout.atom<cp_async_16> %gs, %hs
      }
      nvvm.cp.async.commit.group
    }
    scf.for %g = %c0 to %groups step %c1 {
      nvvm.cp.async.wait.group 2
      gpu.barrier
      %next = arith.addi %g, %c3 : index
      %there = arith.remui %next, %c4 : index
      %here = arith.remui %g, %c4 : index
      %is_more = arith.cmpi ult, %next, %groups : index
      scf.if %is_more {
        %gw = layout.slice %from_w(_, %next, _, _)
        %hw = layout.slice %to_w(_, (_, _), %there)
        layout.copy #layout.atom<cp_async_16> %gw, %hw
        %gx = layout.slice %from_x(_, %next)
        %hx = layout.slice %to_x(_, %there)
        layout.copy #layout.atom<cp_async_16> %gx, %hx
        scf.if %copies_scales {
          %gs = layout.slice %scale((_, %t), (%next, %part), %block)
          %hs = layout.slice %ss((_, %t), %there)
          layout.copy #layout.atom<cp_async_16> %gs, %hs
        }
      }
      nvvm.cp.async.commit.group
      // Tokens: 32 along K of two n8 tiles, as (4 of an MMA, 2 tiles, 8 MMAs).
      %xv = layout.composition %sx, #layout<<(32,4):(1,32), (8,2):(1,8), _>>
      %xs = layout.slice %xv((_, %of#0), (%of#1, _), %here)
      layout.copy #layout.atom<simt_8> %xs, %fx
      %fb = layout.composition %fx, #layout<(4,2,8):(1,32,4)>
      // Scales of the thread's rows: 2 halves of 2 tiles.
      %sv = layout.composition %ss, #layout<<(8,2,2,8):(1,8,16,32), _>>
      %so = layout.slice %sv((%of#1, _, _, %of#2), %here)
      layout.copy #layout.atom<simt_1> %so, %factor
      // Weights of a tile: 32 numbers of each half, as (neighbours, halves of rows, halves of an MMA, 8 MMAs).
      layout.fill %group_acc, %zero
      scf.for %tile = %c0 to %c2 step %c1 {
        %ws = layout.slice %to_w(_, (_, %tile), %here)
        %fw_order = layout.composition %fw, #layout<((2,2,2,4),2):((4,8,1,16),2)>
        layout.copy #layout.atom<simt_32> %ws, %fw_order
        %fa = layout.composition %fw, #layout<(8,1,8):(1,0,8)>
        %own = layout.slice %group_acc(_, _, %tile, _)
        %sum = layout.composition %own, #layout<(4,1,2):(1,0,4)>
        layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fa, %fb, %sum
      } {llvm.loop_annotation = #unrolled}
      layout.map ins(%group_acc, %factor : !acc, !layout.view<f32, register, (1,2,2,1):(0,1,2,0)>) outs(%acc : !acc) {
      ^bb0(%s: f32, %f: f32, %old: f32):
        %r = math.fma %s, %f, %old : f32
        layout.yield %r : f32
      }
    }
    %own = layout.slice %y((_, %of#0, _), (%of#1, _, _, %of#2, %block))
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %half = %c0 to %c2 step %c1 {
        scf.for %tile = %c0 to %c2 step %c1 {
          scf.for %j = %c0 to %c2 step %c1 {
            %v = layout.load %acc(%i, %half, %tile, %j) : !acc
            layout.atomic add %v, %own(%i, %j, %half, %tile) relaxed : !layout.view<f32, global, (2,2,2,2):(1,8,128,256)>
          } {llvm.loop_annotation = #unrolled}
        } {llvm.loop_annotation = #unrolled}
      } {llvm.loop_annotation = #unrolled}
    } {llvm.loop_annotation = #unrolled}
    gpu.return
  }
}

func.func @gemm_int4_reference(%x: memref<8192x16xbf16>, %w: memref<4096x?xi8>, %scale: memref<256x64x?xbf16>, %y: memref<16x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %depth = arith.constant 8192 : index
  %four = arith.constant 4 : i8
  %rows = memref.dim %w, %c1 : memref<4096x?xi8>
  scf.for %n = %c0 to %rows step %c1 {
    %own = arith.remui %n, %c256 : index
    %block = arith.divui %n, %c256 : index
    scf.for %m = %c0 to %c16 step %c1 {
      %old = memref.load %y[%m, %n] : memref<16x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%before = %old) -> f32 {
        // Number k is in word k / 8, at place r / 2 of the half r % 2, where r = k % 8.
        %word = arith.divui %k, %c8 : index
        %r = arith.remui %k, %c8 : index
        %place = arith.divui %r, %c2 : index
        %half = arith.remui %r, %c2 : index
        %quarter = arith.divui %place, %c2 : index
        %first = arith.muli %word, %c4 : index
        %second = arith.muli %half, %c2 : index
        %at = arith.addi %first, %second : index
        %byte_at = arith.addi %at, %quarter : index
        %byte = memref.load %w[%byte_at, %n] : memref<4096x?xi8>
        %low = arith.shli %byte, %four : i8
        %odd = arith.remui %place, %c2 : index
        %is_high = arith.cmpi eq, %odd, %c1 : index
        %top = arith.select %is_high, %byte, %low : i8
        %q = arith.shrsi %top, %four : i8
        %qf = arith.sitofp %q : i8 to f32
        %group = arith.divui %k, %c128 : index
        %s16 = memref.load %scale[%own, %group, %block] : memref<256x64x?xbf16>
        %s = arith.extf %s16 : bf16 to f32
        %x16 = memref.load %x[%k, %m] : memref<8192x16xbf16>
        %xf = arith.extf %x16 : bf16 to f32
        %ws = arith.mulf %qf, %s : f32
        %p = arith.mulf %ws, %xf : f32
        %more = arith.addf %before, %p : f32
        scf.yield %more : f32
      }
      memref.store %sum, %y[%m, %n] : memref<16x?xf32>
    }
  }
  return
}
