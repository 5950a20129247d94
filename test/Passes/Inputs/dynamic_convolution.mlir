// A number of images that is known at run time: the copy engine computes the im2col matrix, whatever it is.
func.func @images(%x: tensor<?x56x56x64xbf16>, %w: tensor<3x3x64x64xbf16>) -> tensor<?x56x56x64xf32> {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x56x56x64xbf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<?x56x56x64xbf16> to tensor<?x58x58x64xbf16>
  %e = tensor.empty(%n) : tensor<?x56x56x64xf32>
  %c = linalg.fill ins(%none : f32) outs(%e : tensor<?x56x56x64xf32>) -> tensor<?x56x56x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x58x58x64xbf16>, tensor<3x3x64x64xbf16>) outs(%c : tensor<?x56x56x64xf32>) -> tensor<?x56x56x64xf32>
  return %y : tensor<?x56x56x64xf32>
}

// Channels that are apart are moved to the end first, and the result, which starts from a bias, back.
func.func @channels_first(%x: tensor<?x64x58x58xbf16>, %w: tensor<64x64x3x3xbf16>, %b: tensor<64xf32>) -> tensor<?x64x56x56xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x58x58xbf16>
  %e = tensor.empty(%n) : tensor<?x64x56x56xf32>
  %c = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<?x64x56x56xf32>) dimensions = [0, 2, 3]
  // expected-remark-re@+1 {{layout-from-linalg first moves A to an image with its channels last: expected one loop in a mode whose size is known at run time, found {{[23]}} loops that do not merge}}
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x64x58x58xbf16>, tensor<64x64x3x3xbf16>) outs(%c : tensor<?x64x56x56xf32>) -> tensor<?x64x56x56xf32>
  return %y : tensor<?x64x56x56xf32>
}

// The im2col matrix of an image with dynamic width and height is stored first.
func.func @unknown(%x: tensor<?x?x?x64xbf16>, %w: tensor<3x3x64x64xbf16>, %old: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  // expected-remark-re@+1 {{layout-from-linalg first moves A to its im2col matrix: expected dynamic sizes to be those of loops, found dimension {{[12]}}, whose coordinate is no single loop}}
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x64xbf16>, tensor<3x3x64x64xbf16>) outs(%old : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

// No tile fits a mode of several loops of which one has a dynamic size: a kernel of rows computes it.
#a = affine_map<(p, q, n, k) -> (q, p, k)>
#b = affine_map<(p, q, n, k) -> (k, n)>
#c = affine_map<(p, q, n, k) -> (p, q, n)>
func.func @rows(%x: tensor<?x56x64xbf16>, %w: tensor<64x64xbf16>, %old: tensor<56x?x64xf32>) -> tensor<56x?x64xf32> {
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x56x64xbf16>, tensor<64x64xbf16>) outs(%old : tensor<56x?x64xf32>) {
  ^bb0(%f: bf16, %g: bf16, %s: f32):
    %f1 = arith.extf %f : bf16 to f32
    %g1 = arith.extf %g : bf16 to f32
    %m = arith.mulf %f1, %g1 : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<56x?x64xf32>
  return %y : tensor<56x?x64xf32>
}

// Loops of K have no batch to go to: A is transposed.
func.func @sums(%x: tensor<64x?x56xbf16>, %w: tensor<56x?x64xbf16>, %old: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark@+1 {{layout-from-linalg first transposes A: expected one loop in a mode whose size is known at run time, found 2 loops that do not merge}}
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, p, q) -> (m, p, q)>, affine_map<(m, n, p, q) -> (q, p, n)>, affine_map<(m, n, p, q) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<64x?x56xbf16>, tensor<56x?x64xbf16>) outs(%old : tensor<64x64xf32>) {
  ^bb0(%f: bf16, %g: bf16, %s: f32):
    %f1 = arith.extf %f : bf16 to f32
    %g1 = arith.extf %g : bf16 to f32
    %m = arith.mulf %f1, %g1 : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
