// Adds the sum of n f32 to a number, in a grid-stride loop; n and the grid are known at run time, and the last step is an atomic
// addition.
!v = !layout.view<f32, global, ?{range=1..1073741824}:1>
gpu.module @reduce {
  gpu.func @reduce(%in: !v, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @reduce_reference,
                  layout.kernel = {grid = ["min(ceil_div(n,2048),1056)"], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %n = layout.size %in : !layout.view<f32, global, ?{range=1..1073741824}:1>
    %b0 = arith.muli %block, %c256 : index
    %first = arith.addi %b0, %t : index
    %step = arith.muli %blocks, %c256 : index
    %s0 = scf.for %i = %first to %n step %step iter_args(%s = %zero) -> f32 {
      %v = layout.load %in(%i) : !layout.view<f32, global, ?{range=1..1073741824}:1>
      %s1 = arith.addf %s, %v : f32
      scf.yield %s1 : f32
    }
    %w = func.call @warp_sum(%s0) : (f32) -> f32
    %lw:2 = layout.idx2crd %t, #layout<(32,8)>
    %part = layout.alloc : !layout.view<f32, shared, 8:1>
    layout.store %w, %part(%lw#1) : !layout.view<f32, shared, 8:1>
    gpu.barrier
    %is0 = arith.cmpi eq, %t, %c0 : index
    scf.if %is0 {
      %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
        %v = layout.load %part(%i) : !layout.view<f32, shared, 8:1>
        %s1 = arith.addf %s, %v : f32
        scf.yield %s1 : f32
      }
      %old = llvm.atomicrmw fadd %out, %sum monotonic : !llvm.ptr<1>, f32
    }
    gpu.return
  }
  func.func private @warp_sum(%x: f32) -> f32 {
    %w32 = arith.constant 32 : i32
    %o1 = arith.constant 16 : i32
    %a, %p1 = gpu.shuffle xor %x, %o1, %w32 : f32
    %b = arith.addf %x, %a : f32
    %o2 = arith.constant 8 : i32
    %c, %p2 = gpu.shuffle xor %b, %o2, %w32 : f32
    %d = arith.addf %b, %c : f32
    %o3 = arith.constant 4 : i32
    %e, %p3 = gpu.shuffle xor %d, %o3, %w32 : f32
    %f = arith.addf %d, %e : f32
    %o4 = arith.constant 2 : i32
    %g, %p4 = gpu.shuffle xor %f, %o4, %w32 : f32
    %h = arith.addf %f, %g : f32
    %o5 = arith.constant 1 : i32
    %i, %p5 = gpu.shuffle xor %h, %o5, %w32 : f32
    %j = arith.addf %h, %i : f32
    return %j : f32
  }
}

func.func @reduce_reference(%in: memref<?xf32>, %out: memref<1xf32>) {
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
