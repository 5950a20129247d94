// RMS norm of the rows of a matrix: out(i,j) = in(i,j) / sqrt(mean over k of in(i,k)^2 + 1e-6) * weight(j).
//
// A block of 256 threads computes a row of 4096 elements, two vectors of 8 in each thread: see softmax.mlir. Elements and weights stay bf16 in
// registers, of which `ptxas` allocates 40: six blocks fill a multiprocessor, with 48 KB of the matrix in flight.

!m = !layout.view<bf16, global, (?{range=1..1048576},(8,256,2)):(4096,(1,8,2048))>
!w = !layout.view<bf16, global, (8,256,2):(1,8,2048)>
!x = !layout.view<bf16, register, (8,2):(1,8)>
!f = !layout.view<f32, register, (8,2):(1,8)>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(256,(8,2)):(8,(1,2048))>
gpu.module @rms_norm {
  gpu.func @rms_norm(%in: !m, %weight: !w, %out: !m) kernel attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.minctasm = 6 : i32,
      layout.reference = @rms_norm_reference,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "rows"], names = ["in", "weight", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %part = arith.constant 2.44140625e-4 : f32
    %eps = arith.constant 1.0e-6 : f32
    %x = layout.alloc : !x
    %w = layout.alloc : !x
    %squares = layout.alloc : !f
    %s = layout.alloc : !one
    %in_own = layout.slice %in(%i, (_, %t, _))
    layout.copy #layout.atom<simt_8> %in_own, %x
    %w_own = layout.slice %weight(_, %t, _)
    layout.copy #layout.atom<simt_8> %w_own, %w
    layout.map ins(%x : !x) outs(%squares : !f) {
    ^bb0(%e: bf16, %old: f32):
      %wide = arith.extf %e : bf16 to f32
      %square = arith.mulf %wide, %wide : f32
      layout.yield %square : f32
    }
    layout.reduce add %squares into %s along [0] threads(#own) : !f, !one
    layout.map ins(%s, %w : !one, !x) outs(%x : !x) {
    ^bb0(%sum: f32, %wj: bf16, %e: bf16):
      %mean = math.fma %sum, %part, %eps : f32
      %scale = math.rsqrt %mean : f32
      %wide = arith.extf %e : bf16 to f32
      %wide_w = arith.extf %wj : bf16 to f32
      %n = arith.mulf %wide, %scale : f32
      %r = arith.mulf %n, %wide_w : f32
      %narrow = arith.truncf %r : f32 to bf16
      layout.yield %narrow : bf16
    }
    %out_own = layout.slice %out(%i, (_, %t, _))
    layout.copy #layout.atom<simt_8> %x, %out_own
    gpu.return
  }
}

func.func @rms_norm_reference(%in: memref<?x4096xbf16>, %weight: memref<8x256x2xbf16>, %out: memref<?x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
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
      %vector = arith.divui %j, %c8 : index
      %t = arith.remui %vector, %c256 : index
      %second = arith.divui %vector, %c256 : index
      %wj = memref.load %weight[%j8, %t, %second] : memref<8x256x2xbf16>
      %w = arith.extf %wj : bf16 to f32
      %r = arith.mulf %n, %w : f32
      %y = arith.truncf %r : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<?x4096xbf16>
    }
  }
  return
}
