func.func @images(%x: tensor<?x7x7x64xbf16>, %w: tensor<3x3x64x64xbf16>, %r: tensor<?x7x7x64xbf16>) -> tensor<?x7x7x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7x7x64xbf16>
  %p = tensor.pad %x low[0,1,1,0] high[0,1,1,0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : bf16
  } : tensor<?x7x7x64xbf16> to tensor<?x9x9x64xbf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x7x7x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x7x7x64xf32>) -> tensor<?x7x7x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x9x9x64xbf16>, tensor<3x3x64x64xbf16>) outs(%f : tensor<?x7x7x64xf32>) -> tensor<?x7x7x64xf32>
  %o = tensor.empty(%n) : tensor<?x7x7x64xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types = ["parallel","parallel","parallel","parallel"]} ins(%y, %r : tensor<?x7x7x64xf32>, tensor<?x7x7x64xbf16>) outs(%o : tensor<?x7x7x64xbf16>) {
  ^bb0(%a: f32, %b: bf16, %c: bf16):
    %bb = arith.extf %b : bf16 to f32
    %q = arith.addf %a, %bb : f32
    %m = arith.maximumf %q, %z : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x7x7x64xbf16>
  return %s : tensor<?x7x7x64xbf16>
}
func.func @nchw(%x: tensor<?x64x9x9xbf16>, %w: tensor<64x64x3x3xbf16>, %old: tensor<?x64x7x7xf32>) -> tensor<?x64x7x7xf32> {
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x64x9x9xbf16>, tensor<64x64x3x3xbf16>) outs(%old : tensor<?x64x7x7xf32>) -> tensor<?x64x7x7xf32>
  return %y : tensor<?x64x7x7xf32>
}
func.func @nhwc(%x: tensor<?x?x?x64xbf16>, %w: tensor<3x3x64x64xbf16>, %old: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x64xbf16>, tensor<3x3x64x64xbf16>) outs(%old : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}
func.func @first(%x: tensor<?x17x17x3xbf16>, %w: tensor<7x7x3x64xbf16>, %old: tensor<?x6x6x64xf32>) -> tensor<?x6x6x64xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<?x17x17x3xbf16>, tensor<7x7x3x64xbf16>) outs(%old : tensor<?x6x6x64xf32>) -> tensor<?x6x6x64xf32>
  return %y : tensor<?x6x6x64xf32>
}
