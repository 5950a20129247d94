// Adds the sum of an array of any length to a number: out(0) = out(0) + sum over i of in(i).
//
// A block of 256 threads reads 4096 elements: four loads of 16 bytes in each thread, all in flight at once, and their lines leave the L2 cache
// first. The last vectors are predicated, and the first block adds the up to three elements past them. One layout.reduce combines threads,
// lanes and warps; the first thread of each block adds the block's sum to the result by an atomic.

!v = !layout.view<f32, global, (?{range=1..1073741824}):(1)>
!out = !layout.view<f32, global, 1:1>
!x = !layout.view<f32, register, (4,4):(1,4)>
!one = !layout.view<f32, register, 1:0>
gpu.module @reduction {
  gpu.func @reduction(%in: !v {llvm.noalias}, %out: !out) kernel attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @reduction_reference,
      layout.kernel = {grid = ["ceil_div(n,4096)"], sizes = ["n"], names = ["in", "out"], chip = "sm_90a"}} {
    %t_x = gpu.thread_id x
    %block_x = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %i0 = arith.constant 0 : i32
    %i4 = arith.constant 4 : i32
    %i256 = arith.constant 256 : i32
    %i1024 = arith.constant 1024 : i32
    %zero = arith.constant 0.0 : f32
    %n_x = layout.size %in
    %n = arith.index_cast %n_x : index to i32
    %t = arith.index_cast %t_x : index to i32
    %block = arith.index_cast %block_x : index to i32
    // The thread's first vector; the others are 256 vectors apart.
    %vectors = arith.divui %n, %i4 : i32
    %v0 = arith.muli %block, %i1024 : i32
    %v = arith.addi %v0, %t : i32
    %v_x = arith.index_castui %v : i32 to index
    %x = layout.alloc : !x
    %last = layout.alloc : !one
    %s = layout.alloc : !one
    layout.fill %x, %zero
    layout.fill %last, %zero
    %all = layout.composition %in, #layout<(4,(4,268435456)):(1,(1024,4))>
    %own = layout.slice %all(_, (_, %v_x))
    scf.for %u = %c0 to %c4 step %c1 {
      %u_i = arith.index_cast %u : index to i32
      %ahead = arith.muli %u_i, %i256 : i32
      %w = arith.addi %v, %ahead : i32
      %is = arith.cmpi ult, %w, %vectors : i32
      scf.if %is {
        %own_u = layout.slice %own(_, %u)
        %x_u = layout.slice %x(_, %u)
        layout.copy #layout.atom<simt_4> %own_u, %x_u {evict_first}
      }
    }
    %rest = arith.remui %n, %i4 : i32
    %is_rest_t = arith.cmpi ult, %t, %rest : i32
    %is_first_block = arith.cmpi eq, %block, %i0 : i32
    %is_rest = arith.andi %is_rest_t, %is_first_block : i1
    scf.if %is_rest {
      %before = arith.subi %n, %rest : i32
      %at = arith.addi %before, %t : i32
      %at_x = arith.index_castui %at : i32 to index
      %e = layout.load %in(%at_x)
      layout.store %e, %last(%c0)
    }
    %x_0 = layout.load %x(%c0)
    %last_0 = layout.load %last(%c0)
    %with_last = arith.addf %x_0, %last_0 : f32
    layout.store %with_last, %x(%c0)
    layout.reduce add %x into %s along [0] threads(#layout<(256,(4,4)):(4,(1,1024))>) : !x, !one
    %is_first = arith.cmpi eq, %t, %i0 : i32
    scf.if %is_first {
      %sum = layout.load %s(0) : !one
      layout.atomic add %sum, %out(0) relaxed : !out
    }
    gpu.return
  }
}

func.func @reduction_reference(%in: memref<?xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  %old = memref.load %out[%c0] : memref<1xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %old) -> f32 {
    %x = memref.load %in[%i] : memref<?xf32>
    %more = arith.addf %before, %x : f32
    scf.yield %more : f32
  }
  memref.store %sum, %out[%c0] : memref<1xf32>
  return
}
