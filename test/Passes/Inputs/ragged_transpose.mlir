// Rows of 28 fill no tile of 32: the last runs of a tile are predicated, and a grid of tiles has two for 56 channels.
func.func @rows(%x: tensor<?x28x56xbf16>) -> tensor<?x56x28xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x28x56xbf16>
  %e = tensor.empty(%n) : tensor<?x56x28xbf16>
  %y = linalg.transpose ins(%x : tensor<?x28x56xbf16>) outs(%e : tensor<?x56x28xbf16>) permutation = [0, 2, 1]
  return %y : tensor<?x56x28xbf16>
}

// Shorter ones have none.
func.func @short(%x: tensor<512x12x64xbf16>) -> tensor<512x64x12xbf16> {
  %e = tensor.empty() : tensor<512x64x12xbf16>
  %y = linalg.transpose ins(%x : tensor<512x12x64xbf16>) outs(%e : tensor<512x64x12xbf16>) permutation = [0, 2, 1]
  return %y : tensor<512x64x12xbf16>
}
