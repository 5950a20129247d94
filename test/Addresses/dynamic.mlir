// Layouts whose extents and strides are arguments of the kernel.
// Each kernel has its counterpart in dynamic.cu; README.md explains what is counted. CuTe computes offsets of
// `int` in 32 bits whatever they are; here ranges say that they fit.

#once = #llvm.loop_annotation<unroll = <disable = true>>
!out = !layout.view<i32, global, 16:1>
!matrix = !layout.view<i32, global, (?{range=1..4096},?1{div=32 range=32..4096}):(?1,1)>
!tiles = !layout.view<i32, global, zipped_divide((?{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32))>
!tile = !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((?{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32)))>
!threads = !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((?{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>

gpu.module @dynamic {
  // An element of a row-major matrix.
  gpu.func @element(%a: !layout.view<i32, global, (?{range=1..4096},?1{range=1..4096}):(?1,1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %x = layout.load %a(%bx, %t) : !layout.view<i32, global, (?{range=1..4096},?1{range=1..4096}):(?1,1)>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // An element of a matrix with a pitch, four rows down.
  gpu.func @pitched(%a: !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(?{div=8 range=8..8192},1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %four = arith.constant 4 : index
    %below = arith.addi %bx, %four : index
    %x0 = layout.load %a(%bx, %t) : !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(?{div=8 range=8..8192},1)>
    %x1 = layout.load %a(%below, %t) : !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(?{div=8 range=8..8192},1)>
    layout.store %x0, %out(0) : !out
    layout.store %x1, %out(1) : !out
    gpu.return
  }

  // One element of a block's tile of A, as 128 threads divide it in vectors of 8.
  gpu.func @tile(%a: !matrix, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tile = layout.local_tile %a(%bx, %by), #layout<(128,32)> : !matrix
    %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !tile
    %x = layout.load %threads(%t, 0) : !threads
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // The same element of every tile along K.
  gpu.func @k_loop(%a: !matrix, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %tiles = layout.zipped_divide %a, #layout<(128,32)> : !matrix
    %places = layout.get %tiles, [1, 1] : !tiles
    %n = layout.size %places : !layout.view<i32, global, get(zipped_divide((?{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (128,32)), 1, 1)>
    %n_32 = arith.index_cast %n : index to i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %i_32 = %zero to %n_32 step %one iter_args(%before = %zero) -> i32 : i32 {
      %i = arith.index_cast %i_32 : i32 to index
      %tile = layout.slice %tiles((_, _), (%bx, %i)) : !tiles
      %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !tile
      %x = layout.load %threads(%t, 0) : !threads
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // A thread's slice of a tile of 32 by 4, repeated over the matrix: its element of one of the tiles.
  gpu.func @partition(%a: !matrix, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %mine = layout.partition %a(%t), #layout<(32,4):(4,1)> : !matrix
    %x = layout.load %mine(%bx, %by) : !layout.view<i32, global, slice((0,(_,_)), zipped_divide((?{range=1..4096},?1{div=32 range=32..4096}):(?1,1), (32,4)))>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // The four elements of an m16n8 accumulator in a row-major C with a pitch.
  gpu.func @accumulator(%c: !layout<(16,8):(?{div=8 range=8..8192},1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.composition %c, #layout<((4,8),(2,2)):((32,1),(16,8))> : !layout<(16,8):(?{div=8 range=8..8192},1)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition((16,8):(?{div=8 range=8..8192},1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<composition((16,8):(?{div=8 range=8..8192},1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<composition((16,8):(?{div=8 range=8..8192},1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<composition((16,8):(?{div=8 range=8..8192},1), ((4,8),(2,2)):((32,1),(16,8)))>
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

  // A query of a batch of sequences: strides of the batch, the sequence and the heads are arguments.
  gpu.func @query(%q: !layout.view<i32, global, (?{range=1..64},?{range=1..4096},?{range=1..32},128):(?{div=128 range=128..4194304},?{div=128 range=128..4096},?{div=128 range=128..4096},1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %x = layout.load %q(%bz, %bx, %by, %t) : !layout.view<i32, global, (?{range=1..64},?{range=1..4096},?{range=1..32},128):(?{div=128 range=128..4194304},?{div=128 range=128..4096},?{div=128 range=128..4096},1)>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // An element by its number in the matrix, which is stored with a pitch.
  gpu.func @by_number(%a: !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 128 : index
    %first = arith.muli %bx, %threads : index
    %i = arith.addi %first, %t : index
    %x = layout.load %a(%i) : !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // A transposed tile: read along the columns, its number along the rows.
  gpu.func @transposed(%a: !layout.view<i32, global, (?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tile = layout.local_tile %a(%bx, %by), #layout<(32,32)> : !layout.view<i32, global, (?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1)>
    %threads = layout.composition %tile, #layout<((32,8),4):((1,32),256)> : !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1), (32,32)))>
    %x0 = layout.load %threads(%t, 0) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1), (32,32))), ((32,8),4):((1,32),256))>
    %x1 = layout.load %threads(%t, 1) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1), (32,32))), ((32,8),4):((1,32),256))>
    %x2 = layout.load %threads(%t, 2) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1), (32,32))), ((32,8),4):((1,32),256))>
    %x3 = layout.load %threads(%t, 3) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((?1{div=32 range=32..4096},?{div=32 range=32..4096}):(1,?1), (32,32))), ((32,8),4):((1,32),256))>
    layout.store %x0, %out(0) : !out
    layout.store %x1, %out(1) : !out
    layout.store %x2, %out(2) : !out
    layout.store %x3, %out(3) : !out
    gpu.return
  }
}
