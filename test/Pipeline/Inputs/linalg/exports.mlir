// Programs as torch-mlir and StableHLO export them: transposed convolutions, norms, pooling, indexing, cells, resizing.

// Stride 2: zeros between the elements, and a convolution with the kernel turned around.
func.func @conv_transposed(%x: tensor<1x3x4x5xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x2x9x11xf32> {
  %z = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x3x11x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x11x13xf32>) -> tensor<1x3x11x13xf32>
  %p = tensor.insert_slice %x into %f[0, 0, 2, 2] [1, 3, 4, 5] [1, 1, 2, 2] : tensor<1x3x4x5xf32> into tensor<1x3x11x13xf32>
  %we = tensor.empty() : tensor<2x3x3x3xf32>
  %turned = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%we : tensor<2x3x3x3xf32>) {
  ^bb0(%o: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %r2 = arith.subi %c2, %i2 : index
    %r3 = arith.subi %c2, %i3 : index
    %v = tensor.extract %w[%i1, %i0, %r2, %r3] : tensor<3x2x3x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x3x3xf32>
  %re = tensor.empty() : tensor<1x2x9x11xf32>
  %rf = linalg.fill ins(%z : f32) outs(%re : tensor<1x2x9x11xf32>) -> tensor<1x2x9x11xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %turned : tensor<1x3x11x13xf32>, tensor<2x3x3x3xf32>) outs(%rf : tensor<1x2x9x11xf32>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

// sizes: 1, 4
func.func @conv_transposed_dynamic(%x: tensor<?x3x4x5xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<?x2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4x5xf32>
  %e = tensor.empty(%n) : tensor<?x3x8x10xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x3x8x10xf32>) -> tensor<?x3x8x10xf32>
  %p = tensor.insert_slice %x into %f[0, 0, 1, 1] [%n, 3, 4, 5] [1, 1, 2, 2] : tensor<?x3x4x5xf32> into tensor<?x3x8x10xf32>
  %re = tensor.empty(%n) : tensor<?x2x6x8xf32>
  %rf = linalg.fill ins(%z : f32) outs(%re : tensor<?x2x6x8xf32>) -> tensor<?x2x6x8xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<?x3x8x10xf32>, tensor<2x3x3x3xf32>) outs(%rf : tensor<?x2x6x8xf32>) -> tensor<?x2x6x8xf32>
  return %r : tensor<?x2x6x8xf32>
}

// As reduce_window of StableHLO: the window is as long as the dimension, padded in front.
func.func @cumulative_sum_by_window(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 6] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x7xf32> to tensor<3x13xf32>
  %w = tensor.empty() : tensor<1x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<3x13xf32>, tensor<1x7xf32>) outs(%f : tensor<3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// sizes: 1, 6
func.func @cumulative_product_by_loop(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %re = tensor.empty() : tensor<1x8xf32>
  %rf = linalg.fill ins(%one : f32) outs(%re : tensor<1x8xf32>) -> tensor<1x8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e, %before = %rf) -> (tensor<?x8xf32>, tensor<1x8xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %m = linalg.map { arith.mulf } ins(%s, %before : tensor<1x8xf32>, tensor<1x8xf32>) outs(%re : tensor<1x8xf32>)
    %u = tensor.insert_slice %m into %t[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    scf.yield %u, %m : tensor<?x8xf32>, tensor<1x8xf32>
  }
  return %r#0 : tensor<?x8xf32>
}

// sizes: 1, 9
func.func @argmax_kept_and_gathered(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> (tensor<1x6xi64>, tensor<1x6xf32>) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %fe = tensor.empty() : tensor<1x6xf32>
  %ie = tensor.empty() : tensor<1x6xi64>
  %ff = linalg.fill ins(%lowest : f32) outs(%fe : tensor<1x6xf32>) -> tensor<1x6xf32>
  %if = linalg.fill ins(%zero : i64) outs(%ie : tensor<1x6xi64>) -> tensor<1x6xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x6xf32>) outs(%ff, %if : tensor<1x6xf32>, tensor<1x6xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %i = linalg.index 0 : index
    %own = arith.index_cast %i : index to i64
    %most = arith.maximumf %a, %m : f32
    %is = arith.cmpf ogt, %a, %m : f32
    %new = arith.select %is, %own, %at : i64
    linalg.yield %most, %new : f32, i64
  } -> (tensor<1x6xf32>, tensor<1x6xi64>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r#1 : tensor<1x6xi64>) outs(%fe : tensor<1x6xf32>) {
  ^bb0(%at: i64, %o: f32):
    %row = arith.index_cast %at : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %y[%row, %j] : tensor<?x6xf32>
    linalg.yield %v : f32
  } -> tensor<1x6xf32>
  return %r#1, %g : tensor<1x6xi64>, tensor<1x6xf32>
}

