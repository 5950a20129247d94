// Gating of a mixture of experts: for each token, the two experts with the largest logits, and their weights in the softmax over all experts.
// logits (experts, tokens) bf16, 8 to 64 experts in multiples of 8; indices (2, tokens) i32 and weights (2, tokens) f32.
//
// A block of 256 threads computes 32 tokens, 8 lanes for each; a lane has 8 experts, a vector of 16 bytes. One integer packs a logit and its
// expert: the bf16 bits, inverted for negative numbers so that they order as integers, above 255 - expert. One maximum finds both, and the
// first of equal logits.

!logits = !layout.view<bf16, global, (?{div=8 range=8..64},?{range=1..1048576}):(1,?{div=8 range=8..64})>
!indices = !layout.view<i32, global, (2,?{range=1..1048576}):(1,2)>
!weights = !layout.view<f32, global, (2,?{range=1..1048576}):(1,2)>
!x = !layout.view<bf16, register, 8:1>
!key = !layout.view<i32, register, 8:1>
!e = !layout.view<f32, register, 8:1>
!one = !layout.view<i32, register, (1):(0)>
!pair = !layout.view<i32, register, (1,2):(0,1)>
!values = !layout.view<f32, register, (1,2):(0,1)>
!sum = !layout.view<f32, register, 1:0>
!expert = !layout.view<index, coordinate, (8):(1)>
#own = #layout<((8,32),8):((8@0,1@1),1@0)>
gpu.module @top_k {
  gpu.func @top_k(%logits: !logits, %indices: !indices, %weights: !weights) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @top_k_reference,
      layout.kernel = {grid = ["ceil_div(tokens,32)"], sizes = ["experts", "tokens", "experts", "tokens", "tokens"],
        names = ["logits", "indices", "weights"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant -2147483648 : i32
    %low15 = arith.constant 32767 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %i31 = arith.constant 31 : i32
    %i255 = arith.constant 255 : i32
    %of:2 = layout.idx2crd %t, #layout<(8,32)>
    %first = arith.muli %block, %c32 : index
    %token = arith.addi %first, %of#1 : index
    %of_token = layout.slice %logits(_, 0)
    %of_expert = layout.slice %indices(0, _)
    %experts = layout.size %of_token
    %tokens = layout.size %of_expert
    %last = arith.constant -1 : index
    %end = arith.addi %tokens, %last : index
    %there = arith.minui %token, %end : index
    %x = layout.alloc : !x
    %key = layout.alloc : !key
    %e = layout.alloc : !e
    %rest = layout.alloc : !key
    %pair = layout.alloc : !pair
    %index = layout.alloc : !pair
    %value = layout.alloc : !values
    %sum = layout.alloc : !sum
    // Lanes past the last expert have no logits; lanes past the last token compute the last one again, and store nothing.
    %column = arith.muli %of#0, %c8 : index
    %is_expert = arith.cmpi ult, %column, %experts : index
    %own = layout.identity_tensor : !layout.view<index, coordinate, (8,8):(1,8)>
    %expert = layout.slice %own(_, %of#0)
    scf.if %is_expert {
      %row = layout.slice %logits(_, %there)
      %eights = layout.composition %row, #layout<(8,8):(1,8)>
      %mine = layout.slice %eights(_, %of#0)
      layout.copy #layout.atom<simt_8> %mine, %x
    }
    layout.map ins(%x, %expert : !x, !expert) outs(%key : !key) {
    ^bb0(%logit: bf16, %number: index, %old: i32):
      %bits = arith.bitcast %logit : bf16 to i16
      %wide = arith.extsi %bits : i16 to i32
      %sign = arith.shrsi %wide, %i31 : i32
      %turned = arith.andi %sign, %low15 : i32
      %ordered = arith.xori %wide, %turned : i32
      %high = arith.shli %ordered, %i8 : i32
      %n = arith.index_cast %number : index to i32
      %place = arith.subi %i255, %n : i32
      %both = arith.ori %high, %place : i32
      %some = arith.select %is_expert, %both, %none : i32
      layout.yield %some : i32
    }
    %best = layout.slice %pair(_, 0)
    %next = layout.slice %pair(_, 1)
    layout.reduce max %key into %best along [0] threads(#own) : !key, !one
    layout.map ins(%key, %best : !key, !one) outs(%rest : !key) {
    ^bb0(%k: i32, %max: i32, %old: i32):
      %is_best = arith.cmpi eq, %k, %max : i32
      %other = arith.select %is_best, %none, %k : i32
      layout.yield %other : i32
    }
    layout.reduce max %rest into %next along [0] threads(#own) : !key, !one
    layout.map ins(%pair : !pair) outs(%index, %value : !pair, !values) {
    ^bb0(%k: i32, %i: i32, %f: f32):
      %ordered = arith.shrsi %k, %i8 : i32
      %sign = arith.shrsi %ordered, %i31 : i32
      %turned = arith.andi %sign, %low15 : i32
      %wide = arith.xori %ordered, %turned : i32
      %bits = arith.shli %wide, %i16 : i32
      %logit = arith.bitcast %bits : i32 to f32
      %place = arith.andi %k, %i255 : i32
      %number = arith.subi %i255, %place : i32
      layout.yield %number, %logit : i32, f32
    }
    %largest = layout.load %value(0, 0) : !values
    layout.map ins(%x : !x) outs(%e : !e) {
    ^bb0(%logit: bf16, %old: f32):
      %wide = arith.extf %logit : bf16 to f32
      %d = arith.subf %wide, %largest : f32
      %p = math.exp %d fastmath<afn> : f32
      %some = arith.select %is_expert, %p, %zero : f32
      layout.yield %some : f32
    }
    layout.reduce add %e into %sum along [0] threads(#own) : !e, !sum
    layout.map ins(%sum : !sum) outs(%value : !values) {
    ^bb0(%all: f32, %logit: f32):
      %d = arith.subf %logit, %largest : f32
      %p = math.exp %d fastmath<afn> : f32
      %part = arith.divf %p, %all : f32
      layout.yield %part : f32
    }
    %is_first = arith.cmpi eq, %of#0, %c0 : index
    %is_token = arith.cmpi ult, %token, %tokens : index
    %stores = arith.andi %is_first, %is_token : i1
    scf.if %stores {
      %indices_own = layout.slice %indices(_, %token)
      %weights_own = layout.slice %weights(_, %token)
      layout.copy #layout.atom<simt_2> %index, %indices_own
      layout.copy #layout.atom<simt_2> %value, %weights_own
    }
    gpu.return
  }
}

func.func @top_k_reference(%logits: memref<?x?xbf16>, %indices: memref<2x?xi32>, %weights: memref<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %experts = memref.dim %logits, %c0 : memref<?x?xbf16>
  %tokens = memref.dim %logits, %c1 : memref<?x?xbf16>
  scf.for %t = %c0 to %tokens step %c1 {
    %first, %second, %best, %next = scf.for %i = %c0 to %experts step %c1
        iter_args(%f = %least, %s = %least, %b = %c0, %n = %c0) -> (f32, f32, index, index) {
      %x16 = memref.load %logits[%i, %t] : memref<?x?xbf16>
      %x = arith.extf %x16 : bf16 to f32
      %is_first = arith.cmpf ogt, %x, %f : f32
      %is_second = arith.cmpf ogt, %x, %s : f32
      %s0 = arith.select %is_second, %x, %s : f32
      %n0 = arith.select %is_second, %i, %n : index
      %f1 = arith.select %is_first, %x, %f : f32
      %b1 = arith.select %is_first, %i, %b : index
      %s1 = arith.select %is_first, %f, %s0 : f32
      %n1 = arith.select %is_first, %b, %n0 : index
      scf.yield %f1, %s1, %b1, %n1 : f32, f32, index, index
    }
    %sum = scf.for %i = %c0 to %experts step %c1 iter_args(%before = %zero) -> f32 {
      %x16 = memref.load %logits[%i, %t] : memref<?x?xbf16>
      %x = arith.extf %x16 : bf16 to f32
      %d = arith.subf %x, %first : f32
      %e = math.exp %d : f32
      %more = arith.addf %before, %e : f32
      scf.yield %more : f32
    }
    %d = arith.subf %second, %first : f32
    %e = math.exp %d : f32
    %one = arith.constant 1.0 : f32
    %w0 = arith.divf %one, %sum : f32
    %w1 = arith.divf %e, %sum : f32
    %i0 = arith.index_cast %best : index to i32
    %i1 = arith.index_cast %next : index to i32
    memref.store %i0, %indices[%c0, %t] : memref<2x?xi32>
    memref.store %i1, %indices[%c1, %t] : memref<2x?xi32>
    memref.store %w0, %weights[%c0, %t] : memref<2x?xf32>
    memref.store %w1, %weights[%c1, %t] : memref<2x?xf32>
  }
  return
}
