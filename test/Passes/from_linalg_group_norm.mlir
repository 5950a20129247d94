// RUN: layout-opt %s -split-input-file --layout-from-linalg | FileCheck %s

// A norm of groups of channels is one kernel: its rows are groups, and a coordinate of the result is one loop for each digit.

// CHECK-LABEL: gpu.func @static_rows
// CHECK:         layout.reduce add
// CHECK:         layout.reduce add
// CHECK:       func.func @static
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @static(%x: tensor<4x6x64xf32>, %g: tensor<6xf32>) -> tensor<4x6x64xf32> {
  %z = arith.constant 0.0 : f32
  %by = arith.constant 192.0 : f32
  %gx = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [4, 2, 3, 64] : tensor<4x6x64xf32> into tensor<4x2x3x64xf32>
  %se = tensor.empty() : tensor<4x2xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<4x2xf32>) -> tensor<4x2xf32>
  %s = linalg.reduce { arith.addf } ins(%gx : tensor<4x2x3x64xf32>) outs(%sf : tensor<4x2xf32>) dimensions = [2, 3]
  %ge = tensor.empty() : tensor<4x2x3x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%gx, %s : tensor<4x2x3x64xf32>, tensor<4x2xf32>) outs(%ge : tensor<4x2x3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %mean = arith.divf %b, %by : f32
    %y = arith.subf %a, %mean : f32
    linalg.yield %y : f32
  } -> tensor<4x2x3x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%d : tensor<4x2x3x64xf32>) outs(%sf : tensor<4x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %y = arith.addf %o, %q : f32
    linalg.yield %y : f32
  } -> tensor<4x2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %v : tensor<4x2x3x64xf32>, tensor<4x2xf32>) outs(%ge : tensor<4x2x3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = math.rsqrt %b : f32
    %y = arith.mulf %a, %r : f32
    linalg.yield %y : f32
  } -> tensor<4x2x3x64xf32>
  %flat = tensor.collapse_shape %n [[0], [1, 2], [3]] : tensor<4x2x3x64xf32> into tensor<4x6x64xf32>
  %e = tensor.empty() : tensor<4x6x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%flat, %g : tensor<4x6x64xf32>, tensor<6xf32>) outs(%e : tensor<4x6x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.mulf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4x6x64xf32>
  return %r : tensor<4x6x64xf32>
}

// -----

// So is one of sizes that are known at run time; the grid has a block for each group of each image.

// CHECK-LABEL: gpu.func @dynamic_rows
// CHECK-SAME:    grid = ["ceil_div(y0_0*2+1,1)"]
// CHECK:         layout.reduce add
// CHECK:       func.func @dynamic
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @dynamic(%x: tensor<?x6x?xf32>, %g: tensor<6xf32>) -> tensor<?x6x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x6x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x6x?xf32>
  %gx = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [%b, 2, 3, %l] : tensor<?x6x?xf32> into tensor<?x2x3x?xf32>
  %se = tensor.empty(%b) : tensor<?x2xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = linalg.reduce { arith.addf } ins(%gx : tensor<?x2x3x?xf32>) outs(%sf : tensor<?x2xf32>) dimensions = [2, 3]
  %ge = tensor.empty(%b, %l) : tensor<?x2x3x?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%gx, %s : tensor<?x2x3x?xf32>, tensor<?x2xf32>) outs(%ge : tensor<?x2x3x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %y = arith.subf %p, %q : f32
    linalg.yield %y : f32
  } -> tensor<?x2x3x?xf32>
  %flat = tensor.collapse_shape %d [[0], [1, 2], [3]] : tensor<?x2x3x?xf32> into tensor<?x6x?xf32>
  %e = tensor.empty(%b, %l) : tensor<?x6x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%flat, %g : tensor<?x6x?xf32>, tensor<6xf32>) outs(%e : tensor<?x6x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %y = arith.mulf %p, %q : f32
    linalg.yield %y : f32
  } -> tensor<?x6x?xf32>
  return %r : tensor<?x6x?xf32>
}
