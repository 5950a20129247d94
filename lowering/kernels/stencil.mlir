// out(i,j) = (in(i-1,j) + in(i+1,j) + in(i,j-1) + in(i,j+1)) / 4 of 2048 x 2048 f32; outside of the matrix is 0.
//
// A thread has 4 neighbours in each of 4 rows, and loads what lies around them too: a window of 6 x 6 without its corners, of which the rows
// are vectors of 16 bytes, and the columns on both sides single elements that threads beside it have loaded. What lies outside is predicated by
// coordinates. A block has 16 rows of 256 columns, so that most of what is read twice is in its cache.

!matrix = !layout.view<f32, global, (2048,2048):(2048,1)>
!around = !layout<(2,(4,512),(6,512)):(-2048,(1,4),(2048,8192))>
!before = !layout<(2,512,(4,512)):(-1,4,(2048,8192))>
!behind = !layout<(2,512,(4,512)):(4,4,(2048,8192))>
!x = !layout.view<f32, register, (4,4):(1,6)>
!o = !layout.view<f32, register, (4,4):(1,4)>

gpu.module @stencil {
  gpu.func @stencil(%p: !matrix, %out: !matrix) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @stencil_reference,
                  layout.kernel = {grid = [8, 128], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %bn = gpu.block_id x
    %bm = gpu.block_id y
    %c64 = arith.constant 64 : index
    %c4 = arith.constant 4 : index
    %quarter = arith.constant 0.25 : f32
    // A thread's vector of a row, and its four rows.
    %of:2 = layout.idx2crd %t, #layout<(64,4)>
    %j0 = arith.muli %bn, %c64 : index
    %j = arith.addi %j0, %of#0 : index
    %i0 = arith.muli %bm, %c4 : index
    %i = arith.addi %i0, %of#1 : index
    %w = layout.alloc : !layout.view<f32, register, (6,6):(1,6)>
    %o = layout.alloc : !o
    // The window, and the same moved by 0, 1 and 2 along each mode.
    %rows = layout.composition %w, #layout<<(4,3):(1,1), _>>
    %moved = layout.composition %w, #layout<<(4,3):(1,1), (4,3):(1,1)>>
    %wide = layout.slice %rows((_, 1), _)
    %left = layout.slice %moved((0, 0), (_, 1))
    %right = layout.slice %moved((3, 2), (_, 1))
    // Rows of the matrix from a row before it on, six for each four, and what lies before and behind each vector.
    %l = layout.constant #layout<(2,(4,512),(6,512)):(-2048,(1,4),(2048,8192))> : !around
    %l_left = layout.constant #layout<(2,512,(4,512)):(-1,4,(2048,8192))> : !before
    %l_right = layout.constant #layout<(2,512,(4,512)):(4,4,(2048,8192))> : !behind
    %v = layout.make_view %p, %l : !matrix, !around
    %v_left = layout.make_view %p, %l_left : !matrix, !before
    %v_right = layout.make_view %p, %l_right : !matrix, !behind
    %from = layout.slice %v(1, (_, %j), (_, %i))
    %from_left = layout.slice %v_left(1, %j, (_, %i))
    %from_right = layout.slice %v_right(1, %j, (_, %i))
    // The rows' numbers, of which the matrix has 1 to 2048, and the vectors', with signs of their own for both ends.
    %row = layout.identity_tensor : !layout.view<index, coordinate, ((4,512),(6,512)):((0,0),(1,4))>
    %row_n = layout.identity_tensor : !layout.view<index, coordinate, ((4,512),(6,512)):((0,0),(-1,-4))>
    %vector = layout.identity_tensor : !layout.view<index, coordinate, (512,(4,512)):(1,(0,0))>
    %vector_n = layout.identity_tensor : !layout.view<index, coordinate, (512,(4,512)):(-1,(0,0))>
    %r = layout.slice %row((_, %j), (_, %i))
    %r_n = layout.slice %row_n((_, %j), (_, %i))
    %c = layout.slice %vector(%j, (_, %i))
    %c_n = layout.slice %vector_n(%j, (_, %i))
    layout.copy #layout.atom<simt_4> %from, %wide predicate(%r < 2049, %r_n < 0)
    layout.copy #layout.atom<simt_1> %from_left, %left predicate(%c_n < 0)
    layout.copy #layout.atom<simt_1> %from_right, %right predicate(%c < 511)
    %north = layout.slice %moved((_, 1), (_, 0))
    %south = layout.slice %moved((_, 1), (_, 2))
    %west = layout.slice %moved((_, 0), (_, 1))
    %east = layout.slice %moved((_, 2), (_, 1))
    layout.map ins(%north, %south, %west, %east : !x, !x, !x, !x) outs(%o : !o) {
    ^bb0(%n: f32, %s: f32, %we: f32, %ea: f32, %old: f32):
      %a = arith.addf %n, %s : f32
      %b = arith.addf %we, %ea : f32
      %sum = arith.addf %a, %b : f32
      %mean = arith.mulf %sum, %quarter : f32
      layout.yield %mean : f32
    }
    %vectors = layout.select %out, [1, 0]
    %tiles = layout.composition %vectors, #layout<<(4,512):(1,4), (4,512):(1,4)>>
    %to = layout.slice %tiles((_, %j), (_, %i))
    layout.copy #layout.atom<simt_4> %o, %to
    gpu.return
  }
}

func.func @stencil_reference(%in: memref<2048x2048xf32>, %out: memref<2048x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2048 : index
  %quarter = arith.constant 0.25 : f32
  scf.for %i = %c0 to %n step %c1 {
    %above = arith.subi %i, %c1 : index
    %below = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %n step %c1 {
      %before = arith.subi %j, %c1 : index
      %behind = arith.addi %j, %c1 : index
      %0 = func.call @element_or_zero(%in, %above, %j) : (memref<2048x2048xf32>, index, index) -> f32
      %1 = func.call @element_or_zero(%in, %below, %j) : (memref<2048x2048xf32>, index, index) -> f32
      %2 = func.call @element_or_zero(%in, %i, %before) : (memref<2048x2048xf32>, index, index) -> f32
      %3 = func.call @element_or_zero(%in, %i, %behind) : (memref<2048x2048xf32>, index, index) -> f32
      %4 = arith.addf %0, %1 : f32
      %5 = arith.addf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      %7 = arith.mulf %6, %quarter : f32
      memref.store %7, %out[%i, %j] : memref<2048x2048xf32>
    }
  }
  return
}

func.func private @element_or_zero(%in: memref<2048x2048xf32>, %i: index, %j: index) -> f32 {
  %n = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %is_row = arith.cmpi ult, %i, %n : index
  %is_column = arith.cmpi ult, %j, %n : index
  %is_inside = arith.andi %is_row, %is_column : i1
  %value = scf.if %is_inside -> f32 {
    %element = memref.load %in[%i, %j] : memref<2048x2048xf32>
    scf.yield %element : f32
  } else {
    scf.yield %zero : f32
  }
  return %value : f32
}
