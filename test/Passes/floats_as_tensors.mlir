// Floats that host functions on tensors compute are tensors of rank 0, which kernels compute.

// RUN: layout-opt %s --layout-floats-as-tensors --split-input-file | FileCheck %s

// A number is the element of a tensor; a comparison leaves a boolean that a program reads.

// CHECK-LABEL: func.func @is_less(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>)
// CHECK:         %[[V:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK:         %[[SQUARES:.*]] = linalg.generic {indexing_maps = [#{{.*}}], iterator_types = []} outs(%{{.*}} : tensor<f32>)
// CHECK:           %[[P:.*]] = arith.mulf %[[V]], %[[V]] : f32
// CHECK-NEXT:      linalg.yield %[[P]] : f32
// CHECK:         %[[SQUARE:.*]] = tensor.extract %[[SQUARES]][] : tensor<f32>
// CHECK:         %[[FLAGS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<i1>)
// CHECK:           %[[C:.*]] = arith.cmpf olt, %[[SQUARE]], %{{.*}} : f32
// CHECK-NEXT:      linalg.yield %[[C]] : i1
// CHECK:         %[[FLAG:.*]] = tensor.extract %[[FLAGS]][] : tensor<i1>
// CHECK:         scf.if %[[FLAG]]
func.func @is_less(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %v = tensor.extract %s[] : tensor<f32>
  %square = arith.mulf %v, %v : f32
  %flag = arith.cmpf olt, %square, %one : f32
  %y = scf.if %flag -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Loops pass on tensors.

// CHECK-LABEL: func.func @until(
// CHECK-SAME:    %[[S:.*]]: tensor<f32>)
// CHECK:         %[[LAST:.*]]:2 = scf.while (%[[A:.*]] = %[[S]], %{{.*}} = %{{.*}}) : (tensor<f32>, index) -> (tensor<f32>, index)
// CHECK:           tensor.extract %[[A]][] : tensor<f32>
// CHECK:           scf.condition(%{{.*}}) %[[A]], %{{.*}} : tensor<f32>, index
// CHECK:         ^bb0(%[[B:.*]]: tensor<f32>, %{{.*}}: index):
// CHECK:           tensor.extract %[[B]][] : tensor<f32>
// CHECK:             arith.addf
// CHECK:           scf.yield %{{.*}}, %{{.*}} : tensor<f32>, index
// CHECK:         return %[[LAST]]#0 : tensor<f32>
func.func @until(%s: tensor<f32>) -> tensor<f32> {
  %most = arith.constant 100.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tensor.extract %s[] : tensor<f32>
  %last:2 = scf.while (%a = %v, %i = %c0) : (f32, index) -> (f32, index) {
    %more = arith.cmpf olt, %a, %most : f32
    scf.condition(%more) %a, %i : f32, index
  } do {
  ^bb0(%b: f32, %i: index):
    %next = arith.addf %b, %b : f32
    %j = arith.addi %i, %c1 : index
    scf.yield %next, %j : f32, index
  }
  %t = tensor.from_elements %last#0 : tensor<f32>
  return %t : tensor<f32>
}

// -----

// Branches, too; a tensor of several floats is one that they are put into.

// CHECK-LABEL: func.func @either(
// CHECK:         %[[Y:.*]] = scf.if %{{.*}} -> (tensor<f32>)
// CHECK:           %[[ONE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK:           scf.yield %[[ONE]] : tensor<f32>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2xf32>
// CHECK:         %[[F:.*]] = tensor.insert_slice %[[Y]] into %[[E]][0] [1] [1] : tensor<f32> into tensor<2xf32>
// CHECK:         %[[G:.*]] = tensor.insert_slice %{{.*}} into %[[F]][1] [1] [1] : tensor<f32> into tensor<2xf32>
// CHECK:         return %[[G]]
func.func @either(%s: tensor<f32>, %flag: tensor<i1>) -> tensor<2xf32> {
  %one = arith.constant 1.0 : f32
  %v = tensor.extract %s[] : tensor<f32>
  %b = tensor.extract %flag[] : tensor<i1>
  %y = scf.if %b -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %v : f32
  }
  %t = tensor.from_elements %y, %v : tensor<2xf32>
  return %t : tensor<2xf32>
}

// -----

// A tensor of sizes is one that a kernel fills; the shape of a reshape is not read by kernels.

// CHECK-LABEL: func.func @sizes(
// CHECK:         %[[N:.*]] = arith.index_cast
// CHECK:         %[[SHAPE:.*]] = tensor.from_elements %[[N]] : tensor<1xi64>
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<i64>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield %[[N]] : i64
// CHECK:         %[[Y:.*]] = tensor.reshape %{{.*}}(%[[SHAPE]])
// CHECK:         return %[[Y]], %[[COUNT]]
func.func @sizes(%x: tensor<?x1xf32>) -> (tensor<?xf32>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1xf32>
  %i = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %i : tensor<1xi64>
  %count = tensor.from_elements %i : tensor<i64>
  %y = tensor.reshape %x(%shape) : (tensor<?x1xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %y, %count : tensor<?xf32>, tensor<i64>
}

// -----

// A comparison of sums of sizes in f64 is one of integers; f32 does not have all of them.

// CHECK-LABEL: func.func @compared(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         %[[LESS:.*]] = arith.subi %[[N:.*]], %[[ONE]] : i64
// CHECK:         %[[IS:.*]] = arith.cmpi sge, %[[LESS]], %{{.*}} : i64
// CHECK:         cf.assert %[[IS]], "rows"
// CHECK:         arith.cmpf
func.func @compared(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %small = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  %less = arith.subf %f, %one : f64
  %is = arith.cmpf uge, %less, %zero : f64
  cf.assert %is, "rows"
  %g = arith.sitofp %i : i64 to f32
  %more = arith.cmpf oge, %g, %small : f32
  cf.assert %more, "one"
  return %x : tensor<?xf32>
}

// -----

// Integers, constants, bodies and functions without tensors stay as they are.

// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     linalg.generic
// CHECK:         arith.addi
// CHECK:         linalg.map
// CHECK:           arith.mulf
func.func @stays(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.addi %n, %n : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) (%a: f32, %o: f32) {
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  }
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @plain(
// CHECK-NEXT:    arith.mulf
func.func @plain(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}

// -----

// An element is read from a slice, and put into a tensor as one.

// CHECK-LABEL: func.func @moved(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[A:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]] [1, 1] [1, 1] : tensor<8x4xf32> to tensor<f32>
// CHECK:         %[[Y:.*]] = tensor.insert_slice %[[A]] into %[[X]][%[[J]], %[[I]]] [1, 1] [1, 1] : tensor<f32> into tensor<8x4xf32>
// CHECK:         return %[[Y]]
func.func @moved(%x: tensor<8x4xf32>, %i: index, %j: index) -> tensor<8x4xf32> {
  %a = tensor.extract %x[%i, %j] : tensor<8x4xf32>
  %y = tensor.insert %a into %x[%j, %i] : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
