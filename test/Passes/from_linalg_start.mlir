// A number that is an element of a tensor is read without a message.

// RUN: layout-opt %s --layout-from-linalg 2>&1 | FileCheck %s --implicit-check-not=error:

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
