// Contractions: named operations, maps, types, what is in the body.

func.func @matmul_transposed_dynamic(%x: tensor<?x7xf32>, %w: tensor<7x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %k = tensor.cast %e : tensor<7x5xf32> to tensor<7x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x7xf32>) outs(%k : tensor<7x?xf32>) permutation = [1, 0]
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%t, %w : tensor<7x?xf32>, tensor<7x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @vecmat(%x: tensor<9xf32>, %w: tensor<9x5xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.vecmat ins(%x, %w : tensor<9xf32>, tensor<9x5xf32>) outs(%c : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @batch_matvec(%x: tensor<3x4x9xf32>, %w: tensor<3x9xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.batch_matvec ins(%x, %w : tensor<3x4x9xf32>, tensor<3x9xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @batch_reduce(%x: tensor<3x4x9xf32>, %w: tensor<3x9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%x, %w : tensor<3x4x9xf32>, tensor<3x9x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @dot(%x: tensor<31xf32>, %w: tensor<31xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%x, %w : tensor<31xf32>, tensor<31xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @mmt4d(%x: tensor<2x3x4x2xf32>, %w: tensor<5x3x3x2xf32>, %c: tensor<2x5x4x3xf32>) -> tensor<2x5x4x3xf32> {
  %r = linalg.mmt4d ins(%x, %w : tensor<2x3x4x2xf32>, tensor<5x3x3x2xf32>) outs(%c : tensor<2x5x4x3xf32>) -> tensor<2x5x4x3xf32>
  return %r : tensor<2x5x4x3xf32>
}

func.func @mixed_i8_f32(%x: tensor<4x9xi8>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xi8>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @unsigned(%x: tensor<4x9xi8>, %w: tensor<9x5xi8>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<4x9xi8>, tensor<9x5xi8>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func @k_of_zero(%x: tensor<4x0xf32>, %w: tensor<0x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x0xf32>, tensor<0x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @ones(%x: tensor<1x1x1xf32>, %w: tensor<1x1x1xf32>, %c: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %r = linalg.batch_matmul ins(%x, %w : tensor<1x1x1xf32>, tensor<1x1x1xf32>) outs(%c : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}

func.func @diagonal_product(%x: tensor<7x7xf32>, %w: tensor<7x4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<7x7xf32>, tensor<7x4xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @strided_product(%x: tensor<16x6xf32>, %w: tensor<6x5xf32>, %c: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m * 2, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x6xf32>, tensor<6x5xf32>) outs(%c : tensor<8x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

func.func @shifted_product(%x: tensor<9x6xf32>, %w: tensor<6x5xf32>, %c: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m + 1, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<9x6xf32>, tensor<6x5xf32>) outs(%c : tensor<8x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

func.func @same_operand(%x: tensor<6x9xf32>, %c: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %e = tensor.empty() : tensor<9x6xf32>
  %t = linalg.transpose ins(%x : tensor<6x9xf32>) outs(%e : tensor<9x6xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<6x9xf32>, tensor<9x6xf32>) outs(%c : tensor<6x6xf32>) -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @transpose_read_twice(%x: tensor<8x16xf32>, %y: tensor<8x4xf32>, %c: tensor<16x4xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
  %p = linalg.matmul ins(%t, %y : tensor<16x8xf32>, tensor<8x4xf32>) outs(%c : tensor<16x4xf32>) -> tensor<16x4xf32>
  %s = tensor.extract_slice %p[0, 0] [16, 1] [1, 1] : tensor<16x4xf32> to tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t, %s : tensor<16x8xf32>, tensor<16xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

func.func @product_of_i16(%x: tensor<4x9xi16>, %w: tensor<9x5xi16>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xi16>, tensor<9x5xi16>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func @max_plus(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.addf %a, %b : f32
    %s = arith.maximumf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @collapse_of_transpose(%x: tensor<4x3x2x8xf32>, %w: tensor<16x5xf32>, %c: tensor<12x5xf32>) -> tensor<12x5xf32> {
  %e = tensor.empty() : tensor<3x4x8x2xf32>
  %t = linalg.transpose ins(%x : tensor<4x3x2x8xf32>) outs(%e : tensor<3x4x8x2xf32>) permutation = [1, 0, 3, 2]
  %a = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<3x4x8x2xf32> into tensor<12x16xf32>
  %r = linalg.matmul ins(%a, %w : tensor<12x16xf32>, tensor<16x5xf32>) outs(%c : tensor<12x5xf32>) -> tensor<12x5xf32>
  return %r : tensor<12x5xf32>
}

func.func @contract_maps(%x: tensor<3x4x7xf32>, %w: tensor<7x3x5xf32>, %c: tensor<5x4x3xf32>) -> tensor<5x4x3xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, b, n)>, affine_map<(b, m, n, k) -> (n, m, b)>]
    ins(%x, %w : tensor<3x4x7xf32>, tensor<7x3x5xf32>) outs(%c : tensor<5x4x3xf32>) -> tensor<5x4x3xf32>
  return %r : tensor<5x4x3xf32>
}

func.func @contract_i8(%x: tensor<4x9xi8>, %w: tensor<9x5xi8>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<4x9xi8>, tensor<9x5xi8>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// A row of A for all of M.
func.func @matmul_broadcast_a(%x: tensor<9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @matmul_broadcast_both(%x: tensor<9xf32>, %w: tensor<9xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<9xf32>, tensor<9xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @batch_broadcast_b(%x: tensor<3x4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%x, %w : tensor<3x4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func @batch_vecmat(%x: tensor<3x9xf32>, %w: tensor<3x9x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.batch_vecmat ins(%x, %w : tensor<3x9xf32>, tensor<3x9x4xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @batch_mmt4d(%x: tensor<2x2x3x4x2xf32>, %w: tensor<2x5x3x3x2xf32>, %c: tensor<2x2x5x4x3xf32>) -> tensor<2x2x5x4x3xf32> {
  %r = linalg.batch_mmt4d ins(%x, %w : tensor<2x2x3x4x2xf32>, tensor<2x5x3x3x2xf32>) outs(%c : tensor<2x2x5x4x3xf32>) -> tensor<2x2x5x4x3xf32>
  return %r : tensor<2x2x5x4x3xf32>
}

func.func @quantized(%x: tensor<4x9xi8>, %w: tensor<9x5xi8>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -2 : i32
  %r = linalg.quantized_matmul ins(%x, %w, %a, %b : tensor<4x9xi8>, tensor<9x5xi8>, i32, i32) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func @quantized_batch(%x: tensor<2x4x9xi8>, %w: tensor<2x9x5xi8>, %c: tensor<2x4x5xi32>, %a: i32, %b: i32) -> tensor<2x4x5xi32> {
  %r = linalg.quantized_batch_matmul ins(%x, %w, %a, %b : tensor<2x4x9xi8>, tensor<2x9x5xi8>, i32, i32) outs(%c : tensor<2x4x5xi32>) -> tensor<2x4x5xi32>
  return %r : tensor<2x4x5xi32>
}

// sizes: 0, 1, 5, 130
func.func @matvec_dynamic(%x: tensor<?x9xf32>, %w: tensor<9xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%x, %w : tensor<?x9xf32>, tensor<9xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// sizes: 0, 1, 5, 130
func.func @dot_dynamic(%x: tensor<?xf16>, %w: tensor<?xf16>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%x, %w : tensor<?xf16>, tensor<?xf16>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// sizes: 0, 1, 5, 130
func.func @all_dynamic(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// sizes: 0, 1, 5, 130
func.func @batch_dynamic_bf16(%x: tensor<?x3x?xbf16>, %w: tensor<?x?x8xbf16>, %c: tensor<?x3x8xf32>) -> tensor<?x3x8xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<?x3x8xf32>) -> tensor<?x3x8xf32>
  %r = linalg.batch_matmul ins(%x, %w : tensor<?x3x?xbf16>, tensor<?x?x8xbf16>) outs(%f : tensor<?x3x8xf32>) -> tensor<?x3x8xf32>
  return %r : tensor<?x3x8xf32>
}

// The product is taken away.
func.func @minus_product(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.subf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// The old result is subtracted from the product: an alternating sum.
func.func @product_minus(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.subf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @scaled_inside(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %two = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %two : f32
    %m = arith.mulf %t, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @relu_inside(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.maximumf %a, %z : f32
    %m = arith.mulf %t, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @triangular_inside(%x: tensor<9x9xf32>, %w: tensor<9x5xf32>, %c: tensor<9x5xf32>) -> tensor<9x5xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<9x9xf32>, tensor<9x5xf32>) outs(%c : tensor<9x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %below = arith.cmpi ule, %k, %i : index
    %m = arith.mulf %a, %b : f32
    %t = arith.select %below, %m, %z : f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  } -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}

func.func @three_factors(%x: tensor<4x9xf32>, %y: tensor<9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %y, %w : tensor<4x9xf32>, tensor<9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.mulf %m, %d : f32
    %s = arith.addf %o, %n : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @two_sums(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>, %d: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c, %d : tensor<4x5xf32>, tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    %t = arith.addf %p, %a : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return %r#0, %r#1 : tensor<4x5xf32>, tensor<4x5xf32>
}

func.func @squares(%x: tensor<4x9xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %x : tensor<4x9xf32>, tensor<4x9xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @outer(%x: tensor<33xf32>, %w: tensor<65xf32>, %c: tensor<33x65xf32>) -> tensor<33x65xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %w : tensor<33xf32>, tensor<65xf32>) outs(%c : tensor<33x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<33x65xf32>
  return %r : tensor<33x65xf32>
}

func.func @kronecker(%x: tensor<3x4xf32>, %w: tensor<5x2xf32>) -> tensor<15x8xf32> {
  %e = tensor.empty() : tensor<3x5x4x2xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, c)>, affine_map<(a, b, c, d) -> (b, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %w : tensor<3x4xf32>, tensor<5x2xf32>) outs(%e : tensor<3x5x4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<3x5x4x2xf32>
  %r = tensor.collapse_shape %k [[0, 1], [2, 3]] : tensor<3x5x4x2xf32> into tensor<15x8xf32>
  return %r : tensor<15x8xf32>
}

func.func @trace_of_product(%x: tensor<8x9xf32>, %w: tensor<9x8xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%x, %w : tensor<8x9xf32>, tensor<9x8xf32>) outs(%c : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @i1_product(%x: tensor<4x9xi1>, %w: tensor<9x5xi1>, %c: tensor<4x5xi1>) -> tensor<4x5xi1> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xi1>, tensor<9x5xi1>) outs(%c : tensor<4x5xi1>) -> tensor<4x5xi1>
  return %r : tensor<4x5xi1>
}

func.func @i64_product(%x: tensor<4x9xi64>, %w: tensor<9x5xi64>, %c: tensor<4x5xi64>) -> tensor<4x5xi64> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xi64>, tensor<9x5xi64>) outs(%c : tensor<4x5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func @f16_accumulated(%x: tensor<16x32xf16>, %w: tensor<32x24xf16>, %c: tensor<16x24xf16>) -> tensor<16x24xf16> {
  %r = linalg.matmul ins(%x, %w : tensor<16x32xf16>, tensor<32x24xf16>) outs(%c : tensor<16x24xf16>) -> tensor<16x24xf16>
  return %r : tensor<16x24xf16>
}

func.func @f32_to_f64(%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

func.func @f64_to_f32(%x: tensor<4x9xf64>, %w: tensor<9x5xf64>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xf64>, tensor<9x5xf64>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @bf16_i8(%x: tensor<4x9xbf16>, %w: tensor<9x5xi8>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x9xbf16>, tensor<9x5xi8>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @unsigned_to_float(%x: tensor<4x9xi8>, %w: tensor<9x5xi8>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<4x9xi8>, tensor<9x5xi8>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @chain(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %z: tensor<24x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x24xf32>) -> tensor<16x24xf32>
  %p = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f : tensor<16x24xf32>) -> tensor<16x24xf32>
  %g = tensor.empty() : tensor<16x8xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<16x8xf32>) -> tensor<16x8xf32>
  %r = linalg.matmul ins(%p, %z : tensor<16x24xf32>, tensor<24x8xf32>) outs(%h : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// The init of one product is the result of another, which is read again.
func.func @accumulated_twice(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %c: tensor<16x24xf32>) -> (tensor<16x24xf32>, tensor<16x24xf32>) {
  %p = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%c : tensor<16x24xf32>) -> tensor<16x24xf32>
  %r = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%p : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %p, %r : tensor<16x24xf32>, tensor<16x24xf32>
}

// The init is an operand, too.
func.func @init_is_operand(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

func.func @filled_with_argument(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %s: f32) -> tensor<16x24xf32> {
  %e = tensor.empty() : tensor<16x24xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<16x24xf32>) -> tensor<16x24xf32>
  %r = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %r : tensor<16x24xf32>
}

func.func @bias_as_init(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %b: tensor<24xf32>) -> tensor<16x24xf32> {
  %e = tensor.empty() : tensor<16x24xf32>
  %f = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : tensor<16x24xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %r : tensor<16x24xf32>
}

func.func @product_before_compare(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %c: tensor<16x24xf32>) -> tensor<16x24xi32> {
  %p = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%c : tensor<16x24xf32>) -> tensor<16x24xf32>
  %e = tensor.empty() : tensor<16x24xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<16x24xf32>) outs(%e : tensor<16x24xi32>) {
  ^bb0(%a: f32, %o: i32):
    %z = arith.constant 0.0 : f32
    %b = arith.cmpf ogt, %a, %z : f32
    %i = arith.extui %b : i1 to i32
    linalg.yield %i : i32
  } -> tensor<16x24xi32>
  return %r : tensor<16x24xi32>
}

// A product whose result is transposed after it, and one read both ways.
func.func @product_transposed(%x: tensor<16x32xf32>, %y: tensor<32x24xf32>, %c: tensor<16x24xf32>) -> (tensor<24x16xf32>, tensor<16x24xf32>) {
  %p = linalg.matmul ins(%x, %y : tensor<16x32xf32>, tensor<32x24xf32>) outs(%c : tensor<16x24xf32>) -> tensor<16x24xf32>
  %e = tensor.empty() : tensor<24x16xf32>
  %r = linalg.transpose ins(%p : tensor<16x24xf32>) outs(%e : tensor<24x16xf32>) permutation = [1, 0]
  return %r, %p : tensor<24x16xf32>, tensor<16x24xf32>
}

func.func @einsum(%x: tensor<2x3x4x5xf32>, %w: tensor<5x6x3x2xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, p, q, s) -> (p, q, i, s)>, affine_map<(i, j, p, q, s) -> (s, j, q, p)>, affine_map<(i, j, p, q, s) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x3x4x5xf32>, tensor<5x6x3x2xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s1 = arith.addf %o, %m : f32
    linalg.yield %s1 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// One dimension is summed in one operand alone.
func.func @summed_alone(%x: tensor<4x9x3xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<4x9x3xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Two halves of a product that meet after it, with a bias between: a gated unit.
func.func @gated_halves(%x: tensor<512x3xf32>, %w: tensor<3x8192xf32>, %y: tensor<8192xf32>) -> tensor<512x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x8192xf32>) -> tensor<512x8192xf32>
  %p = linalg.matmul ins(%x, %w : tensor<512x3xf32>, tensor<3x8192xf32>) outs(%f : tensor<512x8192xf32>) -> tensor<512x8192xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<512x8192xf32>, tensor<8192xf32>) outs(%e : tensor<512x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<512x8192xf32>
  %g = tensor.extract_slice %h[0, 0] [512, 4096] [1, 1] : tensor<512x8192xf32> to tensor<512x4096xf32>
  %u = tensor.extract_slice %h[0, 4096] [512, 4096] [1, 1] : tensor<512x8192xf32> to tensor<512x4096xf32>
  %e1 = tensor.empty() : tensor<512x4096xf32>
  %r = linalg.mul ins(%g, %u : tensor<512x4096xf32>, tensor<512x4096xf32>) outs(%e1 : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  return %r : tensor<512x4096xf32>
}

// A bias as the initial accumulator: of columns, of rows, of columns in another order of loops, and one with an epilogue after it.
func.func @starts_with_bias_of_columns(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>, %bias: tensor<5xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %i = linalg.broadcast ins(%bias : tensor<5xf32>) outs(%e : tensor<6x5xf32>) dimensions = [0]
  %r = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%i : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

func.func @starts_with_bias_of_rows(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>, %bias: tensor<6xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %i = linalg.broadcast ins(%bias : tensor<6xf32>) outs(%e : tensor<6x5xf32>) dimensions = [1]
  %r = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%i : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

func.func @starts_with_bias_in_another_order(%a: tensor<?x8xf32>, %b: tensor<8x5xf32>, %bias: tensor<5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(j, i) -> (j)>, affine_map<(j, i) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<5xf32>) outs(%e : tensor<?x5xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<?x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x5xf32>) outs(%i : tensor<?x5xf32>) -> tensor<?x5xf32>
  %s = linalg.abs ins(%bias : tensor<5xf32>) outs(%bias : tensor<5xf32>) -> tensor<5xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%r, %s : tensor<?x5xf32>, tensor<5xf32>) outs(%e : tensor<?x5xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<?x5xf32>
  return %t : tensor<?x5xf32>
}

// A broadcast that is the initial accumulator of one matmul and the operand of another.
func.func @starts_and_is_read(%a: tensor<6x8xf32>, %b: tensor<8x8xf32>, %bias: tensor<8xf32>) -> tensor<6x8xf32> {
  %z = arith.constant dense<0.0> : tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %i = linalg.broadcast ins(%bias : tensor<8xf32>) outs(%e : tensor<6x8xf32>) dimensions = [0]
  %r = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  %s = linalg.matmul ins(%i, %b : tensor<6x8xf32>, tensor<8x8xf32>) outs(%z : tensor<6x8xf32>) -> tensor<6x8xf32>
  %t = linalg.add ins(%r, %s : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %t : tensor<6x8xf32>
}

// Constants as the start: zeros, and ones.
func.func @starts_with_zeros(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>) -> tensor<6x5xf32> {
  %z = arith.constant dense<0.0> : tensor<6x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%z : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

func.func @starts_with_ones(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>) -> tensor<6x5xf32> {
  %z = arith.constant dense<1.0> : tensor<6x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%z : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

func.func @weights_converted(%x: tensor<20x72xbf16>, %w: tensor<72x136xi8>, %scale: tensor<136xf32>) -> tensor<20x136xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72x136xbf16>
  %wide = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<72x136xi8>) outs(%e : tensor<72x136xbf16>) {
  ^bb0(%a: i8, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    linalg.yield %f : bf16
  } -> tensor<72x136xbf16>
  %c = tensor.empty() : tensor<20x136xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<20x136xf32>) -> tensor<20x136xf32>
  %p = linalg.matmul ins(%x, %wide : tensor<20x72xbf16>, tensor<72x136xbf16>) outs(%init : tensor<20x136xf32>) -> tensor<20x136xf32>
  %r = tensor.empty() : tensor<20x136xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p, %scale : tensor<20x136xf32>, tensor<136xf32>) outs(%r : tensor<20x136xbf16>) {
  ^bb0(%v: f32, %s: f32, %old: bf16):
    %m = arith.mulf %v, %s : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<20x136xbf16>
  return %y : tensor<20x136xbf16>
}

func.func @cache_of_8_bits(%q: tensor<2x16x64xf16>, %k: tensor<2x130x64xi8>, %c: tensor<2x16x130xf32>) -> tensor<2x16x130xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x16x64xf16>, tensor<2x130x64xi8>) outs(%c : tensor<2x16x130xf32>) {
  ^bb0(%a: f16, %b: i8, %old: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.sitofp %b : i8 to f32
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %old, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x16x130xf32>
  return %p : tensor<2x16x130xf32>
}

func.func @elu(%x: tensor<17x24xf16>, %w: tensor<24x40xf16>) -> tensor<17x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<17x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<17x40xf32>) -> tensor<17x40xf32>
  %p = linalg.matmul ins(%x, %w : tensor<17x24xf16>, tensor<24x40xf16>) outs(%init : tensor<17x40xf32>) -> tensor<17x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<17x40xf32>) outs(%c : tensor<17x40xf32>) {
  ^bb0(%v: f32, %old: f32):
    %is = arith.cmpf ogt, %v, %zero : f32
    %power = math.expm1 %v : f32
    %square = arith.mulf %power, %power : f32
    %log = math.log1p %square : f32
    %sum = arith.addf %power, %log : f32
    %r = arith.select %is, %v, %sum : f32
    linalg.yield %r : f32
  } -> tensor<17x40xf32>
  return %y : tensor<17x40xf32>
}

func.func @leaky_by_condition(%x: tensor<24x16xbf16>, %w: tensor<16x40xbf16>, %c: tensor<24x40xf32>) -> tensor<2x12x40xbf16> {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.25 : f32
  %p = linalg.matmul ins(%x, %w : tensor<24x16xbf16>, tensor<16x40xbf16>) outs(%c : tensor<24x40xf32>) -> tensor<24x40xf32>
  %q = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 12, 40] : tensor<24x40xf32> into tensor<2x12x40xf32>
  %eb = tensor.empty() : tensor<2x12x40xi1>
  %b = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x12x40xf32>) outs(%eb : tensor<2x12x40xi1>) {
  ^bb0(%a: f32, %old: i1):
    %is = arith.cmpf oge, %a, %zero : f32
    linalg.yield %is : i1
  } -> tensor<2x12x40xi1>
  %e = tensor.empty() : tensor<2x12x40xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x12x40xf32>) outs(%e : tensor<2x12x40xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.mulf %a, %slope : f32
    linalg.yield %s : f32
  } -> tensor<2x12x40xf32>
  %r = linalg.select ins(%b, %q, %m : tensor<2x12x40xi1>, tensor<2x12x40xf32>, tensor<2x12x40xf32>) outs(%e : tensor<2x12x40xf32>) -> tensor<2x12x40xf32>
  %n = tensor.empty() : tensor<2x12x40xbf16>
  %t = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<2x12x40xf32>) outs(%n : tensor<2x12x40xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %s = arith.truncf %a : f32 to bf16
    linalg.yield %s : bf16
  } -> tensor<2x12x40xbf16>
  return %t : tensor<2x12x40xbf16>
}

func.func @bias_of_16_bits_as_init(%x: tensor<20x16xf16>, %w: tensor<16x24xf16>, %b: tensor<24xf16>) -> tensor<20x24xf32> {
  %eb = tensor.empty() : tensor<24xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%b : tensor<24xf16>) outs(%eb : tensor<24xf32>) {
  ^bb0(%a: f16, %old: f32):
    %f = arith.extf %a : f16 to f32
    linalg.yield %f : f32
  } -> tensor<24xf32>
  %e = tensor.empty() : tensor<20x24xf32>
  %start = linalg.broadcast ins(%wide : tensor<24xf32>) outs(%e : tensor<20x24xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %w : tensor<20x16xf16>, tensor<16x24xf16>) outs(%start : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %r : tensor<20x24xf32>
}

func.func @silu_in_16_bits(%x: tensor<20x16xf16>, %w: tensor<16x24xf16>) -> tensor<20x24xf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<20x24xf32>
  %n = tensor.empty() : tensor<20x24xf16>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>
  %p = linalg.matmul ins(%x, %w : tensor<20x16xf16>, tensor<16x24xf16>) outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<20x24xf32>) outs(%n : tensor<20x24xf16>) {
  ^bb0(%a: f32, %old: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<20x24xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<20x24xf16>) outs(%n : tensor<20x24xf16>) {
  ^bb0(%a: f16, %old: f16):
    %minus = arith.negf %a : f16
    %power = math.exp %minus : f16
    %sum = arith.addf %power, %one : f16
    %gate = arith.divf %one, %sum : f16
    %y = arith.mulf %a, %gate : f16
    linalg.yield %y : f16
  } -> tensor<20x24xf16>
  return %r : tensor<20x24xf16>
}
