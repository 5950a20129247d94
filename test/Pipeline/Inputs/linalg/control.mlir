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

// JAX's while_loop in while_loop, with a cond after it, as iree-compile writes it.
func.func @jax_nested(%arg0: tensor<4x8xf32>, %arg1: tensor<3xi32>) -> tensor<4x8xf32> {
  %cst = arith.constant 3.000000e+00 : f32
  %c0_i32 = arith.constant 0 : i32
  %c2_i32 = arith.constant 2 : i32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.500000e+00 : f32
  %c1_i32 = arith.constant 1 : i32
  %cst_2 = arith.constant 1.000000e+02 : f32
  %cst_3 = arith.constant 0xFF800000 : f32
  %cst_4 = arith.constant dense<0> : tensor<i32>
  %0:2 = scf.while (%arg2 = %cst_4, %arg3 = %arg0) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) {
    %extracted_slice = tensor.extract_slice %arg1[1] [1] [1] : tensor<3xi32> to tensor<1xi32>
    %collapsed = tensor.collapse_shape %extracted_slice [] : tensor<1xi32> into tensor<i32>
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg2, %collapsed : tensor<i32>, tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %in_5 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg2, %arg3 : tensor<i32>, tensor<4x8xf32>
  } do {
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<4x8xf32>):
    %1:2 = scf.while (%arg4 = %cst_4, %arg5 = %arg3) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) {
      %extracted_slice = tensor.extract_slice %arg1[0] [1] [1] : tensor<3xi32> to tensor<1xi32>
      %collapsed = tensor.collapse_shape %extracted_slice [] : tensor<1xi32> into tensor<i32>
      %23 = tensor.empty() : tensor<i1>
      %24 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg4, %collapsed : tensor<i32>, tensor<i32>) outs(%23 : tensor<i1>) {
      ^bb0(%in: i32, %in_6: i32, %out: i1):
        %32 = arith.cmpi slt, %in, %in_6 : i32
        linalg.yield %32 : i1
      } -> tensor<i1>
      %25 = tensor.empty() : tensor<f32>
      %26 = linalg.fill ins(%cst_3 : f32) outs(%25 : tensor<f32>) -> tensor<f32>
      %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%arg5 : tensor<4x8xf32>) outs(%26 : tensor<f32>) {
      ^bb0(%in: f32, %out: f32):
        %32 = arith.maximumf %out, %in : f32
        linalg.yield %32 : f32
      } -> tensor<f32>
      %28 = tensor.empty() : tensor<i1>
      %29 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%27 : tensor<f32>) outs(%28 : tensor<i1>) {
      ^bb0(%in: f32, %out: i1):
        %32 = arith.cmpf olt, %in, %cst_2 : f32
        linalg.yield %32 : i1
      } -> tensor<i1>
      %30 = tensor.empty() : tensor<i1>
      %31 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%24, %29 : tensor<i1>, tensor<i1>) outs(%30 : tensor<i1>) {
      ^bb0(%in: i1, %in_6: i1, %out: i1):
        %32 = arith.andi %in, %in_6 : i1
        linalg.yield %32 : i1
      } -> tensor<i1>
      %extracted_5 = tensor.extract %31[] : tensor<i1>
      scf.condition(%extracted_5) %arg4, %arg5 : tensor<i32>, tensor<4x8xf32>
    } do {
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<4x8xf32>):
      %23 = tensor.empty() : tensor<i32>
      %24 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%23 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %29 = arith.addi %in, %c1_i32 : i32
        linalg.yield %29 : i32
      } -> tensor<i32>
      %25 = tensor.empty() : tensor<4x8xf32>
      %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4x8xf32>) outs(%25 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %29 = arith.mulf %in, %cst_1 : f32
        linalg.yield %29 : f32
      } -> tensor<4x8xf32>
      %27 = tensor.empty() : tensor<4x8xf32>
      %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<4x8xf32>) outs(%27 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %29 = arith.addf %in, %cst_0 : f32
        linalg.yield %29 : f32
      } -> tensor<4x8xf32>
      scf.yield %24, %28 : tensor<i32>, tensor<4x8xf32>
    }
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %23 = arith.remsi %in, %c2_i32 : i32
      linalg.yield %23 : i32
    } -> tensor<i32>
    %4 = tensor.empty() : tensor<i1>
    %5 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%3 : tensor<i32>) outs(%4 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %23 = arith.cmpi ne, %in, %c0_i32 : i32
      linalg.yield %23 : i1
    } -> tensor<i1>
    %6 = tensor.empty() : tensor<i1>
    %7 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%3 : tensor<i32>) outs(%6 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %23 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %23 : i1
    } -> tensor<i1>
    %8 = tensor.empty() : tensor<i1>
    %9 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%7, %5 : tensor<i1>, tensor<i1>) outs(%8 : tensor<i1>) {
    ^bb0(%in: i1, %in_5: i1, %out: i1):
      %23 = arith.andi %in, %in_5 : i1
      linalg.yield %23 : i1
    } -> tensor<i1>
    %10 = tensor.empty() : tensor<i32>
    %11 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%3 : tensor<i32>) outs(%10 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %23 = arith.addi %in, %c2_i32 : i32
      linalg.yield %23 : i32
    } -> tensor<i32>
    %12 = tensor.empty() : tensor<i32>
    %13 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%9, %11, %3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%12 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %23 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %23 : i32
    } -> tensor<i32>
    %14 = tensor.empty() : tensor<i1>
    %15 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%13 : tensor<i32>) outs(%14 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %23 = arith.cmpi eq, %in, %c0_i32 : i32
      linalg.yield %23 : i1
    } -> tensor<i1>
    %16 = tensor.empty() : tensor<i32>
    %17 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%15 : tensor<i1>) outs(%16 : tensor<i32>) {
    ^bb0(%in: i1, %out: i32):
      %23 = arith.extui %in : i1 to i32
      linalg.yield %23 : i32
    } -> tensor<i32>
    %18 = tensor.empty() : tensor<i1>
    %19 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%17 : tensor<i32>) outs(%18 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %23 = arith.cmpi eq, %in, %c0_i32 : i32
      linalg.yield %23 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %19[] : tensor<i1>
    %20 = scf.if %extracted -> (tensor<4x8xf32>) {
      %23 = tensor.empty() : tensor<4x8xf32>
      %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1#1 : tensor<4x8xf32>) outs(%23 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %25 = math.absf %in : f32
        linalg.yield %25 : f32
      } -> tensor<4x8xf32>
      scf.yield %24 : tensor<4x8xf32>
    } else {
      %23 = tensor.empty() : tensor<4x8xf32>
      %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%1#1 : tensor<4x8xf32>) outs(%23 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %25 = arith.subf %in, %cst : f32
        linalg.yield %25 : f32
      } -> tensor<4x8xf32>
      scf.yield %24 : tensor<4x8xf32>
    }
    %21 = tensor.empty() : tensor<i32>
    %22 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%21 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %23 = arith.addi %in, %c1_i32 : i32
      linalg.yield %23 : i32
    } -> tensor<i32>
    scf.yield %22, %20 : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// JAX's while_loop around a product, which fills a row of a buffer in each round, as iree-compile writes it.
