// Convolutions and pooling: named operations, padding, windows as maps.

func.func @conv_grouped(%x: tensor<2x3x4x9x9xf32>, %w: tensor<3x5x4x3x3xf32>, %c: tensor<2x3x5x7x7xf32>) -> tensor<2x3x5x7x7xf32> {
  %r = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x3x4x9x9xf32>, tensor<3x5x4x3x3xf32>) outs(%c : tensor<2x3x5x7x7xf32>) -> tensor<2x3x5x7x7xf32>
  return %r : tensor<2x3x5x7x7xf32>
}

func.func @conv_dilated_strided(%x: tensor<2x11x13x4xf32>, %w: tensor<3x3x4x5xf32>, %c: tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x11x13x4xf32>, tensor<3x3x4x5xf32>) outs(%c : tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  return %r : tensor<2x4x5x5xf32>
}

func.func @conv_nchw_bf16(%x: tensor<1x4x8x8xbf16>, %w: tensor<6x4x3x3xbf16>, %c: tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> {
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x4x8x8xbf16>, tensor<6x4x3x3xbf16>) outs(%c : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  return %r : tensor<1x6x6x6xf32>
}

func.func @conv_1d(%x: tensor<17xf32>, %w: tensor<4xf32>, %c: tensor<14xf32>) -> tensor<14xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<17xf32>, tensor<4xf32>) outs(%c : tensor<14xf32>) -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @conv_3d(%x: tensor<1x5x6x7x3xf32>, %w: tensor<2x3x2x3x4xf32>, %c: tensor<1x4x4x6x4xf32>) -> tensor<1x4x4x6x4xf32> {
  %r = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x5x6x7x3xf32>, tensor<2x3x2x3x4xf32>) outs(%c : tensor<1x4x4x6x4xf32>) -> tensor<1x4x4x6x4xf32>
  return %r : tensor<1x4x4x6x4xf32>
}

func.func @depthwise_multiplier(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x2xf32>, %c: tensor<2x4x4x3x2xf32>) -> tensor<2x4x4x3x2xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x9x9x3xf32>, tensor<3x3x3x2xf32>) outs(%c : tensor<2x4x4x3x2xf32>) -> tensor<2x4x4x3x2xf32>
  return %r : tensor<2x4x4x3x2xf32>
}

func.func @depthwise_nchw(%x: tensor<2x3x9x9xf32>, %w: tensor<3x3x3xf32>, %c: tensor<2x3x7x7xf32>) -> tensor<2x3x7x7xf32> {
  %r = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x3x9x9xf32>, tensor<3x3x3xf32>) outs(%c : tensor<2x3x7x7xf32>) -> tensor<2x3x7x7xf32>
  return %r : tensor<2x3x7x7xf32>
}

func.func @pool_max(%x: tensor<1x9x9x3xf32>, %w: tensor<3x3xf32>, %c: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x3xf32>, tensor<3x3xf32>) outs(%c : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %r : tensor<1x4x4x3xf32>
}

func.func @pool_sum_nchw(%x: tensor<1x3x8x8xf16>, %w: tensor<2x2xf16>, %c: tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32> {
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x8x8xf16>, tensor<2x2xf16>) outs(%c : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  return %r : tensor<1x3x7x7xf32>
}

func.func @pool_min_i8(%x: tensor<1x9x5x3xi8>, %w: tensor<3x2xi8>, %c: tensor<1x7x4x3xi8>) -> tensor<1x7x4x3xi8> {
  %r = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x9x5x3xi8>, tensor<3x2xi8>) outs(%c : tensor<1x7x4x3xi8>) -> tensor<1x7x4x3xi8>
  return %r : tensor<1x7x4x3xi8>
}

