#full = #llvm.loop_annotation<unroll = <full = true>>
// Layer norm of the rows of 16384 x 1024 bf16, a warp for each row, four rows in a block: y = (x - mean) * rsqrt(var + eps) * w + b.
!m = !layout.view<bf16, global, (16384,1024):(1024,1)>
!w = !layout.view<bf16, global, (16384,1024):(0,1)>
!x = !layout.view<f32, register, (8,4):(1,8)>
gpu.module @layernorm {
  gpu.func @layernorm(%in: !m, %w: !w, %b: !w, %out: !m) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
        layout.reference = @layernorm_reference,
                  layout.kernel = {grid = [4096], names = ["in", "w", "b", "out"]}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %inv = arith.constant 9.765625e-4 : f32
    %eps = arith.constant 1.0e-5 : f32
    %lw:2 = layout.idx2crd %t, #layout<(32,4)>
    %x = layout.alloc : !x
    %wx = layout.alloc : !x
    %bx = layout.alloc : !x
    // (4 rows in a block, blocks), (8 of a vector, lanes, 4 vectors)
    %gd = layout.composition %in, #layout<<(4,4096):(1,4), (8,32,4):(1,8,256)>> : !layout.view<bf16, global, (16384,1024):(1024,1)>
    %g = layout.slice %gd((%lw#1, %block), (_, %lw#0, _)) : !layout.view<bf16, global, ((4,4096),(8,32,4)):((1024,4096),(1,8,256))>
    %wd = layout.composition %w, #layout<<(4,4096):(1,4), (8,32,4):(1,8,256)>> : !layout.view<bf16, global, (16384,1024):(0,1)>
    %wg = layout.slice %wd((%lw#1, %block), (_, %lw#0, _)) : !layout.view<bf16, global, ((4,4096),(8,32,4)):((0,0),(1,8,256))>
    %bd = layout.composition %b, #layout<<(4,4096):(1,4), (8,32,4):(1,8,256)>> : !layout.view<bf16, global, (16384,1024):(0,1)>
    %bg = layout.slice %bd((%lw#1, %block), (_, %lw#0, _)) : !layout.view<bf16, global, ((4,4096),(8,32,4)):((0,0),(1,8,256))>
    %od = layout.composition %out, #layout<<(4,4096):(1,4), (8,32,4):(1,8,256)>> : !layout.view<bf16, global, (16384,1024):(1024,1)>
    %og = layout.slice %od((%lw#1, %block), (_, %lw#0, _)) : !layout.view<bf16, global, ((4,4096),(8,32,4)):((1024,4096),(1,8,256))>
    layout.copy #layout.atom<simt_8> %g, %x : !layout.view<bf16, global, (8,4):(1,256)>, !layout.view<f32, register, (8,4):(1,8)>
    layout.copy #layout.atom<simt_8> %wg, %wx : !layout.view<bf16, global, (8,4):(1,256)>, !layout.view<f32, register, (8,4):(1,8)>
    layout.copy #layout.atom<simt_8> %bg, %bx : !layout.view<bf16, global, (8,4):(1,256)>, !layout.view<f32, register, (8,4):(1,8)>
    %s0 = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %zero) -> f32 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,4):(1,8)>
      %n = arith.addf %s, %v : f32
      scf.yield %n : f32
    } {llvm.loop_annotation = #full}
    %s1 = func.call @warp_sum(%s0) : (f32) -> f32
    %mean = arith.mulf %s1, %inv : f32
    %q0 = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %zero) -> f32 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,4):(1,8)>
      %d = arith.subf %v, %mean : f32
      %n = math.fma %d, %d, %s : f32
      scf.yield %n : f32
    } {llvm.loop_annotation = #full}
    %q1 = func.call @warp_sum(%q0) : (f32) -> f32
    %var = math.fma %q1, %inv, %eps : f32
    %r = math.rsqrt %var fastmath<afn> : f32
    scf.for %i = %c0 to %c32 step %c1 {
      %v = layout.load %x(%i) : !layout.view<f32, register, (8,4):(1,8)>
      %wi = layout.load %wx(%i) : !layout.view<f32, register, (8,4):(1,8)>
      %bi = layout.load %bx(%i) : !layout.view<f32, register, (8,4):(1,8)>
      %d = arith.subf %v, %mean : f32
      %n = arith.mulf %d, %r : f32
      %y = math.fma %n, %wi, %bi : f32
      layout.store %y, %x(%i) : !layout.view<f32, register, (8,4):(1,8)>
    } {llvm.loop_annotation = #full}
    layout.copy #layout.atom<simt_8> %x, %og : !layout.view<f32, register, (8,4):(1,8)>, !layout.view<bf16, global, (8,4):(1,256)>
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

func.func @layernorm_reference(%in: memref<16384x1024xbf16>, %w: memref<16384x1024xbf16>, %b: memref<16384x1024xbf16>,
                               %out: memref<16384x1024xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 16384 : index
  %columns = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1024.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<16384x1024xbf16>
      %wide = arith.extf %x : bf16 to f32
      %more = arith.addf %before, %wide : f32
      scf.yield %more : f32
    }
    %mean = arith.divf %sum, %count : f32
    %squares = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %in[%i, %j] : memref<16384x1024xbf16>
      %wide = arith.extf %x : bf16 to f32
      %off = arith.subf %wide, %mean : f32
      %square = arith.mulf %off, %off : f32
      %more = arith.addf %before, %square : f32
      scf.yield %more : f32
    }
    %variance = arith.divf %squares, %count : f32
    %with_eps = arith.addf %variance, %eps : f32
    %scale = math.rsqrt %with_eps : f32
    scf.for %j = %c0 to %columns step %c1 {
      %x = memref.load %in[%i, %j] : memref<16384x1024xbf16>
      %wj = memref.load %w[%i, %j] : memref<16384x1024xbf16>
      %bj = memref.load %b[%i, %j] : memref<16384x1024xbf16>
      %wide = arith.extf %x : bf16 to f32
      %w_wide = arith.extf %wj : bf16 to f32
      %b_wide = arith.extf %bj : bf16 to f32
      %off = arith.subf %wide, %mean : f32
      %normal = arith.mulf %off, %scale : f32
      %scaled = arith.mulf %normal, %w_wide : f32
      %y = arith.addf %scaled, %b_wide : f32
      %narrow = arith.truncf %y : f32 to bf16
      memref.store %narrow, %out[%i, %j] : memref<16384x1024xbf16>
    }
  }
  return
}
