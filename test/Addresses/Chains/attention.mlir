// Addresses of attention with run-time lengths, heads and pages.
// README.md explains what is counted and why.

!out = !layout.view<i32, global, 16:1>
!packed_qkv = !layout<(128,3,?0{range=1..64},?1{range=1..4096}):(1,128*?0,128,384*?0)>
!query = !layout<(128,?0{range=1..64},?1{range=1..4096}):(1,128,128*?0)>
!query_shape = !layout.tuple<(128,?{range=1..64},?{range=1..4096})>
!groups = !layout<(?0{range=1..16},?1{range=1..16}):(0,?2{div=128 range=128..524288})>
!pages = !layout<(64,16,8,?0{range=1..4096}):(1,64,1024,8192)>
!table_view = !layout.view<i32, global, (?0{range=1..256},?1{range=1..64}):(1,?0)>
!halves = !layout<(?0{div=8 range=16..128},2,?1{range=1..64}):(1,?0,2*?0)>
!interleaved = !layout<(?0{div=8 range=16..128},2,?1{range=1..64}):(2,1,2*?0)>
!halves_shape = !layout.tuple<(?{div=8 range=16..128},2,?{range=1..64})>
!statistics = !layout<(?0{range=1..4096},?1{range=1..64},?2{range=1..32}):(1,?0,?0*?1)>
!output = !layout<(?0{range=1..4096},?1{range=1..64},?2{range=1..32}):(?3{div=128 range=128..8192},128,?4{div=128 range=128..16777216})>
!rows_shape = !layout.tuple<(?{range=1..4096},?{range=1..64},?{range=1..32})>
!bias = !layout<(?0{range=1..2048},?1{range=1..2048},?2{range=1..64}):(1,?0,0)>
!scores = !layout<(?0{range=1..2048},?1{range=1..2048},?2{range=1..64}):(1,?0,?0*?1)>
!scores_shape = !layout.tuple<(?{range=1..2048},?{range=1..2048},?{range=1..64})>

gpu.module @attention {
  // Queries out of packed queries, keys and values.
  gpu.func @unpack(%qkv: !packed_qkv, %q: !query, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %q : !query
    %c:3 = layout.idx2crd %e, %shape : !query_shape
    %from = layout.crd2idx %qkv(%c#0, 0, %c#1, %c#2) : !packed_qkv
    %to = layout.crd2idx %q(%c#0, %c#1, %c#2) : !query
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // The key and the value of an element of a packed tensor.
  gpu.func @keys_and_values(%qkv: !packed_qkv, %q: !query, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %q : !query
    %c:3 = layout.idx2crd %e, %shape : !query_shape
    %key = layout.crd2idx %qkv(%c#0, 1, %c#1, %c#2) : !packed_qkv
    %value = layout.crd2idx %qkv(%c#0, 2, %c#1, %c#2) : !packed_qkv
    %key_32 = arith.index_cast %key : index to i32
    layout.store %key_32, %out(0) : !out
    %value_32 = arith.index_cast %value : index to i32
    layout.store %value_32, %out(1) : !out
    gpu.return
  }

  // The key head that a group of query heads shares, by the query head.
  gpu.func @grouped(%k: !groups, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %bx = gpu.block_id x
    %shape = layout.shape %k : !groups
    %g:2 = layout.idx2crd %bx, %shape : !layout.tuple<(?{range=1..16},?{range=1..16})>
    %at = layout.crd2idx %k(%g#0, %g#1) : !groups
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // A token of a sequence, in the page that the table of its sequence names.
  gpu.func @page(%cache: !pages, %table: !table_view, %out: !out) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %c:2 = layout.idx2crd %bx, #layout<(16,256)>
    %page_32 = layout.load %table(%c#1, %by) : !table_view
    %page = arith.index_cast %page_32 : i32 to index
    %at = layout.crd2idx %cache(%t, %c#0, 0, %page) : !pages
    %at_32 = arith.index_cast %at : index to i32
    layout.store %at_32, %out(0) : !out
    gpu.return
  }

  // The pair of an element: halves that lie apart, from halves that alternate.
  gpu.func @rotary(%a: !halves, %b: !interleaved, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %a : !halves
    %c:3 = layout.idx2crd %e, %shape : !halves_shape
    %from = layout.crd2idx %b(%c#0, %c#1, %c#2) : !interleaved
    %to = layout.crd2idx %a(%c#0, %c#1, %c#2) : !halves
    %from_32 = arith.index_cast %from : index to i32
    layout.store %from_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // A row by its number: its statistics, and where it lies in the output.
  gpu.func @rows(%s: !statistics, %o: !output, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %s : !statistics
    %c:3 = layout.idx2crd %e, %shape : !rows_shape
    %of = layout.crd2idx %s(%c#0, %c#1, %c#2) : !statistics
    %to = layout.crd2idx %o(%c#0, %c#1, %c#2) : !output
    %of_32 = arith.index_cast %of : index to i32
    layout.store %of_32, %out(0) : !out
    %to_32 = arith.index_cast %to : index to i32
    layout.store %to_32, %out(1) : !out
    gpu.return
  }

  // A score and its bias, which all heads share.
  gpu.func @bias(%s: !scores, %b: !bias, %out: !out) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %threads = arith.constant 256 : index
    %first = arith.muli %bx, %threads : index
    %e = arith.addi %first, %t : index
    %shape = layout.shape %s : !scores
    %c:3 = layout.idx2crd %e, %shape : !scores_shape
    %score = layout.crd2idx %s(%c#0, %c#1, %c#2) : !scores
    %bias = layout.crd2idx %b(%c#0, %c#1, %c#2) : !bias
    %score_32 = arith.index_cast %score : index to i32
    layout.store %score_32, %out(0) : !out
    %bias_32 = arith.index_cast %bias : index to i32
    layout.store %bias_32, %out(1) : !out
    gpu.return
  }
}
