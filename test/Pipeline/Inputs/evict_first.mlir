// Vectors of 32 bytes, of which one instruction loads 16.
!v = !layout.view<f32, global, (8,64):(1,8)>
!x = !layout.view<f32, register, 8:1>
gpu.module @evict_first {
  gpu.func @evict_first(%in: !v, %out: !v) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %x = layout.alloc : !x
    %from = layout.slice %in(_, %t)
    layout.copy #layout.atom<simt_8> %from, %x {evict_first}
    %to = layout.slice %out(_, %t)
    layout.copy #layout.atom<simt_4> %x, %to
    gpu.return
  }
}
