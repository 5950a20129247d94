// Weights in f8E5M2 are the prologue of a contraction; upstream expands no conversion from them, so linalg.py cannot compare it.
func.func @weights_of_8_bits_on_the_left(%w: tensor<136x64xf8E5M2>, %x: tensor<33x64xf16>, %c: tensor<136x33xf32>) -> tensor<136x33xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %x : tensor<136x64xf8E5M2>, tensor<33x64xf16>) outs(%c : tensor<136x33xf32>) {
  ^bb0(%a: f8E5M2, %b: f16, %old: f32):
    %u = arith.extf %a : f8E5M2 to f32
    %v = arith.extf %b : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %old, %m : f32
    linalg.yield %s : f32
  } -> tensor<136x33xf32>
  return %p : tensor<136x33xf32>
}
