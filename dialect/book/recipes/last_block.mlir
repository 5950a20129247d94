// Each of four blocks stores its part of a sum, and the last one to finish adds all parts.
!in = !layout.view<f32, global, (64,4):(1,64)>
!parts = !layout.view<f32, global, (64,4):(1,64)>
!out = !layout.view<f32, global, 64:1>
!n = !layout.view<i32, global, 1:1>
!flag = !layout.view<i32, shared, 1:1>
gpu.module @m {
  gpu.func @last_block(%in: !in, %parts: !parts, %out: !out, %n: !n) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.reference = @last_block_reference,
      layout.kernel = {grid = [4], chip = "sm_80", names = ["in", "parts", "out", "n"], values = {n = [0, 0]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %flag = layout.alloc : !flag
    %x = layout.load %in(%t, %b)
    %twice = arith.addf %x, %x : f32
    layout.store %twice, %parts(%t, %b)
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %old = layout.atomic add %one, %n(0) acq_rel
      layout.store %old, %flag(0)
    }
    gpu.barrier
    %finished = layout.load %flag(0)
    %last = arith.cmpi eq, %finished, %three : i32
    scf.if %last {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> f32 {
        %y = layout.load %parts(%t, %k)
        %more = arith.addf %a, %y : f32
        scf.yield %more : f32
      }
      layout.store %sum, %out(%t)
    }
    gpu.return
  }
}
func.func @last_block_reference(%in: memref<64x4xf32>, %parts: memref<64x4xf32>, %out: memref<64xf32>, %n: memref<1xi32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4 : i32
  linalg.fill ins(%four : i32) outs(%n : memref<1xi32>)
  affine.for %i = 0 to 64 {
    %sum = affine.for %j = 0 to 4 iter_args(%a = %zero) -> f32 {
      %x = affine.load %in[%i, %j] : memref<64x4xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %parts[%i, %j] : memref<64x4xf32>
      %more = arith.addf %a, %y : f32
      affine.yield %more : f32
    }
    affine.store %sum, %out[%i] : memref<64xf32>
  }
  return
}
