// The inclusive scan (cumulative sum) of each row of 1024: out(i,j) = in(i,0) + … + in(i,j).
//
// Each of 128 threads scans its 8 neighbours, shuffles scan the sums of a warp's lanes, and shared memory has those of the warps.
!matrix = !layout.view<f32, global, (?{range=1..65536},(8,128)):(1024,(1,8))>
!fragment = !layout.view<f32, register, 8:1>
!sums = !layout.view<f32, shared, 4:1>

gpu.module @kernels {
  gpu.func @row_scan(%in: !matrix, %out: !matrix) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @row_scan_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "rows"], names = ["in", "out"], chip = "sm_80"}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last_lane = arith.constant 31 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i5 = arith.constant 5 : i32
    %width = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %lane, %warp = layout.idx2crd %thread, #layout<(32,4)>
    %x = layout.alloc : !fragment
    %sums = layout.alloc : !sums
    %in_own = layout.slice %in(%row, (_, %thread))
    layout.copy #layout.atom<simt_4> %in_own, %x
    // The thread's own elements, and their sum.
    %own = scf.for %i = %c0 to %c8 step %c1 iter_args(%before = %zero) -> f32 {
      %element = layout.load %x(%i)
      %sum = arith.addf %before, %element : f32
      layout.store %sum, %x(%i)
      scf.yield %sum : f32
    }
    // The sums of this lane and those before it, in five steps.
    %scanned = scf.for %step = %i0 to %i5 step %i1 iter_args(%sum = %own) -> f32 : i32 {
      %distance = arith.shli %i1, %step : i32
      %other, %is_there = gpu.shuffle up %sum, %distance, %width : f32
      %more = arith.addf %sum, %other : f32
      %next = arith.select %is_there, %more, %sum : f32
      scf.yield %next : f32
    }
    %is_last = arith.cmpi eq, %lane, %last_lane : index
    scf.if %is_last {
      layout.store %scanned, %sums(%warp)
    }
    gpu.barrier
    %of_warps = scf.for %w = %c0 to %warp step %c1 iter_args(%before = %zero) -> f32 {
      %element = layout.load %sums(%w)
      %sum = arith.addf %before, %element : f32
      scf.yield %sum : f32
    }
    %of_lanes = arith.subf %scanned, %own : f32
    %before = arith.addf %of_warps, %of_lanes : f32
    layout.map outs(%x) {
    ^bb0(%element: f32):
      %sum = arith.addf %element, %before : f32
      layout.yield %sum : f32
    }
    %out_own = layout.slice %out(%row, (_, %thread))
    layout.copy #layout.atom<simt_4> %x, %out_own
    gpu.return
  }
}

func.func @row_scan_reference(%in: memref<?x1024xf32>, %out: memref<?x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %in, %c0 : memref<?x1024xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c1024 step %c1 iter_args(%before = %zero) -> f32 {
      %element = memref.load %in[%i, %j] : memref<?x1024xf32>
      %sum = arith.addf %before, %element : f32
      memref.store %sum, %out[%i, %j] : memref<?x1024xf32>
      scf.yield %sum : f32
    }
  }
  return
}
