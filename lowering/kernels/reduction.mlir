// The sum of an array, added to a number: out(0) = out(0) + sum over i of in(i).
//
// The array has as many blocks of 8192 elements as is known at run time. A block of 256 threads has one, whose modes are (4 neighbours, 256 threads, 8 times): eight loads of 16 bytes a
// thread, all in flight at once. Threads, lanes and warps are one layout.reduce; the first thread of each block adds its sum to the
// result, which threads of other blocks do too.

!v = !layout.view<f32, global, ((4,256,8),?{range=1..131072}):((1,4,1024),8192)>
!out = !layout.view<f32, global, 1:1>
!own = !layout.view<f32, global, (4,8):(1,1024)>
!x = !layout.view<f32, register, (4,8):(1,4)>
!one = !layout.view<f32, register, 1:0>
gpu.module @reduction {
  gpu.func @reduction(%in: !v, %out: !out) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @reduction_reference, layout.kernel = {grid = ["blocks"], sizes = ["blocks"], names = ["in", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %x = layout.alloc : !x
    %s = layout.alloc : !one
    %own = layout.slice %in((_, %t, _), %i) : !v
    layout.copy #layout.atom<simt_4> %own, %x : !own, !x
    layout.reduce add %x into %s along [0] threads(#layout<(256,(4,8)):(4,(1,1024))>) : !x, !one
    %c0 = arith.constant 0 : index
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      %sum = layout.load %s(0) : !one
      layout.atomic add %sum, %out(0) relaxed : !out
    }
    gpu.return
  }
}

func.func @reduction_reference(%in: memref<8192x?xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %each = arith.constant 8192 : index
  %blocks = memref.dim %in, %c1 : memref<8192x?xf32>
  %old = memref.load %out[%c0] : memref<1xf32>
  %all = scf.for %j = %c0 to %blocks step %c1 iter_args(%so_far = %old) -> f32 {
    %sum = scf.for %i = %c0 to %each step %c1 iter_args(%before = %so_far) -> f32 {
      %x = memref.load %in[%i, %j] : memref<8192x?xf32>
      %more = arith.addf %before, %x : f32
      scf.yield %more : f32
    }
    scf.yield %sum : f32
  }
  memref.store %all, %out[%c0] : memref<1xf32>
  return
}
