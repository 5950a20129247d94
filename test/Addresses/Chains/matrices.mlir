// Tiles, blocks and batches of matrices whose extents are arguments.
// README.md explains what is counted and why.

!out = !layout.view<i32, global, 16:1>
!matrix = !layout<(?0{range=1..4096},?1{div=32 range=32..4096}):(?1,1)>
!tiles = !layout<zipped_divide((?0{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32))>
!tile = !layout<slice(((_,_),(0,0)), zipped_divide((?0{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32)))>
!threads = !layout<composition(slice(((_,_),(0,0)), zipped_divide((?0{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
!plain = !layout<(?0{range=1..4096},?1{range=1..4096}):(1,?0)>
!grid = !layout<(?0{range=1..512},?1{range=1..512}):(1,?2{range=1..1024})>
!grid_shape = !layout.tuple<(?{range=1..512},?{range=1..512})>
!elements = !layout<(?0{range=1..4096},?1{range=1..4096}):(1,?2{div=8 range=8..8192})>
!batches = !layout<(?0{range=1..64},?1{range=1..64}):(?2{div=64 range=64..4096},?3{div=64 range=64..262144})>
!batches_shape = !layout.tuple<(?{range=1..64},?{range=1..64})>
!unpacked = !layout<(16,?0{range=1..256},8,?1{range=1..512}):(1,16,16*?0,128*?0)>
!packed_order = !layout<(16,8,?0{range=1..256},?1{range=1..512}):(1,16,128,128*?0)>
!blocks_shape = !layout.tuple<(16,8,?{range=1..256},?{range=1..512})>
!bytes = !layout<(?0{range=1..4096},?1{div=16 range=16..4096}):(?2{div=16 range=16..8192},1)>
!words = !layout<recast((?0{range=1..4096},?1{div=16 range=16..4096}):(?2{div=16 range=16..8192},1), 8, 32)>
!words_shape = !layout.tuple<(?{range=1..4096},?{div=16 range=16..4096}/4)>
!pitched = !layout<(?0{range=1..4096},?1{div=8 range=8..4096}):(?2{div=8 range=8..8192},1)>
!vectors = !layout<logical_divide((?0{range=1..4096},?1{div=8 range=8..4096}):(?2{div=8 range=8..8192},1), <_, 8:1>)>
!rows = !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>

gpu.module @matrices {
  // One element of a block's tile, as 128 threads divide it in vectors of 8.
  gpu.func @tile(%a: !matrix, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tile = layout.local_tile %a(%bx, %by), #layout<(128,32)> : !matrix
    %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !tile
    %at = layout.crd2idx %threads(%t, 0) : !threads
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // The same of a tile by its number.
  gpu.func @tile_by_number(%a: !matrix, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %tiles = layout.zipped_divide %a, #layout<(128,32)> : !matrix
    %at = layout.crd2idx %tiles(%t, %bx) : !tiles
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Tiles in an order with a pitch of its own: which tile, and its first element.
  gpu.func @raster(%g: !grid, %a: !plain, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bx = gpu.block_id x
    %shape = layout.shape %g : !grid
    %c:2 = layout.idx2crd %bx, %shape : !grid_shape
    %tile = layout.crd2idx %g(%c#0, %c#1) : !grid
    %tile_32 = arith.index_cast %tile : index to i32
    layout.store %tile_32, %out(0) : !out
    gpu.return
  }

  // The matrices of a batch, which are counted in one number, of three operands.
  gpu.func @batches(%a: !batches, %b: !batches, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bx = gpu.block_id x
    %shape = layout.shape %a : !batches
    %c:2 = layout.idx2crd %bx, %shape : !batches_shape
    %a_at = layout.crd2idx %a(%c#0, %c#1) : !batches
    %b_at = layout.crd2idx %b(%c#0, %c#1) : !batches
    %a_at_32 = arith.index_cast %a_at : index to i32
    layout.store %a_at_32, %out(0) : !out
    %b_at_32 = arith.index_cast %b_at : index to i32
    layout.store %b_at_32, %out(1) : !out
    gpu.return
  }

  // An element of a pitched matrix that the block's number chooses, with the batch outward.
  gpu.func @tile_of_batch(%g: !batches, %a: !elements, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %shape = layout.shape %g : !batches
    %c:2 = layout.idx2crd %bx, %shape : !batches_shape
    %base = layout.crd2idx %g(%c#0, %c#1) : !batches
    %own = layout.crd2idx %a(%t, %c#0) : !elements
    %at = arith.addi %base, %own : index
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // A part of the sum and a tile, from one number.
  gpu.func @split_k(%a: !plain, %g: !grid, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bx = gpu.block_id x
    %shape = layout.shape %g : !grid
    %c:2 = layout.idx2crd %bx, %shape : !grid_shape
    %at = layout.crd2idx %a(%c#1, %c#0) : !plain
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Elements in the order of packed blocks of 16 by 8, out of a matrix in columns.
  gpu.func @pack(%a: !unpacked, %b: !packed_order, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %b : !packed_order
    %c:4 = layout.idx2crd %e, %shape : !blocks_shape
    %from = layout.crd2idx %a(%c#0, %c#2, %c#1, %c#3) : !unpacked
    %to = layout.crd2idx %b(%c#0, %c#1, %c#2, %c#3) : !packed_order
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // Bytes of a pitched matrix as words of 32 bits, by the word's number.
  gpu.func @words(%a: !bytes, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %words = layout.recast %a, 8 to 32 : !bytes
    %shape = layout.shape %words : !words
    %c:2 = layout.idx2crd %e, %shape : !words_shape
    %at = layout.crd2idx %words(%c#0, %c#1) : !words
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Vectors of 8 along a row, one a thread.
  gpu.func @vectors(%a: !pitched, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %vectors = layout.logical_divide %a, #layout<<_, 8:1>> : !pitched
    %at = layout.crd2idx %vectors(%by, (0, %e)) : !vectors
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // Where the element with a number in columns lies in rows, and the next.
  gpu.func @linear_rows(%a: !rows, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %one = arith.constant 1 : index
    %next = arith.addi %e, %one : index
    %x = layout.crd2idx %a(%e) : !rows
    %y = layout.crd2idx %a(%next) : !rows
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    %y_32 = arith.index_cast %y : index to i32
    layout.store %y_32, %out(1) : !out
    gpu.return
  }

  // An element of a matrix of atoms of 8 by 8.
  gpu.func @atoms(%a: !layout<(8,8):(8,1)>, %m: i32, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %s = layout.make %m, %n : (i32, i32) -> !layout.tuple<(?{div=8 range=8..4096},?{div=8 range=8..4096})>
    %atoms = layout.tile_to_shape %a, %s : !layout<(8,8):(8,1)>, !layout.tuple<(?{div=8 range=8..4096},?{div=8 range=8..4096})>
    %at = layout.crd2idx %atoms(%bx, %t) : !layout<((8,?0{div=8 range=8..4096}/8),(8,?1{div=8 range=8..4096}/8)):((8,64),(1,8*?0))>
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }
}