// The divisor of a window at the edge counts what is in the image.
// sizes: 1, 3
func.func @pool_average_without_padding(%x: tensor<?x2x7x7xf32>) -> tensor<?x2x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2x7x7xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x2x7x7xf32> to tensor<?x2x9x9xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty(%n) : tensor<?x2x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %s = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<?x2x9x9xf32>, tensor<3x3xf32>) outs(%f : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<?x2x4x4xf32>) outs(%e : tensor<?x2x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %i2 = arith.muli %i, %c2 : index
    %j2 = arith.muli %j, %c2 : index
    %i0 = arith.subi %i2, %c1 : index
    %j0 = arith.subi %j2, %c1 : index
    %i1 = arith.addi %i0, %c3 : index
    %j1 = arith.addi %j0, %c3 : index
    %il = arith.maxsi %i0, %c0 : index
    %jl = arith.maxsi %j0, %c0 : index
    %ih = arith.minsi %i1, %c7 : index
    %jh = arith.minsi %j1, %c7 : index
    %id = arith.subi %ih, %il : index
    %jd = arith.subi %jh, %jl : index
    %count = arith.muli %id, %jd : index
    %ci = arith.index_cast %count : index to i64
    %cf = arith.sitofp %ci : i64 to f32
    %q = arith.divf %a, %cf : f32
    linalg.yield %q : f32
  } -> tensor<?x2x4x4xf32>
  return %r : tensor<?x2x4x4xf32>
}

// sizes: 0, 1, 5
func.func @embedding_bag(%table: tensor<7x8xf32>, %ids: tensor<?x3xi64>) -> tensor<?x8xf32> {
  %z = arith.constant 0.0 : f32
  %z64 = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i64
  %n = tensor.dim %ids, %c0 : tensor<?x3xi64>
  %e3 = tensor.empty(%n) : tensor<?x3x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<?x3xi64>) outs(%e3 : tensor<?x3x8xf32>) {
  ^bb0(%id: i64, %o: f32):
    %neg = arith.cmpi slt, %id, %z64 : i64
    %up = arith.addi %id, %c7 : i64
    %own = arith.select %neg, %up, %id : i64
    %row = arith.index_cast %own : i64 to index
    %j = linalg.index 2 : index
    %v = tensor.extract %table[%row, %j] : tensor<7x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x3x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = linalg.reduce { arith.addf } ins(%g : tensor<?x3x8xf32>) outs(%f : tensor<?x8xf32>) dimensions = [1]
  return %s : tensor<?x8xf32>
}

// sizes: 1, 6
func.func @log_sum_exp(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %we = tensor.empty(%n) : tensor<4x?xf32>
  %mf = linalg.fill ins(%lowest : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x?xf32>) outs(%mf : tensor<4xf32>) dimensions = [1]
  %inf = arith.constant 0x7F800000 : f32
  %safe = linalg.map ins(%m : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %abs = math.absf %a : f32
    %is = arith.cmpf oeq, %abs, %inf : f32
    %s = arith.select %is, %z, %a : f32
    linalg.yield %s : f32
  }
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %safe : tensor<4x?xf32>, tensor<4xf32>) outs(%we : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = math.exp %d : f32
    linalg.yield %q : f32
  } -> tensor<4x?xf32>
  %sf = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<4x?xf32>) outs(%sf : tensor<4xf32>) dimensions = [1]
  %r = linalg.map ins(%s, %safe : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %b: f32, %o: f32) {
    %l = math.log %a : f32
    %t = arith.addf %l, %b : f32
    linalg.yield %t : f32
  }
  return %r : tensor<4xf32>
}

