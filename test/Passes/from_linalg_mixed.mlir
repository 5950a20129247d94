// Products of two element types, with zero points or without signs: they are converted to products that matmuls take, or a remark says
// that they are computed without tensor cores.

// RUN: layout-opt %s --split-input-file --layout-from-linalg --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @weights
// CHECK:         gpu.launch_func @weights_elements::@weights_elements
// CHECK:         layout.matmul
// CHECK:         : !layout.view<bf16, global, (64,128):(128,1)>, !layout.view<bf16, global, (64,128):(1,64)>
func.func @weights(%x: tensor<64x128xbf16>, %w: tensor<128x64xi8>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark@+1 {{layout-from-linalg first converts B from i8 to bf16, without rounding}}
  %r = linalg.matmul ins(%x, %w : tensor<64x128xbf16>, tensor<128x64xi8>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// One token reads the weights once, as they are.

// CHECK-LABEL: func.func @token
// CHECK-NOT:     layout.matmul
// CHECK:         gpu.launch_func @token_rows::@token_rows
func.func @token(%x: tensor<2x128xbf16>, %w: tensor<128x64xi8>, %c: tensor<2x64xf32>) -> tensor<2x64xf32> {
  // expected-remark@+1 {{layout-from-linalg computes the contraction without tensor cores: expected a converted operand of at least 128 by 64 elements, found 64 by 128}}
  %r = linalg.matmul ins(%x, %w : tensor<2x128xbf16>, tensor<128x64xi8>) outs(%c : tensor<2x64xf32>) -> tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// -----

// CHECK-LABEL: func.func @zero_points
// CHECK:         layout.matmul {{.*}}!layout.view<i8, global, (64,128):(128,1)>, !layout.view<i8, global, (64,128):(1,64)>
// CHECK:         gpu.launch_func @zero_points_rows
func.func @zero_points(%x: tensor<64x128xi8>, %w: tensor<128x64xi8>, %za: i32, %zb: i32, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  // expected-remark@+1 {{layout-from-linalg first computes the product of signed integers without the initial value}}
  %r = linalg.quantized_matmul ins(%x, %w, %za, %zb : tensor<64x128xi8>, tensor<128x64xi8>, i32, i32) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}

// -----

// CHECK-LABEL: func.func @accumulated
// CHECK:         layout.matmul
// CHECK:         gpu.launch_func @accumulated_elements
func.func @accumulated(%x: tensor<64x128xi8>, %w: tensor<128x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  // expected-remark@+1 {{layout-from-linalg first computes the product of signed integers without the initial value}}
  %r = linalg.matmul ins(%x, %w : tensor<64x128xi8>, tensor<128x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}

// -----

// CHECK-LABEL: func.func @short
func.func @short(%x: tensor<64x128xi16>, %w: tensor<128x64xi16>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  // expected-remark@+1 {{layout-from-linalg computes the contraction without tensor cores: expected A and B of one element type that matmuls take, and C of that type or of the accumulators', found i16, i16 and i32}}
  %r = linalg.matmul ins(%x, %w : tensor<64x128xi16>, tensor<128x64xi16>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @three
func.func @three(%x: tensor<64x32xf32>, %w: tensor<48x32xf32>, %scale: tensor<32xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-remark@+1 {{layout-from-linalg computes the contraction without tensor cores: expected A, B and C as operands, found 4 operands}}
  %r = linalg.generic {indexing_maps = [#a, #b, #s, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %scale : tensor<64x32xf32>, tensor<48x32xf32>, tensor<32xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%a: f32, %b: f32, %f: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %f : f32
    %t = arith.addf %old, %q : f32
    linalg.yield %t : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// A factor that the body does not read from an operand.

// CHECK-LABEL: func.func @constant
func.func @constant(%x: tensor<64x128xbf16>, %w: tensor<128x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark@+1 {{layout-from-linalg computes the contraction without tensor cores: expected a multiply-add as the body, found a product of other values}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %old: f32):
    %two = arith.constant 2.0 : f32
    %wide = arith.extf %a : bf16 to f32
    %p = arith.mulf %two, %wide : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