func.func @jax_decode_loop(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<i32>) -> (tensor<16x32xf32>, tensor<8x32xf32>) {
  %c1_i32 = arith.constant 1 : i32
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %c8_i32 = arith.constant 8 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant dense<0> : tensor<i32>
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<8x32xf32>
  %0:3 = scf.while (%arg3 = %cst_0, %arg4 = %arg0, %arg5 = %cst_1) : (tensor<i32>, tensor<16x32xf32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<16x32xf32>, tensor<8x32xf32>) {
    %1 = tensor.empty() : tensor<i1>
    %2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg3, %arg2 : tensor<i32>, tensor<i32>) outs(%1 : tensor<i1>) {
    ^bb0(%in: i32, %in_2: i32, %out: i1):
      %3 = arith.cmpi slt, %in, %in_2 : i32
      linalg.yield %3 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %2[] : tensor<i1>
    scf.condition(%extracted) %arg3, %arg4, %arg5 : tensor<i32>, tensor<16x32xf32>, tensor<8x32xf32>
  } do {
  ^bb0(%arg3: tensor<i32>, %arg4: tensor<16x32xf32>, %arg5: tensor<8x32xf32>):
    %1 = tensor.empty() : tensor<16x32xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %3 = linalg.matmul ins(%arg4, %arg1 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<16x32xf32>) -> tensor<16x32xf32>
    %4 = tensor.empty() : tensor<16x32xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<16x32xf32>) outs(%4 : tensor<16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.tanh %in : f32
      linalg.yield %22 : f32
    } -> tensor<16x32xf32>
    %6 = tensor.empty() : tensor<32xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<32xf32>) -> tensor<32xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<16x32xf32>) outs(%7 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %out, %in : f32
      linalg.yield %22 : f32
    } -> tensor<32xf32>
    %9 = tensor.empty() : tensor<1x32xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<32xf32>) outs(%9 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x32xf32>
    %11 = tensor.empty() : tensor<i1>
    %12 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%11 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %22 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %22 : i1
    } -> tensor<i1>
    %13 = tensor.empty() : tensor<i32>
    %14 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%13 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %22 = arith.addi %in, %c8_i32 : i32
      linalg.yield %22 : i32
    } -> tensor<i32>
    %15 = tensor.empty() : tensor<i32>
    %16 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%12, %14, %arg3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%15 : tensor<i32>) {
    ^bb0(%in: i1, %in_2: i32, %in_3: i32, %out: i32):
      %22 = arith.select %in, %in_2, %in_3 : i32
      linalg.yield %22 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %16[] : tensor<i32>
    %17 = arith.index_cast %extracted : i32 to index
    %18 = arith.maxsi %17, %c0 : index
    %19 = arith.minsi %18, %c7 : index
    %inserted_slice = tensor.insert_slice %10 into %arg5[%19, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<8x32xf32>
    %20 = tensor.empty() : tensor<i32>
    %21 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%20 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %22 = arith.addi %in, %c1_i32 : i32
      linalg.yield %22 : i32
    } -> tensor<i32>
    scf.yield %21, %5, %inserted_slice : tensor<i32>, tensor<16x32xf32>, tensor<8x32xf32>
  }
  return %0#1, %0#2 : tensor<16x32xf32>, tensor<8x32xf32>
}
