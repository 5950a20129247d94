// Two convolutions of NCHW, as torch-mlir writes them: their images have the channels last, and so has what is between them.
#c = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @network(%x: tensor<8x64x14x14xbf16>, %w: tensor<64x64x3x3xbf16>, %v: tensor<64x64x3x3xbf16>, %b: tensor<64xf32>) -> tensor<8x64x14x14xbf16> {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<8x64x14x14xbf16> to tensor<8x64x16x16xbf16>
  %e = tensor.empty() : tensor<8x64x14x14xf32>
  %start = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<8x64x14x14xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<8x64x16x16xbf16>, tensor<64x64x3x3xbf16>) outs(%start : tensor<8x64x14x14xf32>) -> tensor<8x64x14x14xf32>
  %o = tensor.empty() : tensor<8x64x14x14xbf16>
  %r = linalg.generic {indexing_maps = [#c, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<8x64x14x14xf32>) outs(%o : tensor<8x64x14x14xbf16>) {
  ^bb0(%f: f32, %old: bf16):
    %m = arith.maximumf %f, %none : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<8x64x14x14xbf16>
  %q = tensor.pad %r low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<8x64x14x14xbf16> to tensor<8x64x16x16xbf16>
  %z = linalg.fill ins(%none : f32) outs(%e : tensor<8x64x14x14xf32>) -> tensor<8x64x14x14xf32>
  %s = linalg.conv_2d_nchw_fchw ins(%q, %v : tensor<8x64x16x16xbf16>, tensor<64x64x3x3xbf16>) outs(%z : tensor<8x64x14x14xf32>) -> tensor<8x64x14x14xf32>
  %u = linalg.generic {indexing_maps = [#c, #c, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %x : tensor<8x64x14x14xf32>, tensor<8x64x14x14xbf16>) outs(%o : tensor<8x64x14x14xbf16>) {
  ^bb0(%f: f32, %g: bf16, %old: bf16):
    %g1 = arith.extf %g : bf16 to f32
    %a = arith.addf %f, %g1 : f32
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<8x64x14x14xbf16>
  return %u : tensor<8x64x14x14xbf16>
}

// Channels that fill no row of a tile stay where they are.
func.func @few(%x: tensor<8x24x16x16xbf16>, %w: tensor<64x24x3x3xbf16>, %c: tensor<8x64x14x14xf32>) -> tensor<8x64x14x14xf32> {
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<8x24x16x16xbf16>, tensor<64x24x3x3xbf16>) outs(%c : tensor<8x64x14x14xf32>) -> tensor<8x64x14x14xf32>
  return %y : tensor<8x64x14x14xf32>
}