// sizes: 0, 1, 5
func.func @conv_1d_nwc_dynamic(%x: tensor<?x12x4xf32>, %w: tensor<3x4x5xf32>, %c: tensor<?x10x5xf32>) -> tensor<?x10x5xf32> {
  %r = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%x, %w : tensor<?x12x4xf32>, tensor<3x4x5xf32>) outs(%c : tensor<?x10x5xf32>) -> tensor<?x10x5xf32>
  return %r : tensor<?x10x5xf32>
}

func.func @conv_1d_ncw(%x: tensor<2x4x12xf32>, %w: tensor<5x4x3xf32>, %c: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %r = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x4x12xf32>, tensor<5x4x3xf32>) outs(%c : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

func.func @conv_2d(%x: tensor<12x13xf32>, %w: tensor<3x4xf32>, %c: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %r = linalg.conv_2d ins(%x, %w : tensor<12x13xf32>, tensor<3x4xf32>) outs(%c : tensor<10x10xf32>) -> tensor<10x10xf32>
  return %r : tensor<10x10xf32>
}

func.func @conv_3d(%x: tensor<6x7x8xf32>, %w: tensor<2x3x4xf32>, %c: tensor<5x5x5xf32>) -> tensor<5x5x5xf32> {
  %r = linalg.conv_3d ins(%x, %w : tensor<6x7x8xf32>, tensor<2x3x4xf32>) outs(%c : tensor<5x5x5xf32>) -> tensor<5x5x5xf32>
  return %r : tensor<5x5x5xf32>
}

func.func @conv_quantized(%x: tensor<1x7x7x4xi8>, %w: tensor<3x3x4x5xi8>, %c: tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32> {
  %a = arith.constant 2 : i32
  %b = arith.constant -1 : i32
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %a, %b : tensor<1x7x7x4xi8>, tensor<3x3x4x5xi8>, i32, i32) outs(%c : tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32>
  return %r : tensor<1x5x5x5xi32>
}

func.func @conv_fhwc(%x: tensor<2x7x7x4xf32>, %w: tensor<5x3x3x4xf32>, %c: tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32> {
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x7x7x4xf32>, tensor<5x3x3x4xf32>) outs(%c : tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
  return %r : tensor<2x5x5x5xf32>
}

func.func @conv_grouped_nhwgc(%x: tensor<2x7x7x3x4xf32>, %w: tensor<3x5x3x3x4xf32>, %c: tensor<2x3x3x3x5xf32>) -> tensor<2x3x3x3x5xf32> {
  %r = linalg.conv_2d_nhwgc_gfhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x7x7x3x4xf32>, tensor<3x5x3x3x4xf32>) outs(%c : tensor<2x3x3x3x5xf32>) -> tensor<2x3x3x3x5xf32>
  return %r : tensor<2x3x3x3x5xf32>
}

func.func @conv_one_by_one(%x: tensor<2x7x7x8xf32>, %w: tensor<1x1x8x16xf32>, %c: tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x7x7x8xf32>, tensor<1x1x8x16xf32>) outs(%c : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  return %r : tensor<2x4x4x16xf32>
}

// Padding that is not the same on all sides.
func.func @conv_padded(%x: tensor<2x7x9x4xbf16>, %w: tensor<3x3x4x8xbf16>) -> tensor<2x8x9x8xf32> {
  %z = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : bf16
  } : tensor<2x7x9x4xbf16> to tensor<2x10x11x4xbf16>
  %e = tensor.empty() : tensor<2x8x9x8xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x9x8xf32>) -> tensor<2x8x9x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<2x10x11x4xbf16>, tensor<3x3x4x8xbf16>) outs(%f : tensor<2x8x9x8xf32>) -> tensor<2x8x9x8xf32>
  return %r : tensor<2x8x9x8xf32>
}

// Padding with another number than zero.
func.func @conv_padded_with_one(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %c: tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x4x6x6xf32> to tensor<1x4x7x7xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<1x4x7x7xf32>, tensor<8x4x3x3xf32>) outs(%c : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  return %r : tensor<1x8x3x3xf32>
}

