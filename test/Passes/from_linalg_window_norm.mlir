// RUN: layout-opt %s --layout-from-linalg | FileCheck %s

// A depthwise convolution has a kernel of its own, and the norm along the channels of its results is one kernel.

// CHECK-COUNT-2: gpu.func
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @norm
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK-NOT: linalg
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
#row = affine_map<(n, h, w, c) -> (n, h, w)>
func.func @norm(%x: tensor<2x10x10x64xf32>, %w: tensor<3x3x64xf32>) -> tensor<2x8x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8x64xf32>
  %r = tensor.empty() : tensor<2x8x8xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%r : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x10x10x64xf32>, tensor<3x3x64xf32>) outs(%c : tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y : tensor<2x8x8x64xf32>) outs(%s : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<2x8x8xf32>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %sum : tensor<2x8x8x64xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.constant 64.0 : f32
    %mean = arith.divf %b, %n : f32
    %t = arith.subf %a, %mean : f32
    linalg.yield %t : f32
  } -> tensor<2x8x8x64xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%centred : tensor<2x8x8x64xf32>) outs(%s : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<2x8x8xf32>
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%centred, %squares : tensor<2x8x8x64xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %i = math.rsqrt %b : f32
    %t = arith.mulf %a, %i : f32
    linalg.yield %t : f32
  } -> tensor<2x8x8x64xf32>
  return %z : tensor<2x8x8x64xf32>
}
