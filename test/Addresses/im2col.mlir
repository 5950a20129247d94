// Addresses of convolutions as GEMMs: im2col is a layout.
// Each kernel has its counterpart in im2col.cu; README.md explains what is counted.

#once = #llvm.loop_annotation<unroll = <disable = true>>
!out = !layout.view<i32, global, 16:1>

gpu.module @im2col {
  // The pixel of a row of the GEMM: q, p and n from its number.
  gpu.func @row(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))> : !layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>
    %x0 = layout.crd2idx %l(%bx, 0) : !layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // The place in the filter of a step along the GEMM's depth.
  gpu.func @depth(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))> : !layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>
    %x0 = layout.crd2idx %l(%bx, %by) : !layout<((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // Four vectors of channels of one pixel and tap.
  gpu.func @vectors(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))> : !layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))>
    %x0 = layout.crd2idx %l(%bx, ((0,0),%by,1)) : !layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))>
    %x1 = layout.crd2idx %l(%bx, ((0,2),%by,1)) : !layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))>
    %x2 = layout.crd2idx %l(%bx, ((0,4),%by,1)) : !layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))>
    %x3 = layout.crd2idx %l(%bx, ((0,6),%by,1)) : !layout<((14,14,32),((8,8),3,3)):((64,1024,16384),((1,8),64,1024))>
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

  // All taps of one pixel, in a loop.
  gpu.func @taps(%a: !layout.view<i32, global, ((14,14,32),(64,(3,3))):((64,1024,16384),(1,(64,1024)))>, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %k = arith.index_cast %k_32 : i32 to index
      %x = layout.load %a(%bx, (%t, %k)) : !layout.view<i32, global, ((14,14,32),(64,(3,3))):((64,1024,16384),(1,(64,1024)))>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // Every element of one row of the GEMM, in a loop.
  gpu.func @depth_loop(%a: !layout.view<i32, global, ((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %bx = gpu.block_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %k = arith.index_cast %k_32 : i32 to index
      %x = layout.load %a(%bx, %k) : !layout.view<i32, global, ((14,14,32),(64,3,3)):((64,1024,16384),(1,64,1024))>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // A convolution of stride 2.
  gpu.func @strided(%out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<((7,7,32),(64,3,3)):((128,2048,16384),(1,64,1024))> : !layout<((7,7,32),(64,3,3)):((128,2048,16384),(1,64,1024))>
    %x0 = layout.crd2idx %l(%bx, %t) : !layout<((7,7,32),(64,3,3)):((128,2048,16384),(1,64,1024))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // A one-dimensional convolution: windows overlap.
  gpu.func @one_dimensional(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<((128,32),5):((1,132),1)> : !layout<((128,32),5):((1,132),1)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<((128,32),5):((1,132),1)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<((128,32),5):((1,132),1)>
    %x2 = layout.crd2idx %l(%t, 2) : !layout<((128,32),5):((1,132),1)>
    %x3 = layout.crd2idx %l(%t, 3) : !layout<((128,32),5):((1,132),1)>
    %x4 = layout.crd2idx %l(%t, 4) : !layout<((128,32),5):((1,132),1)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    %x3_32 = arith.index_cast %x3 : index to i32
    layout.store %x3_32, %out(3) : !out
    %x4_32 = arith.index_cast %x4 : index to i32
    layout.store %x4_32, %out(4) : !out
    gpu.return
  }

  // 128 consecutive rows of the GEMM, a thread each.
  gpu.func @threads(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %l = layout.constant #layout<zipped_divide(((16,16,32),64):((64,1152,20736),1), (128,64))> : !layout<zipped_divide(((16,16,32),64):((64,1152,20736),1), (128,64))>
    %x0 = layout.crd2idx %l((%t,0), (%bx,0)) : !layout<zipped_divide(((16,16,32),64):((64,1152,20736),1), (128,64))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }
}