// sizes: 1, 5, 16
func.func @conv_dynamic_padded(%x: tensor<?x?x?x4xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<?x?x?x8xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x?x?x4xf32> to tensor<?x?x?x4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?x?x4xf32>
  %h = tensor.dim %x, %c1 : tensor<?x?x?x4xf32>
  %v = tensor.dim %x, %c2 : tensor<?x?x?x4xf32>
  %e = tensor.empty(%n, %h, %v) : tensor<?x?x?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<?x?x?x4xf32>, tensor<3x3x4x8xf32>) outs(%f : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %r : tensor<?x?x?x8xf32>
}

func.func @depthwise_1d(%x: tensor<2x12x4xf32>, %w: tensor<3x4xf32>, %c: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %r = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x12x4xf32>, tensor<3x4xf32>) outs(%c : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

func.func @depthwise_1d_ncw(%x: tensor<2x4x12xf32>, %w: tensor<4x3xf32>, %c: tensor<2x4x10xf32>) -> tensor<2x4x10xf32> {
  %r = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%x, %w : tensor<2x4x12xf32>, tensor<4x3xf32>) outs(%c : tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
  return %r : tensor<2x4x10xf32>
}

func.func @depthwise_quantized(%x: tensor<1x7x7x3xi8>, %w: tensor<3x3x3xi8>, %c: tensor<1x5x5x3xi32>) -> tensor<1x5x5x3xi32> {
  %a = arith.constant 2 : i32
  %b = arith.constant -1 : i32
  %r = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %a, %b : tensor<1x7x7x3xi8>, tensor<3x3x3xi8>, i32, i32) outs(%c : tensor<1x5x5x3xi32>) -> tensor<1x5x5x3xi32>
  return %r : tensor<1x5x5x3xi32>
}

func.func @depthwise_3d(%x: tensor<1x4x5x6x3xf32>, %w: tensor<2x2x3x3xf32>, %c: tensor<1x3x4x4x3xf32>) -> tensor<1x3x4x4x3xf32> {
  %r = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x4x5x6x3xf32>, tensor<2x2x3x3xf32>) outs(%c : tensor<1x3x4x4x3xf32>) -> tensor<1x3x4x4x3xf32>
  return %r : tensor<1x3x4x4x3xf32>
}

func.func @pool_max_unsigned(%x: tensor<1x9x5x3xi8>, %w: tensor<3x2xi8>, %c: tensor<1x7x4x3xi8>) -> tensor<1x7x4x3xi8> {
  %r = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x9x5x3xi8>, tensor<3x2xi8>) outs(%c : tensor<1x7x4x3xi8>) -> tensor<1x7x4x3xi8>
  return %r : tensor<1x7x4x3xi8>
}

func.func @pool_min_unsigned(%x: tensor<1x9x5x3xi16>, %w: tensor<3x2xi16>, %c: tensor<1x7x4x3xi16>) -> tensor<1x7x4x3xi16> {
  %r = linalg.pooling_nhwc_min_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x9x5x3xi16>, tensor<3x2xi16>) outs(%c : tensor<1x7x4x3xi16>) -> tensor<1x7x4x3xi16>
  return %r : tensor<1x7x4x3xi16>
}

func.func @pool_sum_1d(%x: tensor<2x12x4xf32>, %w: tensor<3xf32>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %r = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<3> : tensor<1xi64>} ins(%x, %w : tensor<2x12x4xf32>, tensor<3xf32>) outs(%c : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %r : tensor<2x4x4xf32>
}

