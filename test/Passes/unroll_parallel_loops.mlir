// Parallel loops over tensors are loops: those of known bounds are unrolled.

// RUN: layout-opt %s --layout-unroll-loops | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf32>)
// CHECK:         %[[Y:.*]] = scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (tensor<?x64xf32>)
// CHECK:           %[[A:.*]] = tensor.extract_slice %[[X]][%[[R]], 0] [1, 64] [1, 1]
// CHECK:           %[[M:.*]] = linalg.exp ins(%[[A]]
// CHECK:           %[[P:.*]] = tensor.insert_slice %[[M]] into %[[O]][%[[R]], 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<?x64xf32>
// CHECK:           scf.yield %[[P]] : tensor<?x64xf32>
// CHECK:         return %[[Y]]
func.func @rows(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%r) in (%n) shared_outs(%o = %e) -> tensor<?x64xf32> {
    %a = tensor.extract_slice %x[%r, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<1x64xf32>
    %t = tensor.empty() : tensor<1x64xf32>
    %m = linalg.exp ins(%a : tensor<1x64xf32>) outs(%t : tensor<1x64xf32>) -> tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%r, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<?x64xf32>
    }
  }
  return %y : tensor<?x64xf32>
}

// Two results of two loops; a round may write one tensor twice.

// CHECK-LABEL: func.func @tiles(
// CHECK-NOT:     scf.
// CHECK-COUNT-12: tensor.insert_slice
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return
func.func @tiles(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = scf.forall (%i, %j) = (0, 0) to (4, 8) step (2, 4) shared_outs(%o = %x, %p = %y) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %a = tensor.extract_slice %o[%i, %j] [1, 4] [1, 1] : tensor<4x8xf32> to tensor<1x4xf32>
    %b = tensor.extract_slice %p[%i, %j] [1, 4] [1, 1] : tensor<4x8xf32> to tensor<1x4xf32>
    %k = affine.apply affine_map<(d) -> (d + 1)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %p[%i, %j] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x8xf32>
      tensor.parallel_insert_slice %b into %o[%i, %j] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x8xf32>
      tensor.parallel_insert_slice %b into %o[%k, %j] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x8xf32>
    }
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}
