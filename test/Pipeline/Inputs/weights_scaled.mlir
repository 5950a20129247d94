// Weights in i8 with a scale for each column, rounded to bf16: the matmul reads the bytes, and its epilogue multiplies by the scales.
#all = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @channels(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<32x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %c: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %c : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%e1 : tensor<32x512xf32>) -> tensor<32x512xf32>
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  %e2 = tensor.empty() : tensor<32x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r: tensor<32x512xf32>) outs(%e2: tensor<32x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %f = arith.truncf %a : f32 to bf16
    linalg.yield %f : bf16
  } -> tensor<32x512xbf16>
  return %n : tensor<32x512xbf16>
}
