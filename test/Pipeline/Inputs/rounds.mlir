// Intermediate products that are rounded to bf16.
!v = !layout.view<f32, global, 256:1>
gpu.module @rounds {
  gpu.func @rounds(%a: !v, %b: !v, %c: !v) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @rounds_reference, layout.kernel = {grid = [1], names = ["a", "b", "c"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %x = layout.load %a(%t) : !v
    %y = layout.load %b(%t) : !v
    %p = arith.mulf %x, %y : f32
    %narrow = arith.truncf %p : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    layout.store %wide, %c(%t) : !v
    gpu.return
  }
}
func.func @rounds_reference(%a: memref<256xf32>, %b: memref<256xf32>, %c: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<256xf32>
    %y = memref.load %b[%i] : memref<256xf32>
    %p = arith.mulf %x, %y : f32
    %narrow = arith.truncf %p : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    memref.store %wide, %c[%i] : memref<256xf32>
  }
  return
}
