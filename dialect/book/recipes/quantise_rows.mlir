// FP8 quantisation of rows of 2048 with a scale for each: scale(i) = the greatest |in(i,j)| / 448, out(i,j) = in(i,j) / scale(i).
//
// Each of 128 threads has 16 elements of a row, in two vectors; the copy to the result rounds and saturates.
!matrix = !layout.view<bf16, global, (?{range=1..65536},(8,128,2)):(2048,(1,8,1024))>
!result = !layout.view<f8E4M3FN, global, (?{range=1..65536},(8,128,2)):(2048,(1,8,1024))>
!scales = !layout.view<f32, global, ?{range=1..65536}:1>
!fragment = !layout.view<f32, register, (8,2):(1,8)>
!one = !layout.view<f32, register, (8,2):(0,0)>
#own = #layout<(128,(8,2)):(8,(1,1024))>

gpu.module @kernels {
  gpu.func @quantise_rows(%in: !matrix, %out: !result, %scale: !scales) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @quantise_rows_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "rows", "rows"], names = ["in", "out", "scale"], chip = "sm_80"}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %most = arith.constant 448.0 : f32
    %least = arith.constant 1.0e-12 : f32
    %x = layout.alloc : !fragment
    %magnitude = layout.alloc : !fragment
    %greatest = layout.alloc : !one
    %in_own = layout.slice %in(%row, (_, %thread, _))
    layout.copy #layout.atom<simt_8> %in_own, %x
    layout.map ins(%x) outs(%magnitude) {
    ^bb0(%element: f32, %before: f32):
      %absolute = math.absf %element : f32
      layout.yield %absolute : f32
    }
    layout.reduce max %magnitude into %greatest along [0] threads(#own)
    %amax = layout.load %greatest(0, 0)
    // A row of zeros has a scale as well.
    %positive = arith.maximumf %amax, %least : f32
    %factor = arith.divf %most, %positive : f32
    layout.map outs(%x) {
    ^bb0(%element: f32):
      %scaled = arith.mulf %element, %factor : f32
      layout.yield %scaled : f32
    }
    %out_own = layout.slice %out(%row, (_, %thread, _))
    layout.copy #layout.atom<simt_8> %x, %out_own
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %own_scale = arith.divf %positive, %most : f32
      layout.store %own_scale, %scale(%row)
    }
    gpu.return
  }
}

func.func @quantise_rows_reference(%in: memref<?x2048xbf16>, %out: memref<?x2048xf8E4M3FN>, %scale: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 448.0 : f32
  %least = arith.constant 1.0e-12 : f32
  %rows = memref.dim %in, %c0 : memref<?x2048xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %amax = scf.for %j = %c0 to %c2048 step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x2048xbf16>
      %wide = arith.extf %x : bf16 to f32
      %absolute = math.absf %wide : f32
      %more = arith.maximumf %before, %absolute : f32
      scf.yield %more : f32
    }
    %positive = arith.maximumf %amax, %least : f32
    %own_scale = arith.divf %positive, %most : f32
    memref.store %own_scale, %scale[%i] : memref<?xf32>
    scf.for %j = %c0 to %c2048 step %c1 {
      %x = memref.load %in[%i, %j] : memref<?x2048xbf16>
      %wide = arith.extf %x : bf16 to f32
      %scaled = arith.divf %wide, %own_scale : f32
      %narrow = arith.truncf %scaled : f32 to f8E4M3FN
      memref.store %narrow, %out[%i, %j] : memref<?x2048xf8E4M3FN>
    }
  }
  return
}
