// Numbers that public functions on tensors take are tensors of rank 0.

// RUN: layout-opt %s --layout-numbers-as-tensors | FileCheck %s

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>, %[[N:.*]]: tensor<i64>) -> tensor<4xf32>
// CHECK-DAG:     %[[SCALE:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK-DAG:     %[[WORD:.*]] = tensor.extract %[[N]][] : tensor<i64>
// CHECK-DAG:     %[[COUNT:.*]] = arith.index_cast %[[WORD]] : i64 to index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK:           arith.mulf %{{.*}}, %[[SCALE]]
func.func @scaled(%x: tensor<4xf32>, %s: f32, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %y = linalg.map ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
      %m = arith.mulf %a, %s : f32
      linalg.yield %m : f32
    }
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Functions without tensors, private ones and those that others call stay.

// CHECK-LABEL: func.func @plain(%{{.*}}: f32)
func.func @plain(%s: f32) {
  return
}

// CHECK-LABEL: func.func private @own(%{{.*}}: tensor<4xf32>, %{{.*}}: f32)
func.func private @own(%x: tensor<4xf32>, %s: f32) {
  return
}

// CHECK-LABEL: func.func @called(%{{.*}}: tensor<4xf32>, %{{.*}}: f32)
func.func @called(%x: tensor<4xf32>, %s: f32) {
  return
}

// CHECK-LABEL: func.func @calls(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<f32>)
// CHECK:         call @called(%{{.*}}, %{{.*}}) : (tensor<4xf32>, f32) -> ()
func.func @calls(%x: tensor<4xf32>, %s: f32) {
  func.call @called(%x, %s) : (tensor<4xf32>, f32) -> ()
  return
}
