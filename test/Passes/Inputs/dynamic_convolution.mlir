// No tile fits a mode of several loops of which one has a dynamic size: a kernel of rows computes it, and a remark says so.
func.func @images(%x: tensor<?x58x58x64xbf16>, %w: tensor<3x3x64x64xbf16>, %old: tensor<?x56x56x64xf32>) -> tensor<?x56x56x64xf32> {
  // expected-remark@+1 {{layout-from-linalg computes the contraction without tensor cores: expected one loop in a mode whose size is known at run time, found several that are not one}}
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x58x58x64xbf16>, tensor<3x3x64x64xbf16>) outs(%old : tensor<?x56x56x64xf32>) -> tensor<?x56x56x64xf32>
  return %y : tensor<?x56x56x64xf32>
}

// Where all sizes are static a matmul with a window does, and there is no remark.
func.func @static(%x: tensor<8x58x58x64xbf16>, %w: tensor<3x3x64x64xbf16>, %old: tensor<8x56x56x64xf32>) -> tensor<8x56x56x64xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<8x58x58x64xbf16>, tensor<3x3x64x64xbf16>) outs(%old : tensor<8x56x56x64xf32>) -> tensor<8x56x56x64xf32>
  return %y : tensor<8x56x56x64xf32>
}
