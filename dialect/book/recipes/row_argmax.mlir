// The column of the greatest element of each row, the first of equal ones: a maximum of keys, the bits of the element above and the columns
// to its right below. The bits of floats are ordered as unsigned integers once those of negative ones are inverted, and the sign of others.
!matrix = !layout.view<bf16, global, (?{range=1..65536},?{div=8 range=8..1024}):(?{div=8 range=8..1024},1)>
!vector = !layout.view<i32, global, ?{range=1..65536}:1>
!fragment = !layout.view<f32, register, 8:1>
!keys = !layout.view<i64, register, 8:1>
!best = !layout.view<i64, register, 1:0>
#own = #layout<(128,8):(8,1)>

gpu.module @kernels {
  gpu.func @row_argmax(%in: !matrix, %out: !vector) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @row_argmax_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "columns", "columns", "rows"], names = ["in", "out"]}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %last = arith.constant 1023 : index
    %mask = arith.constant 1023 : i64
    %none = arith.constant 0 : i64
    %x = layout.alloc : !fragment
    %keys = layout.alloc : !keys
    %best = layout.alloc : !best
    %line = layout.slice %in(0, _)
    %columns = layout.size %line
    %vectors = layout.composition %in, #layout<<_, (8,128):(1,8)>>
    %ids = layout.identity_tensor : !layout.view<index, coordinate, (8,128):(1,8)>
    %in_own = layout.slice %vectors(%row, (_, %thread))
    %id = layout.slice %ids(_, %thread)
    layout.copy #layout.atom<simt_8> %in_own, %x predicate(%id < %columns)
    layout.fill %keys, %none
    layout.map ins(%x, %id) outs(%keys) {
    ^bb0(%element: f32, %column: index, %before: i64):
      %sign = arith.constant 0x80000000 : i32
      %c31 = arith.constant 31 : i32
      %c10 = arith.constant 10 : i64
      %bits = arith.bitcast %element : f32 to i32
      %is_negative = arith.shrsi %bits, %c31 : i32
      %inverted = arith.ori %is_negative, %sign : i32
      %ordered = arith.xori %bits, %inverted : i32
      %wide = arith.extui %ordered : i32 to i64
      %high = arith.shli %wide, %c10 : i64
      %right = arith.subi %last, %column : index
      %low = arith.index_cast %right : index to i64
      %key = arith.ori %high, %low : i64
      %is_there = arith.cmpi ult, %column, %columns : index
      %own = arith.select %is_there, %key, %before : i64
      layout.yield %own : i64
    }
    layout.reduce maxu %keys into %best along [0] threads(#own)
    %key = layout.load %best(0)
    %right = arith.andi %key, %mask : i64
    %column = arith.subi %mask, %right : i64
    %index = arith.trunci %column : i64 to i32
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
