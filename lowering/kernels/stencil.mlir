// out(i,j) = (in(i-1,j) + in(i+1,j) + in(i,j-1) + in(i,j+1)) / 4 on an f32 matrix of any number of rows, with zeros outside. The number of columns is
// a multiple of 4, so that each row is aligned to 16 bytes. The kernels are a family: up to 128 x 128 a thread computes one element, since the least code
// is fastest there.
//
// Beyond, a thread computes 4 neighbours in each of 2 rows, from a window of 6 x 4 without its corners: it loads the rows as vectors of 16 bytes, and the
// columns on both sides as single elements, which neighbouring threads load too. Predicates compare coordinates in 32 bits. A block of
// 128 threads computes 4 rows of 256 columns, so that most elements that are read twice are in its L1 cache.

!m = !layout.view<f32, global, (?{range=1..262140},?{div=4 range=4..1048576}):(?{div=4 range=4..1048576},1)>
!w = !layout.view<f32, register, (12,4):(1,12)>
!x = !layout.view<f32, register, (4,2):(1,12)>
!o = !layout.view<f32, register, (4,2):(1,4)>

gpu.module @stencil {
  gpu.func @stencil_few(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @stencil_reference,
                  layout.kernel = {grid = ["ceil_div(columns,32)", "ceil_div(rows,4)"], names = ["in", "out"], chip = "sm_90a",
                                   sizes = ["rows", "columns", "columns", "rows", "columns", "columns"],
                                   family = {name = "stencil", number = 0, most = {rows = 128, columns = 128}}}} {
    %t = gpu.thread_id x
    %bn = gpu.block_id x
    %bm = gpu.block_id y
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %quarter = arith.constant 0.25 : f32
    %column = layout.slice %in(_, 0)
    %line = layout.slice %in(0, _)
    %m = layout.size %column
    %n = layout.size %line
    %of:2 = layout.idx2crd %t, #layout<(32,4)>
    %j0 = arith.muli %bn, %c32 : index
    %i0 = arith.muli %bm, %c4 : index
    %j = arith.addi %j0, %of#0 : index
    %i = arith.addi %i0, %of#1 : index
    %is_i = arith.cmpi ult, %i, %m : index
    %is_j = arith.cmpi ult, %j, %n : index
    %is = arith.andi %is_i, %is_j : i1
    scf.if %is {
      // An unsigned comparison excludes both -1 and what is past the last.
      %above = arith.subi %i, %c1 : index
      %below = arith.addi %i, %c1 : index
      %before = arith.subi %j, %c1 : index
      %after = arith.addi %j, %c1 : index
      %is_above = arith.cmpi ult, %above, %m : index
      %is_below = arith.cmpi ult, %below, %m : index
      %is_before = arith.cmpi ult, %before, %n : index
      %is_after = arith.cmpi ult, %after, %n : index
      %no = scf.if %is_above -> f32 {
        %e = layout.load %in(%above, %j)
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      %so = scf.if %is_below -> f32 {
        %e = layout.load %in(%below, %j)
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      %we = scf.if %is_before -> f32 {
        %e = layout.load %in(%i, %before)
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      %ea = scf.if %is_after -> f32 {
        %e = layout.load %in(%i, %after)
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      %ns = arith.addf %no, %so : f32
      %we_ea = arith.addf %we, %ea : f32
      %sum = arith.addf %ns, %we_ea : f32
      %mean = arith.mulf %sum, %quarter : f32
      layout.store %mean, %out(%i, %j)
    }
    gpu.return
  }

  gpu.func @stencil_many(%in: !m, %out: !m) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @stencil_reference,
                  layout.kernel = {grid = ["ceil_div(columns,256)", "ceil_div(rows,4)"], names = ["in", "out"], chip = "sm_90a",
                                   sizes = ["rows", "columns", "columns", "rows", "columns", "columns"],
                                   family = {name = "stencil", number = 1}}} {
    %t = gpu.thread_id x
    %bn_x = gpu.block_id x
    %bm_x = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %rows_of_thread = arith.constant 2 : index
    %rows_of_window = arith.constant 4 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    %vectors_of_block = arith.constant 64 : i32
    %rows_of_block = arith.constant 4 : i32
    %rows_of_thread_i = arith.constant 2 : i32
    %zero = arith.constant 0.0 : f32
    %quarter = arith.constant 0.25 : f32
    %column = layout.slice %in(_, 0)
    %line = layout.slice %in(0, _)
    %m_x = layout.size %column
    %n_x = layout.size %line
    %m = arith.index_cast %m_x : index to i32
    %n = arith.index_cast %n_x : index to i32
    // The thread's vector, its first column and its first row.
    %of:2 = layout.idx2crd %t, #layout<(64,2)>
    %a = arith.index_cast %of#0 : index to i32
    %b = arith.index_cast %of#1 : index to i32
    %bn = arith.index_cast %bn_x : index to i32
    %bm = arith.index_cast %bm_x : index to i32
    %v0 = arith.muli %bn, %vectors_of_block : i32
    %v = arith.addi %v0, %a : i32
    %j = arith.muli %v, %i4 : i32
    %i_0 = arith.muli %bm, %rows_of_block : i32
    %i_b = arith.muli %b, %rows_of_thread_i : i32
    %i = arith.addi %i_0, %i_b : i32
    %is_row = arith.cmpi ult, %i, %m : i32
    %is_column = arith.cmpi ult, %j, %n : i32
    %is_inside = arith.andi %is_row, %is_column : i1
    scf.if %is_inside {
      %v_x = arith.index_castui %v : i32 to index
      %i_x = arith.index_castui %i : i32 to index
      %j_x = arith.muli %v_x, %c4 : index
      %left = arith.subi %j_x, %c1 : index
      %right = arith.addi %j_x, %c4 : index
      %right_i = arith.addi %j, %i4 : i32
      %is_left = arith.cmpi ne, %v, %i0 : i32
      %is_right = arith.cmpi ult, %right_i, %n : i32
      %w = layout.alloc : !w
      %o = layout.alloc : !o
      // The window, whose vectors begin at element 4, and the window shifted by 0, 1 and 2 along each mode.
      %window = layout.composition %w, #layout<<(4,3):(1,4), _>>
      %moved = layout.composition %w, #layout<<(4,9):(1,1), (2,3):(1,1)>>
      %from = layout.composition %in, #layout<<_, (4,262144):(1,4)>>
      %to = layout.composition %out, #layout<<_, (4,262144):(1,4)>>
      layout.fill %w, %zero
      // An unsigned comparison excludes both row -1, above the first, and rows past the last.
      scf.for %r = %c0 to %rows_of_window step %c1 {
        %end = arith.addi %i_x, %r : index
        %row = arith.subi %end, %c1 : index
        %r_i = arith.index_cast %r : index to i32
        %past_i = arith.addi %i, %r_i : i32
        %row_i = arith.subi %past_i, %i1 : i32
        %is_there = arith.cmpi ult, %row_i, %m : i32
        scf.if %is_there {
          %from_r = layout.slice %from(%row, (_, %v_x))
          %w_r = layout.slice %window((_, 1), %r)
          layout.copy #layout.atom<simt_4> %from_r, %w_r
        }
      }
      scf.for %r = %c0 to %rows_of_thread step %c1 {
        %row = arith.addi %i_x, %r : index
        %in_window = arith.addi %r, %c1 : index
        %r_i = arith.index_cast %r : index to i32
        %row_i = arith.addi %i, %r_i : i32
        %is_there = arith.cmpi ult, %row_i, %m : i32
        %has_left = arith.andi %is_there, %is_left : i1
        %has_right = arith.andi %is_there, %is_right : i1
        scf.if %has_left {
          %e = layout.load %in(%row, %left)
          layout.store %e, %w(3, %in_window)
        }
        scf.if %has_right {
          %e = layout.load %in(%row, %right)
          layout.store %e, %w(8, %in_window)
        }
      }
      %north = layout.slice %moved((_, 4), (_, 0))
      %south = layout.slice %moved((_, 4), (_, 2))
      %west = layout.slice %moved((_, 3), (_, 1))
      %east = layout.slice %moved((_, 5), (_, 1))
      layout.map ins(%north, %south, %west, %east : !x, !x, !x, !x) outs(%o : !o) {
      ^bb0(%no: f32, %so: f32, %we: f32, %ea: f32, %old: f32):
        %ns = arith.addf %no, %so : f32
        %we_ea = arith.addf %we, %ea : f32
        %sum = arith.addf %ns, %we_ea : f32
        %mean = arith.mulf %sum, %quarter : f32
        layout.yield %mean : f32
      }
      scf.for %r = %c0 to %rows_of_thread step %c1 {
        %row = arith.addi %i_x, %r : index
        %r_i = arith.index_cast %r : index to i32
        %row_i = arith.addi %i, %r_i : i32
        %is_there = arith.cmpi ult, %row_i, %m : i32
        scf.if %is_there {
          %to_r = layout.slice %to(%row, (_, %v_x))
          %o_r = layout.slice %o(_, %r)
          layout.copy #layout.atom<simt_4> %o_r, %to_r
        }
      }
    }
    gpu.return
  }
}

func.func @stencil_reference(%in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %in, %c0 : memref<?x?xf32>
  %n = memref.dim %in, %c1 : memref<?x?xf32>
  %quarter = arith.constant 0.25 : f32
  scf.for %i = %c0 to %m step %c1 {
    %above = arith.subi %i, %c1 : index
    %below = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %n step %c1 {
      %before = arith.subi %j, %c1 : index
      %after = arith.addi %j, %c1 : index
      %0 = func.call @element_or_zero(%in, %above, %j) : (memref<?x?xf32>, index, index) -> f32
      %1 = func.call @element_or_zero(%in, %below, %j) : (memref<?x?xf32>, index, index) -> f32
      %2 = func.call @element_or_zero(%in, %i, %before) : (memref<?x?xf32>, index, index) -> f32
      %3 = func.call @element_or_zero(%in, %i, %after) : (memref<?x?xf32>, index, index) -> f32
      %4 = arith.addf %0, %1 : f32
      %5 = arith.addf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      %7 = arith.mulf %6, %quarter : f32
      memref.store %7, %out[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func private @element_or_zero(%in: memref<?x?xf32>, %i: index, %j: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %in, %c0 : memref<?x?xf32>
  %n = memref.dim %in, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %is_row = arith.cmpi ult, %i, %m : index
  %is_column = arith.cmpi ult, %j, %n : index
  %is_inside = arith.andi %is_row, %is_column : i1
  %value = scf.if %is_inside -> f32 {
    %element = memref.load %in[%i, %j] : memref<?x?xf32>
    scf.yield %element : f32
  } else {
    scf.yield %zero : f32
  }
  return %value : f32
}
