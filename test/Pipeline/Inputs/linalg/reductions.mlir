// Reductions: kinds, orders, several accumulators, types, no elements at all.

func.func @sum_of_all(%x: tensor<3x17x5xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x17x5xf32>) outs(%c : tensor<f32>) dimensions = [0, 1, 2]
  return %r : tensor<f32>
}

func.func @product_inner_outer(%x: tensor<3x7x4xi32>, %c: tensor<7xi32>) -> tensor<7xi32> {
  %r = linalg.reduce { arith.muli } ins(%x : tensor<3x7x4xi32>) outs(%c : tensor<7xi32>) dimensions = [0, 2]
  return %r : tensor<7xi32>
}

func.func @xor(%x: tensor<5x130xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %r = linalg.reduce { arith.xori } ins(%x : tensor<5x130xi32>) outs(%c : tensor<5xi32>) dimensions = [1]
  return %r : tensor<5xi32>
}

func.func @unsigned_max(%x: tensor<5x130xi8>, %c: tensor<5xi8>) -> tensor<5xi8> {
  %r = linalg.reduce { arith.maxui } ins(%x : tensor<5x130xi8>) outs(%c : tensor<5xi8>) dimensions = [1]
  return %r : tensor<5xi8>
}

func.func @any(%x: tensor<5x130xi1>, %c: tensor<5xi1>) -> tensor<5xi1> {
  %r = linalg.reduce { arith.ori } ins(%x : tensor<5x130xi1>) outs(%c : tensor<5xi1>) dimensions = [1]
  return %r : tensor<5xi1>
}

func.func @all_of_compare(%x: tensor<5x130xf32>) -> tensor<5xi1> {
  %t = arith.constant true
  %e = tensor.empty() : tensor<5xi1>
  %f = linalg.fill ins(%t : i1) outs(%e : tensor<5xi1>) -> tensor<5xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x130xf32>) outs(%f : tensor<5xi1>) {
  ^bb0(%a: f32, %o: i1):
    %low = arith.constant -2.5 : f32
    %b = arith.cmpf ogt, %a, %low : f32
    %n = arith.andi %o, %b : i1
    linalg.yield %n : i1
  } -> tensor<5xi1>
  return %r : tensor<5xi1>
}

func.func @count(%x: tensor<7x40xf32>, %c: tensor<7xi64>) -> tensor<7xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xf32>) outs(%c : tensor<7xi64>) {
  ^bb0(%a: f32, %o: i64):
    %z = arith.constant 0.0 : f32
    %b = arith.cmpf une, %a, %z : f32
    %i = arith.extui %b : i1 to i64
    %n = arith.addi %o, %i : i64
    linalg.yield %n : i64
  } -> tensor<7xi64>
  return %r : tensor<7xi64>
}

// The first of equal elements wins.
func.func @argmax(%x: tensor<7x40xf32>) -> (tensor<7xf32>, tensor<7xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<7xf32>
  %g = tensor.empty() : tensor<7xi64>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %h = linalg.fill ins(%none : i64) outs(%g : tensor<7xi64>) -> tensor<7xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xf32>) outs(%f, %h : tensor<7xf32>, tensor<7xi64>) {
  ^bb0(%a: f32, %o: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %b = arith.cmpf ogt, %a, %o : f32
    %v = arith.select %b, %a, %o : f32
    %k = arith.select %b, %ji, %at : i64
    linalg.yield %v, %k : f32, i64
  } -> (tensor<7xf32>, tensor<7xi64>)
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xi64>
}

// The last of equal elements wins.
func.func @argmin_last(%x: tensor<7x40xi32>) -> (tensor<7xi32>, tensor<7xi32>) {
  %high = arith.constant 2147483647 : i32
  %none = arith.constant -1 : i32
  %e = tensor.empty() : tensor<7xi32>
  %f = linalg.fill ins(%high : i32) outs(%e : tensor<7xi32>) -> tensor<7xi32>
  %h = linalg.fill ins(%none : i32) outs(%e : tensor<7xi32>) -> tensor<7xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xi32>) outs(%f, %h : tensor<7xi32>, tensor<7xi32>) {
  ^bb0(%a: i32, %o: i32, %at: i32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %b = arith.cmpi sle, %a, %o : i32
    %v = arith.select %b, %a, %o : i32
    %k = arith.select %b, %ji, %at : i32
    linalg.yield %v, %k : i32, i32
  } -> (tensor<7xi32>, tensor<7xi32>)
  return %r#0, %r#1 : tensor<7xi32>, tensor<7xi32>
}

func.func @sum_and_squares(%x: tensor<7x40xf32>, %c: tensor<7xf32>, %d: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xf32>) outs(%c, %d : tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %m = arith.mulf %a, %a : f32
    %t = arith.addf %s, %a : f32
    %u = arith.addf %q, %m : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>)
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
}

// An online sum: the second accumulator reads the first.
func.func @accumulators_that_meet(%x: tensor<7x40xf32>, %c: tensor<7xf32>, %d: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xf32>) outs(%c, %d : tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.addf %s, %a : f32
    %m = arith.maximumf %q, %t : f32
    linalg.yield %t, %m : f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>)
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
}

// Horner's scheme: the order matters.
func.func @horner(%x: tensor<7x5xf32>, %c: tensor<7xf32>) -> tensor<7xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x5xf32>) outs(%c : tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32):
    %two = arith.constant 2.0 : f32
    %m = arith.mulf %s, %two : f32
    %t = arith.addf %m, %a : f32
    linalg.yield %t : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// The last element wins: no reduction at all.