// sizes: 1, 3
func.func @group_norm_dynamic(%x: tensor<?x6x?xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x6x?xf32> {
  %z = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x6x?xf32>
  %gx = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [%n, 2, 3, %l] : tensor<?x6x?xf32> into tensor<?x2x3x?xf32>
  %se = tensor.empty(%n) : tensor<?x2xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = linalg.reduce { arith.addf } ins(%gx : tensor<?x2x3x?xf32>) outs(%sf : tensor<?x2xf32>) dimensions = [2, 3]
  %count = arith.muli %l, %c3 : index
  %ci = arith.index_cast %count : index to i64
  %cf = arith.sitofp %ci : i64 to f32
  %mean = linalg.map ins(%s : tensor<?x2xf32>) outs(%se : tensor<?x2xf32>) (%a: f32, %o: f32) {
    %q = arith.divf %a, %cf : f32
    linalg.yield %q : f32
  }
  %ge = tensor.empty(%n, %l) : tensor<?x2x3x?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%gx, %mean : tensor<?x2x3x?xf32>, tensor<?x2xf32>) outs(%ge : tensor<?x2x3x?xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %q = arith.subf %a, %m : f32
    linalg.yield %q : f32
  } -> tensor<?x2x3x?xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%d : tensor<?x2x3x?xf32>) outs(%sf : tensor<?x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x2xf32>
  %rs = linalg.map ins(%v : tensor<?x2xf32>) outs(%se : tensor<?x2xf32>) (%a: f32, %o: f32) {
    %q = arith.divf %a, %cf : f32
    %t = arith.addf %q, %eps : f32
    %u = math.rsqrt %t : f32
    linalg.yield %u : f32
  }
  %nrm = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %rs : tensor<?x2x3x?xf32>, tensor<?x2xf32>) outs(%ge : tensor<?x2x3x?xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %q = arith.mulf %a, %m : f32
    linalg.yield %q : f32
  } -> tensor<?x2x3x?xf32>
  %flat = tensor.collapse_shape %nrm [[0], [1, 2], [3]] : tensor<?x2x3x?xf32> into tensor<?x6x?xf32>
  %e = tensor.empty(%n, %l) : tensor<?x6x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%flat, %g, %b : tensor<?x6x?xf32>, tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<?x6x?xf32>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %m : f32
    %t = arith.addf %q, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x6x?xf32>
  return %r : tensor<?x6x?xf32>
}

// sizes: 0, 1, 3
func.func @pixel_shuffle(%x: tensor<?x8x3x5xf16>) -> tensor<?x2x6x10xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x3x5xf16>
  %p = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [%n, 2, 2, 2, 3, 5] : tensor<?x8x3x5xf16> into tensor<?x2x2x2x3x5xf16>
  %e = tensor.empty(%n) : tensor<?x2x3x2x5x2xf16>
  %t = linalg.transpose ins(%p : tensor<?x2x2x2x3x5xf16>) outs(%e : tensor<?x2x3x2x5x2xf16>) permutation = [0, 1, 4, 2, 5, 3]
  %r = tensor.collapse_shape %t [[0], [1], [2, 3], [4, 5]] : tensor<?x2x3x2x5x2xf16> into tensor<?x2x6x10xf16>
  return %r : tensor<?x2x6x10xf16>
}

