// Scores of f16 are rounded in between, as front ends write it: the library's kernel on warpgroups rounds them in front of its softmax, and its factor
// is that of the power of 2. The mask is the opposite of a condition.

// RUN: layout-opt %s --layout-from-linalg | FileCheck %s

// CHECK-LABEL: gpu.module @rounded_attention
// CHECK:         func.func private @softmax(
// CHECK:           arith.constant 1.44269502 : f32
// CHECK:           layout.map outs(
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32):
// CHECK:             %[[N:.*]] = arith.truncf %[[X]] : f32 to f16
// CHECK:             %[[Y:.*]] = arith.mulf %[[N]], %{{.*}} : f16
// CHECK:             %[[Z:.*]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT:        layout.yield %[[Z]] : f32
// CHECK:           layout.reduce max
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:     linalg
// CHECK:         %[[CAUSAL:.*]] = arith.constant 1 : i32
// CHECK:         gpu.launch_func {{.*}}@rounded_attention::@rounded_attention {{.*}}%[[CAUSAL]] : i32)
#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @rounded(%q: tensor<3x256x64xf16>, %k: tensor<3x256x64xf16>, %v: tensor<3x256x64xf16>) -> tensor<3x256x64xf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant 0xFC00 : f16
  %scale = arith.constant 0.125 : f16
  %true = arith.constant true
  %es = tensor.empty() : tensor<3x256x256xf32>
  %er = tensor.empty() : tensor<3x256xf32>
  %eo = tensor.empty() : tensor<3x256x64xf32>
  %ep = tensor.empty() : tensor<3x256x256xf16>
  %eb = tensor.empty() : tensor<3x256x64xf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x256x256xf32>) -> tensor<3x256x256xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x256xf32>) -> tensor<3x256xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x256xf32>) -> tensor<3x256xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x256x64xf32>) -> tensor<3x256x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x256x64xf16>, tensor<3x256x64xf16>) outs(%zs : tensor<3x256x256xf32>) {
  ^bb0(%x: f16, %y: f16, %old: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x256x256xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x256x256xf32>) outs(%es : tensor<3x256x256xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %sees = arith.cmpi sge, %i, %j : index
    %keep = arith.andi %sees, %true : i1
    %drop = arith.xori %keep, %true : i1
    %n = arith.truncf %x : f32 to f16
    %y = arith.mulf %n, %scale : f16
    %z = arith.select %drop, %low, %y : f16
    %t = arith.extf %z : f16 to f32
    linalg.yield %t : f32
  } -> tensor<3x256x256xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x256x256xf32>) outs(%lr : tensor<3x256xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x256xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x256x256xf32>, tensor<3x256xf32>) outs(%es : tensor<3x256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x256x256xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x256x256xf32>) outs(%zr : tensor<3x256xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x256xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x256x256xf32>, tensor<3x256xf32>) outs(%ep : tensor<3x256x256xf16>) {
  ^bb0(%x: f32, %y: f32, %old: f16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to f16
    linalg.yield %t : f16
  } -> tensor<3x256x256xf16>
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x256x256xf16>, tensor<3x256x64xf16>) outs(%zo : tensor<3x256x64xf32>) {
  ^bb0(%x: f16, %y: f16, %old: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x256x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x256x64xf32>) outs(%eb : tensor<3x256x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<3x256x64xf16>
  return %o : tensor<3x256x64xf16>
}
