// Softmax of the rows of a matrix: out(i,j) = exp(in(i,j) - m) / sum over k of exp(in(i,k) - m), m = max over k of in(i,k).
//
// The number of rows is known at run time. A block of 256 threads computes a row of 4096 elements: the modes of a row are
// (8 neighbours, 256 threads, 2 vectors), so that a thread's part is a slice, in vectors of 16 bytes. #own is the thread-value layout
// of the fragments, from (thread, value) to the column.
// Each element is loaded once and stays in registers as f32; maximum and sum are combined by shuffles, and then through a slot of shared
// memory for each of the 8 warps.

!m = !layout.view<bf16, global, (?{range=1..1048576},(8,256,2)):(4096,(1,8,2048))>
!own = !layout.view<bf16, global, (8,2):(1,2048)>
!x = !layout.view<f32, register, (8,2):(1,8)>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(256,(8,2)):(8,(1,2048))>
gpu.module @softmax {
  gpu.func @softmax(%in: !m, %out: !m) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @softmax_reference, layout.kernel = {grid = ["rows"], sizes = ["rows", "rows"], names = ["in", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %x = layout.alloc : !x
    %s = layout.alloc : !one
    %in_own = layout.slice %in(%i, (_, %t, _)) : !m
    layout.copy #layout.atom<simt_8> %in_own, %x : !own, !x
    layout.reduce max %x into %s along [0] threads(#own) : !x, !one
    layout.map ins(%s : !one) outs(%x : !x) {
    ^bb0(%max: f32, %e: f32):
      %d = arith.subf %e, %max : f32
      %r = math.exp %d fastmath<afn> : f32
      layout.yield %r : f32
    }
    layout.reduce add %x into %s along [0] threads(#own) : !x, !one
    layout.map ins(%s : !one) outs(%x : !x) {
    ^bb0(%sum: f32, %e: f32):
      %r = arith.divf %e, %sum fastmath<arcp> : f32
      layout.yield %r : f32
    }
    %out_own = layout.slice %out(%i, (_, %t, _)) : !m
    layout.copy #layout.atom<simt_8> %x, %out_own : !x, !own
    gpu.return
  }
}

func.func @softmax_reference(%in: memref<?x4096xbf16>, %out: memref<?x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = arith.constant 4096 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %in, %c0 : memref<?x4096xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %max = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %least) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x4096xbf16>
      %e = arith.extf %x : bf16 to f32
      %m = arith.maximumf %before, %e : f32
      scf.yield %m : f32
    }
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<?x4096xbf16>
      %e = arith.extf %x : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %more = arith.addf %before, %p : f32
      scf.yield %more : f32
    }
    scf.for %j = %c0 to %columns step %c1 {
      %x = memref.load %in[%i, %j] : memref<?x4096xbf16>
      %e = arith.extf %x : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %r = arith.divf %p, %sum : f32
      %y = arith.truncf %r : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<?x4096xbf16>
    }
  }
  return
}
