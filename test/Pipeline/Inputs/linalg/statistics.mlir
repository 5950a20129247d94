// Losses, statistics, odd maps and sizes of one.

// sizes: 1, 5
func.func @batch_norm_training(%x: tensor<?x3x4x?xf32>, %w: tensor<3xf32>) -> (tensor<?x3x4x?xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x4x?xf32>
  %l = tensor.dim %x, %c3 : tensor<?x3x4x?xf32>
  %e = tensor.empty(%n, %l) : tensor<?x3x4x?xf32>
  %s = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<3xf32>) -> tensor<3xf32>
  %c4 = arith.constant 4 : index
  %n4 = arith.muli %n, %c4 : index
  %all = arith.muli %n4, %l : index
  %ai = arith.index_cast %all : index to i64
  %af = arith.sitofp %ai : i64 to f32
  %sum = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x : tensor<?x3x4x?xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.addf %o0, %a : f32
    linalg.yield %y : f32
  } -> tensor<3xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%sum : tensor<3xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.divf %a, %af : f32
    linalg.yield %y : f32
  } -> tensor<3xf32>
  %sq = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x, %mean : tensor<?x3x4x?xf32>, tensor<3xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %y = arith.addf %o0, %q : f32
    linalg.yield %y : f32
  } -> tensor<3xf32>
  %var = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%sq : tensor<3xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.divf %a, %af : f32
    linalg.yield %y : f32
  } -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %mean, %var, %w : tensor<?x3x4x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<?x3x4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %dd: f32, %o0: f32):
    %d = arith.subf %a, %b : f32
    %v = arith.addf %c, %one : f32
    %i = math.rsqrt %v : f32
    %m = arith.mulf %d, %i : f32
    %y = arith.mulf %m, %dd : f32
    linalg.yield %y : f32
  } -> tensor<?x3x4x?xf32>
  return %r, %mean, %var : tensor<?x3x4x?xf32>, tensor<3xf32>, tensor<3xf32>
}

// sizes: 0, 1, 7
func.func @nll_loss(%x: tensor<?x5xf32>, %t: tensor<?xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %low = arith.constant 0xFF800000 : f32
  %k = arith.constant 4 : i64
  %s = tensor.empty(%n) : tensor<?xf32>
  %mf = linalg.fill ins(%low : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x5xf32>) outs(%mf : tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.maximumf %o0, %a : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %sf = linalg.fill ins(%z : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %m : tensor<?x5xf32>, tensor<?xf32>) outs(%sf : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %y = arith.addf %o0, %e : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %se = tensor.empty() : tensor<f32>
  %st = linalg.fill ins(%z : f32) outs(%se : tensor<f32>) -> tensor<f32>
  %l = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%t, %m, %q : tensor<?xi64>, tensor<?xf32>, tensor<?xf32>) outs(%st : tensor<f32>) {
  ^bb0(%a: i64, %b: f32, %c: f32, %o0: f32):
    %i = linalg.index 0 : index
    %cl = arith.andi %a, %k : i64
    %at = arith.index_cast %cl : i64 to index
    %v = tensor.extract %x[%i, %at] : tensor<?x5xf32>
    %lg = math.log %c : f32
    %u = arith.addf %lg, %b : f32
    %w = arith.subf %u, %v : f32
    %y = arith.addf %o0, %w : f32
    linalg.yield %y : f32
  } -> tensor<f32>
  return %l : tensor<f32>
}

func.func @squeeze_excite(%x: tensor<2x4x5x5xf32>, %w: tensor<4x3xf32>, %v: tensor<3x4xf32>) -> tensor<2x4x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %by = arith.constant 25.0 : f32
  %e = tensor.empty() : tensor<2x4x5x5xf32>
  %s = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<2x4xf32>) -> tensor<2x4xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x4x5x5xf32>) outs(%f : tensor<2x4xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.addf %o0, %a : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (n, c)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x4xf32>) outs(%s : tensor<2x4xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.divf %a, %by : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %he = tensor.empty() : tensor<2x3xf32>
  %hf = linalg.fill ins(%z : f32) outs(%he : tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = linalg.matmul ins(%m, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%hf : tensor<2x3xf32>) -> tensor<2x3xf32>
  %hr = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<2x3xf32>) outs(%he : tensor<2x3xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.maximumf %a, %z : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %q = linalg.matmul ins(%hr, %v : tensor<2x3xf32>, tensor<3x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %q : tensor<2x4x5x5xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %g = arith.negf %b : f32
    %k = math.exp %g : f32
    %l = arith.addf %k, %one : f32
    %d = arith.divf %one, %l : f32
    %y = arith.mulf %a, %d : f32
    linalg.yield %y : f32
  } -> tensor<2x4x5x5xf32>
  return %r : tensor<2x4x5x5xf32>
}

// sizes: 1, 4
func.func @norm_over_first_axes(%x: tensor<?x5x6xf32>) -> tensor<?x5x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x5x6xf32>
  %e = tensor.empty(%n) : tensor<?x5x6xf32>
  %s = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<6xf32>) -> tensor<6xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : tensor<?x5x6xf32>) outs(%f : tensor<6xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %p = arith.mulf %a, %a : f32
    %y = arith.addf %o0, %p : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %q : tensor<?x5x6xf32>, tensor<6xf32>) outs(%e : tensor<?x5x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.addf %b, %one : f32
    %w = math.sqrt %p : f32
    %y = arith.divf %a, %w : f32
    linalg.yield %y : f32
  } -> tensor<?x5x6xf32>
  return %r : tensor<?x5x6xf32>
}

