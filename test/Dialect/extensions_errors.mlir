// Operations of front ends' dialects that do not verify.

// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @memory(%x: memref<4xf32>) {
  // expected-error@+1 {{'tm_tensor.sort' op operand #0 must be variadic of ranked tensor of any type values, but got 'memref<4xf32>'}}
  "tm_tensor.sort"(%x) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  }) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'iree_linalg_ext.sort' op region #0 ('region') failed to verify constraint: region with 1 blocks}}
  %y = "iree_linalg_ext.sort"(%x) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 1>}> ({}) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dimension(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tm_tensor.sort' op requires attribute 'dimension'}}
  %y = "tm_tensor.sort"(%x) <{operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
