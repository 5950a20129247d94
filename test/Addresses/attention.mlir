// Addresses of attention.
// Each kernel has its counterpart in attention.cu; README.md explains what is counted.

#once = #llvm.loop_annotation<unroll = <disable = true>>
!out = !layout.view<i32, global, 16:1>

gpu.module @attention {
  // A block's queries: head and batch from the block, rows and vectors from the thread.
  gpu.func @query(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %l = layout.constant #layout<((8,16),(1,128),(16,4)):((16,2048),(1,32768),(128,4194304))> : !layout<((8,16),(1,128),(16,4)):((16,2048),(1,32768),(128,4194304))>
    %x0 = layout.crd2idx %l(%t, (0,%bx), (%by,%bz)) : !layout<((8,16),(1,128),(16,4)):((16,2048),(1,32768),(128,4194304))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // Eight query heads share one of keys.
  gpu.func @grouped_heads(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((16,8),((4,8),128)):((8,1024),((0,128),131072))> : !layout<((16,8),((4,8),128)):((8,1024),((0,128),131072))>
    %x0 = layout.crd2idx %l(%t, (%by, %bx)) : !layout<((16,8),((4,8),128)):((8,1024),((0,128),131072))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // The thread's element of every block of keys, in a loop.
  gpu.func @keys(%keys: !layout.view<i32, global, ((16,8),(32,(16,4))):((8,2048),(131072,(128,4194304)))>, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %j_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %j = arith.index_cast %j_32 : i32 to index
      %x = layout.load %keys(%t, (%j, (%bx, %by))) : !layout.view<i32, global, ((16,8),(32,(16,4))):((8,2048),(131072,(128,4194304)))>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // Queries, keys and values packed in one row: three offsets of one element.
  gpu.func @packed(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((128,16),(16,3),4):((1,6144),(128,2048),98304)> : !layout<((128,16),(16,3),4):((1,6144),(128,2048),98304)>
    %x0 = layout.crd2idx %l(%t, (%bx,0), %by) : !layout<((128,16),(16,3),4):((1,6144),(128,2048),98304)>
    %x1 = layout.crd2idx %l(%t, (%bx,1), %by) : !layout<((128,16),(16,3),4):((1,6144),(128,2048),98304)>
    %x2 = layout.crd2idx %l(%t, (%bx,2), %by) : !layout<((128,16),(16,3),4):((1,6144),(128,2048),98304)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    gpu.return
  }

  // Values, read transposed from swizzled shared memory.
  gpu.func @values_transposed(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((4,8,4),(2,2)):((2,64,16),(1,8)))> : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((4,8,4),(2,2)):((2,64,16),(1,8)))>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((4,8,4),(2,2)):((2,64,16),(1,8)))>
    %x1 = layout.crd2idx %l(%t, 2) : !layout<composition(S<3,3,3> o 0 o (64,64):(1,64), ((4,8,4),(2,2)):((2,64,16),(1,8)))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    gpu.return
  }

  // The two halves of a rotated pair.
  gpu.func @rotary(%out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<(64,2,(16,512)):(1,64,(128,2048))> : !layout<(64,2,(16,512)):(1,64,(128,2048))>
    %x0 = layout.crd2idx %l(%t, 0, (%bx,%by)) : !layout<(64,2,(16,512)):(1,64,(128,2048))>
    %x1 = layout.crd2idx %l(%t, 1, (%bx,%by)) : !layout<(64,2,(16,512)):(1,64,(128,2048))>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    gpu.return
  }

  // The rows whose maxima a thread keeps, of 64 rows over four warps.
  gpu.func @row_statistics(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<((4,8,4),2):((0,1,16),8)> : !layout<((4,8,4),2):((0,1,16),8)>
    %x0 = layout.crd2idx %l(%t, 0) : !layout<((4,8,4),2):((0,1,16),8)>
    %x1 = layout.crd2idx %l(%t, 1) : !layout<((4,8,4),2):((0,1,16),8)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    gpu.return
  }

  // The elements of the scores that a thread holds, as operand of the second product.
  gpu.func @scores(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))> : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %x0 = layout.crd2idx %l(%t, ((0,0,0),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %x1 = layout.crd2idx %l(%t, ((0,1,0),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %x2 = layout.crd2idx %l(%t, ((0,0,1),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %x3 = layout.crd2idx %l(%t, ((0,1,1),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
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

  // The same elements in a row-major matrix: a layout applied to another's value.
  gpu.func @scores_in_matrix(%out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %by = gpu.block_id y
    %which = layout.constant #layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))> : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %where = layout.constant #layout<(64,64):(64,1)> : !layout<(64,64):(64,1)>
    %e0 = layout.crd2idx %which(%t, ((0,0,0),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %e1 = layout.crd2idx %which(%t, ((0,1,0),%by)) : !layout<((4,8,4),((2,2,2),4)):((128,1,16),((64,8,512),1024))>
    %x0 = layout.crd2idx %where(%e0) : !layout<(64,64):(64,1)>
    %x1 = layout.crd2idx %where(%e1) : !layout<(64,64):(64,1)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    gpu.return
  }
}
