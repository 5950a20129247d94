// A row of 1024 by a cluster of 4 blocks: each sums a part; all read all parts by distributed shared memory.
!in = !layout.view<f32, global, (?{range=1..4096},(64,4,4)):(1024,(1,64,256))>
!out = !layout.view<f32, global, (?{range=1..4096},4):(4,1)>
!part = !layout.view<f32, shared, 1:1>
!f = !layout.view<f32, register, 4:1>
!s = !layout.view<f32, register, 1:0>
gpu.module @m {
  gpu.func @cluster_sum(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 64, 1, 1>, layout.reference = @cluster_sum_reference,
      layout.kernel = {grid = ["4*n"], cluster = 4, chip = "sm_90a", sizes = ["n", "n"], names = ["in", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %part = layout.alloc : !part
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %r = arith.index_castui %rank : i32 to index
    %row = arith.divui %b, %c4 : index
    %own = layout.slice %in(%row, (%t, _, %r))
    %x = layout.alloc : !f
    %s = layout.alloc : !s
    layout.copy #layout.atom<simt_1> %own, %x
    layout.reduce add %x into %s along [0] threads(#layout<(64,4):(1,64)>)
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %v = layout.load %s(0)
      layout.store %v, %part(0)
    }
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    scf.if %first {
      %p = layout.pointer %part -> !llvm.ptr<3>
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> f32 {
        %i32 = arith.index_cast %i : index to i32
        %q = nvvm.mapa %p, %i32 : !llvm.ptr<3> -> !llvm.ptr<7>
        %v = llvm.load %q : !llvm.ptr<7> -> f32
        %w = arith.addf %a, %v : f32
        scf.yield %w : f32
      }
      layout.store %sum, %out(%row, %r)
    }
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    gpu.return
  }
}
func.func @cluster_sum_reference(%in: memref<?x1024xf32>, %out: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<?x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, j)>, affine_map<(i, k, j) -> (i, k)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%in : memref<?x1024xf32>) outs(%out : memref<?x4xf32>) {
  ^bb0(%x: f32, %before: f32):
    %more = arith.addf %before, %x : f32
    linalg.yield %more : f32
  }
  return
}
