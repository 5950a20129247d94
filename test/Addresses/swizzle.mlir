// Addresses in swizzled shared memory.
// Each kernel has its counterpart in swizzle.cu; README.md explains what is counted.

!out = !layout.view<i32, global, 16:1>

gpu.module @swizzle {
  // Rows of 128 bytes of half precision: eight threads a row, a vector of eight each.
  gpu.func @rows_128b(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))> : !layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))>
    %x1 = layout.crd2idx %l(%t, (0,1)) : !layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))>
    %x2 = layout.crd2idx %l(%t, (0,2)) : !layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))>
    %x3 = layout.crd2idx %l(%t, (0,3)) : !layout<composition(S<3,3,3> o 0 o (64,64):(64,1), ((8,16),(8,4)):((512,1),(64,16)))>
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

  // Rows of 64 bytes, which S<2,3,3> swizzles.
  gpu.func @rows_64b(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))> : !layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x1 = layout.crd2idx %l(%t, (0,1)) : !layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x2 = layout.crd2idx %l(%t, (0,2)) : !layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))>
    %x3 = layout.crd2idx %l(%t, (0,3)) : !layout<composition(S<2,3,3> o 0 o (128,32):(32,1), ((4,32),(8,4)):((1024,1),(128,32)))>
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

  // The same pattern in bytes, as tensor maps and descriptors state it.
  gpu.func @bytes_128b(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))> : !layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))>
    %x1 = layout.crd2idx %l(%t, (0,1)) : !layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))>
    %x2 = layout.crd2idx %l(%t, (0,2)) : !layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))>
    %x3 = layout.crd2idx %l(%t, (0,7)) : !layout<S<3,4,3> o 0 o (128,(16,8)):(128,(1,16))>
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

  // A tile whose columns are contiguous.
  gpu.func @columns(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))> : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))>
    %x1 = layout.crd2idx %l(%t, (0,1)) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))>
    %x2 = layout.crd2idx %l(%t, (0,2)) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))>
    %x3 = layout.crd2idx %l(%t, (0,3)) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((8,16),(8,4)):((8,64),(1,1024)))>
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

  // Every element by its number, of a tile of 32 by 32.
  gpu.func @element(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<S<3,3,3> o 0 o (32,(8,4)):(32,(1,8))> : !layout<S<3,3,3> o 0 o (32,(8,4)):(32,(1,8))>
    %x0 = layout.crd2idx %l(%t) : !layout<S<3,3,3> o 0 o (32,(8,4)):(32,(1,8))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // A swizzled tile in one of four stages.
  gpu.func @stage(%out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<S<3,3,3> o 0 o (64,(8,8),4):(64,(1,8),4096)> : !layout<S<3,3,3> o 0 o (64,(8,8),4):(64,(1,8),4096)>
    %x0 = layout.crd2idx %l(%t, (0,0), %by) : !layout<S<3,3,3> o 0 o (64,(8,8),4):(64,(1,8),4096)>
    %x1 = layout.crd2idx %l(%t, (0,1), %by) : !layout<S<3,3,3> o 0 o (64,(8,8),4):(64,(1,8),4096)>
    %x2 = layout.crd2idx %l(%t, (0,5), %by) : !layout<S<3,3,3> o 0 o (64,(8,8),4):(64,(1,8),4096)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    gpu.return
  }

  // Eight vectors of one row.
  gpu.func @wide_steps(%out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))> : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x0 = layout.crd2idx %l(%t, (0,0)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x1 = layout.crd2idx %l(%t, (0,1)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x2 = layout.crd2idx %l(%t, (0,2)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x3 = layout.crd2idx %l(%t, (0,3)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x4 = layout.crd2idx %l(%t, (0,4)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x5 = layout.crd2idx %l(%t, (0,5)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x6 = layout.crd2idx %l(%t, (0,6)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
    %x7 = layout.crd2idx %l(%t, (0,7)) : !layout<S<3,3,3> o 0 o (64,(8,8)):(64,(1,8))>
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
    %x5_32 = arith.index_cast %x5 : index to i32
    layout.store %x5_32, %out(5) : !out
    %x6_32 = arith.index_cast %x6 : index to i32
    layout.store %x6_32, %out(6) : !out
    %x7_32 = arith.index_cast %x7 : index to i32
    layout.store %x7_32, %out(7) : !out
    gpu.return
  }

  // A swizzled tile at the element that a thread-value layout names.
  gpu.func @applied_twice(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %which = layout.constant #layout<((8,16),(8,4)):((512,1),(64,16))> : !layout<((8,16),(8,4)):((512,1),(64,16))>
    %where = layout.constant #layout<S<3,3,3> o 0 o (64,64):(64,1)> : !layout<S<3,3,3> o 0 o (64,64):(64,1)>
    %e = layout.crd2idx %which(%t, 0) : !layout<((8,16),(8,4)):((512,1),(64,16))>
    %x = layout.crd2idx %where(%e) : !layout<S<3,3,3> o 0 o (64,64):(64,1)>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }
}
