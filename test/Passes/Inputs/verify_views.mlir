// A swizzle may reach past what the layout under it does.
!s = !layout.view<i32, shared, S<1,0,-4> o 0 o (3,5):(1,3)>
!v = !layout.view<i32, global, (3,5):(1,3)>
gpu.module @k {
  gpu.func @swizzle(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>}} {
    %s = layout.alloc : !s
    layout.copy #layout.atom<simt_1> %in, %s
    layout.copy #layout.atom<simt_1> %s, %out
    gpu.return
  }
}

// -----

// A window that slides may begin before the first row, where a predicate leaves out what is outside.
!v = !layout.view<f32, global, (20,4):(4,1)>
gpu.module @k {
  gpu.func @halo(%in: !v, %out: !v) kernel attributes {layout.kernel = {grid = array<i64: 4, 1, 1>, block = array<i64: 8, 1, 1>}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %first = arith.muli %b, %c5 : index
    %from = arith.subi %first, %c3 : index
    %xs = layout.composition %in, #layout<<(8,20):(1,1), _>>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, ((8,20),4):((1,1),0)>
    %minus = layout.identity_tensor : !layout.view<index, coordinate, ((8,20),4):((-1,-1),0)>
    %x = layout.slice %xs((%t, %from), _)
    %id = layout.slice %rows((%t, %from), _)
    %minus_id = layout.slice %minus((%t, %from), _)
    %f = layout.alloc : !layout.view<f32, register, 4:1>
    layout.copy #layout.atom<simt_1> %x, %f predicate(%id < 20, %minus_id < 1)
    %row = arith.addi %first, %t : index
    %mine = arith.cmpi ult, %t, %c5 : index
    scf.if %mine {
      %o = layout.slice %out(%row, _)
      layout.copy #layout.atom<simt_1> %f, %o
    }
    gpu.return
  }
}
