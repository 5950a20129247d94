// Reshapes, slices and sizes as front ends write them.

#rows = affine_map<(d0, d1) -> (d0, d1)>

// The head of a vision transformer reads the class token of each image.
func.func public @token(%x: tensor<?x65x32xf32>, %w: tensor<32x10xf32>) -> tensor<?x10xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x65x32xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [%n, 1, 32] [1, 1, 1] : tensor<?x65x32xf32> to tensor<?x1x32xf32>
  %t = tensor.collapse_shape %s [[0, 1], [2]] : tensor<?x1x32xf32> into tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x10xf32>) -> tensor<?x10xf32>
  %y = linalg.matmul ins(%t, %w : tensor<?x32xf32>, tensor<32x10xf32>) outs(%f : tensor<?x10xf32>) -> tensor<?x10xf32>
  return %y : tensor<?x10xf32>
}

// One that does not start at 16 bytes, and whose rows are read nowhere else.
func.func @part(%x: tensor<5x67xf32>, %w: tensor<33x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[0, 1] [5, 33] [1, 2] : tensor<5x67xf32> to tensor<5x33xf32>
  %e = tensor.empty() : tensor<5x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %y = linalg.matmul ins(%s, %w : tensor<5x33xf32>, tensor<33x8xf32>) outs(%f : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// The first columns of what a kernel computes are returned, once as they are and once more.
func.func @first(%x: tensor<?x?xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = math.exp %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %s = tensor.extract_slice %y[0, 0] [%n, 3] [1, 1] : tensor<?x?xf32> to tensor<?x3xf32>
  return %s, %s : tensor<?x3xf32>, tensor<?x3xf32>
}

// Channels in two groups, shuffled: the result's sizes are products in another order.
func.func @shuffle(%x: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x8x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x8x?x?xf32>
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [%n, 2, 4, %h, %w] : tensor<?x8x?x?xf32> into tensor<?x2x4x?x?xf32>
  %e = tensor.empty(%n, %h, %w) : tensor<?x4x2x?x?xf32>
  %t = linalg.transpose ins(%g : tensor<?x2x4x?x?xf32>) outs(%e : tensor<?x4x2x?x?xf32>) permutation = [0, 2, 1, 3, 4]
  %y = tensor.collapse_shape %t [[0], [1, 2], [3], [4]] : tensor<?x4x2x?x?xf32> into tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}

// Pixels from channels, by a reshape to sizes in a tensor: one dimension becomes two of open extents.
func.func @pixels(%x: tensor<?x16x?x?xf32>) -> tensor<?x4x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x16x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x16x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x16x?x?xf32>
  %g = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [%n, 4, 2, 2, %h, %w] : tensor<?x16x?x?xf32> into tensor<?x4x2x2x?x?xf32>
  %e = tensor.empty(%n, %h, %w) : tensor<?x4x?x2x?x2xf32>
  %t = linalg.transpose ins(%g : tensor<?x4x2x2x?x?xf32>) outs(%e : tensor<?x4x?x2x?x2xf32>) permutation = [0, 1, 4, 2, 5, 3]
  %h2 = arith.muli %h, %c2 : index
  %w2 = arith.muli %w, %c2 : index
  %shape = tensor.from_elements %n, %c4, %h2, %w2 : tensor<4xindex>
  %y = tensor.reshape %t(%shape) : (tensor<?x4x?x2x?x2xf32>, tensor<4xindex>) -> tensor<?x4x?x?xf32>
  return %y : tensor<?x4x?x?xf32>
}

// A constant that is a resource of the file, beside a matmul's result of one batch.
func.func @position(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<1x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = arith.constant dense_resource<position> : tensor<1x4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %x = tensor.expand_shape %c [[0, 1], [2]] output_shape [1, 4, 6] : tensor<4x6xf32> into tensor<1x4x6xf32>
  %o = tensor.empty() : tensor<1x4x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %x : tensor<1x4x6xf32>, tensor<1x4x6xf32>) outs(%o : tensor<1x4x6xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}

// Functions of integers that no chip has under that name.
func.func @integers(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%p: i64, %out: i64):
    %a = math.absi %p : i64
    %b = math.ctlz %p : i64
    %c = math.cttz %a : i64
    %d = math.ctpop %b : i64
    %s = arith.addi %a, %b : i64
    %t = arith.addi %c, %d : i64
    %u = arith.muli %s, %t : i64
    linalg.yield %u : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// An image twice as large by the nearest pixel, as PyTorch exports it: floats compute its sizes and coordinates.
func.func @larger(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %most = arith.constant 1.5 : f32
  %h = tensor.dim %x, %c0 : tensor<?x?xf32>
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %hi = arith.index_cast %h : index to i64
  %wi = arith.index_cast %w : index to i64
  %hf = arith.sitofp %hi : i64 to f32
  %wf = arith.sitofp %wi : i64 to f32
  %h2f = arith.mulf %hf, %two : f32
  %w2f = arith.mulf %wf, %most : f32
  %h2d = math.floor %h2f : f32
  %w2d = math.floor %w2f : f32
  %h2i = arith.fptosi %h2d : f32 to i64
  %w2i = arith.fptosi %w2d : f32 to i64
  %h2 = arith.index_cast %h2i : i64 to index
  %w2 = arith.index_cast %w2i : i64 to index
  %e = tensor.empty(%h2, %w2) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.index_cast %i : index to i64
    %if = arith.sitofp %ii : i64 to f32
    %is = arith.divf %if, %two : f32
    %ir = math.floor %is : f32
    %one = arith.constant 1.0 : f32
    %last = arith.subf %hf, %one : f32
    %ic = arith.minimumf %ir, %last : f32
    %ik = arith.fptosi %ic : f32 to i64
    %p = arith.index_cast %ik : i64 to index
    %ji = arith.index_cast %j : index to i64
    %jf = arith.sitofp %ji : i64 to f32
    %js = arith.divf %jf, %most : f32
    %jr = math.floor %js : f32
    %jk = arith.fptosi %jr : f32 to i64
    %q = arith.index_cast %jk : i64 to index
    %v = tensor.extract %x[%p, %q] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A front end takes a size for 1.
func.func @cast(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %o = tensor.cast %x : tensor<?x?xf32> to tensor<?x1xf32>
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%o : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%p: f32, %out: f32):
    %q = math.exp %p : f32
    linalg.yield %q : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      position: "0x040000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C041"
    }
  }
#-}

// Rows of odd length, which the copy engine does not take, are copied before the kernel.
func.func @odd(%a: tensor<256x130x3xbf16>, %b: tensor<130x3x64xbf16>, %o: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, l, k)>, affine_map<(m, n, k, l) -> (l, k, n)>, affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<256x130x3xbf16>, tensor<130x3x64xbf16>) outs(%o : tensor<256x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}
