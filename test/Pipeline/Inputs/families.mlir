// Two layers with a bias and a ReLU between them, of as many rows as a caller has; the result is stored where it says.
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @mlp(%x: tensor<?x64xbf16>, %w1: tensor<64x256xbf16>, %b1: tensor<256xf32>, %w2: tensor<256x64xbf16>, %out: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e1 = tensor.empty(%m) : tensor<?x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %s1 = linalg.matmul ins(%x, %w1 : tensor<?x64xbf16>, tensor<64x256xbf16>) outs(%f1 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %e2 = tensor.empty(%m) : tensor<?x256xbf16>
  %h = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s1, %b1 : tensor<?x256xf32>, tensor<256xf32>) outs(%e2 : tensor<?x256xbf16>) {
  ^bb0(%s: f32, %b: f32, %o: bf16):
    %t = arith.addf %s, %b : f32
    %r = arith.maximumf %t, %zero : f32
    %n = arith.truncf %r : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<?x256xbf16>
  %e3 = tensor.empty(%m) : tensor<?x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s3 = linalg.matmul ins(%h, %w2 : tensor<?x256xbf16>, tensor<256x64xbf16>) outs(%f3 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s3 : tensor<?x64xf32>) outs(%out : tensor<?x64xbf16>) {
  ^bb0(%s: f32, %o: bf16):
    %n = arith.truncf %s : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
