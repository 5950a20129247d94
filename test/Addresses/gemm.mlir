// Addresses of tiled GEMMs.
// Each kernel has its counterpart in gemm.cu; README.md explains what is counted.

#once = #llvm.loop_annotation<unroll = <disable = true>>
!out = !layout.view<i32, global, 16:1>

gpu.module @gemm {
  // One element of a block's tile of A, as 128 threads divide it in vectors of 8.
  gpu.func @copy_one(%a: !layout.view<i32, global, (1024,512):(512,1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tiles = layout.zipped_divide %a, #layout<(128,32)> : !layout.view<i32, global, (1024,512):(512,1)>
    %tile = layout.slice %tiles((_, _), (%bx, %by)) : !layout.view<i32, global, zipped_divide((1024,512):(512,1), (128,32))>
    %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32)))>
    %x = layout.load %threads(%t, 0) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // The first element of each of the thread's four vectors.
  gpu.func @copy_vectors(%a: !layout.view<i32, global, (1024,512):(512,1)>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %tiles = layout.zipped_divide %a, #layout<(128,32)> : !layout.view<i32, global, (1024,512):(512,1)>
    %tile = layout.slice %tiles((_, _), (%bx, %by)) : !layout.view<i32, global, zipped_divide((1024,512):(512,1), (128,32))>
    %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32)))>
    %x0 = layout.load %threads(%t, (0, 0)) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x1 = layout.load %threads(%t, (0, 1)) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x2 = layout.load %threads(%t, (0, 2)) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x3 = layout.load %threads(%t, (0, 3)) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
    layout.store %x0, %out(0) : !out
    layout.store %x1, %out(1) : !out
    layout.store %x2, %out(2) : !out
    layout.store %x3, %out(3) : !out
    gpu.return
  }

  // The same element of every tile along K.
  gpu.func @k_loop(%a: !layout.view<i32, global, (1024,512):(512,1)>, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %tiles = layout.zipped_divide %a, #layout<(128,32)> : !layout.view<i32, global, (1024,512):(512,1)>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %k = arith.index_cast %k_32 : i32 to index
      %tile = layout.slice %tiles((_, _), (%bx, %k)) : !layout.view<i32, global, zipped_divide((1024,512):(512,1), (128,32))>
      %threads = layout.composition %tile, #layout<((4,32),(8,4)):((1024,1),(128,32))> : !layout.view<i32, global, slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32)))>
      %x = layout.load %threads(%t, 0) : !layout.view<i32, global, composition(slice(((_,_),(0,0)), zipped_divide((1024,512):(512,1), (128,32))), ((4,32),(8,4)):((1024,1),(128,32)))>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // The four elements of an m16n8 accumulator in a row-major C.
  gpu.func @accumulator(%out: !out) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))> : !layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<composition((16,8):(512,1), ((4,8),(2,2)):((32,1),(16,8)))>
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

  // The four elements of an m16n8 accumulator in a column-major C.
  gpu.func @accumulator_column(%out: !out) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))> : !layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<composition((16,8):(1,512), ((4,8),(2,2)):((32,1),(16,8)))>
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

  // The vectors of an A fragment of m16n8k16 in swizzled shared memory.
  gpu.func @a_fragment(%out: !out) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))> : !layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))>
    %x1 = layout.crd2idx %l(%t, (0,1,0)) : !layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))>
    %x2 = layout.crd2idx %l(%t, (0,0,1)) : !layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))>
    %x3 = layout.crd2idx %l(%t, (0,1,1)) : !layout<composition(S<3,3,3> o 0 o (16,64):(64,1), ((4,8),(2,2,2)):((32,1),(16,8,128)))>
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

  // Four warps side by side: lane and warp of a thread, to C's first element.
  gpu.func @warps(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition((32,16):(512,1), ((4,8,2,2),(2,2)):((64,1,16,256),(32,8)))> : !layout<composition((32,16):(512,1), ((4,8,2,2),(2,2)):((64,1,16,256),(32,8)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition((32,16):(512,1), ((4,8,2,2),(2,2)):((64,1,16,256),(32,8)))>
    %x1 = layout.crd2idx %l(%t, 2) : !layout<composition((32,16):(512,1), ((4,8,2,2),(2,2)):((64,1,16,256),(32,8)))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    gpu.return
  }

  // The rows that ldmatrix.x4 takes, for four steps along K.
  gpu.func @ldmatrix_rows(%out: !out) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)> : !layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<S<3,3,3> o 0 o ((16,2),4):((64,8),16)>
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

  // A ring of three stages: tile k lies in stage k modulo 3.
  gpu.func @stages(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<(128,(3,64)):(32,(4096,0))> : !layout<(128,(3,64)):(32,(4096,0))>
    %x0 = layout.crd2idx %l(%t, %by) : !layout<(128,(3,64)):(32,(4096,0))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // Blocks in columns of eight tiles: the tile's place from the block's number.
  gpu.func @raster(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bx = gpu.block_id x
    %l = layout.constant #layout<((8,64,16),1):((65536,128,524288),0)> : !layout<((8,64,16),1):((65536,128,524288),0)>
    %x0 = layout.crd2idx %l(%bx, 0) : !layout<((8,64,16),1):((65536,128,524288),0)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // A layout applied to another's value: which element of the tile, then where it lies.
  gpu.func @applied_twice(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %which = layout.constant #layout<((4,32),(8,4)):((1024,1),(128,32))> : !layout<((4,32),(8,4)):((1024,1),(128,32))>
    %where = layout.constant #layout<(128,32):(512,1)> : !layout<(128,32):(512,1)>
    %e = layout.crd2idx %which(%t, 0) : !layout<((4,32),(8,4)):((1024,1),(128,32))>
    %x = layout.crd2idx %where(%e) : !layout<(128,32):(512,1)>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }

  // A tile of 96 by 48, divided by 3 times 32 threads.
  gpu.func @odd_tile(%out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<zipped_divide((960,480):(480,1), (96,48))> : !layout<zipped_divide((960,480):(480,1), (96,48))>
    %x0 = layout.crd2idx %l(%t, (%bx, %by)) : !layout<zipped_divide((960,480):(480,1), (96,48))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }
}
