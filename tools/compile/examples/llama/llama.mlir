#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3, d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2, d1)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2, d0)>
#map17 = affine_map<() -> ()>
#map18 = affine_map<(d0) -> ()>
#map19 = affine_map<(d0, d1, d2, d3) -> (d3)>
module {
  func.func public @prefill(%arg0: tensor<32x256xbf16>, %arg1: tensor<256xbf16>, %arg2: tensor<256x256xbf16>, %arg3: tensor<256x128xbf16>, %arg4: tensor<256x128xbf16>, %arg5: tensor<256x256xbf16>, %arg6: tensor<256xbf16>, %arg7: tensor<256x512xbf16>, %arg8: tensor<256x512xbf16>, %arg9: tensor<512x256xbf16>, %arg10: tensor<256xbf16>, %arg11: tensor<256x256xbf16>, %arg12: tensor<256x128xbf16>, %arg13: tensor<256x128xbf16>, %arg14: tensor<256x256xbf16>, %arg15: tensor<256xbf16>, %arg16: tensor<256x512xbf16>, %arg17: tensor<256x512xbf16>, %arg18: tensor<512x256xbf16>, %arg19: tensor<256xbf16>, %arg20: tensor<256x1024xbf16>) -> (tensor<1x1024xf32>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant -1.000000e+30 : f32
    %cst_2 = arith.constant 1.250000e-01 : f32
    %cst_3 = arith.constant -0.287823141 : f32
    %cst_4 = arith.constant 9.99999974E-6 : f32
    %cst_5 = arith.constant 2.560000e+02 : f32
    %cst_6 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<32xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<32xi32>) {
    ^bb0(%out: i32):
      %225 = linalg.index 0 : index
      %226 = arith.index_cast %225 : index to i32
      linalg.yield %226 : i32
    } -> tensor<32xi32>
    %2 = tensor.empty() : tensor<32x256xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %5 = tensor.empty() : tensor<32xf32>
    %6 = linalg.fill ins(%cst_6 : f32) outs(%5 : tensor<32xf32>) -> tensor<32xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<32x256xf32>) outs(%6 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32xf32>
    %expanded = tensor.expand_shape %7 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %8 = tensor.empty() : tensor<32x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.divf %in, %cst_5 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst_4 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.rsqrt %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<32x1xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %12 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %14 = tensor.empty() : tensor<32x256xbf16>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %16 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x256xbf16>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.mulf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %18 = linalg.fill ins(%cst_6 : f32) outs(%2 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %19 = linalg.matmul ins(%17, %arg2 : tensor<32x256xbf16>, tensor<256x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %expanded_7 = tensor.expand_shape %21 [[0], [1, 2]] output_shape [32, 4, 64] : tensor<32x256xf32> into tensor<32x4x64xf32>
    %22 = tensor.empty() : tensor<1x32xf32>
    %23 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%22 : tensor<1x32xf32>) {
    ^bb0(%out: f32):
      %225 = linalg.index 1 : index
      %226 = arith.index_cast %225 : index to i32
      %227 = arith.sitofp %226 : i32 to f32
      linalg.yield %227 : f32
    } -> tensor<1x32xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<1x32xf32>) outs(%22 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %cst_3 : f32
      linalg.yield %225 : f32
    } -> tensor<1x32xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<1x32xf32>) outs(%22 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.exp %in : f32
      linalg.yield %225 : f32
    } -> tensor<1x32xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<32xi32>) outs(%5 : tensor<32xf32>) {
    ^bb0(%in: i32, %out: f32):
      %225 = arith.sitofp %in : i32 to f32
      linalg.yield %225 : f32
    } -> tensor<32xf32>
    %27 = tensor.empty() : tensor<32x32xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<32xf32>) outs(%27 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x32xf32>
    %29 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<1x32xf32>) outs(%27 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x32xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28, %29 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%27 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x32xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<32x32xf32>) outs(%27 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.cos %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x32xf32>
    %32 = tensor.empty() : tensor<32x64xf32>
    %inserted_slice = tensor.insert_slice %31 into %32[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
    %inserted_slice_8 = tensor.insert_slice %31 into %inserted_slice[0, 32] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<32x32xf32>) outs(%27 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.sin %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x32xf32>
    %inserted_slice_9 = tensor.insert_slice %33 into %32[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
    %inserted_slice_10 = tensor.insert_slice %33 into %inserted_slice_9[0, 32] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<32x64xf32>
    %extracted_slice = tensor.extract_slice %expanded_7[0, 0, 32] [32, 4, 32] [1, 1, 1] : tensor<32x4x64xf32> to tensor<32x4x32xf32>
    %34 = tensor.empty() : tensor<32x4x32xf32>
    %35 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<32x4x32xf32>) outs(%34 : tensor<32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x32xf32>
    %extracted_slice_11 = tensor.extract_slice %expanded_7[0, 0, 0] [32, 4, 32] [1, 1, 1] : tensor<32x4x64xf32> to tensor<32x4x32xf32>
    %36 = tensor.empty() : tensor<32x4x64xf32>
    %inserted_slice_12 = tensor.insert_slice %35 into %36[0, 0, 0] [32, 4, 32] [1, 1, 1] : tensor<32x4x32xf32> into tensor<32x4x64xf32>
    %inserted_slice_13 = tensor.insert_slice %extracted_slice_11 into %inserted_slice_12[0, 0, 32] [32, 4, 32] [1, 1, 1] : tensor<32x4x32xf32> into tensor<32x4x64xf32>
    %37 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_8 : tensor<32x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x4x64xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_7, %37 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %39 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_10 : tensor<32x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x4x64xf32>
    %40 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_13, %39 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38, %40 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.addf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %42 = tensor.empty() : tensor<32x4x64xbf16>
    %43 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<32x4x64xf32>) outs(%42 : tensor<32x4x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x4x64xbf16>
    %44 = tensor.empty() : tensor<32x128xf32>
    %45 = linalg.fill ins(%cst_6 : f32) outs(%44 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %46 = linalg.matmul ins(%17, %arg3 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%45 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %47 = tensor.empty() : tensor<32x128xbf16>
    %48 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%46 : tensor<32x128xf32>) outs(%47 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x128xbf16>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<32x128xbf16>) outs(%44 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x128xf32>
    %expanded_14 = tensor.expand_shape %49 [[0], [1, 2]] output_shape [32, 2, 64] : tensor<32x128xf32> into tensor<32x2x64xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded_14[0, 0, 32] [32, 2, 32] [1, 1, 1] : tensor<32x2x64xf32> to tensor<32x2x32xf32>
    %50 = tensor.empty() : tensor<32x2x32xf32>
    %51 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<32x2x32xf32>) outs(%50 : tensor<32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x32xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded_14[0, 0, 0] [32, 2, 32] [1, 1, 1] : tensor<32x2x64xf32> to tensor<32x2x32xf32>
    %52 = tensor.empty() : tensor<32x2x64xf32>
    %inserted_slice_17 = tensor.insert_slice %51 into %52[0, 0, 0] [32, 2, 32] [1, 1, 1] : tensor<32x2x32xf32> into tensor<32x2x64xf32>
    %inserted_slice_18 = tensor.insert_slice %extracted_slice_16 into %inserted_slice_17[0, 0, 32] [32, 2, 32] [1, 1, 1] : tensor<32x2x32xf32> into tensor<32x2x64xf32>
    %53 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_8 : tensor<32x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x2x64xf32>
    %54 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14, %53 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %55 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_10 : tensor<32x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x2x64xf32>
    %56 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_18, %55 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %57 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %56 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.addf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %58 = tensor.empty() : tensor<32x2x64xbf16>
    %59 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<32x2x64xf32>) outs(%58 : tensor<32x2x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x2x64xbf16>
    %60 = linalg.matmul ins(%17, %arg4 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%45 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<32x128xf32>) outs(%47 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x128xbf16>
    %expanded_19 = tensor.expand_shape %61 [[0], [1, 2]] output_shape [32, 2, 64] : tensor<32x128xbf16> into tensor<32x2x64xbf16>
    %62 = tensor.empty() : tensor<2x32x64xbf16>
    %63 = linalg.generic {indexing_maps = [#map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<32x2x64xbf16>) outs(%62 : tensor<2x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x64xbf16>
    %64 = linalg.generic {indexing_maps = [#map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<32x2x64xbf16>) outs(%62 : tensor<2x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x64xbf16>
    %65 = tensor.empty() : tensor<32x32xi32>
    %66 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32xi32>) outs(%65 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %67 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32xi32>) outs(%65 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %68 = tensor.empty() : tensor<32x32xi1>
    %69 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%66, %67 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%68 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_49: i32, %out: i1):
      %225 = arith.cmpi sge, %in, %in_49 : i32
      linalg.yield %225 : i1
    } -> tensor<32x32xi1>
    %expanded_20 = tensor.expand_shape %43 [[0], [1, 2], [3]] output_shape [32, 2, 2, 64] : tensor<32x4x64xbf16> into tensor<32x2x2x64xbf16>
    %70 = tensor.empty() : tensor<2x64x32x2xbf16>
    %71 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<32x2x2x64xbf16>) outs(%70 : tensor<2x64x32x2xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x32x2xbf16>
    %collapsed = tensor.collapse_shape %71 [[0], [1], [2, 3]] : tensor<2x64x32x2xbf16> into tensor<2x64x64xbf16>
    %72 = tensor.empty() : tensor<2x32x64xf32>
    %73 = linalg.fill ins(%cst_6 : f32) outs(%72 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
    %74 = linalg.batch_matmul ins(%63, %collapsed : tensor<2x32x64xbf16>, tensor<2x64x64xbf16>) outs(%73 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
    %expanded_21 = tensor.expand_shape %74 [[0], [1], [2, 3]] output_shape [2, 32, 32, 2] : tensor<2x32x64xf32> into tensor<2x32x32x2xf32>
    %75 = tensor.empty() : tensor<2x2x32x32xf32>
    %76 = linalg.generic {indexing_maps = [#map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<2x32x32x2xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %77 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %cst_2 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %78 = tensor.empty() : tensor<2x2x32x32xi1>
    %79 = linalg.generic {indexing_maps = [#map12, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69 : tensor<32x32xi1>) outs(%78 : tensor<2x2x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x32x32xi1>
    %80 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %77 : tensor<2x2x32x32xi1>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: i1, %in_49: f32, %out: f32):
      %225 = arith.select %in, %in_49, %cst_1 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %81 = tensor.empty() : tensor<2x2x32xf32>
    %82 = linalg.fill ins(%cst_0 : f32) outs(%81 : tensor<2x2x32xf32>) -> tensor<2x2x32xf32>
    %83 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%80 : tensor<2x2x32x32xf32>) outs(%82 : tensor<2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.maximumf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32xf32>
    %84 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83 : tensor<2x2x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %85 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %84 : tensor<2x2x32x32xf32>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.subf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %86 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85 : tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.exp %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %87 = linalg.fill ins(%cst_6 : f32) outs(%81 : tensor<2x2x32xf32>) -> tensor<2x2x32xf32>
    %88 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%86 : tensor<2x2x32x32xf32>) outs(%87 : tensor<2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32xf32>
    %89 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88 : tensor<2x2x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %90 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %89 : tensor<2x2x32x32xf32>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.divf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %91 = tensor.empty() : tensor<2x2x32x32xbf16>
    %92 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%90 : tensor<2x2x32x32xf32>) outs(%91 : tensor<2x2x32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<2x2x32x32xbf16>
    %93 = tensor.empty() : tensor<2x64x32xbf16>
    %94 = linalg.generic {indexing_maps = [#map14, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x32x64xbf16>) outs(%93 : tensor<2x64x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x32xbf16>
    %95 = tensor.empty() : tensor<2x32x2x32xbf16>
    %96 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92 : tensor<2x2x32x32xbf16>) outs(%95 : tensor<2x32x2x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x2x32xbf16>
    %collapsed_22 = tensor.collapse_shape %96 [[0], [1], [2, 3]] : tensor<2x32x2x32xbf16> into tensor<2x32x64xbf16>
    %97 = tensor.empty() : tensor<2x64x64xf32>
    %98 = linalg.fill ins(%cst_6 : f32) outs(%97 : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %99 = linalg.batch_matmul ins(%94, %collapsed_22 : tensor<2x64x32xbf16>, tensor<2x32x64xbf16>) outs(%98 : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %100 = tensor.empty() : tensor<2x64x64xbf16>
    %101 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<2x64x64xf32>) outs(%100 : tensor<2x64x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<2x64x64xbf16>
    %expanded_23 = tensor.expand_shape %101 [[0], [1], [2, 3]] output_shape [2, 64, 2, 32] : tensor<2x64x64xbf16> into tensor<2x64x2x32xbf16>
    %102 = tensor.empty() : tensor<32x2x2x64xbf16>
    %103 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<2x64x2x32xbf16>) outs(%102 : tensor<32x2x2x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x2x2x64xbf16>
    %collapsed_24 = tensor.collapse_shape %103 [[0], [1, 2, 3]] : tensor<32x2x2x64xbf16> into tensor<32x256xbf16>
    %104 = linalg.matmul ins(%collapsed_24, %arg5 : tensor<32x256xbf16>, tensor<256x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %105 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%104 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %106 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %105 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.addf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %107 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%106 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %108 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%107 : tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %109 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%108 : tensor<32x256xf32>) outs(%6 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32xf32>
    %expanded_25 = tensor.expand_shape %109 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %110 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_25 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.divf %in, %cst_5 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%110 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst_4 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%111 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.rsqrt %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %113 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%112 : tensor<32x1xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%107, %113 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%114 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %116 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x256xbf16>
    %117 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115, %116 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.mulf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %118 = tensor.empty() : tensor<32x512xf32>
    %119 = linalg.fill ins(%cst_6 : f32) outs(%118 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %120 = linalg.matmul ins(%117, %arg7 : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%119 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %121 = linalg.matmul ins(%117, %arg8 : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%119 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %122 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%120 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%122 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.exp %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %124 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%123 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%120, %124 : tensor<32x512xf32>, tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.divf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %126 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125, %121 : tensor<32x512xf32>, tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %127 = tensor.empty() : tensor<32x512xbf16>
    %128 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%126 : tensor<32x512xf32>) outs(%127 : tensor<32x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x512xbf16>
    %129 = linalg.matmul ins(%128, %arg9 : tensor<32x512xbf16>, tensor<512x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %130 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%129 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %131 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%106, %130 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.addf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %132 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%131 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %133 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%132 : tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %134 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%133 : tensor<32x256xf32>) outs(%6 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32xf32>
    %expanded_26 = tensor.expand_shape %134 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %135 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_26 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.divf %in, %cst_5 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %136 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%135 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst_4 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %137 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%136 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.rsqrt %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %138 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%137 : tensor<32x1xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %139 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%132, %138 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %140 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%139 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %141 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg10 : tensor<256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x256xbf16>
    %142 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%140, %141 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.mulf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %143 = linalg.matmul ins(%142, %arg11 : tensor<32x256xbf16>, tensor<256x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %144 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%143 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %145 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%144 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %expanded_27 = tensor.expand_shape %145 [[0], [1, 2]] output_shape [32, 4, 64] : tensor<32x256xf32> into tensor<32x4x64xf32>
    %extracted_slice_28 = tensor.extract_slice %expanded_27[0, 0, 32] [32, 4, 32] [1, 1, 1] : tensor<32x4x64xf32> to tensor<32x4x32xf32>
    %146 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_28 : tensor<32x4x32xf32>) outs(%34 : tensor<32x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x32xf32>
    %extracted_slice_29 = tensor.extract_slice %expanded_27[0, 0, 0] [32, 4, 32] [1, 1, 1] : tensor<32x4x64xf32> to tensor<32x4x32xf32>
    %inserted_slice_30 = tensor.insert_slice %146 into %36[0, 0, 0] [32, 4, 32] [1, 1, 1] : tensor<32x4x32xf32> into tensor<32x4x64xf32>
    %inserted_slice_31 = tensor.insert_slice %extracted_slice_29 into %inserted_slice_30[0, 0, 32] [32, 4, 32] [1, 1, 1] : tensor<32x4x32xf32> into tensor<32x4x64xf32>
    %147 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_27, %37 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %148 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_31, %39 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %149 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %148 : tensor<32x4x64xf32>, tensor<32x4x64xf32>) outs(%36 : tensor<32x4x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.addf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x4x64xf32>
    %150 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%149 : tensor<32x4x64xf32>) outs(%42 : tensor<32x4x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x4x64xbf16>
    %151 = linalg.matmul ins(%142, %arg12 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%45 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %152 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%151 : tensor<32x128xf32>) outs(%47 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x128xbf16>
    %153 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%152 : tensor<32x128xbf16>) outs(%44 : tensor<32x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x128xf32>
    %expanded_32 = tensor.expand_shape %153 [[0], [1, 2]] output_shape [32, 2, 64] : tensor<32x128xf32> into tensor<32x2x64xf32>
    %extracted_slice_33 = tensor.extract_slice %expanded_32[0, 0, 32] [32, 2, 32] [1, 1, 1] : tensor<32x2x64xf32> to tensor<32x2x32xf32>
    %154 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_33 : tensor<32x2x32xf32>) outs(%50 : tensor<32x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x32xf32>
    %extracted_slice_34 = tensor.extract_slice %expanded_32[0, 0, 0] [32, 2, 32] [1, 1, 1] : tensor<32x2x64xf32> to tensor<32x2x32xf32>
    %inserted_slice_35 = tensor.insert_slice %154 into %52[0, 0, 0] [32, 2, 32] [1, 1, 1] : tensor<32x2x32xf32> into tensor<32x2x64xf32>
    %inserted_slice_36 = tensor.insert_slice %extracted_slice_34 into %inserted_slice_35[0, 0, 32] [32, 2, 32] [1, 1, 1] : tensor<32x2x32xf32> into tensor<32x2x64xf32>
    %155 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %53 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %156 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_36, %55 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %157 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%155, %156 : tensor<32x2x64xf32>, tensor<32x2x64xf32>) outs(%52 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.addf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x2x64xf32>
    %158 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157 : tensor<32x2x64xf32>) outs(%58 : tensor<32x2x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x2x64xbf16>
    %159 = linalg.matmul ins(%142, %arg13 : tensor<32x256xbf16>, tensor<256x128xbf16>) outs(%45 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %160 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%159 : tensor<32x128xf32>) outs(%47 : tensor<32x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x128xbf16>
    %expanded_37 = tensor.expand_shape %160 [[0], [1, 2]] output_shape [32, 2, 64] : tensor<32x128xbf16> into tensor<32x2x64xbf16>
    %161 = linalg.generic {indexing_maps = [#map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<32x2x64xbf16>) outs(%62 : tensor<2x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x64xbf16>
    %162 = linalg.generic {indexing_maps = [#map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_37 : tensor<32x2x64xbf16>) outs(%62 : tensor<2x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x64xbf16>
    %expanded_38 = tensor.expand_shape %150 [[0], [1, 2], [3]] output_shape [32, 2, 2, 64] : tensor<32x4x64xbf16> into tensor<32x2x2x64xbf16>
    %163 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<32x2x2x64xbf16>) outs(%70 : tensor<2x64x32x2xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x32x2xbf16>
    %collapsed_39 = tensor.collapse_shape %163 [[0], [1], [2, 3]] : tensor<2x64x32x2xbf16> into tensor<2x64x64xbf16>
    %164 = linalg.batch_matmul ins(%161, %collapsed_39 : tensor<2x32x64xbf16>, tensor<2x64x64xbf16>) outs(%73 : tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
    %expanded_40 = tensor.expand_shape %164 [[0], [1], [2, 3]] output_shape [2, 32, 32, 2] : tensor<2x32x64xf32> into tensor<2x32x32x2xf32>
    %165 = linalg.generic {indexing_maps = [#map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<2x32x32x2xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %166 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%165 : tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %cst_2 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %167 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%79, %166 : tensor<2x2x32x32xi1>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: i1, %in_49: f32, %out: f32):
      %225 = arith.select %in, %in_49, %cst_1 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %168 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%167 : tensor<2x2x32x32xf32>) outs(%82 : tensor<2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.maximumf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32xf32>
    %169 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%168 : tensor<2x2x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %170 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%167, %169 : tensor<2x2x32x32xf32>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.subf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %171 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%170 : tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.exp %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %172 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%171 : tensor<2x2x32x32xf32>) outs(%87 : tensor<2x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32xf32>
    %173 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%172 : tensor<2x2x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x32x32xf32>
    %174 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%171, %173 : tensor<2x2x32x32xf32>, tensor<2x2x32x32xf32>) outs(%75 : tensor<2x2x32x32xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.divf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<2x2x32x32xf32>
    %175 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%174 : tensor<2x2x32x32xf32>) outs(%91 : tensor<2x2x32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<2x2x32x32xbf16>
    %176 = linalg.generic {indexing_maps = [#map14, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162 : tensor<2x32x64xbf16>) outs(%93 : tensor<2x64x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x32xbf16>
    %177 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175 : tensor<2x2x32x32xbf16>) outs(%95 : tensor<2x32x2x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x32x2x32xbf16>
    %collapsed_41 = tensor.collapse_shape %177 [[0], [1], [2, 3]] : tensor<2x32x2x32xbf16> into tensor<2x32x64xbf16>
    %178 = linalg.batch_matmul ins(%176, %collapsed_41 : tensor<2x64x32xbf16>, tensor<2x32x64xbf16>) outs(%98 : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %179 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%178 : tensor<2x64x64xf32>) outs(%100 : tensor<2x64x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<2x64x64xbf16>
    %expanded_42 = tensor.expand_shape %179 [[0], [1], [2, 3]] output_shape [2, 64, 2, 32] : tensor<2x64x64xbf16> into tensor<2x64x2x32xbf16>
    %180 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_42 : tensor<2x64x2x32xbf16>) outs(%102 : tensor<32x2x2x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x2x2x64xbf16>
    %collapsed_43 = tensor.collapse_shape %180 [[0], [1, 2, 3]] : tensor<32x2x2x64xbf16> into tensor<32x256xbf16>
    %181 = linalg.matmul ins(%collapsed_43, %arg14 : tensor<32x256xbf16>, tensor<256x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %182 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%181 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %183 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%131, %182 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.addf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %184 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%183 : tensor<32x256xbf16>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %185 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%184 : tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %186 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%185 : tensor<32x256xf32>) outs(%6 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<32xf32>
    %expanded_44 = tensor.expand_shape %186 [[0, 1]] output_shape [32, 1] : tensor<32xf32> into tensor<32x1xf32>
    %187 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_44 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.divf %in, %cst_5 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %188 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%187 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst_4 : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %189 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%188 : tensor<32x1xf32>) outs(%8 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.rsqrt %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x1xf32>
    %190 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%189 : tensor<32x1xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x256xf32>
    %191 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%184, %190 : tensor<32x256xf32>, tensor<32x256xf32>) outs(%2 : tensor<32x256xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x256xf32>
    %192 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%191 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %193 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x256xbf16>
    %194 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%192, %193 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.mulf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %195 = linalg.matmul ins(%194, %arg16 : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%119 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %196 = linalg.matmul ins(%194, %arg17 : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%119 : tensor<32x512xf32>) -> tensor<32x512xf32>
    %197 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%195 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.negf %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%197 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.exp %in : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%198 : tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %200 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%195, %199 : tensor<32x512xf32>, tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.divf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %201 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%200, %196 : tensor<32x512xf32>, tensor<32x512xf32>) outs(%118 : tensor<32x512xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<32x512xf32>
    %202 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%201 : tensor<32x512xf32>) outs(%127 : tensor<32x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x512xbf16>
    %203 = linalg.matmul ins(%202, %arg18 : tensor<32x512xbf16>, tensor<512x256xbf16>) outs(%18 : tensor<32x256xf32>) -> tensor<32x256xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%203 : tensor<32x256xf32>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %205 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%183, %204 : tensor<32x256xbf16>, tensor<32x256xbf16>) outs(%14 : tensor<32x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.addf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<32x256xbf16>
    %extracted_slice_45 = tensor.extract_slice %205[31, 0] [1, 256] [1, 1] : tensor<32x256xbf16> to tensor<1x256xbf16>
    %206 = tensor.empty() : tensor<1x256xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_45 : tensor<1x256xbf16>) outs(%206 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %225 = arith.extf %in : bf16 to f32
      linalg.yield %225 : f32
    } -> tensor<1x256xf32>
    %208 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%207 : tensor<1x256xf32>) outs(%206 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.mulf %in, %in : f32
      linalg.yield %225 : f32
    } -> tensor<1x256xf32>
    %209 = tensor.empty() : tensor<1xf32>
    %210 = linalg.fill ins(%cst_6 : f32) outs(%209 : tensor<1xf32>) -> tensor<1xf32>
    %211 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%208 : tensor<1x256xf32>) outs(%210 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %out, %in : f32
      linalg.yield %225 : f32
    } -> tensor<1xf32>
    %expanded_46 = tensor.expand_shape %211 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %212 = tensor.empty() : tensor<1x1xf32>
    %213 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_46 : tensor<1x1xf32>) outs(%212 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.divf %in, %cst_5 : f32
      linalg.yield %225 : f32
    } -> tensor<1x1xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%213 : tensor<1x1xf32>) outs(%212 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = arith.addf %in, %cst_4 : f32
      linalg.yield %225 : f32
    } -> tensor<1x1xf32>
    %215 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%214 : tensor<1x1xf32>) outs(%212 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %225 = math.rsqrt %in : f32
      linalg.yield %225 : f32
    } -> tensor<1x1xf32>
    %216 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%215 : tensor<1x1xf32>) outs(%206 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %217 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%207, %216 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%206 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %225 = arith.mulf %in, %in_49 : f32
      linalg.yield %225 : f32
    } -> tensor<1x256xf32>
    %218 = tensor.empty() : tensor<1x256xbf16>
    %219 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%217 : tensor<1x256xf32>) outs(%218 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %225 = arith.truncf %in : f32 to bf16
      linalg.yield %225 : bf16
    } -> tensor<1x256xbf16>
    %220 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<256xbf16>) outs(%218 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %221 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%219, %220 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%218 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_49: bf16, %out: bf16):
      %225 = arith.mulf %in, %in_49 : bf16
      linalg.yield %225 : bf16
    } -> tensor<1x256xbf16>
    %collapsed_47 = tensor.collapse_shape %221 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %222 = tensor.empty() : tensor<1024xf32>
    %223 = linalg.fill ins(%cst_6 : f32) outs(%222 : tensor<1024xf32>) -> tensor<1024xf32>
    %224 = linalg.vecmat ins(%collapsed_47, %arg20 : tensor<256xbf16>, tensor<256x1024xbf16>) outs(%223 : tensor<1024xf32>) -> tensor<1024xf32>
    %expanded_48 = tensor.expand_shape %224 [[0, 1]] output_shape [1, 1024] : tensor<1024xf32> into tensor<1x1024xf32>
    return %expanded_48, %63, %64, %161, %162 : tensor<1x1024xf32>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>
  }
  func.func public @decode(%arg0: tensor<1x256xbf16>, %arg1: tensor<i32>, %arg2: tensor<2x64x64xbf16>, %arg3: tensor<2x64x64xbf16>, %arg4: tensor<2x64x64xbf16>, %arg5: tensor<2x64x64xbf16>, %arg6: tensor<256xbf16>, %arg7: tensor<256x256xbf16>, %arg8: tensor<256x128xbf16>, %arg9: tensor<256x128xbf16>, %arg10: tensor<256x256xbf16>, %arg11: tensor<256xbf16>, %arg12: tensor<256x512xbf16>, %arg13: tensor<256x512xbf16>, %arg14: tensor<512x256xbf16>, %arg15: tensor<256xbf16>, %arg16: tensor<256x256xbf16>, %arg17: tensor<256x128xbf16>, %arg18: tensor<256x128xbf16>, %arg19: tensor<256x256xbf16>, %arg20: tensor<256xbf16>, %arg21: tensor<256x512xbf16>, %arg22: tensor<256x512xbf16>, %arg23: tensor<512x256xbf16>, %arg24: tensor<256xbf16>, %arg25: tensor<256x1024xbf16>) -> (tensor<1x1024xf32>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>) {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant -1.000000e+30 : f32
    %cst_2 = arith.constant 1.250000e-01 : f32
    %c63 = arith.constant 63 : index
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %cst_3 = arith.constant -0.287823141 : f32
    %cst_4 = arith.constant 9.99999974E-6 : f32
    %cst_5 = arith.constant 2.560000e+02 : f32
    %cst_6 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<64xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
    ^bb0(%out: i32):
      %221 = linalg.index 0 : index
      %222 = arith.index_cast %221 : index to i32
      linalg.yield %222 : i32
    } -> tensor<64xi32>
    %2 = tensor.empty() : tensor<f32>
    %3 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%2 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %221 = arith.sitofp %in : i32 to f32
      linalg.yield %221 : f32
    } -> tensor<f32>
    %expanded = tensor.expand_shape %3 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %4 = tensor.empty() : tensor<1x256xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<1x256xbf16>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %7 = tensor.empty() : tensor<1xf32>
    %8 = linalg.fill ins(%cst_6 : f32) outs(%7 : tensor<1xf32>) -> tensor<1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<1x256xf32>) outs(%8 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1xf32>
    %expanded_7 = tensor.expand_shape %9 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %10 = tensor.empty() : tensor<1x1xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_7 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.divf %in, %cst_5 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst_4 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.rsqrt %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<1x1xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %14 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %16 = tensor.empty() : tensor<1x256xbf16>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<1x256xf32>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %18 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.mulf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %collapsed = tensor.collapse_shape %19 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %20 = tensor.empty() : tensor<256xf32>
    %21 = linalg.fill ins(%cst_6 : f32) outs(%20 : tensor<256xf32>) -> tensor<256xf32>
    %22 = linalg.vecmat ins(%collapsed, %arg7 : tensor<256xbf16>, tensor<256x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %23 = tensor.empty() : tensor<256xbf16>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%22 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%24 : tensor<256xbf16>) outs(%20 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<256xf32>
    %expanded_8 = tensor.expand_shape %25 [[0, 1, 2]] output_shape [1, 4, 64] : tensor<256xf32> into tensor<1x4x64xf32>
    %26 = tensor.empty() : tensor<1x32xf32>
    %27 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%26 : tensor<1x32xf32>) {
    ^bb0(%out: f32):
      %221 = linalg.index 1 : index
      %222 = arith.index_cast %221 : index to i32
      %223 = arith.sitofp %222 : i32 to f32
      linalg.yield %223 : f32
    } -> tensor<1x32xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<1x32xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %cst_3 : f32
      linalg.yield %221 : f32
    } -> tensor<1x32xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<1x32xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.exp %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x32xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<1xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x32xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %29 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x32xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<1x32xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.cos %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x32xf32>
    %33 = tensor.empty() : tensor<1x64xf32>
    %inserted_slice = tensor.insert_slice %32 into %33[0, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<1x64xf32>
    %inserted_slice_9 = tensor.insert_slice %32 into %inserted_slice[0, 32] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<1x64xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<1x32xf32>) outs(%26 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.sin %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x32xf32>
    %inserted_slice_10 = tensor.insert_slice %34 into %33[0, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<1x64xf32>
    %inserted_slice_11 = tensor.insert_slice %34 into %inserted_slice_10[0, 32] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<1x64xf32>
    %extracted_slice = tensor.extract_slice %expanded_8[0, 0, 32] [1, 4, 32] [1, 1, 1] : tensor<1x4x64xf32> to tensor<1x4x32xf32>
    %35 = tensor.empty() : tensor<1x4x32xf32>
    %36 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<1x4x32xf32>) outs(%35 : tensor<1x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x32xf32>
    %extracted_slice_12 = tensor.extract_slice %expanded_8[0, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<1x4x64xf32> to tensor<1x4x32xf32>
    %37 = tensor.empty() : tensor<1x4x64xf32>
    %inserted_slice_13 = tensor.insert_slice %36 into %37[0, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<1x4x32xf32> into tensor<1x4x64xf32>
    %inserted_slice_14 = tensor.insert_slice %extracted_slice_12 into %inserted_slice_13[0, 0, 32] [1, 4, 32] [1, 1, 1] : tensor<1x4x32xf32> into tensor<1x4x64xf32>
    %38 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_9 : tensor<1x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x64xf32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_8, %38 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %40 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_11 : tensor<1x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x64xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_14, %40 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39, %41 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.addf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %43 = tensor.empty() : tensor<1x4x64xbf16>
    %44 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<1x4x64xf32>) outs(%43 : tensor<1x4x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x4x64xbf16>
    %45 = tensor.empty() : tensor<128xf32>
    %46 = linalg.fill ins(%cst_6 : f32) outs(%45 : tensor<128xf32>) -> tensor<128xf32>
    %47 = linalg.vecmat ins(%collapsed, %arg8 : tensor<256xbf16>, tensor<256x128xbf16>) outs(%46 : tensor<128xf32>) -> tensor<128xf32>
    %48 = tensor.empty() : tensor<128xbf16>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%47 : tensor<128xf32>) outs(%48 : tensor<128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<128xbf16>
    %50 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%49 : tensor<128xbf16>) outs(%45 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<128xf32>
    %expanded_15 = tensor.expand_shape %50 [[0, 1, 2]] output_shape [1, 2, 64] : tensor<128xf32> into tensor<1x2x64xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded_15[0, 0, 32] [1, 2, 32] [1, 1, 1] : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %51 = tensor.empty() : tensor<1x2x32xf32>
    %52 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_16 : tensor<1x2x32xf32>) outs(%51 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_17 = tensor.extract_slice %expanded_15[0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %53 = tensor.empty() : tensor<1x2x64xf32>
    %inserted_slice_18 = tensor.insert_slice %52 into %53[0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> into tensor<1x2x64xf32>
    %inserted_slice_19 = tensor.insert_slice %extracted_slice_17 into %inserted_slice_18[0, 0, 32] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> into tensor<1x2x64xf32>
    %54 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_9 : tensor<1x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x64xf32>
    %55 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_15, %54 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %56 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_11 : tensor<1x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x64xf32>
    %57 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_19, %56 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %58 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %57 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.addf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %59 = tensor.empty() : tensor<1x2x64xbf16>
    %60 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<1x2x64xf32>) outs(%59 : tensor<1x2x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x2x64xbf16>
    %61 = linalg.vecmat ins(%collapsed, %arg9 : tensor<256xbf16>, tensor<256x128xbf16>) outs(%46 : tensor<128xf32>) -> tensor<128xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%61 : tensor<128xf32>) outs(%48 : tensor<128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<128xbf16>
    %collapsed_20 = tensor.collapse_shape %60 [[0, 1, 2]] : tensor<1x2x64xbf16> into tensor<128xbf16>
    %expanded_21 = tensor.expand_shape %collapsed_20 [[0, 1, 2]] output_shape [2, 1, 64] : tensor<128xbf16> into tensor<2x1x64xbf16>
    %63 = tensor.empty() : tensor<i1>
    %64 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%63 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %221 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %221 : i1
    } -> tensor<i1>
    %65 = tensor.empty() : tensor<i32>
    %66 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%65 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %221 = arith.addi %in, %c64_i32 : i32
      linalg.yield %221 : i32
    } -> tensor<i32>
    %67 = linalg.generic {indexing_maps = [#map17, #map17, #map17, #map17], iterator_types = []} ins(%64, %66, %arg1 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%65 : tensor<i32>) {
    ^bb0(%in: i1, %in_71: i32, %in_72: i32, %out: i32):
      %221 = arith.select %in, %in_71, %in_72 : i32
      linalg.yield %221 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %67[] : tensor<i32>
    %68 = arith.index_cast %extracted : i32 to index
    %69 = arith.maxsi %68, %c0 : index
    %70 = arith.minsi %69, %c63 : index
    %inserted_slice_22 = tensor.insert_slice %expanded_21 into %arg2[0, %70, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xbf16> into tensor<2x64x64xbf16>
    %expanded_23 = tensor.expand_shape %62 [[0, 1, 2]] output_shape [2, 1, 64] : tensor<128xbf16> into tensor<2x1x64xbf16>
    %inserted_slice_24 = tensor.insert_slice %expanded_23 into %arg3[0, %70, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xbf16> into tensor<2x64x64xbf16>
    %71 = linalg.generic {indexing_maps = [#map18, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<i32>) outs(%0 : tensor<64xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<64xi32>
    %72 = tensor.empty() : tensor<64xi1>
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %71 : tensor<64xi32>, tensor<64xi32>) outs(%72 : tensor<64xi1>) {
    ^bb0(%in: i32, %in_71: i32, %out: i1):
      %221 = arith.cmpi sle, %in, %in_71 : i32
      linalg.yield %221 : i1
    } -> tensor<64xi1>
    %expanded_25 = tensor.expand_shape %44 [[0], [1, 2], [3]] output_shape [1, 2, 2, 64] : tensor<1x4x64xbf16> into tensor<1x2x2x64xbf16>
    %74 = tensor.empty() : tensor<2x64x1x2xbf16>
    %75 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<1x2x2x64xbf16>) outs(%74 : tensor<2x64x1x2xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x1x2xbf16>
    %collapsed_26 = tensor.collapse_shape %75 [[0], [1], [2, 3]] : tensor<2x64x1x2xbf16> into tensor<2x64x2xbf16>
    %76 = tensor.empty() : tensor<2x64x2xf32>
    %77 = linalg.fill ins(%cst_6 : f32) outs(%76 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
    %78 = linalg.batch_matmul ins(%inserted_slice_22, %collapsed_26 : tensor<2x64x64xbf16>, tensor<2x64x2xbf16>) outs(%77 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
    %expanded_27 = tensor.expand_shape %78 [[0], [1], [2, 3]] output_shape [2, 64, 1, 2] : tensor<2x64x2xf32> into tensor<2x64x1x2xf32>
    %79 = tensor.empty() : tensor<2x2x1x64xf32>
    %80 = linalg.generic {indexing_maps = [#map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_27 : tensor<2x64x1x2xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %81 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80 : tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %cst_2 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %82 = tensor.empty() : tensor<2x2x1x64xi1>
    %83 = linalg.generic {indexing_maps = [#map19, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<64xi1>) outs(%82 : tensor<2x2x1x64xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x1x64xi1>
    %84 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %81 : tensor<2x2x1x64xi1>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: i1, %in_71: f32, %out: f32):
      %221 = arith.select %in, %in_71, %cst_1 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %85 = tensor.empty() : tensor<2x2x1xf32>
    %86 = linalg.fill ins(%cst_0 : f32) outs(%85 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %87 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%84 : tensor<2x2x1x64xf32>) outs(%86 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.maximumf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1xf32>
    %88 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<2x2x1xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %89 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84, %88 : tensor<2x2x1x64xf32>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.subf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %90 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89 : tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.exp %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %91 = linalg.fill ins(%cst_6 : f32) outs(%85 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %92 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%90 : tensor<2x2x1x64xf32>) outs(%91 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1xf32>
    %93 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92 : tensor<2x2x1xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %94 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%90, %93 : tensor<2x2x1x64xf32>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.divf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %95 = tensor.empty() : tensor<2x2x1x64xbf16>
    %96 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94 : tensor<2x2x1x64xf32>) outs(%95 : tensor<2x2x1x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<2x2x1x64xbf16>
    %97 = tensor.empty() : tensor<2x64x64xbf16>
    %98 = linalg.generic {indexing_maps = [#map14, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_24 : tensor<2x64x64xbf16>) outs(%97 : tensor<2x64x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x64xbf16>
    %99 = tensor.empty() : tensor<2x64x2x1xbf16>
    %100 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%96 : tensor<2x2x1x64xbf16>) outs(%99 : tensor<2x64x2x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x2x1xbf16>
    %collapsed_28 = tensor.collapse_shape %100 [[0], [1], [2, 3]] : tensor<2x64x2x1xbf16> into tensor<2x64x2xbf16>
    %101 = linalg.batch_matmul ins(%98, %collapsed_28 : tensor<2x64x64xbf16>, tensor<2x64x2xbf16>) outs(%77 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
    %102 = tensor.empty() : tensor<2x64x2xbf16>
    %103 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<2x64x2xf32>) outs(%102 : tensor<2x64x2xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<2x64x2xbf16>
    %expanded_29 = tensor.expand_shape %103 [[0], [1], [2, 3]] output_shape [2, 64, 2, 1] : tensor<2x64x2xbf16> into tensor<2x64x2x1xbf16>
    %104 = tensor.empty() : tensor<1x2x2x64xbf16>
    %105 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<2x64x2x1xbf16>) outs(%104 : tensor<1x2x2x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x2x2x64xbf16>
    %collapsed_30 = tensor.collapse_shape %105 [[0, 1, 2, 3]] : tensor<1x2x2x64xbf16> into tensor<256xbf16>
    %106 = linalg.vecmat ins(%collapsed_30, %arg10 : tensor<256xbf16>, tensor<256x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %107 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%106 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %expanded_31 = tensor.expand_shape %107 [[0, 1]] output_shape [1, 256] : tensor<256xbf16> into tensor<1x256xbf16>
    %108 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded_31 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.addf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %109 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%108 : tensor<1x256xbf16>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %110 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%109 : tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%110 : tensor<1x256xf32>) outs(%8 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1xf32>
    %expanded_32 = tensor.expand_shape %111 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_32 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.divf %in, %cst_5 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%112 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst_4 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%113 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.rsqrt %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %115 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%114 : tensor<1x1xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%109, %115 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%116 : tensor<1x256xf32>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %118 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %119 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%117, %118 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.mulf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %collapsed_33 = tensor.collapse_shape %119 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %120 = tensor.empty() : tensor<512xf32>
    %121 = linalg.fill ins(%cst_6 : f32) outs(%120 : tensor<512xf32>) -> tensor<512xf32>
    %122 = linalg.vecmat ins(%collapsed_33, %arg12 : tensor<256xbf16>, tensor<256x512xbf16>) outs(%121 : tensor<512xf32>) -> tensor<512xf32>
    %expanded_34 = tensor.expand_shape %122 [[0, 1]] output_shape [1, 512] : tensor<512xf32> into tensor<1x512xf32>
    %123 = linalg.vecmat ins(%collapsed_33, %arg13 : tensor<256xbf16>, tensor<256x512xbf16>) outs(%121 : tensor<512xf32>) -> tensor<512xf32>
    %expanded_35 = tensor.expand_shape %123 [[0, 1]] output_shape [1, 512] : tensor<512xf32> into tensor<1x512xf32>
    %124 = tensor.empty() : tensor<1x512xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_34 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %126 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.exp %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%126 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %128 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_34, %127 : tensor<1x512xf32>, tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.divf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%128, %expanded_35 : tensor<1x512xf32>, tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %130 = tensor.empty() : tensor<1x512xbf16>
    %131 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%129 : tensor<1x512xf32>) outs(%130 : tensor<1x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x512xbf16>
    %collapsed_36 = tensor.collapse_shape %131 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
    %132 = linalg.vecmat ins(%collapsed_36, %arg14 : tensor<512xbf16>, tensor<512x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %133 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%132 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %expanded_37 = tensor.expand_shape %133 [[0, 1]] output_shape [1, 256] : tensor<256xbf16> into tensor<1x256xbf16>
    %134 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%108, %expanded_37 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.addf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %135 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%134 : tensor<1x256xbf16>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %136 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%135 : tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %137 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%136 : tensor<1x256xf32>) outs(%8 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1xf32>
    %expanded_38 = tensor.expand_shape %137 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %138 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_38 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.divf %in, %cst_5 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %139 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%138 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst_4 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %140 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%139 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.rsqrt %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %141 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%140 : tensor<1x1xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %142 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%135, %141 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %143 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%142 : tensor<1x256xf32>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %144 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %145 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%143, %144 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.mulf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %collapsed_39 = tensor.collapse_shape %145 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %146 = linalg.vecmat ins(%collapsed_39, %arg16 : tensor<256xbf16>, tensor<256x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %147 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%146 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %148 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%147 : tensor<256xbf16>) outs(%20 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<256xf32>
    %expanded_40 = tensor.expand_shape %148 [[0, 1, 2]] output_shape [1, 4, 64] : tensor<256xf32> into tensor<1x4x64xf32>
    %extracted_slice_41 = tensor.extract_slice %expanded_40[0, 0, 32] [1, 4, 32] [1, 1, 1] : tensor<1x4x64xf32> to tensor<1x4x32xf32>
    %149 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_41 : tensor<1x4x32xf32>) outs(%35 : tensor<1x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x32xf32>
    %extracted_slice_42 = tensor.extract_slice %expanded_40[0, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<1x4x64xf32> to tensor<1x4x32xf32>
    %inserted_slice_43 = tensor.insert_slice %149 into %37[0, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<1x4x32xf32> into tensor<1x4x64xf32>
    %inserted_slice_44 = tensor.insert_slice %extracted_slice_42 into %inserted_slice_43[0, 0, 32] [1, 4, 32] [1, 1, 1] : tensor<1x4x32xf32> into tensor<1x4x64xf32>
    %150 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40, %38 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %151 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_44, %40 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %152 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %151 : tensor<1x4x64xf32>, tensor<1x4x64xf32>) outs(%37 : tensor<1x4x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.addf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x4x64xf32>
    %153 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%152 : tensor<1x4x64xf32>) outs(%43 : tensor<1x4x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x4x64xbf16>
    %154 = linalg.vecmat ins(%collapsed_39, %arg17 : tensor<256xbf16>, tensor<256x128xbf16>) outs(%46 : tensor<128xf32>) -> tensor<128xf32>
    %155 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%154 : tensor<128xf32>) outs(%48 : tensor<128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<128xbf16>
    %156 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%155 : tensor<128xbf16>) outs(%45 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<128xf32>
    %expanded_45 = tensor.expand_shape %156 [[0, 1, 2]] output_shape [1, 2, 64] : tensor<128xf32> into tensor<1x2x64xf32>
    %extracted_slice_46 = tensor.extract_slice %expanded_45[0, 0, 32] [1, 2, 32] [1, 1, 1] : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %157 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_46 : tensor<1x2x32xf32>) outs(%51 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_47 = tensor.extract_slice %expanded_45[0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %inserted_slice_48 = tensor.insert_slice %157 into %53[0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> into tensor<1x2x64xf32>
    %inserted_slice_49 = tensor.insert_slice %extracted_slice_47 into %inserted_slice_48[0, 0, 32] [1, 2, 32] [1, 1, 1] : tensor<1x2x32xf32> into tensor<1x2x64xf32>
    %158 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_45, %54 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %159 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_49, %56 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %160 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158, %159 : tensor<1x2x64xf32>, tensor<1x2x64xf32>) outs(%53 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.addf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x2x64xf32>
    %161 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160 : tensor<1x2x64xf32>) outs(%59 : tensor<1x2x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x2x64xbf16>
    %162 = linalg.vecmat ins(%collapsed_39, %arg18 : tensor<256xbf16>, tensor<256x128xbf16>) outs(%46 : tensor<128xf32>) -> tensor<128xf32>
    %163 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%162 : tensor<128xf32>) outs(%48 : tensor<128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<128xbf16>
    %collapsed_50 = tensor.collapse_shape %161 [[0, 1, 2]] : tensor<1x2x64xbf16> into tensor<128xbf16>
    %expanded_51 = tensor.expand_shape %collapsed_50 [[0, 1, 2]] output_shape [2, 1, 64] : tensor<128xbf16> into tensor<2x1x64xbf16>
    %inserted_slice_52 = tensor.insert_slice %expanded_51 into %arg4[0, %70, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xbf16> into tensor<2x64x64xbf16>
    %expanded_53 = tensor.expand_shape %163 [[0, 1, 2]] output_shape [2, 1, 64] : tensor<128xbf16> into tensor<2x1x64xbf16>
    %inserted_slice_54 = tensor.insert_slice %expanded_53 into %arg5[0, %70, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xbf16> into tensor<2x64x64xbf16>
    %expanded_55 = tensor.expand_shape %153 [[0], [1, 2], [3]] output_shape [1, 2, 2, 64] : tensor<1x4x64xbf16> into tensor<1x2x2x64xbf16>
    %164 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_55 : tensor<1x2x2x64xbf16>) outs(%74 : tensor<2x64x1x2xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x1x2xbf16>
    %collapsed_56 = tensor.collapse_shape %164 [[0], [1], [2, 3]] : tensor<2x64x1x2xbf16> into tensor<2x64x2xbf16>
    %165 = linalg.batch_matmul ins(%inserted_slice_52, %collapsed_56 : tensor<2x64x64xbf16>, tensor<2x64x2xbf16>) outs(%77 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
    %expanded_57 = tensor.expand_shape %165 [[0], [1], [2, 3]] output_shape [2, 64, 1, 2] : tensor<2x64x2xf32> into tensor<2x64x1x2xf32>
    %166 = linalg.generic {indexing_maps = [#map11, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_57 : tensor<2x64x1x2xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %167 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%166 : tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %cst_2 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %168 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83, %167 : tensor<2x2x1x64xi1>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: i1, %in_71: f32, %out: f32):
      %221 = arith.select %in, %in_71, %cst_1 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %169 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%168 : tensor<2x2x1x64xf32>) outs(%86 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.maximumf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1xf32>
    %170 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%169 : tensor<2x2x1xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %171 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%168, %170 : tensor<2x2x1x64xf32>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.subf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %172 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%171 : tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.exp %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %173 = linalg.generic {indexing_maps = [#map10, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%172 : tensor<2x2x1x64xf32>) outs(%91 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1xf32>
    %174 = linalg.generic {indexing_maps = [#map13, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173 : tensor<2x2x1xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x1x64xf32>
    %175 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%172, %174 : tensor<2x2x1x64xf32>, tensor<2x2x1x64xf32>) outs(%79 : tensor<2x2x1x64xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.divf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<2x2x1x64xf32>
    %176 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175 : tensor<2x2x1x64xf32>) outs(%95 : tensor<2x2x1x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<2x2x1x64xbf16>
    %177 = linalg.generic {indexing_maps = [#map14, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%inserted_slice_54 : tensor<2x64x64xbf16>) outs(%97 : tensor<2x64x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x64xbf16>
    %178 = linalg.generic {indexing_maps = [#map15, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%176 : tensor<2x2x1x64xbf16>) outs(%99 : tensor<2x64x2x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x64x2x1xbf16>
    %collapsed_58 = tensor.collapse_shape %178 [[0], [1], [2, 3]] : tensor<2x64x2x1xbf16> into tensor<2x64x2xbf16>
    %179 = linalg.batch_matmul ins(%177, %collapsed_58 : tensor<2x64x64xbf16>, tensor<2x64x2xbf16>) outs(%77 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
    %180 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179 : tensor<2x64x2xf32>) outs(%102 : tensor<2x64x2xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<2x64x2xbf16>
    %expanded_59 = tensor.expand_shape %180 [[0], [1], [2, 3]] output_shape [2, 64, 2, 1] : tensor<2x64x2xbf16> into tensor<2x64x2x1xbf16>
    %181 = linalg.generic {indexing_maps = [#map16, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_59 : tensor<2x64x2x1xbf16>) outs(%104 : tensor<1x2x2x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x2x2x64xbf16>
    %collapsed_60 = tensor.collapse_shape %181 [[0, 1, 2, 3]] : tensor<1x2x2x64xbf16> into tensor<256xbf16>
    %182 = linalg.vecmat ins(%collapsed_60, %arg19 : tensor<256xbf16>, tensor<256x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %183 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%182 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %expanded_61 = tensor.expand_shape %183 [[0, 1]] output_shape [1, 256] : tensor<256xbf16> into tensor<1x256xbf16>
    %184 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%134, %expanded_61 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.addf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %185 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%184 : tensor<1x256xbf16>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %186 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%185 : tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %187 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%186 : tensor<1x256xf32>) outs(%8 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1xf32>
    %expanded_62 = tensor.expand_shape %187 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %188 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_62 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.divf %in, %cst_5 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %189 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%188 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst_4 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %190 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%189 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.rsqrt %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %191 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%190 : tensor<1x1xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %192 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%185, %191 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %193 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%192 : tensor<1x256xf32>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %194 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg20 : tensor<256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %195 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%193, %194 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.mulf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %collapsed_63 = tensor.collapse_shape %195 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %196 = linalg.vecmat ins(%collapsed_63, %arg21 : tensor<256xbf16>, tensor<256x512xbf16>) outs(%121 : tensor<512xf32>) -> tensor<512xf32>
    %expanded_64 = tensor.expand_shape %196 [[0, 1]] output_shape [1, 512] : tensor<512xf32> into tensor<1x512xf32>
    %197 = linalg.vecmat ins(%collapsed_63, %arg22 : tensor<256xbf16>, tensor<256x512xbf16>) outs(%121 : tensor<512xf32>) -> tensor<512xf32>
    %expanded_65 = tensor.expand_shape %197 [[0, 1]] output_shape [1, 512] : tensor<512xf32> into tensor<1x512xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_64 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.negf %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%198 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.exp %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %200 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%199 : tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %201 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_64, %200 : tensor<1x512xf32>, tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.divf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %202 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%201, %expanded_65 : tensor<1x512xf32>, tensor<1x512xf32>) outs(%124 : tensor<1x512xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x512xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%202 : tensor<1x512xf32>) outs(%130 : tensor<1x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x512xbf16>
    %collapsed_66 = tensor.collapse_shape %203 [[0, 1]] : tensor<1x512xbf16> into tensor<512xbf16>
    %204 = linalg.vecmat ins(%collapsed_66, %arg23 : tensor<512xbf16>, tensor<512x256xbf16>) outs(%21 : tensor<256xf32>) -> tensor<256xf32>
    %205 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%204 : tensor<256xf32>) outs(%23 : tensor<256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<256xbf16>
    %expanded_67 = tensor.expand_shape %205 [[0, 1]] output_shape [1, 256] : tensor<256xbf16> into tensor<1x256xbf16>
    %206 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%184, %expanded_67 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.addf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %207 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%206 : tensor<1x256xbf16>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %221 = arith.extf %in : bf16 to f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %208 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%207 : tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.mulf %in, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %209 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%208 : tensor<1x256xf32>) outs(%8 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %out, %in : f32
      linalg.yield %221 : f32
    } -> tensor<1xf32>
    %expanded_68 = tensor.expand_shape %209 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %210 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_68 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.divf %in, %cst_5 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %211 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%210 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = arith.addf %in, %cst_4 : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %212 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%211 : tensor<1x1xf32>) outs(%10 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %221 = math.rsqrt %in : f32
      linalg.yield %221 : f32
    } -> tensor<1x1xf32>
    %213 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%212 : tensor<1x1xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x256xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%207, %213 : tensor<1x256xf32>, tensor<1x256xf32>) outs(%4 : tensor<1x256xf32>) {
    ^bb0(%in: f32, %in_71: f32, %out: f32):
      %221 = arith.mulf %in, %in_71 : f32
      linalg.yield %221 : f32
    } -> tensor<1x256xf32>
    %215 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%214 : tensor<1x256xf32>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %221 = arith.truncf %in : f32 to bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %216 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg24 : tensor<256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x256xbf16>
    %217 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%215, %216 : tensor<1x256xbf16>, tensor<1x256xbf16>) outs(%16 : tensor<1x256xbf16>) {
    ^bb0(%in: bf16, %in_71: bf16, %out: bf16):
      %221 = arith.mulf %in, %in_71 : bf16
      linalg.yield %221 : bf16
    } -> tensor<1x256xbf16>
    %collapsed_69 = tensor.collapse_shape %217 [[0, 1]] : tensor<1x256xbf16> into tensor<256xbf16>
    %218 = tensor.empty() : tensor<1024xf32>
    %219 = linalg.fill ins(%cst_6 : f32) outs(%218 : tensor<1024xf32>) -> tensor<1024xf32>
    %220 = linalg.vecmat ins(%collapsed_69, %arg25 : tensor<256xbf16>, tensor<256x1024xbf16>) outs(%219 : tensor<1024xf32>) -> tensor<1024xf32>
    %expanded_70 = tensor.expand_shape %220 [[0, 1]] output_shape [1, 1024] : tensor<1024xf32> into tensor<1x1024xf32>
    return %expanded_70, %inserted_slice_22, %inserted_slice_24, %inserted_slice_52, %inserted_slice_54 : tensor<1x1024xf32>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>, tensor<2x64x64xbf16>
  }
}