func.func @upsample_nearest(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x7x9xf32> {
  %sh = arith.constant 0.428571433 : f32
  %sw = arith.constant 0.444444448 : f32
  %e = tensor.empty() : tensor<1x2x7x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x2x7x9xf32>) {
  ^bb0(%o: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %a = arith.index_cast %i2 : index to i64
    %b = arith.index_cast %i3 : index to i64
    %af = arith.sitofp %a : i64 to f32
    %bf = arith.sitofp %b : i64 to f32
    %as = arith.mulf %af, %sh : f32
    %bs = arith.mulf %bf, %sw : f32
    %al = math.floor %as : f32
    %bl = math.floor %bs : f32
    %ai = arith.fptosi %al : f32 to i64
    %bi = arith.fptosi %bl : f32 to i64
    %ax = arith.index_cast %ai : i64 to index
    %bx = arith.index_cast %bi : i64 to index
    %v = tensor.extract %x[%i0, %i1, %ax, %bx] : tensor<1x2x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<1x2x7x9xf32>
  return %r : tensor<1x2x7x9xf32>
}

// sizes: 1, 3, 8
func.func @rolled(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = arith.subi %n, %c1 : index
  %last = tensor.extract_slice %x[%m, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
  %rest = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = tensor.insert_slice %last into %e[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  %b = tensor.insert_slice %rest into %a[1, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// sizes: 1, 5
func.func @rotary(%x: tensor<2x?x8xf16>, %cos: tensor<?x8xf32>, %sin: tensor<?x8xf32>) -> tensor<2x?x8xf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x8xf16>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 4] [1, 1, 1] : tensor<2x?x8xf16> to tensor<2x?x4xf16>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, %n, 4] [1, 1, 1] : tensor<2x?x8xf16> to tensor<2x?x4xf16>
  %he = tensor.empty(%n) : tensor<2x?x4xf16>
  %neg = linalg.map { arith.negf } ins(%hi : tensor<2x?x4xf16>) outs(%he : tensor<2x?x4xf16>)
  %e = tensor.empty(%n) : tensor<2x?x8xf16>
  %i0 = tensor.insert_slice %neg into %e[0, 0, 0] [2, %n, 4] [1, 1, 1] : tensor<2x?x4xf16> into tensor<2x?x8xf16>
  %i1 = tensor.insert_slice %lo into %i0[0, 0, 4] [2, %n, 4] [1, 1, 1] : tensor<2x?x4xf16> into tensor<2x?x8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %i1, %cos, %sin : tensor<2x?x8xf16>, tensor<2x?x8xf16>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<2x?x8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f32, %s: f32, %o: f16):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %p = arith.mulf %aw, %c : f32
    %q = arith.mulf %bw, %s : f32
    %t = arith.addf %p, %q : f32
    %u = arith.truncf %t : f32 to f16
    linalg.yield %u : f16
  } -> tensor<2x?x8xf16>
  return %r : tensor<2x?x8xf16>
}

func.func @concatenated_with_nothing(%x: tensor<3x4xf32>, %y: tensor<0x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %a = tensor.insert_slice %y into %e[0, 0] [0, 4] [1, 1] : tensor<0x4xf32> into tensor<3x4xf32>
  %b = tensor.insert_slice %x into %a[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<3x4xf32>
  %re = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%re : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = linalg.matmul ins(%b, %w : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func @calls_of_several_results(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>) {
  %a:2 = call @moments(%x) : (tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %e = tensor.empty() : tensor<4x6xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %a#0 : tensor<4x6xf32>, tensor<4xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %d = arith.subf %p, %q : f32
    linalg.yield %d : f32
  } -> tensor<4x6xf32>
  %b:2 = call @moments(%c) : (tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %b#1, %a#1, %c : tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>
}

func.func private @moments(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x6xf32>) outs(%f, %f : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %q = arith.mulf %a, %a : f32
    %u = arith.addf %s, %a : f32
    %v = arith.addf %t, %q : f32
    linalg.yield %u, %v : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// Bytes of an image, channels last, as numbers, channels first.
// sizes: 0, 2
func.func @image_normalised(%x: tensor<?x5x6x3xi8>, %mean: tensor<3xf32>) -> tensor<?x3x5x6xbf16> {
  %c0 = arith.constant 0 : index
  %by = arith.constant 0.00392156886 : f32
  %n = tensor.dim %x, %c0 : tensor<?x5x6x3xi8>
  %e = tensor.empty(%n) : tensor<?x3x5x6xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %mean : tensor<?x5x6x3xi8>, tensor<3xf32>) outs(%e : tensor<?x3x5x6xbf16>) {
  ^bb0(%a: i8, %m: f32, %o: bf16):
    %f = arith.uitofp %a : i8 to f32
    %s = arith.mulf %f, %by : f32
    %d = arith.subf %s, %m : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x3x5x6xbf16>
  return %r : tensor<?x3x5x6xbf16>
}

func.func @no_loops(%x: tensor<f32>, %y: tensor<i32>) -> (tensor<f32>, tensor<1x1xf32>) {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<i32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: i32, %o: f32):
    %c = arith.sitofp %b : i32 to f32
    %d = arith.mulf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %s = tensor.expand_shape %r [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %r, %s : tensor<f32>, tensor<1x1xf32>
}

func.func @argmin_of_pairs(%x: tensor<5x8xi32>, %y: tensor<5x8xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
  %big = arith.constant 1000 : i32
  %z = arith.constant 0.0 : f32
  %ie = tensor.empty() : tensor<8xi32>
  %fe = tensor.empty() : tensor<8xf32>
  %if = linalg.fill ins(%big : i32) outs(%ie : tensor<8xi32>) -> tensor<8xi32>
  %ff = linalg.fill ins(%z : f32) outs(%fe : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = linalg.reduce ins(%x, %y : tensor<5x8xi32>, tensor<5x8xf32>) outs(%if, %ff : tensor<8xi32>, tensor<8xf32>) dimensions = [0] (%a: i32, %b: f32, %p: i32, %q: f32) {
    %is = arith.cmpi slt, %a, %p : i32
    %u = arith.select %is, %a, %p : i32
    %v = arith.select %is, %b, %q : f32
    linalg.yield %u, %v : i32, f32
  }
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xf32>
}

func.func @pad_of_places(%x: tensor<4x5xf32>) -> tensor<7x8xf32> {
  %r = tensor.pad %x low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %t = arith.index_cast %s : index to i32
    %f = arith.sitofp %t : i32 to f32
    tensor.yield %f : f32
  } : tensor<4x5xf32> to tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

func.func @chained_einsum(%x: tensor<3x4x5xf32>, %y: tensor<3x5x6xf32>, %v: tensor<3x6xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, j)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, k)>, affine_map<(b, i, j, k) -> (i)>], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x, %y, %v : tensor<3x4x5xf32>, tensor<3x5x6xf32>, tensor<3x6xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @share_of_true(%x: tensor<6x9xf32>) -> (tensor<6xf32>, tensor<i64>) {
  %z = arith.constant 0.0 : f32
  %z64 = arith.constant 0 : i64
  %by = arith.constant 9.0 : f32
  %be = tensor.empty() : tensor<6x9xi1>
  %b = linalg.map ins(%x : tensor<6x9xf32>) outs(%be : tensor<6x9xi1>) (%a: f32, %o: i1) {
    %is = arith.cmpf ogt, %a, %z : f32
    linalg.yield %is : i1
  }
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<6x9xi1>) outs(%f : tensor<6xf32>) {
  ^bb0(%a: i1, %o: f32):
    %n = arith.uitofp %a : i1 to f32
    %t = arith.addf %o, %n : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.map ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) (%a: f32, %o: f32) {
    %q = arith.divf %a, %by : f32
    linalg.yield %q : f32
  }
  %ce = tensor.empty() : tensor<i64>
  %cf = linalg.fill ins(%z64 : i64) outs(%ce : tensor<i64>) -> tensor<i64>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%b : tensor<6x9xi1>) outs(%cf : tensor<i64>) {
  ^bb0(%a: i1, %o: i64):
    %n = arith.extui %a : i1 to i64
    %t = arith.addi %o, %n : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  return %m, %c : tensor<6xf32>, tensor<i64>
}

// sizes: 1, 4
func.func @lstm_cell(%gates: tensor<?x24xf32>, %c: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %gates, %c0 : tensor<?x24xf32>
  %i = tensor.extract_slice %gates[0, 0] [%n, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
  %f = tensor.extract_slice %gates[0, 6] [%n, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
  %g = tensor.extract_slice %gates[0, 12] [%n, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
  %o = tensor.extract_slice %gates[0, 18] [%n, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %new = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i, %f, %g, %c : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32, %old: f32, %out: f32):
    %na = arith.negf %a : f32
    %ea = math.exp %na : f32
    %da = arith.addf %ea, %one : f32
    %sa = arith.divf %one, %da : f32
    %nb = arith.negf %b : f32
    %eb = math.exp %nb : f32
    %db = arith.addf %eb, %one : f32
    %sb = arith.divf %one, %db : f32
    %tt = math.tanh %t : f32
    %p = arith.mulf %sb, %old : f32
    %q = arith.mulf %sa, %tt : f32
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x6xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%o, %new : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %na = arith.negf %a : f32
    %ea = math.exp %na : f32
    %da = arith.addf %ea, %one : f32
    %sa = arith.divf %one, %da : f32
    %t = math.tanh %b : f32
    %p = arith.mulf %sa, %t : f32
    linalg.yield %p : f32
  } -> tensor<?x6xf32>
  return %h, %new : tensor<?x6xf32>, tensor<?x6xf32>
}

// A convolution as a matmul of windows.
func.func @windows_as_columns(%x: tensor<2x6x6x3xf32>, %w: tensor<27x5xf32>) -> tensor<2x16x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x3x3x3xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, i, j, c) -> (n, h, w, i, j, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x6x6x3xf32>) outs(%e : tensor<2x4x4x3x3x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x4x4x3x3x3xf32>
  %m = tensor.collapse_shape %c [[0], [1, 2], [3, 4, 5]] : tensor<2x4x4x3x3x3xf32> into tensor<2x16x27xf32>
  %re = tensor.empty() : tensor<2x16x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%re : tensor<2x16x5xf32>) -> tensor<2x16x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%m, %w : tensor<2x16x27xf32>, tensor<27x5xf32>) outs(%f : tensor<2x16x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x16x5xf32>
  return %r : tensor<2x16x5xf32>
}

// sizes: 1, 5
func.func @linear_requantised(%x: tensor<?x16xi8>, %w: tensor<16x8xi8>, %b: tensor<8xi32>) -> tensor<?x8xi8> {
  %zp = arith.constant 3 : i32
  %z = arith.constant 0 : i32
  %scale = arith.constant 0.125 : f32
  %lo = arith.constant -128.0 : f32
  %hi = arith.constant 127.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xi8>
  %e = tensor.empty(%n) : tensor<?x8xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x8xi32>) -> tensor<?x8xi32>
  %p = linalg.quantized_matmul ins(%x, %w, %zp, %z : tensor<?x16xi8>, tensor<16x8xi8>, i32, i32) outs(%f : tensor<?x8xi32>) -> tensor<?x8xi32>
  %re = tensor.empty(%n) : tensor<?x8xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x8xi32>, tensor<8xi32>) outs(%re : tensor<?x8xi8>) {
  ^bb0(%a: i32, %c: i32, %o: i8):
    %s = arith.addi %a, %c : i32
    %g = arith.sitofp %s : i32 to f32
    %h = arith.mulf %g, %scale : f32
    %k = math.roundeven %h : f32
    %l = arith.maximumf %k, %lo : f32
    %m = arith.minimumf %l, %hi : f32
    %q = arith.fptosi %m : f32 to i8
    linalg.yield %q : i8
  } -> tensor<?x8xi8>
  return %r : tensor<?x8xi8>
}

func.func @reduced_and_transposed(%x: tensor<3x4x5x6xf32>) -> tensor<5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (c, a)>], iterator_types = ["parallel", "reduction", "parallel", "reduction"]} ins(%x : tensor<3x4x5x6xf32>) outs(%f : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

// sizes: 4, 7
func.func @depthwise_dynamic(%x: tensor<1x?x?x4xf32>, %w: tensor<3x2x4xf32>) -> tensor<1x?x?x4xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<1x?x?x4xf32>
  %v = tensor.dim %x, %c2 : tensor<1x?x?x4xf32>
  %p = tensor.pad %x low[0, 2, 0, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x?x?x4xf32> to tensor<1x?x?x4xf32>
  %e = tensor.empty(%h, %v) : tensor<1x?x?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x?x?x4xf32>) -> tensor<1x?x?x4xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x?x?x4xf32>, tensor<3x2x4xf32>) outs(%f : tensor<1x?x?x4xf32>) -> tensor<1x?x?x4xf32>
  return %r : tensor<1x?x?x4xf32>
}

