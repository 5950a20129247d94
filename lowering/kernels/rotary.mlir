// Rotary embedding of heads of 128 elements, bf16: each pair of elements 64 apart is rotated by an angle of its token, whose cosines
// and sines are tables of f32. out(e) = in(e) cos(e) - in(e+64) sin(e) and out(e+64) = in(e+64) cos(e) + in(e) sin(e), for e < 64.
//
// The numbers of heads and tokens are known at run time. A thread rotates a vector of each half of a head; the heads of a token read the same
// tables, all but the first from the cache. The kernels are a family: a block of 256 threads has 8 heads of a token in vectors of 2 elements up to 32
// tokens, whose code is short, and 32 heads in vectors of 8 elements for more.

!m = !layout.view<bf16, global, ((8,8,2),?{range=1..1024},?{range=1..1048576}):((1,8,64),128,?{div=128 range=128..131072})>
!table = !layout.view<f32, global, ((8,8),?{range=1..1048576}):((1,8),64)>
!x = !layout.view<f32, register, (8,2):(1,8)>
!part = !layout.view<f32, register, 8:1>

!few = !layout.view<bf16, global, ((2,32,2),?{range=1..1024},?{range=1..1048576}):((1,2,64),128,?{div=128 range=128..131072})>
!few_table = !layout.view<f32, global, ((2,32),?{range=1..1048576}):((1,2),64)>
!few_x = !layout.view<f32, register, (2,2):(1,2)>
!few_part = !layout.view<f32, register, 2:1>

