// Softmax of the rows of a matrix: out(i,j) = exp(in(i,j) - m) / sum over k of exp(in(i,k) - m), m = max over k of in(i,k).
//
// A block of 256 threads has a row of 4096 elements: the modes of a row are (8 neighbours, 256 threads, 2 times), so that a
// thread's part is a slice, in vectors of 16 bytes. #own says the same of the fragments, from (thread, value) to the column.
// Each element is loaded once and stays in registers as f32; maximum and sum go through lanes, and then through a slot of shared
// memory for each of the 8 warps.

!m = !layout.view<bf16, global, (8192,(8,256,2)):(4096,(1,8,2048))>
!own = !layout.view<bf16, global, (8,2):(1,2048)>
!x = !layout.view<f32, register, (8,2):(1,8)>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(256,(8,2)):(8,(1,2048))>
gpu.module @softmax {
  gpu.func @softmax(%in: !m, %out: !m) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.kernel = {grid = array<i64: 8192, 1, 1>, block = array<i64: 256, 1, 1>, chip = "sm_90a"}} {
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
