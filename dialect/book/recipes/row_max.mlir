// The greatest element of each row: the rest of the last vectors, which a copy fills with 0, counts as minus infinity.
!matrix = !layout.view<bf16, global, (?{range=1..65536},?{div=8 range=8..1024}):(?{div=8 range=8..1024},1)>
!vector = !layout.view<f32, global, ?{range=1..65536}:1>
!fragment = !layout.view<f32, register, 8:1>
!one = !layout.view<f32, register, 1:0>
#own = #layout<(128,8):(8,1)>

gpu.module @kernels {
  gpu.func @row_max(%in: !matrix, %out: !vector) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @row_max_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "columns", "columns", "rows"], names = ["in", "out"]}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %x = layout.alloc : !fragment
    %s = layout.alloc : !one
    %line = layout.slice %in(0, _)
    %columns = layout.size %line
    %vectors = layout.composition %in, #layout<<_, (8,128):(1,8)>>
    %ids = layout.identity_tensor : !layout.view<index, coordinate, (8,128):(1,8)>
    %in_own = layout.slice %vectors(%row, (_, %thread))
    %id = layout.slice %ids(_, %thread)
    layout.copy #layout.atom<simt_8> %in_own, %x predicate(%id < %columns)
    %least = arith.constant 0xFF800000 : f32
    layout.map ins(%id) outs(%x) {
    ^bb0(%column: index, %element: f32):
      %is_there = arith.cmpi ult, %column, %columns : index
      %own = arith.select %is_there, %element, %least : f32
      layout.yield %own : f32
    }
    layout.reduce max %x into %s along [0] threads(#own)
    %max = layout.load %s(0)
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      layout.store %max, %out(%row)
    }
    gpu.return
  }
}

func.func @row_max_reference(%in: memref<?x?xbf16>, %out: memref<?xf32>) {
  %least = arith.constant 0xFF800000 : f32
  linalg.fill ins(%least : f32) outs(%out : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%in : memref<?x?xbf16>) outs(%out : memref<?xf32>) {
  ^bb0(%x: bf16, %before: f32):
    %wide = arith.extf %x : bf16 to f32
    %more = arith.maximumf %before, %wide : f32
    linalg.yield %more : f32
  }
  return
}