func.func @histogram(%x: tensor<20xi32>) -> tensor<4xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<20xi32>) outs(%f : tensor<4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %own = arith.index_cast %i : index to i32
    %is = arith.cmpi eq, %a, %own : i32
    %one = arith.extui %is : i1 to i32
    %s = arith.addi %o, %one : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// sizes: 0, 1, 6
func.func @distances(%x: tensor<?x3xf32>, %y: tensor<4x3xf32>) -> tensor<?x4xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<?x3xf32>, tensor<4x3xf32>) outs(%f : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x4xf32>
  %r = linalg.map { math.sqrt } ins(%s : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>)
  return %r : tensor<?x4xf32>
}

func.func @complex_products(%x: tensor<5x2xf32>, %y: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %xr = tensor.extract_slice %x[0, 0] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
  %xi = tensor.extract_slice %x[0, 1] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
  %yr = tensor.extract_slice %y[0, 0] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
  %yi = tensor.extract_slice %y[0, 1] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%xr, %xi, %yr, %yi : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%e, %e : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32, %p: f32):
    %ac = arith.mulf %a, %c : f32
    %bd = arith.mulf %b, %d : f32
    %ad = arith.mulf %a, %d : f32
    %bc = arith.mulf %b, %c : f32
    %re = arith.subf %ac, %bd : f32
    %im = arith.addf %ad, %bc : f32
    linalg.yield %re, %im : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  %w = tensor.empty() : tensor<5x2xf32>
  %w0 = tensor.insert_slice %r#0 into %w[0, 0] [5, 1] [1, 1] : tensor<5xf32> into tensor<5x2xf32>
  %w1 = tensor.insert_slice %r#1 into %w0[0, 1] [5, 1] [1, 1] : tensor<5xf32> into tensor<5x2xf32>
  return %w1 : tensor<5x2xf32>
}

