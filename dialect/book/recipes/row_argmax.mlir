// The greatest element of each row and its column, the first of equal ones: one reduction of two sources, elements and columns, by a region
// that keeps the pair of the greater element.
!matrix = !layout.view<bf16, global, (?{range=1..65536},?{div=8 range=8..1024}):(?{div=8 range=8..1024},1)>
!vector = !layout.view<i32, global, ?{range=1..65536}:1>
!fragment = !layout.view<f32, register, 8:1>
!columns = !layout.view<i32, register, 8:1>
!greatest = !layout.view<f32, register, 1:0>
!best = !layout.view<i32, register, 1:0>
#own = #layout<(128,8):(8,1)>

gpu.module @kernels {
  gpu.func @row_argmax(%in: !matrix, %out: !vector) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @row_argmax_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "columns", "columns", "rows"], names = ["in", "out"]}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %x = layout.alloc : !fragment
    %at = layout.alloc : !columns
    %greatest = layout.alloc : !greatest
    %best = layout.alloc : !best
    %line = layout.slice %in(0, _)
    %columns = layout.size %line
    %vectors = layout.composition %in, #layout<<_, (8,128):(1,8)>>
    %ids = layout.identity_tensor : !layout.view<index, coordinate, (8,128):(1,8)>
    %in_own = layout.slice %vectors(%row, (_, %thread))
    %id = layout.slice %ids(_, %thread)
    layout.copy #layout.atom<simt_8> %in_own, %x predicate(%id < %columns)
    layout.map ins(%id) outs(%x, %at) {
    ^bb0(%column: index, %element: f32, %before: i32):
      %least = arith.constant 0xFF800000 : f32
      %is_there = arith.cmpi ult, %column, %columns : index
      %own = arith.select %is_there, %element, %least : f32
      %number = arith.index_cast %column : index to i32
      layout.yield %own, %number : f32, i32
    }
    layout.reduce %x, %at into %greatest, %best along [0] threads(#own) {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %is_greater = arith.cmpf ogt, %a, %b : f32
      %is_equal = arith.cmpf oeq, %a, %b : f32
      %is_before = arith.cmpi ult, %i, %j : i32
      %is_first = arith.andi %is_equal, %is_before : i1
      %is_a = arith.ori %is_greater, %is_first : i1
      %more = arith.select %is_a, %a, %b : f32
      %column = arith.select %is_a, %i, %j : i32
      layout.yield %more, %column : f32, i32
    }
    %index = layout.load %best(0)
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      layout.store %index, %out(%row)
    }
    gpu.return
  }
}

func.func @row_argmax_reference(%in: memref<?x?xbf16>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %least = arith.constant 0xFF800000 : f32
  %rows = memref.dim %in, %c0 : memref<?x?xbf16>
  %columns = memref.dim %in, %c1 : memref<?x?xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %max, %at = scf.for %j = %c0 to %columns step %c1 iter_args(%before = %least, %place = %zero) -> (f32, i32) {
      %x = memref.load %in[%i, %j] : memref<?x?xbf16>
      %wide = arith.extf %x : bf16 to f32
      %is_greater = arith.cmpf ogt, %wide, %before : f32
      %column = arith.index_cast %j : index to i32
      %greatest = arith.select %is_greater, %wide, %before : f32
      %own = arith.select %is_greater, %column, %place : i32
      scf.yield %greatest, %own : f32, i32
    }
    memref.store %at, %out[%i] : memref<?xi32>
  }
  return
}
