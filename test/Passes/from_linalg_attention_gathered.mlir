// A causal mask with documents, which a model gathers by the number of a query and of a key, as transformers do it: a gather at coordinates
// that are no negative ones, counted from the end or not, is a load, and attention stays one kernel.

// RUN: layout-opt %s --layout-from-linalg | FileCheck %s

// CHECK-LABEL: gpu.func @documents_attention(
// CHECK-SAME:      !layout.view<i64, global,
// CHECK:         %[[STEPS:.*]] = arith.minui
// CHECK:         scf.for %{{.*}} = %c0 to %[[STEPS]]
// CHECK:           layout.mma
// CHECK:           layout.map
// CHECK:             arith.cmpi sle
// CHECK:             arith.cmpi eq
// CHECK:             arith.andi
// CHECK:             arith.select
// CHECK:           layout.mma
// CHECK-LABEL: func.func @documents(
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func {{.*}}@documents_attention
// CHECK-NOT:     linalg
#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
#scores = affine_map<(h, q, k) -> (q, k)>
#one = affine_map<(q) -> (q)>
#two = affine_map<(q, k) -> (q, k)>
#first = affine_map<(q, k) -> (q)>
#second = affine_map<(q, k) -> (k)>
func.func @documents(%q: tensor<3x100x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>, %document: tensor<100xi64>) -> tensor<3x100x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
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
  // torch.arange, a gather as torch-mlir writes it, and the mask of both.
  %ei = tensor.empty() : tensor<100xi64>
  %em = tensor.empty() : tensor<100x100xi1>
  %c0 = arith.constant 0 : i64
  %c100 = arith.constant 100 : i64
  %places = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%ei : tensor<100xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %t = arith.index_cast %i : index to i64
    linalg.yield %t : i64
  } -> tensor<100xi64>
  %own = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%places : tensor<100xi64>) outs(%ei : tensor<100xi64>) {
  ^bb0(%x: i64, %old: i64):
    %is = arith.cmpi slt, %x, %c0 : i64
    %y = arith.addi %x, %c100 : i64
    %z = arith.select %is, %y, %x : i64
    %at = arith.index_cast %z : i64 to index
    %t = tensor.extract %document[%at] : tensor<100xi64>
    linalg.yield %t : i64
  } -> tensor<100xi64>
  %causal = linalg.generic {indexing_maps = [#second, #first, #two], iterator_types = ["parallel", "parallel"]}
      ins(%places, %places : tensor<100xi64>, tensor<100xi64>) outs(%em : tensor<100x100xi1>) {
  ^bb0(%x: i64, %y: i64, %old: i1):
    %t = arith.cmpi sle, %x, %y : i64
    linalg.yield %t : i1
  } -> tensor<100x100xi1>
  %mask = linalg.generic {indexing_maps = [#first, #second, #two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%own, %own, %causal : tensor<100xi64>, tensor<100xi64>, tensor<100x100xi1>) outs(%em : tensor<100x100xi1>) {
  ^bb0(%x: i64, %y: i64, %z: i1, %old: i1):
    %is = arith.cmpi eq, %x, %y : i64
    %t = arith.andi %z, %is : i1
    linalg.yield %t : i1
  } -> tensor<100x100xi1>
  %m = linalg.generic {indexing_maps = [#all, #scores, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<3x100x100xf32>, tensor<100x100xi1>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %keep: i1, %old: f32):
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %least : f32
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