func.func @last(%x: tensor<7x40xf32>, %c: tensor<7xf32>) -> tensor<7xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x40xf32>) outs(%c : tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// sizes: 0, 1, 5, 130
func.func @max_dynamic(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}

// sizes: 0, 1, 5, 130
func.func @columns_dynamic(%x: tensor<?x?xf16>) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf16>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f16, %s: f32):
    %w = arith.extf %a : f16 to f32
    %t = arith.addf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @minnum_with_nan(%x: tensor<5x33xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %z = arith.constant 0.0 : f32
  %high = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%high : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %w = tensor.empty() : tensor<5x33xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x33xf32>) outs(%w : tensor<5x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %a : f32
    %t = arith.mulf %d, %a : f32
    linalg.yield %t : f32
  } -> tensor<5x33xf32>
  %r = linalg.reduce { arith.minnumf } ins(%q : tensor<5x33xf32>) outs(%f : tensor<5xf32>) dimensions = [1]
  %s = linalg.reduce { arith.minimumf } ins(%q : tensor<5x33xf32>) outs(%f : tensor<5xf32>) dimensions = [1]
  return %r, %s : tensor<5xf32>, tensor<5xf32>
}

// The largest by a comparison that lets NaN in or keeps it out.
func.func @max_by_select(%x: tensor<5x33xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x33xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %a : f32
    %t = arith.mulf %d, %a : f32
    %b = arith.cmpf ogt, %t, %o : f32
    %v = arith.select %b, %t, %o : f32
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x33xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %a : f32
    %t = arith.mulf %d, %a : f32
    %b = arith.cmpf ugt, %t, %o : f32
    %v = arith.select %b, %t, %o : f32
    linalg.yield %v : f32
  } -> tensor<5xf32>
  return %r, %s : tensor<5xf32>, tensor<5xf32>
}

func.func @softmax_by_hand(%x: tensor<6x50xf32>) -> tensor<6x50xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %w = tensor.empty() : tensor<6x50xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x50xf32>) outs(%f : tensor<6xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<6x50xf32>, tensor<6xf32>) outs(%w : tensor<6x50xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<6x50xf32>
  %g = linalg.fill ins(%z : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<6x50xf32>) outs(%g : tensor<6xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<6x50xf32>, tensor<6xf32>) outs(%w : tensor<6x50xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<6x50xf32>
  return %r : tensor<6x50xf32>
}

// A sum whose sum is taken of each: rank 0 goes back to all.
func.func @normalised_by_all(%x: tensor<6x50xf32>) -> tensor<6x50xf32> {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<f32>
  %w = tensor.empty() : tensor<6x50xf32>
  %g = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<6x50xf32>) outs(%g : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.absf %a : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<6x50xf32>, tensor<f32>) outs(%w : tensor<6x50xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<6x50xf32>
  return %r : tensor<6x50xf32>
}

func.func @reduced_twice(%x: tensor<4x6x50xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %g = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x6x50xf32>) outs(%f : tensor<4x6xf32>) dimensions = [2]
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%m : tensor<4x6xf32>) outs(%h : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

func.func @five_modes(%x: tensor<2x3x4x5x6xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4x5x6xf32>) outs(%c : tensor<3x5xf32>) dimensions = [0, 2, 4]
  return %r : tensor<3x5xf32>
}

func.func @result_transposed(%x: tensor<3x4x33xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x4x33xf32>) outs(%c : tensor<4x3xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @result_kept_one(%x: tensor<3x33xf32>, %c: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x33xf32>) outs(%c : tensor<3x1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}

func.func @weighted_by_index(%x: tensor<3x33xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x33xf32>) outs(%c : tensor<3xf32>) {
  ^bb0(%a: f32, %s: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %w = arith.sitofp %i : i32 to f32
    %m = arith.mulf %a, %w : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @i8_in_i32(%x: tensor<5x130xi8>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x130xi8>) outs(%c : tensor<5xi32>) {
  ^bb0(%a: i8, %s: i32):
    %w = arith.extsi %a : i8 to i32
    %t = arith.addi %s, %w : i32
    linalg.yield %t : i32
  } -> tensor<5xi32>
  return %r : tensor<5xi32>
}

func.func @empty_sum(%x: tensor<5x0xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<5x0xf32>) outs(%c : tensor<5xf32>) dimensions = [1]
  return %r : tensor<5xf32>
}

func.func @two_inputs(%x: tensor<5x40xf32>, %y: tensor<5x40xf32>, %c: tensor<5xf32>, %d: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %r:2 = linalg.reduce ins(%x, %y : tensor<5x40xf32>, tensor<5x40xf32>) outs(%c, %d : tensor<5xf32>, tensor<5xf32>) dimensions = [1]
    (%a: f32, %b: f32, %o: f32, %p: f32) {
      %s = arith.addf %a, %o : f32
      %m = arith.minimumf %b, %p : f32
      linalg.yield %s, %m : f32, f32
    }
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}

// Rows are found by dividing by the size in the middle, which may be 0.
// sizes: 0, 1, 5
func.func @less_the_greatest(%x: tensor<3x?x4x40xf32>, %c: tensor<3x?x4xf32>) -> tensor<3x?x4x40xf32> {
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %one : tensor<3x?x4x40xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<3x?x4x40xf32>) outs(%c : tensor<3x?x4xf32>) dimensions = [3]
  %e = tensor.empty(%n) : tensor<3x?x4x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %m : tensor<3x?x4x40xf32>, tensor<3x?x4xf32>) outs(%e : tensor<3x?x4x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x?x4x40xf32>
  return %r : tensor<3x?x4x40xf32>
}
