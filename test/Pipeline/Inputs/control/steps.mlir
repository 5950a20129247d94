// Loops and branches of every kind around kernels that a fake device only names.

// A loop to a bound at run time, in which rows are taken by its counter.
func.func @rows(%x: tensor<?x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %f) -> tensor<64xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %t = linalg.add ins(%s, %row : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %t : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// A branch on an element of an argument, and a loop of as many rounds as another one says.
func.func @conditional(%x: tensor<64xf32>, %flag: tensor<i1>, %count: tensor<2xi32>) -> tensor<64xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<64xf32>
  %b = tensor.extract %flag[] : tensor<i1>
  %y = scf.if %b -> tensor<64xf32> {
    %a = linalg.map { math.absf } ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>)
    scf.yield %a : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %n = tensor.extract %count[%c1] : tensor<2xi32>
  %r:2 = scf.while (%i = %zero, %t = %y) : (i32, tensor<64xf32>) -> (i32, tensor<64xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %t : i32, tensor<64xf32>
  } do {
  ^bb0(%i: i32, %t: tensor<64xf32>):
    %h = linalg.map { arith.negf } ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>)
    %j = arith.addi %i, %one : i32
    scf.yield %j, %h : i32, tensor<64xf32>
  }
  return %r#1 : tensor<64xf32>
}

// A number as an argument, and a kernel whose only size is computed from it.
func.func @part(%x: tensor<40x8xf32>, %n: index) -> tensor<8xf32> {
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %m = arith.muli %n, %c2 : index
  %s = tensor.extract_slice %x[%n, 0] [%m, 8] [1, 1] : tensor<40x8xf32> to tensor<?x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<?x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0]
  return %r : tensor<8xf32>
}
