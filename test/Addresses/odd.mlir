// Extents that are no powers of two, where LLVM cannot see through divisions.
// Each kernel has its counterpart in odd.cu; README.md explains what is counted.

#once = #llvm.loop_annotation<unroll = <disable = true>>
!out = !layout.view<i32, global, 16:1>

gpu.module @odd {
  // A tile of 96 by 48: which element, then where it lies.
  gpu.func @tile_twice(%out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %which = layout.constant #layout<((6,16),(8,6)):((768,1),(96,16))> : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %where = layout.constant #layout<(96,48):(48,1)> : !layout<(96,48):(48,1)>
    %e = layout.crd2idx %which(%t, 0) : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %x = layout.crd2idx %where(%e) : !layout<(96,48):(48,1)>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }

  // The same, for three steps down the tile.
  gpu.func @tile_twice_steps(%out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %which = layout.constant #layout<((6,16),(8,6)):((768,1),(96,16))> : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %where = layout.constant #layout<(96,48):(48,1)> : !layout<(96,48):(48,1)>
    %e0 = layout.crd2idx %which(%t, (0,0)) : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %x0 = layout.crd2idx %where(%e0) : !layout<(96,48):(48,1)>
    %e1 = layout.crd2idx %which(%t, (0,1)) : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %x1 = layout.crd2idx %where(%e1) : !layout<(96,48):(48,1)>
    %e2 = layout.crd2idx %which(%t, (0,2)) : !layout<((6,16),(8,6)):((768,1),(96,16))>
    %x2 = layout.crd2idx %where(%e2) : !layout<(96,48):(48,1)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    %x1_32 = arith.index_cast %x1 : index to i32
    layout.store %x1_32, %out(1) : !out
    %x2_32 = arith.index_cast %x2 : index to i32
    layout.store %x2_32, %out(2) : !out
    gpu.return
  }

  // A coordinate of 12 by 8, and its offset in a layout of the same shape whose first mode is contiguous.
  gpu.func @round_trip(%out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %c:2 = layout.idx2crd %t, #layout<(12,8)>
    %l = layout.constant #layout<(12,8):(1,12)> : !layout<(12,8):(1,12)>
    %x = layout.crd2idx %l(%c#0, %c#1) : !layout<(12,8):(1,12)>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }

  // The same in rows of 13.
  gpu.func @round_trip_padded(%out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %c:2 = layout.idx2crd %t, #layout<(12,8)>
    %l = layout.constant #layout<(12,8):(1,13)> : !layout<(12,8):(1,13)>
    %x = layout.crd2idx %l(%c#0, %c#1) : !layout<(12,8):(1,13)>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }

  // Forty heads of 80, five of which share one of keys: query and key of one element.
  gpu.func @heads(%out: !out) kernel
      attributes {known_block_size = array<i32: 80, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((80,(5,8)),4096,2):((1,(80,400)),3200,0)> : !layout<((80,(5,8)),4096,2):((1,(80,400)),3200,0)>
    %x0 = layout.crd2idx %l((%t,%bx), %by, 0) : !layout<((80,(5,8)),4096,2):((1,(80,400)),3200,0)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // The keys' offset for a head of the queries.
  gpu.func @shared_keys(%out: !out) kernel
      attributes {known_block_size = array<i32: 80, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %l = layout.constant #layout<((80,(5,8)),4096):((1,(0,80)),640)> : !layout<((80,(5,8)),4096):((1,(0,80)),640)>
    %x0 = layout.crd2idx %l((%t,%bx), %by) : !layout<((80,(5,8)),4096):((1,(0,80)),640)>
    %x0_32 = arith.index_cast %x0 : index to i32
    layout.store %x0_32, %out(0) : !out
    gpu.return
  }

  // A ring of three stages in a loop.
  gpu.func @ring(%a: !layout.view<i32, global, (96,(3,1024)):(1,(96,0))>, %n: i32, %out: !out) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %k = arith.index_cast %k_32 : i32 to index
      %x = layout.load %a(%t, %k) : !layout.view<i32, global, (96,(3,1024)):(1,(96,0))>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // Windows of 7 by 7 in an image of 56 by 56: pixel of the window from the thread, window from the block; a layout applied to another's value.
  gpu.func @windows(%out: !out) kernel
      attributes {known_block_size = array<i32: 49, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %which = layout.constant #layout<((7,7),(8,8)):((1,56),(7,392))> : !layout<((7,7),(8,8)):((1,56),(7,392))>
    %where = layout.constant #layout<((56,56)):((96,5376))> : !layout<((56,56)):((96,5376))>
    %e = layout.crd2idx %which(%t, %bx) : !layout<((7,7),(8,8)):((1,56),(7,392))>
    %x = layout.crd2idx %where(%e) : !layout<((56,56)):((96,5376))>
    %x_32 = arith.index_cast %x : index to i32
    layout.store %x_32, %out(0) : !out
    gpu.return
  }
}
