// Layer norm as layer_norm.mlir, for thousands of rows: one warp has a row of 1024 elements, four vectors of 8 a lane, all in flight at once, and reduces
// by shuffles alone. Weight and bias are loaded after both reductions: many warps hide that, and registers of these last for more of them.

!m = !layout.view<bf16, global, (?{range=1..1048576},(8,32,4)):(1024,(1,8,256))>
!w = !layout.view<bf16, global, (8,128):(1,8)>
!x = !layout.view<f32, register, (8,4):(1,8)>
gpu.module @layer_norm_rows {
  gpu.func @layer_norm_rows(%in: !m, %weight: !w, %bias: !w, %out: !m) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.reference = @layer_norm_reference,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "rows"], names = ["in", "weight", "bias", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %part = arith.constant 9.765625e-4 : f32
    %eps = arith.constant 1.0e-5 : f32
    %x = layout.alloc : !x
    %w = layout.alloc : !x
    %b = layout.alloc : !x
    %s = layout.alloc : !x
    %in_own = layout.slice %in(%i, (_, %t, _))
    layout.copy #layout.atom<simt_8> %in_own, %x
    layout.reduce add %x into %s along [0] threads(#layout<(32,(8,4)):(8,(1,256))>) : !x, !x
    layout.map outs(%x, %s : !x, !x) { ^bb0(%e: f32, %sum: f32):
      %mean = arith.mulf %sum, %part : f32
      %d = arith.subf %e, %mean : f32
      %square = arith.mulf %d, %d : f32
      layout.yield %d, %square : f32, f32 }
    layout.reduce add %s into %s along [0] threads(#layout<(32,(8,4)):(8,(1,256))>) : !x, !x
    %weights = layout.composition %weight, #layout<(8,(32,4)):(1,(8,256))>
    %w_own = layout.slice %weights(_, (%t, _))
    layout.copy #layout.atom<simt_8> %w_own, %w
    %biases = layout.composition %bias, #layout<(8,(32,4)):(1,(8,256))>
    %b_own = layout.slice %biases(_, (%t, _))
    layout.copy #layout.atom<simt_8> %b_own, %b
    layout.map ins(%s, %w, %b : !x, !x, !x) outs(%x : !x) { ^bb0(%sum: f32, %wj: f32, %bj: f32, %d: f32):
      %var = math.fma %sum, %part, %eps : f32
      %scale = math.rsqrt %var fastmath<afn> : f32
      %n = arith.mulf %d, %scale : f32
      %r = math.fma %n, %wj, %bj : f32
      layout.yield %r : f32 }
    %out_own = layout.slice %out(%i, (_, %t, _))
    layout.copy #layout.atom<simt_8> %x, %out_own
    gpu.return
  }
}

func.func @layer_norm_reference(%in: memref<?x1024xbf16>, %weight: memref<8x128xbf16>, %bias: memref<8x128xbf16>, %out: memref<?x1024xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %columns = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = memref.dim %in, %c0 : memref<?x1024xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x1024xbf16>
      %e = arith.extf %x : bf16 to f32
      %more = arith.addf %before, %e : f32
      scf.yield %more : f32
    }
    %mean = arith.divf %sum, %count : f32
    %squares = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x1024xbf16>
      %e = arith.extf %x : bf16 to f32
      %d = arith.subf %e, %mean : f32
      %square = arith.mulf %d, %d : f32
      %more = arith.addf %before, %square : f32
      scf.yield %more : f32
    }
    %var = arith.divf %squares, %count : f32
    %with_eps = arith.addf %var, %eps : f32
    %scale = math.rsqrt %with_eps : f32
    scf.for %j = %c0 to %columns step %c1 {
      %x = memref.load %in[%i, %j] : memref<?x1024xbf16>
      %e = arith.extf %x : bf16 to f32
      %d = arith.subf %e, %mean : f32
      %n = arith.mulf %d, %scale : f32
      %j8 = arith.remui %j, %c8 : index
      %t = arith.divui %j, %c8 : index
      %wj = memref.load %weight[%j8, %t] : memref<8x128xbf16>
      %w = arith.extf %wj : bf16 to f32
      %bj = memref.load %bias[%j8, %t] : memref<8x128xbf16>
      %b = arith.extf %bj : bf16 to f32
      %scaled = arith.mulf %n, %w : f32
      %r = arith.addf %scaled, %b : f32
      %y = arith.truncf %r : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<?x1024xbf16>
    }
  }
  return
}
