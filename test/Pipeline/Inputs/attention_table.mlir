// JAX's attention with a bias from a table by distance (T5), which is gathered once, not for each score.
module @table {
  func.func public @main(%arg0: tensor<2x48x4x64xbf16>, %arg1: tensor<2x48x4x64xbf16>, %arg2: tensor<2x48x4x64xbf16>, %arg3: tensor<32x4xf32>, %arg4: tensor<48x48xi32>) -> tensor<2x48x4x64xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x4x48x64xbf16>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x48x4x64xbf16>) outs(%0 : tensor<2x4x48x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x48x64xbf16>
    %2 = tensor.empty() : tensor<2x4x64x48xbf16>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x48x4x64xbf16>) outs(%2 : tensor<2x4x64x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x64x48xbf16>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x4x48x64xbf16> into tensor<8x48x64xbf16>
    %collapsed_2 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x64x48xbf16> into tensor<8x64x48xbf16>
    %4 = tensor.empty() : tensor<8x48x48xf32>
    %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<8x48x48xf32>) -> tensor<8x48x48xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_2 : tensor<8x48x64xbf16>, tensor<8x64x48xbf16>) outs(%5 : tensor<8x48x48xf32>) -> tensor<8x48x48xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [2, 4, 48, 48] : tensor<8x48x48xf32> into tensor<2x4x48x48xf32>
    %expanded_3 = tensor.expand_shape %arg4 [[0], [1, 2]] output_shape [48, 48, 1] : tensor<48x48xi32> into tensor<48x48x1xi32>
    %7 = tensor.empty() : tensor<48x48x1x4xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<48x48x1xi32>) outs(%7 : tensor<48x48x1x4xf32>) {
    ^bb0(%in: i32, %out: f32):
      %42 = arith.index_cast %in : i32 to index
      %43 = linalg.index 3 : index
      %extracted = tensor.extract %arg3[%42, %43] : tensor<32x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<48x48x1x4xf32>
    %collapsed_4 = tensor.collapse_shape %8 [[0], [1], [2, 3]] : tensor<48x48x1x4xf32> into tensor<48x48x4xf32>
    %9 = tensor.empty() : tensor<4x48x48xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_4 : tensor<48x48x4xf32>) outs(%9 : tensor<4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x48x48xf32>
    %11 = tensor.empty() : tensor<2x4x48x48xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<4x48x48xf32>) outs(%11 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %13 = tensor.empty() : tensor<2x4x48x48xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %12 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%13 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %42 = arith.addf %in, %in_8 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %15 = tensor.empty() : tensor<2x4x48xf32>
    %16 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x4x48x48xf32>) outs(%16 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.maximumf %out, %in : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48xf32>
    %18 = tensor.empty() : tensor<2x4x48x48xf32>
    %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x48xf32>) outs(%18 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %20 = tensor.empty() : tensor<2x4x48x48xf32>
    %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %19 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%20 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %42 = arith.subf %in, %in_8 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %22 = tensor.empty() : tensor<2x4x48x48xf32>
    %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x48x48xf32>) outs(%22 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = math.exp %in : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %24 = tensor.empty() : tensor<2x4x48xf32>
    %25 = linalg.fill ins(%cst_1 : f32) outs(%24 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x4x48x48xf32>) outs(%25 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %out, %in : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48xf32>
    %27 = tensor.empty() : tensor<2x4x48x48xf32>
    %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x48xf32>) outs(%27 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %29 = tensor.empty() : tensor<2x4x48x48xf32>
    %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %28 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%29 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %42 = arith.divf %in, %in_8 : f32
      linalg.yield %42 : f32
    } -> tensor<2x4x48x48xf32>
    %31 = tensor.empty() : tensor<2x4x48x48xbf16>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x4x48x48xf32>) outs(%31 : tensor<2x4x48x48xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %42 = arith.truncf %in : f32 to bf16
      linalg.yield %42 : bf16
    } -> tensor<2x4x48x48xbf16>
    %33 = tensor.empty() : tensor<2x4x64x48xbf16>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x48x4x64xbf16>) outs(%33 : tensor<2x4x64x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x64x48xbf16>
    %35 = tensor.empty() : tensor<2x4x48x48xbf16>
    %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x4x48x48xbf16>) outs(%35 : tensor<2x4x48x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x48x48xbf16>
    %collapsed_5 = tensor.collapse_shape %34 [[0, 1], [2], [3]] : tensor<2x4x64x48xbf16> into tensor<8x64x48xbf16>
    %collapsed_6 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<2x4x48x48xbf16> into tensor<8x48x48xbf16>
    %37 = tensor.empty() : tensor<8x64x48xbf16>
    %38 = linalg.fill ins(%cst : bf16) outs(%37 : tensor<8x64x48xbf16>) -> tensor<8x64x48xbf16>
    %39 = linalg.batch_matmul ins(%collapsed_5, %collapsed_6 : tensor<8x64x48xbf16>, tensor<8x48x48xbf16>) outs(%38 : tensor<8x64x48xbf16>) -> tensor<8x64x48xbf16>
    %expanded_7 = tensor.expand_shape %39 [[0, 1], [2], [3]] output_shape [2, 4, 64, 48] : tensor<8x64x48xbf16> into tensor<2x4x64x48xbf16>
    %40 = tensor.empty() : tensor<2x48x4x64xbf16>
    %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7 : tensor<2x4x64x48xbf16>) outs(%40 : tensor<2x48x4x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x48x4x64xbf16>
    return %41 : tensor<2x48x4x64xbf16>
  }
}