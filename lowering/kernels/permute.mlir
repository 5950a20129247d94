// Permutes four modes: swaps attention's heads and tokens, (batch, token, head, element) becomes (batch, head, token, element). Heads have 64
// elements of bf16; the numbers of heads, tokens and batches are known at run time.
//
// Both views have the coordinates (element, head, token, batch), and the permutation is in their strides: the kernel is a copy between
// two layouts. A block of 128 threads moves 2 heads of 16 tokens; a thread moves two vectors of 16 bytes, 8 tokens apart, both in flight at once.

!from = !layout.view<bf16, global, (64,?{range=1..1024},?{range=1..1048576},?{range=1..65535}):(1,64,?{div=64 range=64..65536},?{i64 div=64})>
!to = !layout.view<bf16, global, (64,?{range=1..1024},?{range=1..1048576},?{range=1..65535}):(1,?{div=64 range=64..67108864},64,?{i64 div=64})>
!x = !layout.view<bf16, register, (8,2):(1,8)>
gpu.module @permute {
  gpu.func @permute(%in: !from, %out: !to) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @permute_reference,
      layout.kernel = {grid = ["ceil_div(heads,2)", "ceil_div(tokens,16)", "batches"], names = ["in", "out"], chip = "sm_90a",
                       sizes = ["heads", "tokens", "batches", "64*heads", "64*heads*tokens",
                                "heads", "tokens", "batches", "64*tokens", "64*heads*tokens"]}} {
    %t = gpu.thread_id x
    %bh_x = gpu.block_id x
    %bt_x = gpu.block_id y
    %batch = gpu.block_id z
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i2 = arith.constant 2 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %heads_own = layout.slice %in(0, _, 0, 0)
    %tokens_own = layout.slice %in(0, 0, _, 0)
    %heads_x = layout.size %heads_own
    %tokens_x = layout.size %tokens_own
    %heads = arith.index_cast %heads_x : index to i32
    %tokens = arith.index_cast %tokens_x : index to i32
    // The thread's vector of a head, its head, and its first token.
    %of:3 = layout.idx2crd %t, #layout<(8,2,8)>
    %a = arith.index_cast %of#1 : index to i32
    %b = arith.index_cast %of#2 : index to i32
    %bh = arith.index_cast %bh_x : index to i32
    %bt = arith.index_cast %bt_x : index to i32
    %h0 = arith.muli %bh, %i2 : i32
    %t0 = arith.muli %bt, %i16 : i32
    %head = arith.addi %h0, %a : i32
    %token = arith.addi %t0, %b : i32
    %head_x = arith.index_castui %head : i32 to index
    %token_x = arith.index_castui %token : i32 to index
    %is_head = arith.cmpi ult, %head, %heads : i32
    %x = layout.alloc : !x
    %from = layout.composition %in, #layout<<(8,8):(1,8), _, (2,1048576):(8,1), _>>
    %to = layout.composition %out, #layout<<(8,8):(1,8), _, (2,1048576):(8,1), _>>
    %own = layout.slice %from((_, %of#0), %head_x, (_, %token_x), %batch)
    %place = layout.slice %to((_, %of#0), %head_x, (_, %token_x), %batch)
    scf.for %u = %c0 to %c2 step %c1 {
      %u_i = arith.index_cast %u : index to i32
      %ahead = arith.muli %u_i, %i8 : i32
      %token_u = arith.addi %token, %ahead : i32
      %is_token = arith.cmpi ult, %token_u, %tokens : i32
      %is = arith.andi %is_token, %is_head : i1
      scf.if %is {
        %own_u = layout.slice %own(_, %u)
        %x_u = layout.slice %x(_, %u)
        layout.copy #layout.atom<simt_8> %own_u, %x_u
      }
    }
    scf.for %u = %c0 to %c2 step %c1 {
      %u_i = arith.index_cast %u : index to i32
      %ahead = arith.muli %u_i, %i8 : i32
      %token_u = arith.addi %token, %ahead : i32
      %is_token = arith.cmpi ult, %token_u, %tokens : i32
      %is = arith.andi %is_token, %is_head : i1
      scf.if %is {
        %place_u = layout.slice %place(_, %u)
        %x_u = layout.slice %x(_, %u)
        layout.copy #layout.atom<simt_8> %x_u, %place_u
      }
    }
    gpu.return
  }
}

func.func @permute_reference(%in: memref<64x?x?x?xbf16>, %out: memref<64x?x?x?xbf16>) {
  linalg.copy ins(%in : memref<64x?x?x?xbf16>) outs(%out : memref<64x?x?x?xbf16>)
  return
}
