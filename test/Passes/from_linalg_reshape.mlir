// `tensor.reshape`, as ONNX and PyTorch write reshapes to sizes that are known at run time, becomes reshapes of dimensions: those
// that stay as they are at the start and at the end are none of its business.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

// A dimension is split, as attention splits heads.

// CHECK-LABEL: func.func @split(
// CHECK-NOT:     tensor.reshape
// CHECK:         %[[Y:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, %{{.*}}, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @split(%x: tensor<?x?x64xf32>) -> tensor<?x?x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant 4 : i64
  %size = arith.constant 16 : i64
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %bi = arith.index_cast %b : index to i64
  %si = arith.index_cast %s : index to i64
  %shape = tensor.from_elements %bi, %si, %heads, %size : tensor<4xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x?x64xf32>, tensor<4xi64>) -> tensor<?x?x4x16xf32>
  return %y : tensor<?x?x4x16xf32>
}

// -----

// The other way around, after a collapse whose size is divided again.

// CHECK-LABEL: func.func @join(
// CHECK:         %[[X:.*]] = tensor.expand_shape
// CHECK:         %[[Y:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<?x8x4x16xf32> into tensor<?x8x64xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @join(%x: tensor<?x8x64xf32>) -> tensor<?x8x64xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %rows = arith.constant 8 : i64
  %columns = arith.constant 64 : i64
  %b = tensor.dim %x, %c0 : tensor<?x8x64xf32>
  %all = arith.muli %b, %c8 : index
  %n = arith.divsi %all, %c8 : index
  %split = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%n, 8, 4, 16] : tensor<?x8x64xf32> into tensor<?x8x4x16xf32>
  %i = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %i, %rows, %columns : tensor<3xi64>
  %y = tensor.reshape %split(%shape) : (tensor<?x8x4x16xf32>, tensor<3xi64>) -> tensor<?x8x64xf32>
  return %y : tensor<?x8x64xf32>
}

// -----

// Sizes of which nothing is known are those of all elements in a row.

// CHECK-LABEL: func.func @any(
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<?x?xf32> into tensor<?xf32>
// CHECK:         %[[N:.*]] = arith.index_cast %arg1 : i64 to index
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1, 2]] output_shape [%[[N]], 3, %{{.*}}] : tensor<?xf32> into tensor<?x3x?xf32>
func.func @any(%x: tensor<?x?xf32>, %n: i64, %m: i64) -> tensor<?x3x?xf32> {
  %three = arith.constant 3 : i64
  %shape = tensor.from_elements %n, %three, %m : tensor<3xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x3x?xf32>
  return %y : tensor<?x3x?xf32>
}

// -----

// A size that the source's type does not say, and the result's does.

// CHECK-LABEL: func.func @known(
// CHECK:         %[[FLAT:.*]] = tensor.cast %arg0 : tensor<?xf32> to tensor<12xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
func.func @known(%x: tensor<?xf32>) -> tensor<3x4xf32> {
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %shape = tensor.from_elements %three, %four : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A shape that is read from memory is left.

// CHECK-LABEL: func.func @read(
// CHECK:         tensor.reshape
func.func @read(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  %y = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
