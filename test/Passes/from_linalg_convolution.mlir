// RUN: layout-opt %s --layout-from-linalg | FileCheck %s
// RUN: layout-opt %s --layout-from-linalg=chip=sm_80 | FileCheck %s --check-prefix=AMPERE

// A convolution with padding reads the image without it: the window says where zeros are. On other chips the padded image is made first.

// CHECK-LABEL: @padded
// CHECK-NOT: tensor.pad
// CHECK-NOT: gpu.launch_func
// CHECK: layout.make_view {{.*}}!layout<(64,9,7,2):(1,64,576,4032)
// CHECK-NOT: gpu.launch_func
// CHECK: layout.matmul {{.*}} {window = array<i64: 5, 7, 3, 3, 2, 1, 1, 1, 2, 1>}
// AMPERE-LABEL: @padded
// AMPERE: gpu.launch_func
// AMPERE: layout.matmul
// AMPERE-NOT: window
func.func @padded(%x: tensor<2x7x9x64xbf16>, %w: tensor<3x3x64x16xbf16>) -> tensor<2x7x5x16xf32> {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 2, 0] high[0, 1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<2x7x9x64xbf16> to tensor<2x9x11x64xbf16>
  %e = tensor.empty() : tensor<2x7x5x16xf32>
  %c = linalg.fill ins(%none : f32) outs(%e : tensor<2x7x5x16xf32>) -> tensor<2x7x5x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<2x9x11x64xbf16>, tensor<3x3x64x16xbf16>) outs(%c : tensor<2x7x5x16xf32>) -> tensor<2x7x5x16xf32>
  return %y : tensor<2x7x5x16xf32>
}

// One tap with steps of two reads every other pixel; one with steps of one is a matrix.

// CHECK-LABEL: @pointwise
// CHECK: layout.matmul
// CHECK: } {window = array<i64: 4, 4, 1, 1, 2, 2, 1, 1, 0, 0>}
// CHECK: layout.matmul
// CHECK-NOT: window
func.func @pointwise(%x: tensor<2x8x8x64xbf16>, %w: tensor<1x1x64x64xbf16>, %v: tensor<1x1x64x8xbf16>, %c: tensor<2x4x4x64xf32>, %d: tensor<2x8x8x8xf32>)
    -> (tensor<2x4x4x64xf32>, tensor<2x8x8x8xf32>) {
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<2x8x8x64xbf16>, tensor<1x1x64x64xbf16>) outs(%c : tensor<2x4x4x64xf32>) -> tensor<2x4x4x64xf32>
  %z = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %v : tensor<2x8x8x64xbf16>, tensor<1x1x64x8xbf16>) outs(%d : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
  return %y, %z : tensor<2x4x4x64xf32>, tensor<2x8x8x8xf32>
}

// Channels that fill no row of a tile, a padding of ones, and other elements stay matrices.

// CHECK-LABEL: func.func @others
// CHECK: layout.matmul
// CHECK-NOT: window
// CHECK: layout.matmul
// CHECK-NOT: window
// CHECK: layout.matmul
func.func @others(%x: tensor<2x8x8x24xbf16>, %w: tensor<3x3x24x8xbf16>, %f: tensor<1x9x9x64xf32>, %g: tensor<3x3x64x8xf32>, %h: tensor<2x7x7x64xbf16>,
    %k: tensor<3x3x64x8xbf16>, %c: tensor<2x6x6x8xf32>, %d: tensor<1x7x7x8xf32>, %e: tensor<2x6x6x8xf32>) -> (tensor<2x6x6x8xf32>, tensor<1x7x7x8xf32>, tensor<2x6x6x8xf32>) {
  %one = arith.constant 1.0 : bf16
  %p = tensor.pad %h low[0, 0, 1, 0] high[0, 1, 0, 0] {
  ^bb0(%i: index, %j: index, %m: index, %l: index):
    tensor.yield %one : bf16
  } : tensor<2x7x7x64xbf16> to tensor<2x8x8x64xbf16>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x24xbf16>, tensor<3x3x24x8xbf16>) outs(%c : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  %z = linalg.conv_2d_nhwc_hwcf ins(%f, %g : tensor<1x9x9x64xf32>, tensor<3x3x64x8xf32>) outs(%d : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  // The padded image is one without padding.
  // CHECK: } {window = array<i64: 6, 6, 3, 3, 1, 1, 1, 1, 0, 0>}
  %q = linalg.conv_2d_nhwc_hwcf ins(%p, %k : tensor<2x8x8x64xbf16>, tensor<3x3x64x8xbf16>) outs(%e : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  return %y, %z, %q : tensor<2x6x6x8xf32>, tensor<1x7x7x8xf32>, tensor<2x6x6x8xf32>
}
