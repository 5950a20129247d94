!v = !layout.view<f32, global, 128:1>
!s = !layout.view<f32, shared, 128:1>
gpu.module @k {
 gpu.func @k(%in: !v, %out: !v, %o2: !v) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {grid = [1], names=["in","out","o2"]}} {
  %t = gpu.thread_id x
  %last = arith.constant 127 : index
  %m = arith.subi %last, %t : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = layout.alloc : !s
  %b = layout.alloc : !s
  %x = layout.load %in(%t)
  layout.store %x, %a(%t)
  %zz = arith.constant 0.0 : f32
  layout.store %zz, %b(%t)
  gpu.barrier
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a, %v = %b) -> (!s, !s) {
   scf.yield %v, %u : !s, !s
  }
  %y = layout.load %r#1(%m)
  layout.store %y, %out(%t)
  %d = arith.addf %x, %x : f32
  %c = layout.alloc : !s
  layout.store %d, %c(%t)
  %e = layout.load %c(%t)
  layout.store %e, %o2(%t)
  gpu.return
 }
}
