// The transpose of a matrix of f32 of any size: a family of three kernels. Up to 128 x 128 a thread moves one element, since the least code is fastest
// there. Beyond, a block moves a tile through shared memory, 32 x 32 up to 512 x 512 and 32 x 64 for more, so that its loads and its stores are
// coalesced; a padded row keeps the columns of the tile in different banks.
//
// A thread loads elements of the tile some rows apart: from its first element on they are a layout, whose modes overlap with those of the rows
// below. It stores as many of the transposed tile likewise. Blocks are numbered along the rows of the input first, so that blocks which run at the
// same time write neighbours. Coordinates are compared in 32 bits; what lies outside of the matrix is neither loaded nor stored.

!m = !layout.view<f32, global, (?{range=1..1048576},?{range=1..1048576}):(?{range=1..1048576},1)>
!tile = !layout.view<f32, shared, (32,64):(65,1)>
!x = !layout.view<f32, register, 8:1>
!small_tile = !layout.view<f32, shared, (32,32):(33,1)>
!small_x = !layout.view<f32, register, 4:1>

gpu.module @transpose {
  gpu.func @transpose_tiny(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @transpose_reference,
                  layout.kernel = {grid = ["ceil_div(rows,32)", "ceil_div(columns,8)"], names = ["in", "out"], chip = "sm_90a",
                                   sizes = ["rows", "columns", "columns", "columns", "rows", "rows"],
                                   family = {name = "transpose", number = 0, most = {rows = 128, columns = 128}}}} {
    %t = gpu.thread_id x
    %bm_x = gpu.block_id x
    %bn_x = gpu.block_id y
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %column = layout.slice %in(_, 0)
    %row = layout.slice %in(0, _)
    %m_x = layout.size %column
    %n_x = layout.size %row
    %of:2 = layout.idx2crd %t, #layout<(8,32)>
    %i0 = arith.muli %bm_x, %c32 : index
    %j0 = arith.muli %bn_x, %c8 : index
    %i = arith.addi %i0, %of#1 : index
    %j = arith.addi %j0, %of#0 : index
    %is_i = arith.cmpi ult, %i, %m_x : index
    %is_j = arith.cmpi ult, %j, %n_x : index
    %is = arith.andi %is_i, %is_j : i1
    scf.if %is {
      %e = layout.load %in(%i, %j)
      layout.store %e, %out(%j, %i)
    }
    gpu.return
  }

  gpu.func @transpose_small(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @transpose_reference,
                  layout.kernel = {grid = ["ceil_div(rows,32)", "ceil_div(columns,32)"], names = ["in", "out"], chip = "sm_90a",
                                   sizes = ["rows", "columns", "columns", "columns", "rows", "rows"],
                                   family = {name = "transpose", number = 1, most = {rows = 512, columns = 512}}}} {
    %t = gpu.thread_id x
    %bm_x = gpu.block_id x
    %bn_x = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %i8 = arith.constant 8 : i32
    %i32 = arith.constant 32 : i32
    %column = layout.slice %in(_, 0)
    %row = layout.slice %in(0, _)
    %m_x = layout.size %column
    %n_x = layout.size %row
    %m = arith.index_cast %m_x : index to i32
    %n = arith.index_cast %n_x : index to i32
    %bm = arith.index_cast %bm_x : index to i32
    %bn = arith.index_cast %bn_x : index to i32
    // The thread's column of the tile and its first row, and of the transposed tile likewise.
    %of:2 = layout.idx2crd %t, #layout<(32,8)>
    %a = arith.index_cast %of#0 : index to i32
    %b = arith.index_cast %of#1 : index to i32
    %i0 = arith.muli %bm, %i32 : i32
    %j0 = arith.muli %bn, %i32 : i32
    %s = layout.alloc : !small_tile
    %x = layout.alloc : !small_x
    %i = arith.addi %i0, %b : i32
    %j = arith.addi %j0, %a : i32
    %i_x = arith.index_castui %i : i32 to index
    %j_x = arith.index_castui %j : i32 to index
    %is_j = arith.cmpi ult, %j, %n : i32
    %from = layout.composition %in, #layout<<(4,1048576):(8,1), _>>
    %from_t = layout.slice %from((_, %i_x), %j_x)
    scf.for %r = %c0 to %c4 step %c1 {
      %r_i = arith.index_cast %r : index to i32
      %ahead = arith.muli %r_i, %i8 : i32
      %i_r = arith.addi %i, %ahead : i32
      %is_i = arith.cmpi ult, %i_r, %m : i32
      %is = arith.andi %is_i, %is_j : i1
      scf.if %is {
        %e = layout.load %from_t(%r)
        layout.store %e, %x(%r)
      }
    }
    %s_rows = layout.composition %s, #layout<<(8,4):(1,8), _>>
    %s_t = layout.slice %s_rows((%of#1, _), %of#0)
    layout.copy #layout.atom<simt_1> %x, %s_t
    gpu.barrier
    %turned = layout.composition %s, #layout<<_, (8,4):(1,8)>>
    %turned_t = layout.slice %turned(%of#0, (%of#1, _))
    %i2 = arith.addi %j0, %b : i32
    %j2 = arith.addi %i0, %a : i32
    %i2_x = arith.index_castui %i2 : i32 to index
    %j2_x = arith.index_castui %j2 : i32 to index
    %is_j2 = arith.cmpi ult, %j2, %m : i32
    %to = layout.composition %out, #layout<<(4,1048576):(8,1), _>>
    %to_t = layout.slice %to((_, %i2_x), %j2_x)
    scf.for %r = %c0 to %c4 step %c1 {
      %r_i = arith.index_cast %r : index to i32
      %ahead = arith.muli %r_i, %i8 : i32
      %i_r = arith.addi %i2, %ahead : i32
      %is_i = arith.cmpi ult, %i_r, %n : i32
      %is = arith.andi %is_i, %is_j2 : i1
      scf.if %is {
        %e = layout.load %turned_t(%r)
        layout.store %e, %to_t(%r)
      }
    }
    gpu.return
  }

  gpu.func @transpose_large(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @transpose_reference,
                  layout.kernel = {grid = ["ceil_div(rows,32)", "ceil_div(columns,64)"], names = ["in", "out"], chip = "sm_90a",
                                   sizes = ["rows", "columns", "columns", "columns", "rows", "rows"],
                                   family = {name = "transpose", number = 2}}} {
    %t = gpu.thread_id x
    %bm_x = gpu.block_id x
    %bn_x = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %i4 = arith.constant 4 : i32
    %i8 = arith.constant 8 : i32
    %i32 = arith.constant 32 : i32
    %i64 = arith.constant 64 : i32
    %column = layout.slice %in(_, 0)
    %row = layout.slice %in(0, _)
    %m_x = layout.size %column
    %n_x = layout.size %row
    %m = arith.index_cast %m_x : index to i32
    %n = arith.index_cast %n_x : index to i32
    %bm = arith.index_cast %bm_x : index to i32
    %bn = arith.index_cast %bn_x : index to i32
    %i0 = arith.muli %bm, %i32 : i32
    %j0 = arith.muli %bn, %i64 : i32
    %s = layout.alloc : !tile
    %x = layout.alloc : !x
    // Two warps load a row of 64 neighbours.
    %of:2 = layout.idx2crd %t, #layout<(64,4)>
    %a = arith.index_cast %of#0 : index to i32
    %b = arith.index_cast %of#1 : index to i32
    %i = arith.addi %i0, %b : i32
    %j = arith.addi %j0, %a : i32
    %i_x = arith.index_castui %i : i32 to index
    %j_x = arith.index_castui %j : i32 to index
    %is_j = arith.cmpi ult, %j, %n : i32
    %from = layout.composition %in, #layout<<(8,1048576):(4,1), _>>
    %from_t = layout.slice %from((_, %i_x), %j_x)
    scf.for %r = %c0 to %c8 step %c1 {
      %r_i = arith.index_cast %r : index to i32
      %ahead = arith.muli %r_i, %i4 : i32
      %i_r = arith.addi %i, %ahead : i32
      %is_i = arith.cmpi ult, %i_r, %m : i32
      %is = arith.andi %is_i, %is_j : i1
      scf.if %is {
        %e = layout.load %from_t(%r)
        layout.store %e, %x(%r)
      }
    }
    %s_rows = layout.composition %s, #layout<<(4,8):(1,4), _>>
    %s_t = layout.slice %s_rows((%of#1, _), %of#0)
    layout.copy #layout.atom<simt_1> %x, %s_t
    gpu.barrier
    // A warp stores a row of 32 neighbours of the transposed tile.
    %of2:2 = layout.idx2crd %t, #layout<(32,8)>
    %a2 = arith.index_cast %of2#0 : index to i32
    %b2 = arith.index_cast %of2#1 : index to i32
    %turned = layout.composition %s, #layout<<_, (8,8):(1,8)>>
    %turned_t = layout.slice %turned(%of2#0, (%of2#1, _))
    %i2 = arith.addi %j0, %b2 : i32
    %j2 = arith.addi %i0, %a2 : i32
    %i2_x = arith.index_castui %i2 : i32 to index
    %j2_x = arith.index_castui %j2 : i32 to index
    %is_j2 = arith.cmpi ult, %j2, %m : i32
    %to = layout.composition %out, #layout<<(8,1048576):(8,1), _>>
    %to_t = layout.slice %to((_, %i2_x), %j2_x)
    scf.for %r = %c0 to %c8 step %c1 {
      %r_i = arith.index_cast %r : index to i32
      %ahead = arith.muli %r_i, %i8 : i32
      %i_r = arith.addi %i2, %ahead : i32
      %is_i = arith.cmpi ult, %i_r, %n : i32
      %is = arith.andi %is_i, %is_j2 : i1
      scf.if %is {
        %e = layout.load %turned_t(%r)
        layout.store %e, %to_t(%r)
      }
    }
    gpu.return
  }
}

func.func @transpose_reference(%in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  linalg.transpose ins(%in : memref<?x?xf32>) outs(%out : memref<?x?xf32>) permutation = [1, 0]
  return
}
