// A function on tensors takes the extents of one call: arguments, what is computed, and results.

// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-specialize{function=scale shapes=3x64,_})' | FileCheck %s
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-specialize{function=scale shapes=?x64,_})' | FileCheck %s --check-prefix=OPEN
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-specialize{function=sorted shapes=3x64})' | FileCheck %s --check-prefix=SORTED

#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// CHECK-LABEL: func.func @scale
// CHECK-SAME:    (%[[X:.*]]: tensor<3x64xf32>, %[[BY:.*]]: tensor<f32>) -> (tensor<3x64xf32>, index)
// CHECK-NOT:     tensor.dim
// CHECK-NOT:     tensor.cast
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[BY]] : tensor<3x64xf32>, tensor<f32>)
// CHECK:         return %[[Y]], %[[ROWS]] : tensor<3x64xf32>, index
// CHECK-NOT:   func.func

// OPEN-LABEL: func.func @scale
// OPEN-SAME:    (%{{.*}}: tensor<?x64xf32>, %{{.*}}: tensor<f32>) -> (tensor<?x64xf32>, index)
func.func @scale(%x: tensor<?x64xf32>, %by: tensor<f32>) -> (tensor<?x64xf32>, index) {
  %y = call @scaled(%x, %by) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %y, %c0 : tensor<?x64xf32>
  return %y, %m : tensor<?x64xf32>, index
}

func.func @scaled(%x: tensor<?x64xf32>, %by: tensor<f32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %by : tensor<?x64xf32>, tensor<f32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Functions that it does not call go away.
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// Operations of front ends' dialects hand extents on as the linalg that they become.
// SORTED-LABEL: func.func @sorted
// SORTED-SAME:    (%{{.*}}: tensor<3x64xf32>) -> tensor<3x64xf32>
// SORTED-NOT:     tensor.cast
func.func @sorted(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = tm_tensor.sort dimension(1) outs(%x : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
