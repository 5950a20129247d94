// The sums of a matrix's columns, the elements of each row in turned order, of as many rows as is known at run time. A round copies a
// row to shared memory and adds what other threads copied, so that a copy that runs ahead too far, or too late, gives other sums.

!in = !layout.view<f32, global, (?{range=1..4096},(1,128)):(128,(0,1))>
!out = !layout.view<f32, global, (128):(1)>
!row = !layout.view<f32, shared, (1,128):(0,1)>
!seen = !layout.view<f32, global, (1,128):(0,1)>
!from = !layout.view<f32, global, (1):(0)>
!to = !layout.view<f32, shared, (1):(0)>
gpu.module @sums {
  gpu.func @sums(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
      layout.reference = @sums_reference, layout.kernel = {grid = [1], sizes = ["rows"], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant 127 : index
    %zero = arith.constant 0.0 : f32
    %turned = arith.subi %last, %t : index
    %first = layout.slice %in(_, (0, 0)) : !in
    %rows = layout.size %first : !layout.view<f32, global, (?{range=1..4096}):(128)>
    %row = layout.alloc : !row
    %to = layout.slice %row(_, %t) : !row
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %zero) -> f32 {
      %from = layout.slice %in(%i, (_, %t)) : !in
      layout.copy #layout.atom<cp_async_4> %from, %to : !from, !to
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %x = layout.load %row(0, %turned) : !row
      %after = arith.addf %before, %x : f32
      gpu.barrier
      scf.yield %after : f32
    } {layout.stages = 3 : i64}
    layout.store %sum, %out(%t) : !out
    gpu.return
  }
}

func.func @sums_reference(%in: memref<?x128xf32>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = arith.constant 128 : index
  %last = arith.constant 127 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %in, %c0 : memref<?x128xf32>
  scf.for %j = %c0 to %columns step %c1 {
    %turned = arith.subi %last, %j : index
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %turned] : memref<?x128xf32>
      %after = arith.addf %before, %x : f32
      scf.yield %after : f32
    }
    memref.store %sum, %out[%j] : memref<128xf32>
  }
  return
}