// sizes: 1, 9
func.func @positional(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %base = arith.constant 10.0 : f32
  %six = arith.constant 6.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.divui %j, %c2 : index
    %m = arith.remui %j, %c2 : index
    %ii = arith.index_cast %i : index to i64
    %ki = arith.index_cast %k : index to i64
    %if = arith.sitofp %ii : i64 to f32
    %kf = arith.sitofp %ki : i64 to f32
    %q = arith.divf %kf, %six : f32
    %d = math.powf %base, %q : f32
    %w = arith.divf %if, %d : f32
    %s = math.sin %w : f32
    %cc = math.cos %w : f32
    %is = arith.cmpi eq, %m, %c0 : index
    %v = arith.select %is, %s, %cc : f32
    %y = arith.addf %a, %v : f32
    linalg.yield %y : f32
  } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

func.func @windows_of_rows(%x: tensor<4x20xf32>) -> tensor<4x5x4xf32> {
  %e = tensor.empty() : tensor<4x5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j * 3 + k * 2 + 1)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x20xf32>) outs(%e : tensor<4x5x4xf32>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  } -> tensor<4x5x4xf32>
  return %r : tensor<4x5x4xf32>
}

func.func @pool_sparse(%x: tensor<1x15x14x2xf32>) -> tensor<1x3x3x2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x3x3x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<[3, 2]> : tensor<2xi64>, strides = dense<[5, 4]> : tensor<2xi64>} ins(%x, %w : tensor<1x15x14x2xf32>, tensor<2x2xf32>) outs(%f : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return %r : tensor<1x3x3x2xf32>
}

