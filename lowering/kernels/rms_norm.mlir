// RMS norm of the rows of a matrix: out(i,j) = in(i,j) / sqrt(mean over k of in(i,k)^2 + 1e-6) * weight(j).
//
// A block of 512 threads has a row of 4096 elements, a vector of 8 a thread: see softmax.mlir. Four blocks at a time fill a multiprocessor; unless ptxas is
// told so, it takes 36 registers, with which only three fit.

!m = !layout.view<bf16, global, (?{range=1..1048576},(8,512)):(4096,(1,8))>
!w = !layout.view<bf16, global, (8,512):(1,8)>
!own = !layout.view<bf16, global, (8):(1)>
!x = !layout.view<f32, register, 8:1>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(512,8):(8,1)>
gpu.module @rms_norm {
  gpu.func @rms_norm(%in: !m, %weight: !w, %out: !m) kernel attributes {known_block_size = array<i32: 512, 1, 1>, nvvm.minctasm = 4 : i32,
      layout.reference = @rms_norm_reference,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "rows"], names = ["in", "weight", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %part = arith.constant 2.44140625e-4 : f32
    %eps = arith.constant 1.0e-6 : f32
    %x = layout.alloc : !x
    %squares = layout.alloc : !x
    %w = layout.alloc : !x
    %s = layout.alloc : !one
    %in_own = layout.slice %in(%i, (_, %t)) : !m
    layout.copy #layout.atom<simt_8> %in_own, %x : !own, !x
    %w_own = layout.slice %weight(_, %t) : !w
    layout.copy #layout.atom<simt_8> %w_own, %w : !own, !x
    layout.map ins(%x : !x) outs(%squares : !x) {
    ^bb0(%e: f32, %old: f32):
      %square = arith.mulf %e, %e : f32
      layout.yield %square : f32
    }
    layout.reduce add %squares into %s along [0] threads(#own) : !x, !one
    layout.map ins(%s, %w : !one, !x) outs(%x : !x) {
    ^bb0(%sum: f32, %wj: f32, %e: f32):
      %mean = math.fma %sum, %part, %eps : f32
      %scale = math.rsqrt %mean : f32
      %n = arith.mulf %e, %scale : f32
      %r = arith.mulf %n, %wj : f32
      layout.yield %r : f32
    }
    %out_own = layout.slice %out(%i, (_, %t)) : !m
    layout.copy #layout.atom<simt_8> %x, %out_own : !x, !own
    gpu.return
  }
}

func.func @rms_norm_reference(%in: memref<?x4096xbf16>, %weight: memref<8x512xbf16>, %out: memref<?x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %columns = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 4096.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %rows = memref.dim %in, %c0 : memref<?x4096xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %squares = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x4096xbf16>
      %e = arith.extf %x : bf16 to f32
      %square = arith.mulf %e, %e : f32
      %more = arith.addf %before, %square : f32
      scf.yield %more : f32
    }
    %mean = arith.divf %squares, %count : f32
    %with_eps = arith.addf %mean, %eps : f32
    %scale = math.rsqrt %with_eps : f32
    scf.for %j = %c0 to %columns step %c1 {
      %x = memref.load %in[%i, %j] : memref<?x4096xbf16>
      %e = arith.extf %x : bf16 to f32
      %n = arith.mulf %e, %scale : f32
      %j8 = arith.remui %j, %c8 : index
      %t = arith.divui %j, %c8 : index
      %wj = memref.load %weight[%j8, %t] : memref<8x512xbf16>
      %w = arith.extf %wj : bf16 to f32
      %r = arith.mulf %n, %w : f32
      %y = arith.truncf %r : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<?x4096xbf16>
    }
  }
  return
}
