"""MLIR that the tests compile."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = ROOT / "lowering" / "kernels"

#: A program: twice a matrix, of as many rows as a caller has, and its rows' sums.
TWICE = """
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @twice(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %a, %a : f32
    linalg.yield %b : f32
  } -> tensor<?x64xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %a, %o : f32
    linalg.yield %b : f32
  } -> tensor<?xf32>
  return %y, %s : tensor<?x64xf32>, tensor<?xf32>
}
"""

#: A kernel: a matmul on views, of as many rows as a caller has.
MATMUL = """
!a = !layout.view<f16, global, (?,256):(256,1)>
!b = !layout.view<f16, global, (128,256):(256,1)>
!c = !layout.view<f32, global, (?,128):(128,1)>
func.func @gemm(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !c
  return
}
"""

#: A kernel of as many blocks of 8192 elements as a caller has, whose modes have modes of their own.
BLOCKS = """
!v = !layout.view<f32, global, ((4,256,8),?{range=1..131072}):((1,4,1024),8192)>
!out = !layout.view<f32, global, 1:1>
gpu.module @blocks {
  gpu.func @blocks(%in: !v, %out: !out) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.kernel = {grid = ["blocks"], sizes = ["blocks"], names = ["in", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %c0 = arith.constant 0 : index
    %e = layout.load %in((%c0, %t, %c0), %i)
    layout.atomic add %e, %out(0) relaxed : !out
    gpu.return
  }
}
"""

#: Two functions of one name.
BROKEN = """func.func @f() {
  return
}
func.func @f() {
  return
}
"""
