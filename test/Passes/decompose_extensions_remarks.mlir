// Operations that layout-decompose-extensions leaves, and why.

// RUN: layout-opt %s --split-input-file --layout-decompose-extensions --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @accumulator(
// CHECK:         tm_tensor.scan
func.func @accumulator(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{layout-decompose-extensions leaves it as it is: expected no reader of the scan's accumulator, found func.return}}
  %y:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<8xf32>) outs(%x, %s : tensor<8xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tm_tensor.yield %c : f32
  } -> tensor<8xf32>, tensor<f32>
  return %y#1 : tensor<f32>
}

// -----

func.func @dimension(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{expected a dimension below the rank of 1, found 1}}
  %y = tm_tensor.sort dimension(1) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @shapes(%x: tensor<8xf32>, %i: tensor<7xi32>) -> tensor<8xf32> {
  // expected-remark@+1 {{expected tensors of one shape, found tensor<8xf32> and tensor<7xi32>}}
  %y:2 = tm_tensor.sort dimension(0) outs(%x, %i : tensor<8xf32>, tensor<7xi32>) {
  ^bb0(%a: f32, %b: f32, %p: i32, %q: i32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>, tensor<7xi32>
  return %y#0 : tensor<8xf32>
}

// -----

func.func @region(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{expected a region with arguments (f32, f32), found (f32)}}
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32):
    %c = arith.cmpf ole, %a, %a : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  %true = arith.constant true
  // expected-remark@+1 {{expected a region that compares its arguments, found one that yields arith.constant of true}}
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %true : i1
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @types(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-remark@+1 {{expected result 0 of type tensor<8xf32>, found tensor<?xf32>}}
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @start(%x: tensor<8xf32>, %v: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-remark@+1 {{expected initial values that come last in the order, found an argument}}
  %y:2 = tm_tensor.topk dimension(0) ins(%x : tensor<8xf32>) outs(%v, %i : tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<2xf32>, tensor<2xi32>
  return %y#0 : tensor<2xf32>
}

// -----

func.func @windows(%x: tensor<8x4xf32>, %u: tensor<3x2x4xf32>, %i: tensor<3x1xi32>) -> tensor<8x4xf32> {
  // expected-remark@+1 {{expected slices with extent 1 along indexed dimensions and full extents along others, found updates tensor<3x2x4xf32> of tensor<8x4xf32>}}
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<3x2x4xf32>, tensor<3x1xi32>) outs(%x : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @map(%x: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3x1xi32>) -> tensor<8x4xf32> {
  // expected-remark@+1 {{expected a dimension_map of different dimensions below the rank of 2, found array<i64: 2>}}
  %y = iree_linalg_ext.scatter dimension_map = [2] unique_indices(false) ins(%u, %i : tensor<3x4xf32>, tensor<3x1xi32>) outs(%x : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    iree_linalg_ext.yield %a : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @count(%x: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<2x1xi32>) -> tensor<8x4xf32> {
  // expected-remark@+1 {{expected equal numbers of indices and updates, found tensor<2x1xi32> and tensor<3x4xf32>}}
  %y = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false) ins(%u, %i : tensor<3x4xf32>, tensor<2x1xi32>) outs(%x : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    iree_linalg_ext.yield %a : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @width(%q: tensor<8x?xf16>) -> tensor<8x?xf16> {
  // expected-remark@+1 {{expected Q or K with a static head dimension of at least 1, found tensor<8x?xf16> and tensor<8x?xf16>}}
  %y = tm_tensor.attention ins(%q, %q, %q : tensor<8x?xf16>, tensor<8x?xf16>, tensor<8x?xf16>) outs(%q : tensor<8x?xf16>) -> tensor<8x?xf16>
  return %y : tensor<8x?xf16>
}

// -----

func.func @keys(%q: tensor<8x16xf16>, %k: tensor<9x8xf16>) -> tensor<8x16xf16> {
  // expected-remark@+1 {{expected Q, K, V, the result and a mask whose shapes agree, found}}
  %y = tm_tensor.attention ins(%q, %k, %q : tensor<8x16xf16>, tensor<9x8xf16>, tensor<8x16xf16>) outs(%q : tensor<8x16xf16>) -> tensor<8x16xf16>
  return %y : tensor<8x16xf16>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>, %s: tensor<complex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-remark@+1 {{expected elements that are integers or floats, found complex<f32>}}
  %y:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<4xcomplex<f32>>) outs(%x, %s : tensor<4xcomplex<f32>>, tensor<complex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.add %a, %b : complex<f32>
    tm_tensor.yield %c : complex<f32>
  } -> tensor<4xcomplex<f32>>, tensor<complex<f32>>
  return %y#0 : tensor<4xcomplex<f32>>
}

// -----

func.func @single(%x: tensor<8xf32>, %u: tensor<f32>, %i: tensor<1x1xi32>) -> tensor<8xf32> {
  // expected-remark@+1 {{expected updates and indices for 1 of 1 dimensions, found tensor<f32> and tensor<1x1xi32>}}
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<f32>, tensor<1x1xi32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @narrow(%x: tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN> {
  // expected-remark@+1 {{expected an operand and a result of one shape, of f16, bf16, f32 or f64, found tensor<8xf8E4M3FN> and tensor<8xf8E4M3FN>}}
  %y = linalg.softmax dimension(0) ins(%x : tensor<8xf8E4M3FN>) outs(%x : tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN>
  return %y : tensor<8xf8E4M3FN>
}
