// RUN: layout-opt %s --layout-from-linalg --verify-diagnostics=only-expected | FileCheck %s

// Several loops in one mode whose sizes are dynamic: operands are transposed so that they are one loop.

// Batches and heads, as q and k lie in a model.
// CHECK-LABEL: @scores
// CHECK-COUNT-2: gpu.launch_func
// CHECK:         layout.matmul {{.*}} : !layout.view<bf16, global, (?{i64},?1{i64},?{i64}):(?1,1,?{i64})>
func.func @scores(%q: tensor<?x?x?x?xbf16>, %k: tensor<?x?x?x?xbf16>, %e: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  // expected-remark @below {{layout-from-linalg first transposes A and B: expected one loop in a mode whose size is known at run time, found 2 loops that do not merge}}
  %s = linalg.generic {
      indexing_maps = [affine_map<(b, h, s, t, d) -> (b, s, h, d)>, affine_map<(b, h, s, t, d) -> (b, t, h, d)>, affine_map<(b, h, s, t, d) -> (b, h, s, t)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) outs(%c : tensor<?x?x?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %x1 = arith.extf %x : bf16 to f32
    %y1 = arith.extf %y : bf16 to f32
    %p = arith.mulf %x1, %y1 : f32
    %n = arith.addf %old, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x?x?x?xf32>
  return %s : tensor<?x?x?x?xf32>
}

// The result is transposed back.
// CHECK-LABEL: @result
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul {{.*}} epilogue
// CHECK:         gpu.launch_func
func.func @result(%a: tensor<?x?x?x?xf16>, %b: tensor<?x?x?x?xf16>, %e: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-remark @below {{layout-from-linalg first transposes C: expected one loop in a mode whose size is known at run time, found 2 loops that do not merge}}
  %s = linalg.generic {
      indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, h, n, k)>, affine_map<(b, h, m, n, k) -> (b, m, h, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%e : tensor<?x?x?x?xf16>) {
  ^bb0(%x: f16, %y: f16, %old: f16):
    %p = arith.mulf %x, %y : f16
    %n = arith.addf %old, %p : f16
    linalg.yield %n : f16
  } -> tensor<?x?x?x?xf16>
  return %s : tensor<?x?x?x?xf16>
}
