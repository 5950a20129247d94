#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<128x256xf16>, %arg1: tensor<256x512xf16>, %arg2: tensor<512xf16>, %arg3: tensor<512x256xf16>) -> tensor<128x256xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<128x512xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<128x512xf32>) -> tensor<128x512xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<128x256xf16>, tensor<256x512xf16>) outs(%1 : tensor<128x512xf32>) -> tensor<128x512xf32>
    %3 = tensor.empty() : tensor<128x512xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<128x512xf32>) outs(%3 : tensor<128x512xf16>) {
    ^bb0(%in: f32, %out: f16):
      %12 = arith.truncf %in : f32 to f16
      linalg.yield %12 : f16
    } -> tensor<128x512xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %arg2 : tensor<128x512xf16>, tensor<512xf16>) outs(%3 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %12 = arith.addf %in, %in_1 : f16
      linalg.yield %12 : f16
    } -> tensor<128x512xf16>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<128x512xf16>) outs(%3 : tensor<128x512xf16>) {
    ^bb0(%in: f16, %out: f16):
      %12 = arith.cmpf ugt, %in, %cst_0 : f16
      %13 = arith.select %12, %in, %cst_0 : f16
      linalg.yield %13 : f16
    } -> tensor<128x512xf16>
    %7 = tensor.empty() : tensor<128x256xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<128x256xf32>) -> tensor<128x256xf32>
    %9 = linalg.matmul ins(%6, %arg3 : tensor<128x512xf16>, tensor<512x256xf16>) outs(%8 : tensor<128x256xf32>) -> tensor<128x256xf32>
    %10 = tensor.empty() : tensor<128x256xf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<128x256xf32>) outs(%10 : tensor<128x256xf16>) {
    ^bb0(%in: f32, %out: f16):
      %12 = arith.truncf %in : f32 to f16
      linalg.yield %12 : f16
    } -> tensor<128x256xf16>
    return %11 : tensor<128x256xf16>
  }
}

