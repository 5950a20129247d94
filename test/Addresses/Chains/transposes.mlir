// Copies between orders of one tensor, by the number of the element: its coordinate, and with that its place on both sides.
// README.md explains what is counted and why.

!out = !layout.view<i32, global, 16:1>
!rows = !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>
!columns = !layout<(?0{range=1..4096},?1{range=1..4096}):(1,?0)>
!matrix_shape = !layout.tuple<(?{range=1..4096},?{range=1..4096})>
!cube = !layout<(?0{range=1..256},?1{range=1..256},?2{range=1..256}):(1,?0,?0*?1)>
!cube_reversed = !layout<(?0{range=1..256},?1{range=1..256},?2{range=1..256}):(?1*?2,?2,1)>
!cube_shape = !layout.tuple<(?{range=1..256},?{range=1..256},?{range=1..256})>
!bshd = !layout<(64,?0{range=1..4096},?1{range=1..64},?2{range=1..32}):(1,64*?1,64,64*?0*?1)>
!bhsd = !layout<(64,?0{range=1..4096},?1{range=1..64},?2{range=1..32}):(1,64,64*?0,64*?0*?1)>
!heads_shape = !layout.tuple<(64,?{range=1..4096},?{range=1..64},?{range=1..32})>
!nchw = !layout<(?0{range=1..512},?1{range=1..256},?2{range=1..256},?3{range=1..16}):(?1*?2,1,?1,?0*?1*?2)>
!nhwc = !layout<(?0{range=1..512},?1{range=1..256},?2{range=1..256},?3{range=1..16}):(1,?0,?0*?1,?0*?1*?2)>
!image_shape = !layout.tuple<(?{range=1..512},?{range=1..256},?{range=1..256},?{range=1..16})>
!pitched = !layout<(?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>

gpu.module @transposes {
  // A matrix in rows to one in columns.
  gpu.func @matrix(%a: !rows, %b: !columns, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !columns
    %c:2 = layout.idx2crd %e, %shape : !matrix_shape
    %from = layout.crd2idx %a(%c#0, %c#1) : !rows
    %to = layout.crd2idx %b(%c#0, %c#1) : !columns
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // All three modes of a tensor in reversed order.
  gpu.func @reversed(%a: !cube_reversed, %b: !cube, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !cube
    %c:3 = layout.idx2crd %e, %shape : !cube_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2) : !cube_reversed
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2) : !cube
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Batch, sequence, heads of 64 to batch, heads, sequence.
  gpu.func @heads_outward(%a: !bshd, %b: !bhsd, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !bhsd
    %c:4 = layout.idx2crd %e, %shape : !heads_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2, %c#3) : !bshd
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3) : !bhsd
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // An image with channels outward to one with channels inward.
  gpu.func @nchw_to_nhwc(%a: !nchw, %b: !nhwc, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !nhwc
    %c:4 = layout.idx2crd %e, %shape : !image_shape
    %from = layout.crd2idx %a(%c#0, %c#1, %c#2, %c#3) : !nchw
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3) : !nhwc
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // A matrix with a pitch to one without.
  gpu.func @pitched_to_packed(%a: !pitched, %b: !columns, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !columns
    %c:2 = layout.idx2crd %e, %shape : !matrix_shape
    %from = layout.crd2idx %a(%c#0, %c#1) : !pitched
    %to = layout.crd2idx %b(%c#0, %c#1) : !columns
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Between two pitches.
  gpu.func @pitched_to_pitched(%a: !pitched, %b: !pitched, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !pitched
    %c:2 = layout.idx2crd %e, %shape : !matrix_shape
    %from = layout.crd2idx %a(%c#0, %c#1) : !pitched
    %to = layout.crd2idx %b(%c#0, %c#1) : !pitched
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // The same copy, counted in rows.
  gpu.func @counted_in_rows(%a: !rows, %b: !columns, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %seen = layout.select %a, [1, 0] : !rows
    %shape = layout.shape %seen : !layout<select((?0{range=1..4096},?1{range=1..4096}):(?1,1), 1, 0)>
    %c:2 = layout.idx2crd %e, %shape : !matrix_shape
    %from = layout.crd2idx %a(%c#1, %c#0) : !rows
    %to = layout.crd2idx %b(%c#1, %c#0) : !columns
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }
}
