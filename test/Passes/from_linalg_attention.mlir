// Two contractions and the softmax between them become one kernel: FlashAttention-2 on mma.sync, whose scores stay in registers.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

// Causal, with lengths that are no multiples of 64: keys past the last tile that a query has are not visited, rows past the end are read as 0
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
// CHECK:         layout.copy #layout.atom<cp_async_16> {{.*}} predicate(%{{.*}} < %[[LEFT]]
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
// CHECK:         layout.copy #layout.atom<simt_2> {{.*}} predicate(%{{.*}} < %[[LEFT]]
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

// -----

// Q, K and V are parts of one buffer whose length is known at run time, two heads share keys, a bias is read from memory, and the result has its
// heads in front: views, and no copies. A bias may be below all scores, so that the mask, of a finite number, bounds no keys.

// CHECK-LABEL: gpu.func @grouped_attention(
// CHECK-SAME:      !layout.view<bf16, global, (?{i64},48,2,2,2):(384,1,?{i64 div=384},96,48)>, %{{[^:]*}}: !layout.view<bf16, global, (?{i64},48,2,2,2):(384,1,?{i64 div=384},48,192)>,
// CHECK-SAME:      !layout.view<bf16, global, (?{i64},48,2,2,2):(384,1,?{i64 div=384},48,288)>, %[[BIAS:.*]]: !layout.view<bf16, global, (?{i64},?{i64},2):(0,1,?{i64})>,
// CHECK-SAME:      !layout.view<f32, global, (?{i64},48,2,2,2):(48,1,?{i64 div=192},?{i64 div=96},?{i64 div=48})>, %[[N:.*]]: index)
// CHECK-SAME:      grid = [8, "ceil_div(o_0,64)"]
// CHECK:         %[[MORE:.*]] = arith.addi %[[N]], %c63
// CHECK:         %[[STEPS:.*]] = arith.divui %[[MORE]], %c64
// CHECK:         %[[OWN:.*]] = layout.slice %[[BIAS]](_, _, %{{.*}})
// CHECK:         scf.for %[[STEP:.*]] = %c0 to %{{[0-9]+}}
// CHECK:           %[[TILE:.*]] = layout.local_tile %[[OWN]](%block_id_y, %[[STEP]]), #layout<(64,64)>
// CHECK:           %[[HELD:.*]] = layout.partition %[[TILE]]
// CHECK:           layout.copy #layout.atom<simt_1> %[[HELD]], %[[REGISTERS:[0-9]+]] predicate(
// CHECK:           layout.map ins(%{{.*}}, %{{.*}}, %[[REGISTERS]] :
// CHECK:             arith.cmpi sgt
// CHECK:             arith.addf
// CHECK:             arith.select
// CHECK-LABEL: func.func @grouped(
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func {{.*}}@grouped_attention::@grouped_attention
// CHECK-NOT:     gpu.launch_func
func.func @grouped(%qkv: tensor<2x?x384xbf16>, %bias: tensor<2x?xbf16>) -> tensor<2x2x2x?x48xf32> {
  %iq = arith.constant 1 : index
  %nq = tensor.dim %qkv, %iq : tensor<2x?x384xbf16>
  %ik = arith.constant 1 : index
  %nk = tensor.dim %qkv, %ik : tensor<2x?x384xbf16>
  %v1 = tensor.extract_slice %qkv[0, 0, 0] [2, %nq, 192] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x192xbf16>
  %v2 = tensor.expand_shape %v1 [[0], [1], [2, 3, 4]] output_shape [2, %nq, 2, 2, 48] : tensor<2x?x192xbf16> into tensor<2x?x2x2x48xbf16>
  %v3 = tensor.extract_slice %qkv[0, 0, 192] [2, %nk, 96] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x96xbf16>
  %v4 = tensor.expand_shape %v3 [[0], [1], [2, 3]] output_shape [2, %nk, 2, 48] : tensor<2x?x96xbf16> into tensor<2x?x2x48xbf16>
  %v5 = tensor.extract_slice %qkv[0, 0, 288] [2, %nk, 96] [1, 1, 1] : tensor<2x?x384xbf16> to tensor<2x?x96xbf16>
  %v6 = tensor.expand_shape %v5 [[0], [1], [2, 3]] output_shape [2, %nk, 2, 48] : tensor<2x?x96xbf16> into tensor<2x?x2x48xbf16>
  %v7 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<2x2x2x?x?xf32>) -> tensor<2x2x2x?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v2, %v4 : tensor<2x?x2x2x48xbf16>, tensor<2x?x2x48xbf16>) outs(%v9 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %old: f32):
  %a = arith.extf %x0 : bf16 to f32
  %b = arith.extf %x1 : bf16 to f32
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %old, %p : f32
  linalg.yield %s : f32
  } -> tensor<2x2x2x?x?xf32>
  %v11 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v10 : tensor<2x2x2x?x?xf32>) outs(%v11 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: f32, %old: f32):
  %c = arith.constant 0.25 : f32
  %y = arith.mulf %x0, %c : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?x?xf32>
  %v13 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v12, %bias : tensor<2x2x2x?x?xf32>, tensor<2x?xbf16>) outs(%v13 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: f32, %x1: bf16, %old: f32):
  %w = arith.extf %x1 : bf16 to f32
  %y = arith.addf %x0, %w : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?x?xf32>
  %v15 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v14 : tensor<2x2x2x?x?xf32>) outs(%v15 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: f32, %old: f32):
  %row = linalg.index 3 : index
  %column = linalg.index 4 : index
  %c = arith.constant 0 : index
  %m = arith.addi %row, %c : index
  %later = arith.cmpi sgt, %column, %m : index
  %low = arith.constant -3.40282347E+38 : f32
  %y = arith.select %later, %low, %x0 : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?x?xf32>
  %v17 = tensor.empty(%nq) : tensor<2x2x2x?xf32>
  %v18 = arith.constant 0xFF800000 : f32
  %v19 = linalg.fill ins(%v18 : f32) outs(%v17 : tensor<2x2x2x?xf32>) -> tensor<2x2x2x?xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v16 : tensor<2x2x2x?x?xf32>) outs(%v19 : tensor<2x2x2x?xf32>) {
  ^bb0(%x0: f32, %old: f32):
  %y = arith.maximumf %old, %x0 : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?xf32>
  %v21 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v16, %v20 : tensor<2x2x2x?x?xf32>, tensor<2x2x2x?xf32>) outs(%v21 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
  %d = arith.subf %x0, %x1 : f32
  %y = math.exp %d : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?x?xf32>
  %v23 = tensor.empty(%nq) : tensor<2x2x2x?xf32>
  %v24 = arith.constant 0.0 : f32
  %v25 = linalg.fill ins(%v24 : f32) outs(%v23 : tensor<2x2x2x?xf32>) -> tensor<2x2x2x?xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v22 : tensor<2x2x2x?x?xf32>) outs(%v25 : tensor<2x2x2x?xf32>) {
  ^bb0(%x0: f32, %old: f32):
  %y = arith.addf %old, %x0 : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?xf32>
  %v27 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v22, %v26 : tensor<2x2x2x?x?xf32>, tensor<2x2x2x?xf32>) outs(%v27 : tensor<2x2x2x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
  %y = arith.divf %x0, %x1 : f32
  linalg.yield %y : f32
  } -> tensor<2x2x2x?x?xf32>
  %v29 = tensor.empty(%nq, %nk) : tensor<2x2x2x?x?xbf16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v28 : tensor<2x2x2x?x?xf32>) outs(%v29 : tensor<2x2x2x?x?xbf16>) {
  ^bb0(%x0: f32, %old: bf16):
  %y = arith.truncf %x0 : f32 to bf16
  linalg.yield %y : bf16
  } -> tensor<2x2x2x?x?xbf16>
  %v31 = tensor.empty(%nq) : tensor<2x2x2x?x48xf32>
  %v32 = arith.constant 0.0 : f32
  %v33 = linalg.fill ins(%v32 : f32) outs(%v31 : tensor<2x2x2x?x48xf32>) -> tensor<2x2x2x?x48xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v30, %v6 : tensor<2x2x2x?x?xbf16>, tensor<2x?x2x48xbf16>) outs(%v33 : tensor<2x2x2x?x48xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %old: f32):
  %a = arith.extf %x0 : bf16 to f32
  %b = arith.extf %x1 : bf16 to f32
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %old, %p : f32
  linalg.yield %s : f32
  } -> tensor<2x2x2x?x48xf32>
  return %v34 : tensor<2x2x2x?x48xf32>
}