func.func @pool_max_1d_ncw(%x: tensor<2x4x12xf32>, %w: tensor<3xf32>, %c: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %r = linalg.pooling_ncw_max {dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%x, %w : tensor<2x4x12xf32>, tensor<3xf32>) outs(%c : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

func.func @pool_max_3d(%x: tensor<1x4x5x6x3xf32>, %w: tensor<2x2x2xf32>, %c: tensor<1x3x4x5x3xf32>) -> tensor<1x3x4x5x3xf32> {
  %r = linalg.pooling_ndhwc_max {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x4x5x6x3xf32>, tensor<2x2x2xf32>) outs(%c : tensor<1x3x4x5x3xf32>) -> tensor<1x3x4x5x3xf32>
  return %r : tensor<1x3x4x5x3xf32>
}

// sizes: 0, 1, 5
func.func @pool_max_dynamic(%x: tensor<?x3x8x8xf32>, %w: tensor<2x2xf32>) -> tensor<?x3x4x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %e = tensor.empty(%n) : tensor<?x3x4x4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<?x3x8x8xf32>, tensor<2x2xf32>) outs(%f : tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  return %r : tensor<?x3x4x4xf32>
}

// The average over each window, as frameworks write it.
func.func @pool_average(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x4x4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %s = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<1x4x4x3xf32>) outs(%e : tensor<1x4x4x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %four : f32
    linalg.yield %d : f32
  } -> tensor<1x4x4x3xf32>
  return %r : tensor<1x4x4x3xf32>
}

// A window as a map: strides and dilations that differ by dimension.
func.func @window_map(%x: tensor<20x20x4xf32>, %w: tensor<3x2x4x6xf32>, %c: tensor<5x6x6xf32>) -> tensor<5x6x6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(p, q, f, r, s, c) -> (p * 3 + r * 2, q * 2 + s * 5, c)>, affine_map<(p, q, f, r, s, c) -> (r, s, c, f)>, affine_map<(p, q, f, r, s, c) -> (p, q, f)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<20x20x4xf32>, tensor<3x2x4x6xf32>) outs(%c : tensor<5x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<5x6x6xf32>
  return %r : tensor<5x6x6xf32>
}

// A true convolution: the filter is flipped by its map.
func.func @window_flipped(%x: tensor<12xf32>, %w: tensor<4xf32>, %c: tensor<9xf32>) -> tensor<9xf32> {
  %taps = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(p, r) -> (p + r)>, affine_map<(p, r) -> (-r + 3)>, affine_map<(p, r) -> (r)>, affine_map<(p, r) -> (p)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %w, %taps : tensor<12xf32>, tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %t0: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// A stencil of five points over shifted slices.
func.func @stencil_slices(%x: tensor<18x34xf32>) -> tensor<16x32xf32> {
  %n = tensor.extract_slice %x[0, 1] [16, 32] [1, 1] : tensor<18x34xf32> to tensor<16x32xf32>
  %s = tensor.extract_slice %x[2, 1] [16, 32] [1, 1] : tensor<18x34xf32> to tensor<16x32xf32>
  %w = tensor.extract_slice %x[1, 0] [16, 32] [1, 1] : tensor<18x34xf32> to tensor<16x32xf32>
  %o = tensor.extract_slice %x[1, 2] [16, 32] [1, 1] : tensor<18x34xf32> to tensor<16x32xf32>
  %m = tensor.extract_slice %x[1, 1] [16, 32] [1, 1] : tensor<18x34xf32> to tensor<16x32xf32>
  %e = tensor.empty() : tensor<16x32xf32>
  %r = linalg.map ins(%n, %s, %w, %o, %m : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) outs(%e : tensor<16x32xf32>)
    (%a: f32, %b: f32, %c: f32, %d: f32, %f: f32, %out: f32) {
      %four = arith.constant 4.0 : f32
      %t0 = arith.addf %a, %b : f32
      %t1 = arith.addf %c, %d : f32
      %t2 = arith.addf %t0, %t1 : f32
      %t3 = arith.mulf %f, %four : f32
      %t4 = arith.subf %t2, %t3 : f32
      linalg.yield %t4 : f32
    }
  return %r : tensor<16x32xf32>
}