gpu.module @rotary {
  gpu.func @rotary_few(%in: !few, %cos: !few_table, %sin: !few_table, %out: !few) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @rotary_reference,
      layout.kernel = {grid = ["tokens", "ceil_div(heads,8)"], names = ["in", "cos", "sin", "out"], chip = "sm_90a",
                       sizes = ["heads", "tokens", "128*heads", "tokens", "tokens", "heads", "tokens", "128*heads"],
                       family = {name = "rotary", number = 0, most = {tokens = 32}}}} {
    %t = gpu.thread_id x
    %token = gpu.block_id x
    %bh_x = gpu.block_id y
    %i8 = arith.constant 8 : i32
    %heads_own = layout.slice %in((0,0,0), _, 0)
    %heads_x = layout.size %heads_own
    %heads = arith.index_cast %heads_x : index to i32
    %of:2 = layout.idx2crd %t, #layout<(32,8)>
    %of_block = arith.index_cast %of#1 : index to i32
    %bh = arith.index_cast %bh_x : index to i32
    %h0 = arith.muli %bh, %i8 : i32
    %head_i = arith.addi %h0, %of_block : i32
    %head = arith.index_castui %head_i : i32 to index
    %is_head = arith.cmpi ult, %head_i, %heads : i32
    %x = layout.alloc : !few_x
    %c = layout.alloc : !few_part
    %s = layout.alloc : !few_part
    %in_own = layout.slice %in((_, %of#0, _), %head, %token)
    scf.if %is_head {
      layout.copy #layout.atom<simt_2> %in_own, %x
    }
    %cos_own = layout.slice %cos((_, %of#0), %token)
    layout.copy #layout.atom<simt_2> %cos_own, %c
    %sin_own = layout.slice %sin((_, %of#0), %token)
    layout.copy #layout.atom<simt_2> %sin_own, %s
    %first = layout.slice %x(_, 0)
    %second = layout.slice %x(_, 1)
    layout.map ins(%c, %s : !few_part, !few_part) outs(%first, %second : !layout.view<f32, register, (2):(1)>, !layout.view<f32, register, (2):(1)>) {
    ^bb0(%cos_e: f32, %sin_e: f32, %a: f32, %b: f32):
      %as = arith.mulf %a, %sin_e : f32
      %bs = arith.mulf %b, %sin_e : f32
      %minus = arith.negf %bs : f32
      %new_a = math.fma %a, %cos_e, %minus : f32
      %new_b = math.fma %b, %cos_e, %as : f32
      layout.yield %new_a, %new_b : f32, f32
    }
    %out_own = layout.slice %out((_, %of#0, _), %head, %token)
    scf.if %is_head {
      layout.copy #layout.atom<simt_2> %x, %out_own
    }
    gpu.return
  }

  gpu.func @rotary_many(%in: !m, %cos: !table, %sin: !table, %out: !m) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @rotary_reference,
      layout.kernel = {grid = ["tokens", "ceil_div(heads,32)"], names = ["in", "cos", "sin", "out"], chip = "sm_90a",
                       sizes = ["heads", "tokens", "128*heads", "tokens", "tokens", "heads", "tokens", "128*heads"],
                       family = {name = "rotary", number = 1}}} {
    %t = gpu.thread_id x
    %token = gpu.block_id x
    %bh_x = gpu.block_id y
    %i32 = arith.constant 32 : i32
    %heads_own = layout.slice %in((0,0,0), _, 0)
    %heads_x = layout.size %heads_own
    %heads = arith.index_cast %heads_x : index to i32
    %of:2 = layout.idx2crd %t, #layout<(8,32)>
    %of_block = arith.index_cast %of#1 : index to i32
    %bh = arith.index_cast %bh_x : index to i32
    %h0 = arith.muli %bh, %i32 : i32
    %head_i = arith.addi %h0, %of_block : i32
    %head = arith.index_castui %head_i : i32 to index
    %is_head = arith.cmpi ult, %head_i, %heads : i32
    scf.if %is_head {
      %x = layout.alloc : !x
      %c = layout.alloc : !part
      %s = layout.alloc : !part
      %in_own = layout.slice %in((_, %of#0, _), %head, %token)
      layout.copy #layout.atom<simt_8> %in_own, %x
      %cos_own = layout.slice %cos((_, %of#0), %token)
      layout.copy #layout.atom<simt_4> %cos_own, %c
      %sin_own = layout.slice %sin((_, %of#0), %token)
      layout.copy #layout.atom<simt_4> %sin_own, %s
      %first = layout.slice %x(_, 0)
      %second = layout.slice %x(_, 1)
      layout.map ins(%c, %s : !part, !part) outs(%first, %second : !layout.view<f32, register, (8):(1)>, !layout.view<f32, register, (8):(1)>) {
      ^bb0(%cos_e: f32, %sin_e: f32, %a: f32, %b: f32):
        %as = arith.mulf %a, %sin_e : f32
        %bs = arith.mulf %b, %sin_e : f32
        %minus = arith.negf %bs : f32
        %new_a = math.fma %a, %cos_e, %minus : f32
        %new_b = math.fma %b, %cos_e, %as : f32
        layout.yield %new_a, %new_b : f32, f32
      }
      %out_own = layout.slice %out((_, %of#0, _), %head, %token)
      layout.copy #layout.atom<simt_8> %x, %out_own
    }
    gpu.return
  }
}

func.func @rotary_reference(%in: memref<128x?x?xbf16>, %cos: memref<64x?xf32>, %sin: memref<64x?xf32>, %out: memref<128x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %heads = memref.dim %in, %c1 : memref<128x?x?xbf16>
  %tokens = memref.dim %in, %c2 : memref<128x?x?xbf16>
  scf.for %e = %c0 to %c64 step %c1 {
    %f = arith.addi %e, %c64 : index
    scf.for %h = %c0 to %heads step %c1 {
      scf.for %i = %c0 to %tokens step %c1 {
        %a16 = memref.load %in[%e, %h, %i] : memref<128x?x?xbf16>
        %b16 = memref.load %in[%f, %h, %i] : memref<128x?x?xbf16>
        %a = arith.extf %a16 : bf16 to f32
        %b = arith.extf %b16 : bf16 to f32
        %c = memref.load %cos[%e, %i] : memref<64x?xf32>
        %s = memref.load %sin[%e, %i] : memref<64x?xf32>
        %ac = arith.mulf %a, %c : f32
        %bs = arith.mulf %b, %s : f32
        %bc = arith.mulf %b, %c : f32
        %as = arith.mulf %a, %s : f32
        %new_a = arith.subf %ac, %bs : f32
        %new_b = arith.addf %bc, %as : f32
        %y = arith.truncf %new_a : f32 to bf16
        %z = arith.truncf %new_b : f32 to bf16
        memref.store %y, %out[%e, %h, %i] : memref<128x?x?xbf16>
        memref.store %z, %out[%f, %h, %i] : memref<128x?x?xbf16>
      }
    }
  }
  return
}
