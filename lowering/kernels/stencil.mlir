// out(i,j) = (in(i-1,j) + in(i+1,j) + in(i,j-1) + in(i,j+1)) / 4 of 2048 x 2048 f32; outside of the matrix is 0. A block
// copies its tile of 32 x 32 with a halo of one element to shared memory; what lies outside is guarded by coordinates.

!matrix = !layout.view<f32, global, (2048,2048):(2048,1)>
!wide = !layout<(2,2050,2050):(-2049,2048,1)>
#full = #llvm.loop_annotation<unroll = <full = true>>

gpu.module @stencil {
  gpu.func @stencil(%p: !matrix, %out: !matrix) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @stencil_reference,
                  layout.kernel = {grid = [64, 64], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %bn = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %quarter = arith.constant 0.25 : f32
    // The matrix with its halo begins a row and an element before it.
    %l = layout.constant #layout<(2,2050,2050):(-2049,2048,1)> : !wide
    %from = layout.make_view %p, %l : !matrix, !wide
    %in = layout.slice %from(1, _, _) : !layout.view<f32, global, (2,2050,2050):(-2049,2048,1)>
    // Coordinates with signs of their own, for both ends of rows and columns.
    %i = layout.iota : !layout.view<index, iota, (2050,2050):(1,0)>
    %j = layout.iota : !layout.view<index, iota, (2050,2050):(0,1)>
    %in_ = layout.iota : !layout.view<index, iota, (2050,2050):(-1,0)>
    %jn_ = layout.iota : !layout.view<index, iota, (2050,2050):(0,-1)>
    %s = layout.alloc : !layout.view<f32, shared, (40,64):(64,1)>
    // Tiles of 34 x 34 that overlap, one every 32.
    %g1 = layout.composition %in, #layout<<(34,64):(1,32), (34,64):(1,32)>> : !layout.view<f32, global, (2050,2050):(2048,1)>
    %i1 = layout.composition %i, #layout<<(34,64):(1,32), (34,64):(1,32)>> : !layout.view<index, iota, (2050,2050):(1,0)>
    %j1 = layout.composition %j, #layout<<(34,64):(1,32), (34,64):(1,32)>> : !layout.view<index, iota, (2050,2050):(0,1)>
    %k1 = layout.composition %in_, #layout<<(34,64):(1,32), (34,64):(1,32)>> : !layout.view<index, iota, (2050,2050):(-1,0)>
    %l1 = layout.composition %jn_, #layout<<(34,64):(1,32), (34,64):(1,32)>> : !layout.view<index, iota, (2050,2050):(0,-1)>
    %g2 = layout.slice %g1((_, %bm), (_, %bn)) : !layout.view<f32, global, ((34,64),(34,64)):((2048,65536),(1,32))>
    %i2 = layout.slice %i1((_, %bm), (_, %bn)) : !layout.view<index, iota, ((34,64),(34,64)):((1,32),(0,0))>
    %j2 = layout.slice %j1((_, %bm), (_, %bn)) : !layout.view<index, iota, ((34,64),(34,64)):((0,0),(1,32))>
    %k2 = layout.slice %k1((_, %bm), (_, %bn)) : !layout.view<index, iota, ((34,64),(34,64)):((-1,-32),(0,0))>
    %l2 = layout.slice %l1((_, %bm), (_, %bn)) : !layout.view<index, iota, ((34,64),(34,64)):((0,0),(-1,-32))>
    %g3 = layout.partition %g2(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (34,34):(2048,1)>
    %i3 = layout.partition %i2(%t), #layout<(8,32):(32,1)> : !layout.view<index, iota, (34,34):(1,0)>
    %j3 = layout.partition %j2(%t), #layout<(8,32):(32,1)> : !layout.view<index, iota, (34,34):(0,1)>
    %k3 = layout.partition %k2(%t), #layout<(8,32):(32,1)> : !layout.view<index, iota, (34,34):(-1,0)>
    %l3 = layout.partition %l2(%t), #layout<(8,32):(32,1)> : !layout.view<index, iota, (34,34):(0,-1)>
    %s3 = layout.partition %s(%t), #layout<(8,32):(32,1)> : !layout.view<f32, shared, (40,64):(64,1)>
    layout.copy #layout.atom<cp_async_4> %g3, %s3 guard(%i3 < 2049 : !layout.view<index, iota, (5,2):(8,0)>, %j3 < 2049 : !layout.view<index, iota, (5,2):(0,32)>, %k3 < 0 : !layout.view<index, iota, (5,2):(-8,0)>, %l3 < 0 : !layout.view<index, iota, (5,2):(0,-32)>) : !layout.view<f32, global, (5,2):(16384,32)>, !layout.view<f32, shared, (5,2):(512,32)>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    // Four rows of the tile for each thread, and the 3 x 3 around each element.
    %w = layout.composition %s, #layout<<(32,3):(1,1), (32,3):(1,1)>> : !layout.view<f32, shared, (40,64):(64,1)>
    %o1 = layout.local_tile %out(%bm, %bn), #layout<(32,32)> : !matrix
    %rc:2 = layout.idx2crd %t, #layout<(32,8)>
    %od = layout.composition %o1, #layout<<(8,4):(1,8), 32:1>> : !layout.view<f32, global, (32,32):(2048,1)>
    %o2 = layout.slice %od((%rc#1, _), %rc#0) : !layout.view<f32, global, ((8,4),32):((2048,16384),1)>
    %wd = layout.composition %w, #layout<<<(8,4):(1,8), _>, <_, _>>> : !layout.view<f32, shared, ((32,3),(32,3)):((64,64),(1,1))>
    %w2 = layout.slice %wd(((%rc#1, _), _), (%rc#0, _)) : !layout.view<f32, shared, (((8,4),3),(32,3)):(((64,512),64),(1,1))>
    scf.for %r = %c0 to %c4 step %c1 {
      %n = layout.load %w2(%r, 0, 1) : !layout.view<f32, shared, (4,3,3):(512,64,1)>
      %so = layout.load %w2(%r, 2, 1) : !layout.view<f32, shared, (4,3,3):(512,64,1)>
      %we = layout.load %w2(%r, 1, 0) : !layout.view<f32, shared, (4,3,3):(512,64,1)>
      %ea = layout.load %w2(%r, 1, 2) : !layout.view<f32, shared, (4,3,3):(512,64,1)>
      %a = arith.addf %n, %so : f32
      %b = arith.addf %we, %ea : f32
      %c = arith.addf %a, %b : f32
      %d = arith.mulf %c, %quarter : f32
      layout.store %d, %o2(%r) : !layout.view<f32, global, (4):(16384)>
    } {llvm.loop_annotation = #full}
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
