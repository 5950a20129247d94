// Convolutions, pooling and images of run-time sizes.
// README.md explains what is counted and why.

!out = !layout.view<i32, global, 16:1>
!output = !layout<(?0{range=1..256},?1{range=1..256},?2{range=1..64}):(?3{div=8 range=8..512},?4{div=8 range=8..131072},?5{div=8 range=8..33554432})>
!output_shape = !layout.tuple<(?{range=1..256},?{range=1..256},?{range=1..64})>
!taps = !layout<(?0{div=8 range=8..512},3,3):(1,?0,?1{div=8 range=8..131072})>
!taps_shape = !layout.tuple<(?{div=8 range=8..512},3,3)>
!filter = !layout<(?0{div=8 range=8..512},3,3,?1{range=1..512}):(1,?0,3*?0,9*?0)>
!im2col = !layout<((?0{range=1..128},?1{range=1..128},?2{range=1..16}),(?3{div=8 range=8..256},3,3)):((?3,?4{div=8 range=8..65536},?5{div=8 range=8..16777216}),(1,?3,?4))>
!shuffled = !layout<(2,?0{range=1..128},2,?1{range=1..128},?2{range=1..128}):(?0*?1*?2,1,2*?0*?1*?2,?0,?0*?1)>
!unshuffled = !layout<(2,?0{range=1..128},2,?1{range=1..128},?2{range=1..128}):(1,2,2*?0,4*?0,4*?0*?1)>
!shuffled_shape = !layout.tuple<(2,?{range=1..128},2,?{range=1..128},?{range=1..128})>
!upsampled = !layout<(2,?0{range=1..256},2,?1{range=1..256},?2{range=1..64}):(1,2,2*?0,4*?0,4*?0*?1)>
!small = !layout<(2,?0{range=1..256},2,?1{range=1..256},?2{range=1..64}):(0,1,0,?0,?0*?1)>
!upsampled_shape = !layout.tuple<(2,?{range=1..256},2,?{range=1..256},?{range=1..64})>
!pooled = !layout<(?0{range=1..256},?1{range=1..256},?2{range=1..64}):(1,?0,?0*?1)>
!windows = !layout<(?0{range=1..256},?1{range=1..256},?2{range=1..64}):(2,?3{div=2 range=2..1024},?4{div=4 range=4..262144})>
!blocked = !layout<(32,?0{range=1..256},?1{range=1..256},?2{range=1..16}):(1,32,32*?0,32*?0*?1)>
!inward = !layout<(32,?0{range=1..256},?1{range=1..256},?2{range=1..16}):(1,32*?2,32*?0*?2,32)>
!blocked_shape = !layout.tuple<(32,?{range=1..256},?{range=1..256},?{range=1..16})>
!part = !layout<(?0{div=8 range=8..256},?1{range=1..4096}):(1,?0)>
!whole = !layout<(?0{div=8 range=8..256},?1{range=1..4096}):(1,?2{div=8 range=8..1024})>
!part_shape = !layout.tuple<(?{div=8 range=8..256},?{range=1..4096})>
!vectors = !layout<((?0{range=1..64},?1{range=1..256},?2{range=1..256})):((8,8*?0,8*?0*?1))>
!halo = !layout<(?0{range=3..66},?1{range=3..66}):(1,?2{div=8 range=8..2048})>
!halo_shape = !layout.tuple<(?{range=3..66},?{range=3..66})>

gpu.module @convolutions {
  // The pixel of a row of the GEMM: q, p and n from its number.
  gpu.func @im2col_row(%a: !output, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %a : !output
    %c:3 = layout.idx2crd %e, %shape : !output_shape
    %at = layout.crd2idx %a(%c#0, %c#1, %c#2) : !output
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Channel and tap of a step along the GEMM's depth, in the image and in the filter.
  gpu.func @im2col_depth(%a: !taps, %f: !filter, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %a : !taps
    %c:3 = layout.idx2crd %e, %shape : !taps_shape
    %image = layout.crd2idx %a(%c#0, %c#1, %c#2) : !taps
    %filter = layout.crd2idx %f(%c#0, %c#1, %c#2, %by) : !filter
    %image_32 = arith.index_cast %image : index to i32
    layout.store %image_32, %out(0) : !out
    %filter_32 = arith.index_cast %filter : index to i32
    layout.store %filter_32, %out(1) : !out
    gpu.return
  }

  // An element of the matrix, by row and depth.
  gpu.func @im2col_element(%a: !im2col, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %threads = arith.constant 128 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %at = layout.crd2idx %a(%e, %by) : !im2col
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Two by two channels to two by two pixels.
  gpu.func @pixel_shuffle(%a: !shuffled, %b: !unshuffled, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !unshuffled
    %c:5 = layout.idx2crd %e, %shape : !shuffled_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2, %c#3, %c#4) : !shuffled
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3, %c#4) : !unshuffled
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Each pixel four times.
  gpu.func @upsample(%a: !small, %b: !upsampled, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !upsampled
    %c:5 = layout.idx2crd %e, %shape : !upsampled_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2, %c#3, %c#4) : !small
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3, %c#4) : !upsampled
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // The first pixel of a window of a pooling with stride 2, and its result.
  gpu.func @pool(%a: !windows, %b: !pooled, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !pooled
    %c:3 = layout.idx2crd %e, %shape : !output_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2) : !windows
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2) : !pooled
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Channels in blocks of 32 to channels inward.
  gpu.func @blocked_channels(%a: !blocked, %b: !inward, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %a : !blocked
    %c:4 = layout.idx2crd %e, %shape : !blocked_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2, %c#3) : !blocked
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3) : !inward
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // A tensor's channels among those of the concatenation.
  gpu.func @concatenate(%a: !part, %b: !whole, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %a : !part
    %c:2 = layout.idx2crd %e, %shape : !part_shape
    %from = layout.crd2idx %a(%c#0, %c#1) : !part
    %to = layout.crd2idx %b(%c#0, %c#1) : !whole
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Vectors of 8 channels, one after the other.
  gpu.func @vectors(%a: !vectors, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %at = layout.crd2idx %a(%e) : !vectors
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // A thread's element of a tile with its halo.
  gpu.func @halo(%a: !halo, %out: !out) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %t = gpu.thread_id x
    %shape = layout.shape %a : !halo
    %c:2 = layout.idx2crd %t, %shape : !halo_shape
    %at = layout.crd2idx %a(%c#0, %c#1) : !halo
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }
}
