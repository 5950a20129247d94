// Loops and branches write the tensors that they pass on where those lie.

// RUN: layout-opt %s --split-input-file --layout-carry-in-place | FileCheck %s

// The result of an iteration goes to the tensor that it received.

// CHECK-LABEL: func.func @counted
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %arg0)
// CHECK:           %[[Y:.*]] = linalg.map
// CHECK:           %[[W:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
// CHECK:           scf.yield %[[W]]
func.func @counted(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4x8xf32> {
    %a = linalg.map { math.absf } ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    scf.yield %a : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// Two tensors that are exchanged are both read before one is written; integers are left.

// CHECK-LABEL: func.func @swapped
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %arg1, %[[N:.*]] = %arg2)
// CHECK:           %[[M:.*]] = arith.addi %[[N]]
// CHECK:           %[[CB:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK:           %[[CA:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK:           %[[WA:.*]] = bufferization.materialize_in_destination %[[CB]] in %[[A]]
// CHECK:           %[[WB:.*]] = bufferization.materialize_in_destination %[[CA]] in %[[B]]
// CHECK:           scf.yield %[[WA]], %[[WB]], %[[M]]
func.func @swapped(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %s = %n) -> (tensor<8xf32>, tensor<8xf32>, index) {
    %m = arith.addi %s, %i : index
    scf.yield %b, %a, %m : tensor<8xf32>, tensor<8xf32>, index
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<8xf32>, index
}

// -----

// The body of a while loop has its tensors in the order in which the condition passes them on.

// CHECK-LABEL: func.func @repeated
// CHECK:         scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %arg0)
// CHECK:           scf.condition(%{{.*}}) %[[X]], %[[I]]
// CHECK:         ^bb0(%[[T:.*]]: tensor<4xf32>, %[[J:.*]]: i32):
// CHECK:           %[[Y:.*]] = linalg.map
// CHECK:           %[[W:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[T]]
// CHECK:           scf.yield %{{.*}}, %[[W]]
func.func @repeated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.while (%i = %zero, %t = %x) : (i32, tensor<4xf32>) -> (tensor<4xf32>, i32) {
    %c = arith.cmpi slt, %i, %five : i32
    scf.condition(%c) %t, %i : tensor<4xf32>, i32
  } do {
  ^bb0(%t: tensor<4xf32>, %i: i32):
    %a = linalg.map { math.absf } ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>)
    %j = arith.addi %i, %one : i32
    scf.yield %j, %a : i32, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// -----

// Both branches write one tensor, of the sizes of a value that is there before.

// CHECK-LABEL: func.func @chosen
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[D:.*]] = bufferization.alloc_tensor(%[[N]]) : tensor<?x8xf32>
// CHECK:         scf.if %arg1
// CHECK:           %[[W:.*]] = bufferization.materialize_in_destination %arg0 in %[[D]]
// CHECK:           scf.yield %[[W]]
// CHECK:         } else {
// CHECK:           %[[V:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[D]]
// CHECK:           scf.yield %[[V]]
func.func @chosen(%x: tensor<?x8xf32>, %c: i1) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> tensor<?x8xf32> {
    scf.yield %x : tensor<?x8xf32>
  } else {
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %a = linalg.map { math.absf } ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>)
    scf.yield %a : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// The sizes of the branches differ: memory has that of the branch that is taken, if the condition follows from sizes.

// CHECK-LABEL: func.func @sizes
// CHECK:         %[[IS:.*]] = arith.cmpi ule
// CHECK:         %[[N:.*]] = arith.select %[[IS]]
// CHECK:         bufferization.alloc_tensor(%[[N]]) : tensor<?xf32>
// CHECK:         scf.if %[[IS]]
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %is = arith.cmpi ule, %m, %n : index
  %r = scf.if %is -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A condition that is read later decides nothing about memory: both branches are of one size.

// CHECK-LABEL: func.func @read
// CHECK:         %[[IS:.*]] = arith.cmpi eq
// CHECK:         cf.assert %[[IS]], "expected results of one size from both branches of scf.if"
// CHECK:         bufferization.alloc_tensor
func.func @read(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
