// A permutation of four modes: attention's heads and tokens change places, (batch, token, head, element) becomes
// (batch, head, token, element), 16 heads of 64 elements of bf16 and 2048 tokens.
//
// Both views have the same coordinates, (element, head, token, batch), and the permutation is in their strides: a copy between
// two layouts. A block of 256 threads has 8 tokens, whose modes are (2 of the threads, 4 of a thread, 256 blocks); a thread has a
// vector of 16 bytes of 4 of them, all in flight at once.

!from = !layout.view<bf16, global, ((8,8),16,(2,4,256),?{range=1..1024}):((1,8),64,(1024,2048,8192),2097152)>
!to = !layout.view<bf16, global, ((8,8),16,(2,4,256),?{range=1..1024}):((1,8),131072,(64,128,512),2097152)>
!x = !layout.view<bf16, register, (8,4):(1,8)>
gpu.module @permute {
  gpu.func @permute(%in: !from, %out: !to) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @permute_reference, layout.kernel = {grid = [256, "batches"], sizes = ["batches", "batches"], names = ["in", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %tokens = gpu.block_id x
    %batch = gpu.block_id y
    %of:3 = layout.idx2crd %t, #layout<(8,16,2)>
    %x = layout.alloc : !x
    %own = layout.slice %in((_, %of#0), %of#1, (%of#2, _, %tokens), %batch) : !from
    layout.copy #layout.atom<simt_8> %own, %x : !layout.view<bf16, global, (8,4):(1,2048)>, !x
    %place = layout.slice %out((_, %of#0), %of#1, (%of#2, _, %tokens), %batch) : !to
    layout.copy #layout.atom<simt_8> %x, %place : !x, !layout.view<bf16, global, (8,4):(1,128)>
    gpu.return
  }
}

func.func @permute_reference(%in: memref<64x16x2048x?xbf16>, %out: memref<64x16x2048x?xbf16>) {
  linalg.copy ins(%in : memref<64x16x2048x?xbf16>) outs(%out : memref<64x16x2048x?xbf16>)
  return
}
