// Addresses of transposes.
// Each kernel has its counterpart in transpose.cu; README.md explains what is counted.

!out = !layout.view<i32, global, 16:1>

gpu.module @transpose {
  // A tile of 32 by 32 in rows of 33: eight rows of threads write, and read transposed.
  gpu.func @padded(%out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<((32,8),4):((1,33),264)> : !layout<((32,8),4):((1,33),264)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<((32,8),4):((1,33),264)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<((32,8),4):((1,33),264)>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<((32,8),4):((1,33),264)>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<((32,8),4):((1,33),264)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    %x3_32 = arith.index_cast %x3 : index to i32
    layout.store %x3_32, %out(3) : !out
    gpu.return
  }

  // The same tile, read by columns.
  gpu.func @padded_read(%out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<((32,8),4):((33,1),8)> : !layout<((32,8),4):((33,1),8)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<((32,8),4):((33,1),8)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<((32,8),4):((33,1),8)>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<((32,8),4):((33,1),8)>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<((32,8),4):((33,1),8)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    %x3_32 = arith.index_cast %x3 : index to i32
    layout.store %x3_32, %out(3) : !out
    gpu.return
  }

  // A tile of 32 by 32 words, swizzled instead of padded, read by columns.
  gpu.func @swizzled_read(%out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)> : !layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    %x3_32 = arith.index_cast %x3 : index to i32
    layout.store %x3_32, %out(3) : !out
    gpu.return
  }

  // The block's tile of the transposed matrix, and the thread's elements in it.
  gpu.func @global_tile(%a: !layout.view<i32, global, (2048,1024):(1,2048)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tiles = layout.zipped_divide %a, #layout<(32,32)> : !layout.view<i32, global, (2048,1024):(1,2048)>
    %tile = layout.slice %tiles((_, _), (%by, %bx)) : !layout.view<i32, global, zipped_divide((2048,1024):(1,2048), (32,32))>
    %threads = layout.composition %tile, #layout<((32,8),4):((1,32),256)> : !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((2048,1024):(1,2048), (32,32)))>
    %x0 = layout.load %threads(%t, 0) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((2048,1024):(1,2048), (32,32))), ((32,8),4):((1,32),256))>
    %x1 = layout.load %threads(%t, 1) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((2048,1024):(1,2048), (32,32))), ((32,8),4):((1,32),256))>
    %x2 = layout.load %threads(%t, 2) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((2048,1024):(1,2048), (32,32))), ((32,8),4):((1,32),256))>
    %x3 = layout.load %threads(%t, 3) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((2048,1024):(1,2048), (32,32))), ((32,8),4):((1,32),256))>
    layout.store %x0, %out(0) : !out
    layout.store %x1, %out(1) : !out
    layout.store %x2, %out(2) : !out
    layout.store %x3, %out(3) : !out
    gpu.return
  }

  // Three modes in another order, of sizes that are no powers of two.
  gpu.func @permuted(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<((56,7),(24,3)):((72,4032),(1,24))> : !layout<((56,7),(24,3)):((72,4032),(1,24))>
    %x0 = layout.crd2idx %l(%t, %bx) : !layout<((56,7),(24,3)):((72,4032),(1,24))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // An element by its number in NCHW, to its offset in NHWC.
  gpu.func @nchw_to_nhwc(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<zipped_divide(((56,56),64,8):((64,3584),1,200704), (128,1,1))> : !layout<zipped_divide(((56,56),64,8):((64,3584),1,200704), (128,1,1))>
    %x0 = layout.crd2idx %l((%t,0,0), (%bx,0,0)) : !layout<zipped_divide(((56,56),64,8):((64,3584),1,200704), (128,1,1))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // Channels in groups of 32, interleaved.
  gpu.func @interleaved(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<((32,4),(28,28)):((1,25088),(32,896))> : !layout<((32,4),(28,28)):((1,25088),(32,896))>
    %x0 = layout.crd2idx %l(%t, %bx) : !layout<((32,4),(28,28)):((1,25088),(32,896))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }
}