// sizes: 0, 1, 6
func.func @cosine(%x: tensor<?x8xf32>, %other: tensor<?x8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s:3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %other : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f, %f, %f : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %a, %a : f32
    %r = arith.mulf %b, %b : f32
    %u = arith.addf %o0, %p : f32
    %v = arith.addf %o1, %q : f32
    %w = arith.addf %o2, %r : f32
    linalg.yield %u, %v, %w : f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s#0, %s#1, %s#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o0: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.addf %p, %one : f32
    %t = math.rsqrt %q : f32
    %y = arith.mulf %a, %t : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @unpooled(%x: tensor<3x2xf32>, %at: tensor<3x2xi32>) -> tensor<3x6xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x6xf32>) -> tensor<3x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %at : tensor<3x2xf32>, tensor<3x2xi32>) outs(%f : tensor<3x6xf32>) {
  ^bb0(%a: f32, %b: i32, %o0: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %ji, %b : i32
    %v = arith.select %is, %a, %z : f32
    %y = arith.addf %o0, %v : f32
    linalg.yield %y : f32
  } -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

// sizes: 1, 6
func.func @lower_rows(%x: tensor<?x4xf32>, %w: tensor<4x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %w, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi sle, %j, %i : index
    %y = arith.select %is, %a, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %se = tensor.empty(%n) : tensor<?xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%t : tensor<?x?xf32>) outs(%sf : tensor<?xf32>) dimensions = [1]
  return %t, %s : tensor<?x?xf32>, tensor<?xf32>
}

func.func @rounding_of_integers(%x: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) {
  %k = arith.constant 2 : i32
  %e = tensor.empty() : tensor<9xi32>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<9xi32>) outs(%e, %e, %e : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) {
  ^bb0(%a: i32, %o0: i32, %o1: i32, %o2: i32):
    %p = arith.floordivsi %a, %k : i32
    %q = arith.ceildivsi %a, %k : i32
    %s = arith.remsi %a, %k : i32
    linalg.yield %p, %q, %s : i32, i32, i32
  } -> (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>)
  return %r#0, %r#1, %r#2 : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>
}

// sizes: 0, 1, 3
func.func @branch_in_loop(%x: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %s = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %u = %f) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %q = arith.remui %i, %c2 : index
    %is = arith.cmpi eq, %q, %c0 : index
    %b:2 = scf.if %is -> (tensor<4x4xf32>, tensor<4xf32>) {
      %tr = linalg.transpose ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
      %sm = linalg.reduce { arith.addf } ins(%t : tensor<4x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0]
      scf.yield %tr, %sm : tensor<4x4xf32>, tensor<4xf32>
    } else {
      %a = linalg.broadcast ins(%u : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
      scf.yield %a, %u : tensor<4x4xf32>, tensor<4xf32>
    }
    scf.yield %b#0, %b#1 : tensor<4x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}

// sizes: 0, 1, 40
func.func @huber(%x: tensor<?xf64>, %other: tensor<?xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x, %other : tensor<?xf64>, tensor<?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %o0: f64):
    %d = arith.subf %a, %b : f64
    %m = math.absf %d : f64
    %q = arith.mulf %d, %d : f64
    %h = arith.mulf %q, %half : f64
    %l = arith.subf %m, %half : f64
    %is = arith.cmpf olt, %m, %one : f64
    %v = arith.select %is, %h, %l : f64
    %y = arith.addf %o0, %v : f64
    linalg.yield %y : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}

// sizes: 1, 5
func.func @quantised_rows(%x: tensor<?x12xf32>) -> (tensor<?x12xi8>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %k = arith.constant 127.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %s = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%eps : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x12xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %p = math.absf %a : f32
    %y = arith.maximumf %o0, %p : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%m : tensor<?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32):
    %y = arith.divf %a, %k : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x12xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sc : tensor<?x12xf32>, tensor<?xf32>) outs(%e : tensor<?x12xi8>) {
  ^bb0(%a: f32, %b: f32, %o0: i8):
    %p = arith.divf %a, %b : f32
    %q = math.roundeven %p : f32
    %y = arith.fptosi %q : f32 to i8
    linalg.yield %y : i8
  } -> tensor<?x12xi8>
  return %r, %sc : tensor<?x12xi8>, tensor<?xf32>
}

