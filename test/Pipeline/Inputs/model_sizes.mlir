// Dynamic sizes as front ends write them.

#rows = affine_map<(d0, d1) -> (d0, d1)>

// Matrices whose number is open are transposed through tiles of shared memory.
func.func @turned(%x: tensor<?x64x32xf32>) -> tensor<?x32x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x32xf32>
  %e = tensor.empty(%n) : tensor<?x32x64xf32>
  %y = linalg.transpose ins(%x : tensor<?x64x32xf32>) outs(%e : tensor<?x32x64xf32>) permutation = [0, 2, 1]
  return %y : tensor<?x32x64xf32>
}

// A gather requests the size of what it reads, and may compute with `affine`.
func.func @gathered(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %i, %c0 : tensor<?xi64>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%number: i64, %out: f32):
    %n = tensor.dim %x, %c0 : tensor<?x?xf32>
    %twice = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
    %at = arith.index_cast %number : i64 to index
    %rest = arith.remsi %at, %n : index
    %above = arith.addi %rest, %twice : index
    %row = arith.remui %above, %n : index
    %column = linalg.index 1 : index
    %v = tensor.extract %x[%row, %column] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A broadcast to the sizes that a tensor has is no copy.
func.func @expanded(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %b = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi eq, %n, %c1 : index
    %k = arith.select %is, %c0, %i : index
    %js = arith.cmpi eq, %m, %c1 : index
    %l = arith.select %js, %c0, %j : index
    %v = tensor.extract %x[%k, %l] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %f = tensor.empty(%m, %m) : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%b, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A front end takes a size for 1, and makes it of a reshape again.
func.func @reshaped(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %o = tensor.cast %x : tensor<?x?x8xf32> to tensor<?x1x8xf32>
  %c = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x1x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = math.exp %p : f32
    linalg.yield %q : f32
  } -> tensor<?x8xf32>
  %shape = tensor.from_elements %n, %m, %c8 : tensor<3xindex>
  %z = tensor.reshape %y(%shape) : (tensor<?x8xf32>, tensor<3xindex>) -> tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

// Two tensors beside each other, as rows of one: sizes that are equal in each call, or it is refused.
func.func @stacked(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x2x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %y, %c1 : tensor<?x?xf32>
  %z = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %shape = tensor.from_elements %n, %c2, %m : tensor<3xindex>
  %r = tensor.reshape %z(%shape) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x2x?xf32>
  return %r : tensor<?x2x?xf32>
}

// Sizes as tensors, and an assertion that floats compute of one.
func.func @sized(%x: tensor<?x?xf32>) -> (tensor<?x?xi64>, tensor<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %ni = arith.index_cast %n : index to i64
  %mi = arith.index_cast %m : index to i64
  %f = arith.sitofp %ni : i64 to f64
  %more = arith.subf %f, %one : f64
  %holds = arith.cmpf uge, %more, %zero : f64
  cf.assert %holds, "expected at least one row"
  %count = tensor.from_elements %ni : tensor<i64>
  %both = tensor.from_elements %ni, %mi : tensor<2xi64>
  %e = tensor.empty(%n, %m) : tensor<?x?xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%count : tensor<i64>) outs(%e : tensor<?x?xi64>) {
  ^bb0(%number: i64, %out: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %sum = arith.addi %number, %j : i64
    linalg.yield %sum : i64
  } -> tensor<?x?xi64>
  return %y, %both : tensor<?x?xi64>, tensor<2xi64>
}

// A front end takes all sizes for those of an example.
func.func @example(%x: tensor<?x?xf32>) -> tensor<3x1x5xf32> {
  %shape = arith.constant dense<[3, 1, 5]> : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<3x1x5xf32>
  %e = tensor.empty() : tensor<3x1x5xf32>
  %y = linalg.exp ins(%r : tensor<3x1x5xf32>) outs(%e : tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  return %y : tensor<3x1x5xf32>
}

// Six dynamic sizes, whose strides are products of up to five.
func.func @six(%t: tensor<?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?xf32> {
  %r = math.exp %t : tensor<?x?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?x?xf32>
}

// The middle extent of a reshape is a division by another, which is 0 where the tensor is empty.
func.func @divided(%x: tensor<?x?x64xf32>) -> tensor<?x?x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %bs = arith.muli %b, %s : index
  %n = arith.muli %bs, %c64 : index
  %bn = arith.muli %b, %c64 : index
  %q = arith.divsi %n, %bn : index
  %e = tensor.empty(%b, %q) : tensor<?x?x4x16xf32>
  %f = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %q, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
  %r = linalg.exp ins(%f : tensor<?x?x4x16xf32>) outs(%e : tensor<?x?x4x16xf32>) -> tensor<?x?x4x16xf32>
  return %r : tensor<?x?x4x16xf32>
}

// Integers that are divided by 0, which GPUs do without a trap.
func.func @integers(%x: tensor<64xi32>) -> tensor<64xi32> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %none = arith.muli %x, %zero : tensor<64xi32>
  %e = tensor.empty() : tensor<64xi32>
  %r = linalg.map { arith.divsi } ins(%x, %none : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>)
  return %r : tensor<64xi32>
}

// JAX's projection to heads: columns of several strides, one of which is known at run time.
func.func @heads(%x: tensor<?x256xbf16>, %w: tensor<256x8x64xbf16>, %o: tensor<8x?x64xf32>) -> tensor<8x?x64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(h, s, e, d) -> (s, d)>, affine_map<(h, s, e, d) -> (d, h, e)>, affine_map<(h, s, e, d) -> (h, s, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x256xbf16>, tensor<256x8x64xbf16>) outs(%o : tensor<8x?x64xf32>) {
  ^bb0(%a: bf16, %y: bf16, %z: f32):
    %xe = arith.extf %a : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x?x64xf32>
  return %r : tensor<8x?x64xf32>
}
