// Operations of front ends' dialects parse in the forms that these print, and in generic form.

// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s

// CHECK-LABEL: func.func @of_torch(
// CHECK:         tm_tensor.scan dimension(1) inclusive(true) ins(%{{.*}} : tensor<4x?xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x?xf32>, tensor<4xf32>) {
// CHECK:           tm_tensor.yield %{{.*}} : f32
// CHECK-NEXT:    } -> tensor<4x?xf32>, tensor<4xf32>
// CHECK:         tm_tensor.sort dimension(1) outs(%{{.*}} : tensor<4x?xf32>) {
// CHECK:         tm_tensor.topk dimension(1) ins(%{{.*}}, %{{.*}} : tensor<4x?xf32>, tensor<4x?xi32>) outs(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xi32>) {
// CHECK:         tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%{{.*}}, %{{.*}} : tensor<3x1x?xf32>, tensor<3x1xi64>) outs(%{{.*}} : tensor<4x?xf32>) {
func.func @of_torch(%x: tensor<4x?xf32>, %i: tensor<4x?xi32>, %s: tensor<4xf32>, %v: tensor<4x2xf32>, %n: tensor<4x2xi32>,
                    %u: tensor<3x1x?xf32>, %at: tensor<3x1xi64>) -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x2xf32>, tensor<4x?xf32>) {
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x?xf32>) outs(%x, %s : tensor<4x?xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tm_tensor.yield %c : f32
  } -> tensor<4x?xf32>, tensor<4xf32>
  %1 = tm_tensor.sort dimension(1) outs(%x : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4x?xf32>
  %2:2 = tm_tensor.topk dimension(1) ins(%x, %i : tensor<4x?xf32>, tensor<4x?xi32>) outs(%v, %n : tensor<4x2xf32>, tensor<4x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4x2xf32>, tensor<4x2xi32>
  %3 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %at : tensor<3x1x?xf32>, tensor<3x1xi64>) outs(%x : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<4x?xf32>
  return %0#0, %1, %2#0, %3 : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x2xf32>, tensor<4x?xf32>
}

// CHECK-LABEL: func.func @attention(
// CHECK:         tm_tensor.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) outs(%{{.*}} : tensor<8x?x64xf16>) -> tensor<8x?x64xf16>
func.func @attention(%q: tensor<8x?x64xf16>) -> tensor<8x?x64xf16> {
  %y = tm_tensor.attention ins(%q, %q, %q : tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) outs(%q : tensor<8x?x64xf16>) -> tensor<8x?x64xf16>
  return %y : tensor<8x?x64xf16>
}

// CHECK-LABEL: func.func @of_iree(
// CHECK:         iree_linalg_ext.scan dimension(1) inclusive(false) ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>) {
// CHECK:         iree_linalg_ext.sort dimension(1) outs(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xi32>) {
// CHECK:         iree_linalg_ext.topk dimension(1) ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xi32>) {
// CHECK:         iree_linalg_ext.topk dimension(1) ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xi32>) outs(
// CHECK:         iree_linalg_ext.scatter dimension_map = [0] unique_indices(true) ins(%{{.*}}, %{{.*}} : tensor<3x8xf32>, tensor<3x1xi32>) outs(%{{.*}} : tensor<4x8xf32>) {
func.func @of_iree(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %s: tensor<4xf32>, %v: tensor<4x2xf32>, %n: tensor<4x2xi32>,
                   %u: tensor<3x8xf32>, %at: tensor<3x1xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x8xf32>) {
  %0:2 = iree_linalg_ext.scan dimension(1) inclusive(false) ins(%x : tensor<4x8xf32>) outs(%x, %s : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    iree_linalg_ext.yield %c : f32
  } -> tensor<4x8xf32>, tensor<4xf32>
  %1:2 = iree_linalg_ext.sort dimension(1) outs(%x, %i : tensor<4x8xf32>, tensor<4x8xi32>) {
  ^bb0(%a: f32, %b: f32, %p: i32, %q: i32):
    %c = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4x8xf32>, tensor<4x8xi32>
  %2:2 = iree_linalg_ext.topk dimension(1) ins(%x : tensor<4x8xf32>) outs(%v, %n : tensor<4x2xf32>, tensor<4x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4x2xf32>, tensor<4x2xi32>
  %3:2 = iree_linalg_ext.topk dimension(1) ins(%x, %i : tensor<4x8xf32>, tensor<4x8xi32>) outs(%v, %n : tensor<4x2xf32>, tensor<4x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4x2xf32>, tensor<4x2xi32>
  %4 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(true) ins(%u, %at : tensor<3x8xf32>, tensor<3x1xi32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    iree_linalg_ext.yield %a : f32
  } -> tensor<4x8xf32>
  return %0#0, %1#0, %2#0, %3#0, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x8xf32>
}