// sizes: 0, 1, 5
func.func @gram(%x: tensor<2x3x?x?xf32>) -> tensor<2x3x3xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x3x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %v = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x3x?x?xf32> into tensor<2x3x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v, %v : tensor<2x3x?xf32>, tensor<2x3x?xf32>) outs(%f : tensor<2x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %o0, %p : f32
    linalg.yield %y : f32
  } -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @odd_maps(%x: tensor<4x5x6xf32>, %y: tensor<6x4xf32>) -> tensor<6x5x4xf32> {
  %e = tensor.empty() : tensor<6x5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c, a)>, affine_map<(a, b, c) -> (0, b, 0)>, affine_map<(a, b, c) -> (c, b, a)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %y, %x : tensor<4x5x6xf32>, tensor<6x4xf32>, tensor<4x5x6xf32>) outs(%e : tensor<6x5x4xf32>) {
  ^bb0(%x0: f32, %y0: f32, %z0: f32, %o0: f32):
    %p = arith.mulf %x0, %y0 : f32
    %q = arith.subf %p, %z0 : f32
    linalg.yield %q : f32
  } -> tensor<6x5x4xf32>
  return %r : tensor<6x5x4xf32>
}

func.func @units(%x: tensor<1x1x5x1xf32>, %w: tensor<1x1xf32>) -> tensor<1x5x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x1x5x1xf32> into tensor<5x1xf32>
  %e = tensor.empty() : tensor<5x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x1xf32>) -> tensor<5x1xf32>
  %p = linalg.matmul ins(%s, %w : tensor<5x1xf32>, tensor<1x1xf32>) outs(%f : tensor<5x1xf32>) -> tensor<5x1xf32>
  %r = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [1, 5, 1, 1] : tensor<5x1xf32> into tensor<1x5x1x1xf32>
  return %r : tensor<1x5x1x1xf32>
}

func.func @blocks_of_products(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) -> tensor<6x10xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %p = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = linalg.map { arith.negf } ins(%p : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>)
  %b = tensor.empty() : tensor<6x10xf32>
  %b0 = tensor.insert_slice %p into %b[0, 0] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<6x10xf32>
  %b1 = tensor.insert_slice %m into %b0[0, 5] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<6x10xf32>
  %b2 = tensor.insert_slice %m into %b1[3, 0] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<6x10xf32>
  %b3 = tensor.insert_slice %p into %b2[3, 5] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<6x10xf32>
  return %b3 : tensor<6x10xf32>
}

// sizes: 2, 7, 300
func.func @variance_unbiased(%x: tensor<3x?xf16>) -> tensor<3xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f64
  %n = tensor.dim %x, %c1 : tensor<3x?xf16>
  %m = arith.subi %n, %c1 : index
  %mi = arith.index_cast %m : index to i64
  %mf = arith.sitofp %mi : i64 to f64
  %ni = arith.index_cast %n : index to i64
  %nf = arith.sitofp %ni : i64 to f64
  %s = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%z : f64) outs(%s : tensor<3xf64>) -> tensor<3xf64>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x?xf16>) outs(%f : tensor<3xf64>) {
  ^bb0(%a: f16, %o0: f64):
    %w = arith.extf %a : f16 to f64
    %y = arith.addf %o0, %w : f64
    linalg.yield %y : f64
  } -> tensor<3xf64>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %t : tensor<3x?xf16>, tensor<3xf64>) outs(%f : tensor<3xf64>) {
  ^bb0(%a: f16, %b: f64, %o0: f64):
    %w = arith.extf %a : f16 to f64
    %u = arith.divf %b, %nf : f64
    %d = arith.subf %w, %u : f64
    %p = arith.mulf %d, %d : f64
    %y = arith.addf %o0, %p : f64
    linalg.yield %y : f64
  } -> tensor<3xf64>
  %e = tensor.empty() : tensor<3xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%q : tensor<3xf64>) outs(%e : tensor<3xf16>) {
  ^bb0(%a: f64, %o0: f16):
    %v = arith.divf %a, %mf : f64
    %y = arith.truncf %v : f64 to f16
    linalg.yield %y : f16
  } -> tensor<3xf16>
  return %r : tensor<3xf16>
}
