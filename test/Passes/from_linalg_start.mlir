// A bias of 16 bits that is widened and broadcast to start a contraction, as torch-mlir writes that of a convolution, is an operand of the
// epilogue as it is. A number that is an element of a tensor is read without a message.

// RUN: layout-opt %s --layout-from-linalg 2>&1 | FileCheck %s --implicit-check-not=error:

#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @bias
// CHECK-NOT:     linalg.
// CHECK-NOT:     gpu.launch_func
// CHECK:         layout.matmul {{.*}} epilogue
// CHECK:         !layout.view<f16, global, (32,64):(0,1)>
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
func.func @bias(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>, %b: tensor<64xf16>) -> tensor<32x64xf32> {
  %eb = tensor.empty() : tensor<64xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%b : tensor<64xf16>) outs(%eb : tensor<64xf32>) {
  ^bb0(%a: f16, %old: f32):
    %f = arith.extf %a : f16 to f32
    linalg.yield %f : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %start = linalg.broadcast ins(%wide : tensor<64xf32>) outs(%e : tensor<32x64xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %w : tensor<32x64xf16>, tensor<64x64xf16>) outs(%start : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @number
// CHECK:         gpu.launch_func @number_elements
func.func @number(%t: tensor<8xi32>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %s = tensor.extract_slice %t[4] [1] [1] : tensor<8xi32> to tensor<1xi32>
  %n = tensor.collapse_shape %s [] : tensor<1xi32> into tensor<i32>
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%n, %x : tensor<i32>, tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: i32, %b: f32, %old: f32):
    %f = arith.sitofp %a : i32 to f32
    %m = arith.mulf %f, %b : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