// Masked rows have no element, and are no numbers.
// sizes: 1, 4
func.func @softmax_of_masked(%x: tensor<?x3x?xf32>, %mask: tensor<?x?xi1>) -> tensor<?x3x?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x3x?xf32>
  %e = tensor.empty(%n, %l) : tensor<?x3x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mask : tensor<?x3x?xf32>, tensor<?x?xi1>) outs(%e : tensor<?x3x?xf32>) {
  ^bb0(%a: f32, %m: i1, %o: f32):
    %v = arith.select %m, %a, %lowest : f32
    linalg.yield %v : f32
  } -> tensor<?x3x?xf32>
  %re = tensor.empty(%n) : tensor<?x3xf32>
  %mf = linalg.fill ins(%lowest : f32) outs(%re : tensor<?x3xf32>) -> tensor<?x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<?x3x?xf32>) outs(%mf : tensor<?x3xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<?x3x?xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = math.exp %d : f32
    linalg.yield %q : f32
  } -> tensor<?x3x?xf32>
  %tf = linalg.fill ins(%z : f32) outs(%re : tensor<?x3xf32>) -> tensor<?x3xf32>
  %t = linalg.reduce { arith.addf } ins(%p : tensor<?x3x?xf32>) outs(%tf : tensor<?x3xf32>) dimensions = [2]
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %t : tensor<?x3x?xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

// As JAX writes `fori_loop`: the counter is a tensor of rank 0.
func.func @counted_loop(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %six = arith.constant dense<6> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %z = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %zero, %t = %x) : (tensor<i32>, tensor<6x8xf32>) -> (tensor<i32>, tensor<6x8xf32>) {
    %be = tensor.empty() : tensor<i1>
    %less = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i, %six : tensor<i32>, tensor<i32>) outs(%be : tensor<i1>) {
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
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %p = linalg.matmul ins(%s, %w : tensor<1x8xf32>, tensor<8x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
    %u = tensor.insert_slice %p into %t[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    %ie = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i, %one : tensor<i32>, tensor<i32>) outs(%ie : tensor<i32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %c = arith.addi %a, %b : i32
      linalg.yield %c : i32
    } -> tensor<i32>
    scf.yield %next, %u : tensor<i32>, tensor<6x8xf32>
  }
  return %r#1 : tensor<6x8xf32>
}
