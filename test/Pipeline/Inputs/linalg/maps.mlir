// Elements that move: odd maps, gathers, slices, concatenations, several results.

func.func @map_two(%x: tensor<3x17xf32>, %y: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.map { arith.maximumf } ins(%x, %y : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>)
  return %r : tensor<3x17xf32>
}

func.func @reduce_middle(%x: tensor<3x4x17xf32>, %c: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4x17xf32>) outs(%c : tensor<3x17xf32>) dimensions = [1]
  return %r : tensor<3x17xf32>
}

func.func @elementwise_kind(%x: tensor<3x17xf32>, %y: tensor<17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>] ins(%x, %y : tensor<3x17xf32>, tensor<17xf32>) outs(%e : tensor<3x17xf32>) -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @all_true(%x: tensor<3x17xi32>) -> tensor<3xi32> {
  %t = arith.constant true
  %two = arith.constant 2 : i32
  %e = tensor.empty() : tensor<3xi1>
  %f = linalg.fill ins(%t : i1) outs(%e : tensor<3xi1>) -> tensor<3xi1>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x17xi32>) outs(%f : tensor<3xi1>) {
  ^bb0(%a: i32, %o: i1):
    %c = arith.cmpi slt, %a, %two : i32
    %n = arith.andi %c, %o : i1
    linalg.yield %n : i1
  } -> tensor<3xi1>
  %g = tensor.empty() : tensor<3xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%b : tensor<3xi1>) outs(%g : tensor<3xi32>) {
  ^bb0(%a: i1, %o: i32):
    %c = arith.extui %a : i1 to i32
    linalg.yield %c : i32
  } -> tensor<3xi32>
  return %r : tensor<3xi32>
}

