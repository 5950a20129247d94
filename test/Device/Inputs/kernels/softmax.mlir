// Softmax of the rows of 4096 x 4096 bf16: a block of 256 threads for each row; reductions by shuffles, then through shared memory.
!m = !layout.view<bf16, global, (4096,4096):(4096,1)>
!x = !layout.view<f32, register, (8,2):(1,8)>
gpu.module @softmax {
  gpu.func @softmax(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
        layout.reference = @softmax_reference,
                  layout.kernel = {grid = [4096], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %w32 = arith.constant 32 : i32
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %lw:2 = layout.idx2crd %t, #layout<(32,8)>
    %part = layout.alloc : !layout.view<f32, shared, (8,2):(1,8)>
    %x = layout.alloc : !x
    // 4096 = (8 in a vector, 256 threads, 2)
    %gr = layout.slice %in(%row, _) : !layout.view<bf16, global, (4096,4096):(4096,1)>
    %gd = layout.composition %gr, #layout<(8,256,2):(1,8,2048)> : !layout.view<bf16, global, (4096):(1)>
    %g = layout.slice %gd(_, %t, _) : !layout.view<bf16, global, (8,256,2):(1,8,2048)>
    layout.copy #layout.atom<simt_8> %g, %x : !layout.view<bf16, global, (8,2):(1,2048)>, !layout.view<f32, register, (8,2):(1,8)>
    %m0 = scf.for %i = %c0 to %c16 step %c1 iter_args(%m = %ninf) -> f32 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,2):(1,8)>
      %n = arith.maximumf %m, %v : f32
      scf.yield %n : f32
    }
    %m5 = func.call @warp_max(%m0) : (f32) -> f32
    layout.store %m5, %part(%lw#1, 0) : !layout.view<f32, shared, (8,2):(1,8)>
    gpu.barrier
    %mx = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %ninf) -> f32 {
      %v = layout.load %part(%i, 0) : !layout.view<f32, shared, (8,2):(1,8)>
      %n = arith.maximumf %m, %v : f32
      scf.yield %n : f32
    }
    %s0 = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> f32 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,2):(1,8)>
      %d = arith.subf %v, %mx : f32
      %e = math.exp %d fastmath<afn> : f32
      layout.store %e, %x(%i) : !layout.view<f32, register, (8,2):(1,8)>
      %n = arith.addf %s, %e : f32
      scf.yield %n : f32
    }
    %s5 = func.call @warp_sum(%s0) : (f32) -> f32
    layout.store %s5, %part(%lw#1, 1) : !layout.view<f32, shared, (8,2):(1,8)>
    gpu.barrier
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
      %v = layout.load %part(%i, 1) : !layout.view<f32, shared, (8,2):(1,8)>
      %n = arith.addf %s, %v : f32
      scf.yield %n : f32
    }
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %sum : f32
    scf.for %i = %c0 to %c16 step %c1 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,2):(1,8)>
      %y = arith.mulf %v, %r : f32
      layout.store %y, %x(%i) : !layout.view<f32, register, (8,2):(1,8)>
    }
    %hr = layout.slice %out(%row, _) : !layout.view<bf16, global, (4096,4096):(4096,1)>
    %hd = layout.composition %hr, #layout<(8,256,2):(1,8,2048)> : !layout.view<bf16, global, (4096):(1)>
    %h = layout.slice %hd(_, %t, _) : !layout.view<bf16, global, (8,256,2):(1,8,2048)>
    layout.copy #layout.atom<simt_8> %x, %h : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<bf16, global, (8,2):(1,2048)>
    gpu.return
  }
  func.func private @warp_max(%x: f32) -> f32 {
    %w32 = arith.constant 32 : i32
    %o1 = arith.constant 16 : i32
    %a, %p1 = gpu.shuffle xor %x, %o1, %w32 : f32
    %b = arith.maximumf %x, %a : f32
    %o2 = arith.constant 8 : i32
    %c, %p2 = gpu.shuffle xor %b, %o2, %w32 : f32
    %d = arith.maximumf %b, %c : f32
    %o3 = arith.constant 4 : i32
    %e, %p3 = gpu.shuffle xor %d, %o3, %w32 : f32
    %f = arith.maximumf %d, %e : f32
    %o4 = arith.constant 2 : i32
    %g, %p4 = gpu.shuffle xor %f, %o4, %w32 : f32
    %h = arith.maximumf %f, %g : f32
    %o5 = arith.constant 1 : i32
    %i, %p5 = gpu.shuffle xor %h, %o5, %w32 : f32
    %j = arith.maximumf %h, %i : f32
    return %j : f32
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

func.func @softmax_reference(%in: memref<4096x4096xbf16>, %out: memref<4096x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4096 : index
  %rows = arith.constant 4096 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    %most = scf.for %j = %c0 to %n step %c1 iter_args(%before = %least) -> f32 {
      %x = memref.load %in[%i, %j] : memref<4096x4096xbf16>
      %wide = arith.extf %x : bf16 to f32
      %more = arith.maximumf %before, %wide : f32
      scf.yield %more : f32
    }
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<4096x4096xbf16>
      %wide = arith.extf %x : bf16 to f32
      %below = arith.subf %wide, %most : f32
      %power = math.exp %below : f32
      %more = arith.addf %before, %power : f32
      scf.yield %more : f32
    }
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %in[%i, %j] : memref<4096x4096xbf16>
      %wide = arith.extf %x : bf16 to f32
      %below = arith.subf %wide, %most : f32
      %power = math.exp %below : f32
      %part = arith.divf %power, %sum : f32
      %narrow = arith.truncf %part : f32 to bf16
      memref.store %narrow, %out[%i, %j] : memref<4096x4096xbf16>
    }
  }
  return
}
