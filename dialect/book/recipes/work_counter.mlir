// A persistent kernel whose blocks take rows from a counter in memory, which begins at 0: out(i,j) = 2 in(i,j).
//
// One thread takes the next row, and passes it to the others through shared memory. Each block takes one number past the last row before it ends.
!matrix = !layout.view<f32, global, (?{range=1..65536},128):(128,1)>
!counter = !layout.view<i32, global, 1:1>
!next = !layout.view<i32, shared, 1:1>

gpu.module @kernels {
  gpu.func @work_counter(%in: !matrix, %counter: !counter, %out: !matrix) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @work_counter_reference,
                  layout.kernel = {grid = ["min(rows,132)"], sizes = ["rows", "rows"], names = ["in", "counter", "out"],
                                   values = {counter = [0, 0]}, chip = "sm_80"}} {
    %thread = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %column = layout.slice %in(_, 0)
    %rows = layout.size %column
    %next = layout.alloc : !next
    scf.while : () -> () {
      scf.if %is_first {
        %taken = layout.atomic add %one, %counter(0) relaxed
        layout.store %taken, %next(0)
      }
      gpu.barrier
      %number = layout.load %next(0)
      %row = arith.index_cast %number : i32 to index
      %is_row = arith.cmpi ult, %row, %rows : index
      scf.if %is_row {
        %x = layout.load %in(%row, %thread)
        %twice = arith.addf %x, %x : f32
        layout.store %twice, %out(%row, %thread)
      }
      // The next number may replace this one once all have read it.
      gpu.barrier
      scf.condition(%is_row)
    } do {
      scf.yield
    }
    gpu.return
  }
}

func.func @work_counter_reference(%in: memref<?x128xf32>, %counter: memref<1xi32>, %out: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c132 = arith.constant 132 : index
  linalg.add ins(%in, %in : memref<?x128xf32>, memref<?x128xf32>) outs(%out : memref<?x128xf32>)
  %rows = memref.dim %in, %c0 : memref<?x128xf32>
  %blocks = arith.minui %rows, %c132 : index
  %all = arith.addi %rows, %blocks : index
  %taken = arith.index_cast %all : index to i32
  %before = memref.load %counter[%c0] : memref<1xi32>
  %after = arith.addi %before, %taken : i32
  memref.store %after, %counter[%c0] : memref<1xi32>
  return
}
