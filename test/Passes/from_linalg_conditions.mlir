// Conditions between the elementwise operations after a product, as JAX writes where(x > 0, x, y), are values of the epilogue; a condition that is
// the result of all is stored by a kernel.

// RUN: layout-opt %s --layout-from-linalg | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @leaky
// CHECK-NOT:     gpu.launch_func
// CHECK:         layout.matmul
// CHECK:         arith.cmpf oge
// CHECK:         arith.select
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
func.func @leaky(%x: tensor<32x64xbf16>, %w: tensor<64x64xbf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.2 : f32
  %p = linalg.matmul ins(%x, %w : tensor<32x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  %eb = tensor.empty() : tensor<32x64xi1>
  %b = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<32x64xf32>) outs(%eb : tensor<32x64xi1>) {
  ^bb0(%a: f32, %old: i1):
    %is = arith.cmpf oge, %a, %zero : f32
    linalg.yield %is : i1
  } -> tensor<32x64xi1>
  %e = tensor.empty() : tensor<32x64xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.mulf %a, %slope : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %r = linalg.select ins(%b, %p, %m : tensor<32x64xi1>, tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @positive
// CHECK:         layout.matmul
// CHECK-NOT:     epilogue
// CHECK:         gpu.launch_func @positive_elements
func.func @positive(%x: tensor<32x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<32x64xi1> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  %eb = tensor.empty() : tensor<32x64xi1>
  %b = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<32x64xf32>) outs(%eb : tensor<32x64xi1>) {
  ^bb0(%a: f32, %old: i1):
    %is = arith.cmpf oge, %a, %zero : f32
    linalg.yield %is : i1
  } -> tensor<32x64xi1>
  return %b : tensor<32x64xi1>
}

// Functions of 16 bits, as torch-mlir writes them, are computed in f32 and rounded.

// CHECK-LABEL: func.func @exponential
// CHECK-NOT:     gpu.launch_func
// CHECK:         layout.matmul
// CHECK:         %[[POWER:.*]] = math.exp %{{.*}} : f32
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.truncf %[[POWER]] : f32 to f16
// CHECK:         arith.addf %[[ROUNDED]], %{{.*}} : f16
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
func.func @exponential(%x: tensor<32x64xf16>, %w: tensor<64x64xf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf16> {
  %p = linalg.matmul ins(%x, %w : tensor<32x64xf16>, tensor<64x64xf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e = tensor.empty() : tensor<32x64xf16>
  %one = arith.constant 1.0 : f16
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<32x64xf32>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%a: f32, %old: f16):
    %t = arith.truncf %a : f32 to f16
    %power = math.exp %t : f16
    %sum = arith.addf %power, %one : f16
    linalg.yield %sum : f16
  } -> tensor<32x64xf16>
  return %r : tensor<32x64xf16>
}
