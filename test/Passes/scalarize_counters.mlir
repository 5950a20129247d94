// RUN: layout-opt %s -split-input-file --pass-pipeline='builtin.module(layout-scalarize-counters,canonicalize)' | FileCheck %s
// RUN: layout-opt %s -split-input-file --pass-pipeline='builtin.module(layout-scalarize-counters)' --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 3 scalarized

// A counter of rank 0, as StableHLO has it, is an integer that the host counts. Its value before the loop is read once;
// operations that compute with the counter on the device have it as a number.

// CHECK-LABEL: func.func @counted
// CHECK:         %[[END:.*]] = tensor.extract %arg1[] : tensor<i32>
// CHECK-NEXT:    %[[LOOP:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %{{.*}} = %arg0) : (i32, tensor<6x8xf32>) -> (i32, tensor<6x8xf32>) {
// CHECK-NEXT:      %[[LESS:.*]] = arith.cmpi slt, %[[I]], %[[END]] : i32
// CHECK-NEXT:      scf.condition(%[[LESS]]) %[[I]],
// CHECK:         ^bb0(%[[J:.*]]: i32, %{{.*}}: tensor<6x8xf32>):
// CHECK-DAG:       %[[TENSOR:.*]] = tensor.splat %[[J]] : tensor<i32>
// CHECK-DAG:       arith.index_cast %[[J]] : i32 to index
// CHECK:           linalg.generic {{.*}} ins(%[[TENSOR]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[J]], %c1_i32 : i32
// CHECK:           scf.yield %[[NEXT]],
// CHECK:         tensor.splat %[[LOOP]]#0 : tensor<i32>
func.func @counted(%x: tensor<6x8xf32>, %end: tensor<i32>) -> (tensor<6x8xf32>, tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %r:2 = scf.while (%i = %zero, %t = %x) : (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>) {
    %be = tensor.empty() : tensor<i1>
    %less = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i, %end : tensor<i32>, tensor<i32>) outs(%be : tensor<i1>) {
    ^bb0(%a: i32, %b: i32, %o: i1):
      %c = arith.cmpi slt, %a, %b : i32
      linalg.yield %c : i1
    } -> tensor<i1>
    %go = tensor.extract %less[] : tensor<i1>
    scf.condition(%go) %i, %t : tensor<i32>, tensor<6x8xf32>
  } do {
  ^bb0(%i: tensor<i32>, %t: tensor<6x8xf32>):
    %n = tensor.extract %i[] : tensor<i32>
    %at = arith.index_cast %n : i32 to index
    %s = tensor.extract_slice %t[%at, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
    %e = tensor.empty() : tensor<1x8xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i, %s : tensor<i32>, tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) {
    ^bb0(%a: i32, %b: f32, %o: f32):
      %f = arith.sitofp %a : i32 to f32
      %g = arith.addf %f, %b : f32
      linalg.yield %g : f32
    } -> tensor<1x8xf32>
    %u = tensor.insert_slice %p into %t[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    %ie = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i, %one : tensor<i32>, tensor<i32>) outs(%ie : tensor<i32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %c = arith.addi %a, %b : i32
      linalg.yield %c : i32
    } -> tensor<i32>
    scf.yield %next, %u : tensor<i32>, tensor<6x8xf32>
  }
  return %r#1, %r#0 : tensor<6x8xf32>, tensor<i32>
}

// -----

// A tensor that the device computes stays one, such as a count of steps that elements decide; so does one that the host never reads.

// CHECK-LABEL: func.func @decided_by_elements
// CHECK:         scf.while ({{.*}}) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
func.func @decided_by_elements(%x: tensor<8xi32>, %n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %c10 = arith.constant 10 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %n, %j = %n) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %v = tensor.extract %i[] : tensor<i32>
    %go = arith.cmpi slt, %v, %c10 : i32
    scf.condition(%go) %i, %j : tensor<i32>, tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    %s = linalg.reduce { arith.addi } ins(%x : tensor<8xi32>) outs(%i : tensor<i32>) dimensions = [0]
    %e = tensor.empty() : tensor<i32>
    %k = linalg.map ins(%j : tensor<i32>) outs(%e : tensor<i32>) (%a: i32, %o: i32) {
      %b = arith.addi %a, %one : i32
      linalg.yield %b : i32
    }
    scf.yield %s, %k : tensor<i32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<i32>
}

// -----

// A loop of a known number of steps may carry one, too.

// CHECK-LABEL: func.func @place
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (i32, tensor<4x8xf32>)
// CHECK-NOT:     tensor.extract %
func.func @place(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %zero, %t = %x) -> (tensor<i32>, tensor<4x8xf32>) {
    %v = tensor.extract %i[] : tensor<i32>
    %at = arith.index_cast %v : i32 to index
    %s = tensor.extract_slice %t[%at, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %u = tensor.insert_slice %s into %t[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    %e = tensor.empty() : tensor<i32>
    %next = linalg.map ins(%i : tensor<i32>) outs(%e : tensor<i32>) (%a: i32, %o: i32) {
      %b = arith.addi %a, %two : i32
      linalg.yield %b : i32
    }
    scf.yield %next, %u : tensor<i32>, tensor<4x8xf32>
  }
  return %r#1 : tensor<4x8xf32>
}
