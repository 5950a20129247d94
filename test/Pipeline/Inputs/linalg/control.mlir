// Loops, branches and calls around operations on tensors, and sizes that are computed.

func.func @loop(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %q = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4x8xf32> {
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %p = linalg.matmul ins(%t, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    %s = linalg.map ins(%p : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) (%a: f32, %o: f32) {
      %m = arith.mulf %a, %q : f32
      linalg.yield %m : f32
    }
    scf.yield %s : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

func.func @loop_of_constant_bounds(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%t = %x) -> tensor<6x8xf32> {
    %s = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %p = linalg.matmul ins(%s, %w : tensor<1x8xf32>, tensor<8x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
    %u = tensor.insert_slice %p into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    scf.yield %u : tensor<6x8xf32>
  }
  return %r : tensor<6x8xf32>
}

func.func @branch(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %big = arith.cmpi ugt, %n, %c3 : index
  %r = scf.if %big -> tensor<4x8xf32> {
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %p : tensor<4x8xf32>
  } else {
    %a = linalg.map { math.absf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    scf.yield %a : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// The condition is an element of a tensor that is computed.
func.func @branch_on_element(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  %v = tensor.extract %s[] : tensor<f32>
  %b = arith.cmpf ogt, %v, %z : f32
  %r = scf.if %b -> tensor<4x8xf32> {
    scf.yield %x : tensor<4x8xf32>
  } else {
    %a = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
    scf.yield %a : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// Halves until the sum of all squares is small.
func.func @while(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %limit = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tensor.empty() : tensor<f32>
  %r = scf.while (%t = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %f = linalg.fill ins(%z : f32) outs(%g : tensor<f32>) -> tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%t : tensor<4x8xf32>) outs(%f : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %a : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<f32>
    %v = tensor.extract %s[] : tensor<f32>
    %b = arith.cmpf ogt, %v, %limit : f32
    scf.condition(%b) %t : tensor<4x8xf32>
  } do {
  ^bb0(%t: tensor<4x8xf32>):
    %h = linalg.map ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) (%a: f32, %o: f32) {
      %m = arith.mulf %a, %half : f32
      linalg.yield %m : f32
    }
    scf.yield %h : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

func.func @forall_tiles(%x: tensor<16x32xf32>, %w: tensor<32x24xf32>, %c: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%t = %c) -> tensor<16x24xf32> {
    %at = affine.apply affine_map<(i) -> (i * 4)>(%i)
    %a = tensor.extract_slice %x[%at, 0] [4, 32] [1, 1] : tensor<16x32xf32> to tensor<4x32xf32>
    %o = tensor.extract_slice %t[%at, 0] [4, 24] [1, 1] : tensor<16x24xf32> to tensor<4x24xf32>
    %p = linalg.matmul ins(%a, %w : tensor<4x32xf32>, tensor<32x24xf32>) outs(%o : tensor<4x24xf32>) -> tensor<4x24xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %t[%at, 0] [4, 24] [1, 1] : tensor<4x24xf32> into tensor<16x24xf32>
    }
  }
  return %r : tensor<16x24xf32>
}

func.func @tiled_by_hand(%x: tensor<16x32xf32>, %w: tensor<32x24xf32>, %c: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %c32 step %c8 iter_args(%t = %c) -> tensor<16x24xf32> {
    %a = tensor.extract_slice %x[0, %k] [16, 8] [1, 1] : tensor<16x32xf32> to tensor<16x8xf32>
    %b = tensor.extract_slice %w[%k, 0] [8, 24] [1, 1] : tensor<32x24xf32> to tensor<8x24xf32>
    %p = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x24xf32>) outs(%t : tensor<16x24xf32>) -> tensor<16x24xf32>
    scf.yield %p : tensor<16x24xf32>
  }
  return %r : tensor<16x24xf32>
}

// A running sum along rows.
func.func @running_sum(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<1x8xf32>
  %r = scf.for %i = %c1 to %c5 step %c1 iter_args(%t = %x) -> tensor<5x8xf32> {
    %before = arith.subi %i, %c1 : index
    %a = tensor.extract_slice %t[%before, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
    %b = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
    %s = linalg.add ins(%a, %b : tensor<1x8xf32>, tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<5x8xf32>
    scf.yield %u : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}

func.func @two_carried(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8xf32>
  // The two are swapped by each turn.
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = linalg.sub ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b, %s : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

func.func @call(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %a = func.call @call.layer(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %b = func.call @call.layer(%a, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
func.func private @call.layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %p : tensor<4x8xf32>
}

// Recursion over scalars stays on the host.
func.func @blocks(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %b = arith.cmpi ult, %n, %c4 : index
  cf.cond_br %b, ^small, ^large
^small:
  %s = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  cf.br ^end(%s : tensor<4x8xf32>)
^large:
  %l = linalg.map { math.absf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  cf.br ^end(%l : tensor<4x8xf32>)
^end(%r: tensor<4x8xf32>):
  return %r : tensor<4x8xf32>
}

// A size that is computed from an argument.
func.func @size_computed(%x: tensor<40x8xf32>, %n: index) -> tensor<8xf32> {
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %m = arith.muli %n, %c2 : index
  %s = tensor.extract_slice %x[%n, 0] [%m, 8] [1, 1] : tensor<40x8xf32> to tensor<?x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<?x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0]
  return %r : tensor<8xf32>
}

// A size that is computed in floating point, as frameworks do for resizes.
func.func @size_in_floats(%x: tensor<40x8xf32>, %n: index) -> tensor<8xf32> {
  %scale = arith.constant 1.5 : f32
  %z = arith.constant 0.0 : f32
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %g = arith.mulf %f, %scale : f32
  %h = math.floor %g : f32
  %j = arith.fptosi %h : f32 to i32
  %m = arith.index_cast %j : i32 to index
  %s = tensor.extract_slice %x[0, 0] [%m, 8] [1, 1] : tensor<40x8xf32> to tensor<?x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<?x8xf32>) outs(%o : tensor<8xf32>) dimensions = [0]
  return %r : tensor<8xf32>
}

// An index that is read from a tensor.
func.func @slice_by_element(%x: tensor<9x8xf32>, %i: tensor<1xi32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %v = tensor.extract %i[%c0] : tensor<1xi32>
  %w = arith.addi %v, %three : i32
  %k = arith.index_cast %w : i32 to index
  %s = tensor.extract_slice %x[%k, 0] [1, 8] [1, 1] : tensor<9x8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map { arith.negf } ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %r : tensor<8xf32>
}