func.func @diagonal(%x: tensor<7x7xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<7x7xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @gather_rows(%x: tensor<9x6xf32>, %i: tensor<4xi32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: i32, %o: f32):
    %three = arith.constant 3 : i32
    %p = arith.addi %a, %three : i32
    %k = arith.index_cast %p : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%k, %j] : tensor<9x6xf32>
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @pad_negative_side(%x: tensor<5x6xf32>) -> tensor<9x6xf32> {
  %z = arith.constant 1.0 : f32
  %r = tensor.pad %x low[3, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<5x6xf32> to tensor<9x6xf32>
  return %r : tensor<9x6xf32>
}

func.func @insert_strided(%x: tensor<5x6xf32>, %y: tensor<3x2xf32>) -> tensor<5x6xf32> {
  %r = tensor.insert_slice %y into %x[0, 1] [3, 2] [2, 3] : tensor<3x2xf32> into tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}

func.func @reversed(%x: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x17xf32>) {
  ^bb0(%o: f32):
    %last = arith.constant 16 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<3x17xf32>
    linalg.yield %v : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @interleaved(%x: tensor<17xf32>, %y: tensor<17xf32>) -> tensor<34xf32> {
  %e = tensor.empty() : tensor<34xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<34xf32>) {
  ^bb0(%o: f32):
    %two = arith.constant 2 : index
    %zero = arith.constant 0 : index
    %i = linalg.index 0 : index
    %k = arith.divui %i, %two : index
    %p = arith.remui %i, %two : index
    %a = tensor.extract %x[%k] : tensor<17xf32>
    %b = tensor.extract %y[%k] : tensor<17xf32>
    %even = arith.cmpi eq, %p, %zero : index
    %v = arith.select %even, %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<34xf32>
  return %r : tensor<34xf32>
}

func.func @column_of_constant(%x: tensor<7x9xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 4)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<7x9xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @one_hot(%x: tensor<7xi32>) -> tensor<7x8xf32> {
  %e = tensor.empty() : tensor<7x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7xi32>) outs(%e : tensor<7x8xf32>) {
  ^bb0(%a: i32, %o: f32):
    %three = arith.constant 3 : i32
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %s = arith.addi %a, %three : i32
    %b = arith.cmpi eq, %s, %k : i32
    %v = arith.uitofp %b : i1 to f32
    linalg.yield %v : f32
  } -> tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

func.func @coordinates() -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x17xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %w = arith.constant 17 : index
    %m = arith.muli %i, %w : index
    %s = arith.addi %m, %j : index
    %k = arith.index_cast %s : index to i32
    linalg.yield %k : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

// sizes: 0, 1, 5, 40
func.func @causal_mask(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %low = arith.constant -1.0e9 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %b = arith.cmpi uge, %i, %j : index
    %v = arith.select %b, %a, %low : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @concatenated(%x: tensor<3x5xf32>, %y: tensor<3x7xf32>, %z: tensor<3x1xf32>) -> tensor<3x13xf32> {
  %r = tensor.concat dim(1) %x, %y, %z : (tensor<3x5xf32>, tensor<3x7xf32>, tensor<3x1xf32>) -> tensor<3x13xf32>
  return %r : tensor<3x13xf32>
}

// sizes: 0, 1, 5
func.func @concatenated_rows(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %z = arith.constant 0 : index
  %two = arith.constant 2 : index
  %m = tensor.dim %x, %z : tensor<?x5xf32>
  %half = tensor.extract_slice %r[%m, 0] [%m, 5] [1, 1] : tensor<?x5xf32> to tensor<?x5xf32>
  return %half : tensor<?x5xf32>
}

func.func @rank_reduced(%x: tensor<4x5x6xf32>) -> tensor<4x6xf32> {
  %s = tensor.extract_slice %x[0, 2, 0] [4, 1, 6] [1, 1, 1] : tensor<4x5x6xf32> to tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.map { math.absf } ins(%s : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  return %r : tensor<4x6xf32>
}

func.func @inserted_rank_reduced(%x: tensor<4x5x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x5x6xf32> {
  %r = tensor.insert_slice %y into %x[0, 2, 0] [4, 1, 6] [1, 1, 1] : tensor<4x6xf32> into tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}

func.func @slice_at_argument(%x: tensor<40xf32>, %n: index) -> tensor<8xf32> {
  %s = tensor.extract_slice %x[%n] [8] [3] : tensor<40xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map { arith.negf } ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %r : tensor<8xf32>
}

func.func @expanded(%x: tensor<24x5xf32>) -> tensor<5x4x6xf32> {
  %s = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 6, 5] : tensor<24x5xf32> into tensor<4x6x5xf32>
  %e = tensor.empty() : tensor<5x4x6xf32>
  %r = linalg.transpose ins(%s : tensor<4x6x5xf32>) outs(%e : tensor<5x4x6xf32>) permutation = [2, 0, 1]
  return %r : tensor<5x4x6xf32>
}

func.func @collapsed_after_transpose(%x: tensor<4x6x5xf32>) -> tensor<20x6xf32> {
  %e = tensor.empty() : tensor<5x4x6xf32>
  %t = linalg.transpose ins(%x : tensor<4x6x5xf32>) outs(%e : tensor<5x4x6xf32>) permutation = [2, 0, 1]
  %r = tensor.collapse_shape %t [[0, 1], [2]] : tensor<5x4x6xf32> into tensor<20x6xf32>
  return %r : tensor<20x6xf32>
}

// sizes: 0, 1, 5
func.func @expanded_dynamic(%x: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %s = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 4] : tensor<?x12xf32> into tensor<?x3x4xf32>
  %e = tensor.empty(%n) : tensor<?x3x4xf32>
  %r = linalg.map { math.absf } ins(%s : tensor<?x3x4xf32>) outs(%e : tensor<?x3x4xf32>)
  return %r : tensor<?x3x4xf32>
}

func.func @generated(%n: index) -> tensor<3x9xi64> {
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %m = arith.muli %i, %n : index
    %s = arith.addi %m, %j : index
    %v = arith.index_cast %s : index to i64
    tensor.yield %v : i64
  } : tensor<3x9xi64>
  return %r : tensor<3x9xi64>
}

func.func @splat(%s: f32, %x: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %t = tensor.splat %s : tensor<3x9xf32>
  %e = tensor.empty() : tensor<3x9xf32>
  %r = linalg.add ins(%t, %x : tensor<3x9xf32>, tensor<3x9xf32>) outs(%e : tensor<3x9xf32>) -> tensor<3x9xf32>
  return %r : tensor<3x9xf32>
}

func.func @from_elements(%s: f32, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %one = arith.constant 1.0 : f32
  %t = tensor.from_elements %s, %one, %one, %s : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %r = linalg.mul ins(%t, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

func.func @constant_table(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %t = arith.constant dense<[[1.0, 2.0, 3.0], [-4.0, 5.0, 0.5]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.mul ins(%t, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// The same table twice: a gather of rows by a gather.
func.func @gather_of_gather(%x: tensor<9x6xf32>, %i: tensor<4xi32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %t = arith.constant dense<[3, 1, 4, 1, 5, 8, 2]> : tensor<7xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: i32, %o: f32):
    %three = arith.constant 3 : i32
    %p = arith.addi %a, %three : i32
    %k = arith.index_cast %p : i32 to index
    %q = tensor.extract %t[%k] : tensor<7xi32>
    %l = arith.index_cast %q : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%l, %j] : tensor<9x6xf32>
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @pad_dynamic(%x: tensor<5x6xf32>, %n: index) -> tensor<?x6xf32> {
  %z = arith.constant 0.5 : f32
  %r = tensor.pad %x low[%n, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<5x6xf32> to tensor<?x6xf32>
  %s = tensor.extract_slice %r[0, 0] [%n, 6] [1, 1] : tensor<?x6xf32> to tensor<?x6xf32>
  return %s : tensor<?x6xf32>
}

func.func @pad_by_argument(%x: tensor<5x6xf32>, %s: f32) -> tensor<7x8xf32> {
  %r = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %s : f32
  } : tensor<5x6xf32> to tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// Broadcasts in two steps, and one of an element.
func.func @broadcasts(%x: tensor<17xf32>, %y: tensor<3x1xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %b = linalg.broadcast ins(%x : tensor<17xf32>) outs(%e : tensor<3x17xf32>) dimensions = [0]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b, %y : tensor<3x17xf32>, tensor<3x1xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.subf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @transposed_and_not(%x: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %e = tensor.empty() : tensor<33x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<33x33xf32>, tensor<33x33xf32>) outs(%e : tensor<33x33xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.subf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<33x33xf32>
  return %r : tensor<33x33xf32>
}

// The result is stored transposed, and read by what follows.
func.func @stored_transposed(%x: tensor<8x32xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x32xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<32x8xf32>
  %r = linalg.map { math.absf } ins(%t : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>)
  return %r : tensor<32x8xf32>
}

// The old result is read.
func.func @added_in_place(%x: tensor<3x17xf32>, %c: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x17xf32>) outs(%c : tensor<3x17xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.subf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

// Two results of one kernel, one of another type and order.
func.func @two_results(%x: tensor<3x17xf32>) -> (tensor<3x17xf16>, tensor<17x3xi32>) {
  %e = tensor.empty() : tensor<3x17xf16>
  %f = tensor.empty() : tensor<17x3xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x17xf32>) outs(%e, %f : tensor<3x17xf16>, tensor<17x3xi32>) {
  ^bb0(%a: f32, %o: f16, %p: i32):
    %h = arith.truncf %a : f32 to f16
    %i = arith.fptosi %a : f32 to i32
    linalg.yield %h, %i : f16, i32
  } -> (tensor<3x17xf16>, tensor<17x3xi32>)
  return %r#0, %r#1 : tensor<3x17xf16>, tensor<17x3xi32>
}

// Its second result is not read.
func.func @one_of_two_results(%x: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x17xf32>) outs(%e, %e : tensor<3x17xf32>, tensor<3x17xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %h = arith.mulf %a, %a : f32
    linalg.yield %a, %h : f32, f32
  } -> (tensor<3x17xf32>, tensor<3x17xf32>)
  return %r#1 : tensor<3x17xf32>
}

// Its argument is returned as it is.
func.func @returned_twice(%x: tensor<3x17xf32>) -> (tensor<3x17xf32>, tensor<3x17xf32>) {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.map { math.absf } ins(%x : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>)
  return %x, %r : tensor<3x17xf32>, tensor<3x17xf32>
}

func.func @scattered(%x: tensor<9xf32>, %y: tensor<3xf32>) -> tensor<9xf32> {
  %at = arith.constant dense<[[7], [2], [4]]> : tensor<3x1xindex>
  %w = tensor.expand_shape %y [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> tensor<9xf32> {
    %k = tensor.extract %at[%i, %c0] : tensor<3x1xindex>
    %v = tensor.extract %w[%i, %c0] : tensor<3x1xf32>
    %n = tensor.insert %v into %t[%k] : tensor<9xf32>
    scf.yield %n : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

func.func @reshaped_by_value(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %shape = arith.constant dense<[3, 8]> : tensor<2xindex>
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.map { math.absf } ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  %r = tensor.reshape %a(%shape) : (tensor<4x6xf32>, tensor<2xindex>) -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
