// RMS norm of the rows of a matrix: out(i,j) = in(i,j) / sqrt(mean over k of in(i,k)^2 + 1e-6) * weight(j).
//
// A block of 512 threads has a row of 4096 elements, a vector of 8 a thread: see softmax.mlir.

!m = !layout.view<bf16, global, (8192,(8,512)):(4096,(1,8))>
!w = !layout.view<bf16, global, (8,512):(1,8)>
!own = !layout.view<bf16, global, (8):(1)>
!x = !layout.view<f32, register, 8:1>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(512,8):(8,1)>
gpu.module @rms_norm {
  gpu.func @rms_norm(%in: !m, %weight: !w, %out: !m) kernel attributes {known_block_size = array<i32: 512, 1, 1>,
      layout.kernel = {grid = array<i64: 8192, 1, 1>, block = array<i64: 512, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %part = arith.constant 2.44140625e-4 : f32
    %eps = arith.constant 1.0e-6 : f32
    %x = layout.alloc : !x
    %squares = layout.alloc : !x
    %w = layout.alloc : !x
    %s = layout.alloc : !one
    %in_own = layout.slice %in(%i, (_, %t)) : !m
    layout.copy #layout.atom<simt_8> %in_own, %x : !own, !x
    %w_own = layout.slice %weight(_, %t) : !w
    layout.copy #layout.atom<simt_8> %w_own, %w : !own, !x
    layout.map ins(%x : !x) outs(%squares : !x) {
    ^bb0(%e: f32, %old: f32):
      %square = arith.mulf %e, %e : f32
      layout.yield %square : f32
    }
    layout.reduce add %squares into %s along [0] threads(#own) : !x, !one
    layout.map ins(%s, %w : !one, !x) outs(%x : !x) {
    ^bb0(%sum: f32, %wj: f32, %e: f32):
      %mean = math.fma %sum, %part, %eps : f32
      %scale = math.rsqrt %mean : f32
      %n = arith.mulf %e, %scale : f32
      %r = arith.mulf %n, %wj : f32
      layout.yield %r : f32
    }
    %out_own = layout.slice %out(%i, (_, %t)) : !m
    layout.copy #layout.atom<simt_8> %x, %out_own : !x, !own
    gpu.return
  }
}
