// Three layers as a loop over stacked weights, with a loop in it; and a loop whose bound only a caller knows.

#row = affine_map<(i, j) -> (i, j)>

func.func @layers(%x: tensor<64x128xbf16>, %w: tensor<3x128x128xbf16>) -> tensor<64x128xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<64x128xbf16>) {
    %own = tensor.extract_slice %w[%i, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<3x128x128xbf16> to tensor<128x128xbf16>
    %e = tensor.empty() : tensor<64x128xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
    %p = linalg.matmul ins(%h, %own : tensor<64x128xbf16>, tensor<128x128xbf16>) outs(%init : tensor<64x128xf32>) -> tensor<64x128xf32>
    %twice = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %p) -> (tensor<64x128xf32>) {
      %t = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
      ^bb0(%a: f32, %o: f32):
        %n = arith.index_cast %i : index to i32
        %f = arith.sitofp %n : i32 to f32
        %b = arith.addf %a, %f : f32
        linalg.yield %b : f32
      } -> tensor<64x128xf32>
      scf.yield %t : tensor<64x128xf32>
    }
    %n = tensor.empty() : tensor<64x128xbf16>
    %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%twice : tensor<64x128xf32>) outs(%n : tensor<64x128xbf16>) {
    ^bb0(%a: f32, %o: bf16):
      %b = arith.truncf %a : f32 to bf16
      linalg.yield %b : bf16
    } -> tensor<64x128xbf16>
    scf.yield %r : tensor<64x128xbf16>
  }
  return %y : tensor<64x128xbf16>
}
