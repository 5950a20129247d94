// RUN: layout-opt %s --layout-normalise-matmul --layout-tile-matmul | FileCheck %s --check-prefix=TILE
// RUN: layout-opt %s --layout-normalise-matmul --layout-tile-matmul --layout-lower | FileCheck %s

// The product of an image: tiles of rows continue from one line of results to the next, so that any number of them will do.

!image = !layout.view<bf16, global, (64,14,14,8):(1,64,896,12544)>
!filter = !layout.view<bf16, global, (64,576):(576,1)>
!result = !layout.view<bf16, global, (392,64):(64,1)>

// TILE: layout.copy_im2col %arg0[%{{.*}}, %{{.*}}], %{{.*}} {window = array<i64: 7, 7, 3, 3, 2, 2, 1, 1, 1, 0>} : !layout.view<bf16, global, (64,14,14,8):(1,64,896,12544)>, !layout.view<bf16, shared
// TILE: layout.copy #layout.atom<bulk_tensor_load>

// Three times 64 channels, each of another tap.
// CHECK: {arg = 0 : i64, box = array<i64: 64, 128, 1, 1>, element = "bf16", extents = array<i64: 64, 14, 14, 8>, im2col = {lower = array<i64: -1, 0>, steps = array<i64: 2, 2>, upper = array<i64: -2, -1>}, strides = array<i64: 2, 128, 1792, 25088>, swizzle = 128 : i64}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}] {mode = #nvvm.tma_load_mode<im2col>}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{[^,]*}}, %{{[^,]*}}]
func.func @convolution(%a: !image, %b: !filter, %c: !result) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,64,192), warps = (4,1), stages = 2, chip = "sm_90a">)
    {window = array<i64: 7, 7, 3, 3, 2, 2, 1, 1, 1, 0>} : !image, !filter, !result
  return
}
