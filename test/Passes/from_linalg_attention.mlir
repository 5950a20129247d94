// Two contractions and the softmax between them become one kernel: FlashAttention-2 on mma.sync, whose scores stay in registers.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

// Causal, with lengths that are no multiples of 64: keys behind the last tile that a query has are not visited, rows behind the end are read as 0
// and not stored.

// CHECK-LABEL: gpu.func @causal_attention(
// CHECK-SAME:      %arg0: !layout.view<bf16, global, (100,64,3):(64,1,6400)>, %arg1: !layout.view<bf16, global, (100,64,3):(64,1,6400)>,
// CHECK-SAME:      %arg2: !layout.view<bf16, global, (100,64,3):(64,1,6400)>, %arg3: !layout.view<bf16, global, (100,64,3):(64,1,6400)>) kernel
// CHECK-SAME:      known_block_size = array<i32: 128, 1, 1>, layout.kernel = {block = array<i64: 128, 1, 1>, chip = "sm_90a", grid = [3, 2], sizes = []}
// CHECK:         %[[FIRST:.*]] = arith.muli %[[TILE:[0-9]+]], %c64
// CHECK:         %[[LEFT:.*]] = arith.subi %c100{{.*}}, %[[FIRST]]
// CHECK:         %[[REACHED:.*]] = arith.addi %[[FIRST]], %c127
// CHECK:         %[[STEPS:.*]] = arith.minui
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
// CHECK-COUNT-2: layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2):(64,1,4096)>
// CHECK:         layout.copy #layout.atom<cp_async_16> {{.*}} guard(%{{.*}} < %[[LEFT]]
// CHECK:         scf.for %[[STEP:.*]] = %c0 to %[[STEPS]]
// CHECK:           scf.if
// CHECK-COUNT-2:     layout.copy #layout.atom<cp_async_16>
// CHECK-COUNT-4:   layout.mma #layout.atom<mma_m16n8k16_f32_bf16>
// CHECK:           layout.map
// CHECK:             %[[KEEP:.*]] = arith.cmpi sge
// CHECK:             %[[SCALED:.*]] = arith.mulf
// CHECK:             %[[SCORE:.*]] = arith.select %[[KEEP]], %[[SCALED]],
// CHECK:             %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %c100
// CHECK:             arith.select %[[IS]], %[[SCORE]],
// CHECK:           layout.reduce max {{.*}} along [1] threads(#layout<((4,8,4),((2,2),1,8)):((128,1,16),((64,8),0,512))>) tile(#layout<(64,64)>)
// CHECK:             math.exp2
// CHECK:           layout.reduce add
// CHECK-COUNT-4:   layout.mma #layout.atom<mma_m16n8k16_f32_bf16>
// CHECK:         layout.reduce add
// CHECK:         arith.divf
// CHECK:         %[[ROWS:.*]] = layout.local_tile %{{.*}}(%[[TILE]], 0), #layout<(64,64)>
// CHECK:         layout.copy #layout.atom<simt_2> {{.*}} guard(%{{.*}} < %[[LEFT]]
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @causal(
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func {{.*}}@causal_attention::@causal_attention blocks in (%c3, %c2, %c1) threads in (%c128, %c1, %c1)
#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @causal(%q: tensor<3x100x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>) -> tensor<3x100x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x100x100xf32>
  %er = tensor.empty() : tensor<3x100xf32>
  %eo = tensor.empty() : tensor<3x100x64xf32>
  %ep = tensor.empty() : tensor<3x100x100xbf16>
  %eb = tensor.empty() : tensor<3x100x64xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x100x100xf32>) -> tensor<3x100x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x100x64xbf16>, tensor<3x100x64xbf16>) outs(%zs : tensor<3x100x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x100x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x100x100xf32>) outs(%lr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x100x100xf32>) outs(%zr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%ep : tensor<3x100x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x100xbf16>
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x100x100xbf16>, tensor<3x100x64xbf16>) outs(%zo : tensor<3x100x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x100x64xf32>) outs(%eb : tensor<3x100x64xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x64xbf16>
  return %o : tensor<3x100x64xbf16>
}
