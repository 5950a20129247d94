// A convolution network (stem, max pool, fire block, batch norm, depthwise convolution, head) as torch-mlir makes it of ONNX, with all
// sizes unknown; what its softmax takes is a second result, since random weights make zeros and ones of it.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @onnx_squeeze_all_f16(%arg0: tensor<?x3x?x?xf16>, %arg1: tensor<16x3x3x3xf16>, %arg2: tensor<16xf16>, %arg3: tensor<8x16x1x1xf16>, %arg4: tensor<8xf16>, %arg5: tensor<16x8x1x1xf16>, %arg6: tensor<16xf16>, %arg7: tensor<16x8x3x3xf16>, %arg8: tensor<16xf16>, %arg9: tensor<32xf16>, %arg10: tensor<32xf16>, %arg11: tensor<32xf16>, %arg12: tensor<32xf16>, %arg13: tensor<32x1x3x3xf16>, %arg14: tensor<10x32xf16>, %arg15: tensor<10xf16>) -> (tensor<?x10xf16>, tensor<?x10xf16>) {
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f16
    %cst_0 = arith.constant 0xFC00 : f16
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant dense<6.000000e+00> : tensor<f16>
    %c-1_i64 = arith.constant -1 : i64
    %c-2_i64 = arith.constant -2 : i64
    %cst_4 = arith.constant 9.99999974E-6 : f32
    %cst_5 = arith.constant 3.000000e+00 : f16
    %cst_6 = arith.constant 6.000000e+00 : f16
    %dim = tensor.dim %arg0, %c0 : tensor<?x3x?x?xf16>
    %dim_7 = tensor.dim %arg0, %c2 : tensor<?x3x?x?xf16>
    %dim_8 = tensor.dim %arg0, %c3 : tensor<?x3x?x?xf16>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f16
    } : tensor<?x3x?x?xf16> to tensor<?x3x?x?xf16>
    %0 = arith.index_cast %dim_7 : index to i64
    %1 = arith.addi %0, %c-1_i64 : i64
    %2 = arith.floordivsi %1, %c2_i64 : i64
    %3 = arith.addi %2, %c1_i64 : i64
    %4 = arith.index_cast %3 : i64 to index
    %5 = arith.index_cast %dim_8 : index to i64
    %6 = arith.addi %5, %c-1_i64 : i64
    %7 = arith.floordivsi %6, %c2_i64 : i64
    %8 = arith.addi %7, %c1_i64 : i64
    %9 = arith.index_cast %8 : i64 to index
    %10 = tensor.empty(%dim, %4, %9) : tensor<?x16x?x?xf32>
    %11 = tensor.empty() : tensor<16xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg2 : tensor<16xf16>) outs(%11 : tensor<16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<16xf32>
    %broadcasted = linalg.broadcast ins(%12 : tensor<16xf32>) outs(%10 : tensor<?x16x?x?xf32>) dimensions = [0, 2, 3] 
    %13 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<?x3x?x?xf16>, tensor<16x3x3x3xf16>) outs(%broadcasted : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
    %14 = tensor.empty(%dim, %4, %9) : tensor<?x16x?x?xf16>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<?x16x?x?xf32>) outs(%14 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x16x?x?xf16>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<?x16x?x?xf16>) outs(%14 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.cmpf ugt, %in, %cst : f16
      %107 = arith.select %106, %in, %cst : f16
      linalg.yield %107 : f16
    } -> tensor<?x16x?x?xf16>
    %padded_9 = tensor.pad %16 low[0, 0, 0, 0] high[0, 0, 2, 2] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_0 : f16
    } : tensor<?x16x?x?xf16> to tensor<?x16x?x?xf16>
    %17 = arith.addi %7, %c-2_i64 : i64
    %18 = arith.ceildivsi %17, %c2_i64 : i64
    %19 = arith.addi %18, %c1_i64 : i64
    %20 = arith.muli %18, %c2_i64 : i64
    %21 = arith.cmpi uge, %20, %8 : i64
    %22 = arith.select %21, %18, %19 : i64
    %23 = arith.index_cast %22 : i64 to index
    %24 = arith.addi %2, %c-2_i64 : i64
    %25 = arith.ceildivsi %24, %c2_i64 : i64
    %26 = arith.addi %25, %c1_i64 : i64
    %27 = arith.muli %25, %c2_i64 : i64
    %28 = arith.cmpi uge, %27, %3 : i64
    %29 = arith.select %28, %25, %26 : i64
    %30 = arith.index_cast %29 : i64 to index
    %31 = tensor.empty(%dim, %30, %23) : tensor<?x16x?x?xf16>
    %32 = linalg.fill ins(%cst_0 : f16) outs(%31 : tensor<?x16x?x?xf16>) -> tensor<?x16x?x?xf16>
    %33 = tensor.empty() : tensor<3x3xf16>
    %34 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_9, %33 : tensor<?x16x?x?xf16>, tensor<3x3xf16>) outs(%32 : tensor<?x16x?x?xf16>) -> tensor<?x16x?x?xf16>
    %35 = tensor.empty(%dim, %30, %23) : tensor<?x8x?x?xf32>
    %36 = tensor.empty() : tensor<8xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xf16>) outs(%36 : tensor<8xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<8xf32>
    %broadcasted_10 = linalg.broadcast ins(%37 : tensor<8xf32>) outs(%35 : tensor<?x8x?x?xf32>) dimensions = [0, 2, 3] 
    %38 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%34, %arg3 : tensor<?x16x?x?xf16>, tensor<8x16x1x1xf16>) outs(%broadcasted_10 : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
    %39 = tensor.empty(%dim, %30, %23) : tensor<?x8x?x?xf16>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<?x8x?x?xf32>) outs(%39 : tensor<?x8x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x8x?x?xf16>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<?x8x?x?xf16>) outs(%39 : tensor<?x8x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.cmpf ugt, %in, %cst : f16
      %107 = arith.select %106, %in, %cst : f16
      linalg.yield %107 : f16
    } -> tensor<?x8x?x?xf16>
    %42 = tensor.empty(%dim, %30, %23) : tensor<?x16x?x?xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg6 : tensor<16xf16>) outs(%11 : tensor<16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<16xf32>
    %broadcasted_11 = linalg.broadcast ins(%43 : tensor<16xf32>) outs(%42 : tensor<?x16x?x?xf32>) dimensions = [0, 2, 3] 
    %44 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%41, %arg5 : tensor<?x8x?x?xf16>, tensor<16x8x1x1xf16>) outs(%broadcasted_11 : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<?x16x?x?xf32>) outs(%31 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x16x?x?xf16>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<?x16x?x?xf16>) outs(%31 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.cmpf ugt, %in, %cst : f16
      %107 = arith.select %106, %in, %cst : f16
      linalg.yield %107 : f16
    } -> tensor<?x16x?x?xf16>
    %padded_12 = tensor.pad %41 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f16
    } : tensor<?x8x?x?xf16> to tensor<?x8x?x?xf16>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg8 : tensor<16xf16>) outs(%11 : tensor<16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<16xf32>
    %broadcasted_13 = linalg.broadcast ins(%47 : tensor<16xf32>) outs(%42 : tensor<?x16x?x?xf32>) dimensions = [0, 2, 3] 
    %48 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_12, %arg7 : tensor<?x8x?x?xf16>, tensor<16x8x3x3xf16>) outs(%broadcasted_13 : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<?x16x?x?xf32>) outs(%31 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x16x?x?xf16>
    %50 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<?x16x?x?xf16>) outs(%31 : tensor<?x16x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.cmpf ugt, %in, %cst : f16
      %107 = arith.select %106, %in, %cst : f16
      linalg.yield %107 : f16
    } -> tensor<?x16x?x?xf16>
    %concat = tensor.concat dim(1) %46, %50 : (tensor<?x16x?x?xf16>, tensor<?x16x?x?xf16>) -> tensor<?x32x?x?xf16>
    %51 = tensor.empty() : tensor<32xf16>
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg12 : tensor<32xf16>) outs(%51 : tensor<32xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = math.absf %in : f16
      linalg.yield %106 : f16
    } -> tensor<32xf16>
    %dim_14 = tensor.dim %46, %c0 : tensor<?x16x?x?xf16>
    %dim_15 = tensor.dim %46, %c2 : tensor<?x16x?x?xf16>
    %dim_16 = tensor.dim %46, %c3 : tensor<?x16x?x?xf16>
    %53 = tensor.empty(%dim_14, %dim_15, %dim_16) : tensor<?x32x?x?xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat : tensor<?x32x?x?xf16>) outs(%53 : tensor<?x32x?x?xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<?x32x?x?xf32>
    %55 = tensor.empty() : tensor<32xf32>
    %56 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg11 : tensor<32xf16>) outs(%55 : tensor<32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<32xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%52 : tensor<32xf16>) outs(%55 : tensor<32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<32xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg9 : tensor<32xf16>) outs(%55 : tensor<32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<32xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg10 : tensor<32xf16>) outs(%55 : tensor<32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<32xf32>
    %expanded = tensor.expand_shape %56 [[0, 1, 2, 3]] output_shape [1, 32, 1, 1] : tensor<32xf32> into tensor<1x32x1x1xf32>
    %expanded_17 = tensor.expand_shape %57 [[0, 1, 2, 3]] output_shape [1, 32, 1, 1] : tensor<32xf32> into tensor<1x32x1x1xf32>
    %60 = tensor.empty() : tensor<1x32x1x1xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<1x32x1x1xf32>) outs(%60 : tensor<1x32x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.addf %in, %cst_4 : f32
      linalg.yield %106 : f32
    } -> tensor<1x32x1x1xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<1x32x1x1xf32>) outs(%60 : tensor<1x32x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = math.rsqrt %in : f32
      linalg.yield %106 : f32
    } -> tensor<1x32x1x1xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %expanded : tensor<?x32x?x?xf32>, tensor<1x32x1x1xf32>) outs(%53 : tensor<?x32x?x?xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.subf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x32x?x?xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %62 : tensor<?x32x?x?xf32>, tensor<1x32x1x1xf32>) outs(%53 : tensor<?x32x?x?xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.mulf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x32x?x?xf32>
    %expanded_18 = tensor.expand_shape %58 [[0, 1, 2, 3]] output_shape [1, 32, 1, 1] : tensor<32xf32> into tensor<1x32x1x1xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %expanded_18 : tensor<?x32x?x?xf32>, tensor<1x32x1x1xf32>) outs(%53 : tensor<?x32x?x?xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.mulf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x32x?x?xf32>
    %expanded_19 = tensor.expand_shape %59 [[0, 1, 2, 3]] output_shape [1, 32, 1, 1] : tensor<32xf32> into tensor<1x32x1x1xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %expanded_19 : tensor<?x32x?x?xf32>, tensor<1x32x1x1xf32>) outs(%53 : tensor<?x32x?x?xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.addf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x32x?x?xf32>
    %67 = tensor.empty(%dim_14, %dim_15, %dim_16) : tensor<?x32x?x?xf16>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<?x32x?x?xf32>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x32x?x?xf16>
    %padded_20 = tensor.pad %68 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f16
    } : tensor<?x32x?x?xf16> to tensor<?x32x?x?xf16>
    %69 = linalg.fill ins(%cst_1 : f32) outs(%53 : tensor<?x32x?x?xf32>) -> tensor<?x32x?x?xf32>
    %collapsed = tensor.collapse_shape %arg13 [[0, 1], [2], [3]] : tensor<32x1x3x3xf16> into tensor<32x3x3xf16>
    %70 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_20, %collapsed : tensor<?x32x?x?xf16>, tensor<32x3x3xf16>) outs(%69 : tensor<?x32x?x?xf32>) -> tensor<?x32x?x?xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<?x32x?x?xf32>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x32x?x?xf16>
    %72 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<?x32x?x?xf16>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.addf %in, %cst_5 : f16
      linalg.yield %106 : f16
    } -> tensor<?x32x?x?xf16>
    %73 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<?x32x?x?xf16>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.cmpf ugt, %in, %cst : f16
      %107 = arith.select %106, %in, %cst : f16
      linalg.yield %107 : f16
    } -> tensor<?x32x?x?xf16>
    %74 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73, %cst_3 : tensor<?x32x?x?xf16>, tensor<f16>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f16, %in_23: f16, %out: f16):
      %106 = arith.cmpf olt, %in, %in_23 : f16
      %107 = arith.select %106, %in, %in_23 : f16
      linalg.yield %107 : f16
    } -> tensor<?x32x?x?xf16>
    %75 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<?x32x?x?xf16>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.divf %in, %cst_6 : f16
      linalg.yield %106 : f16
    } -> tensor<?x32x?x?xf16>
    %76 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %71 : tensor<?x32x?x?xf16>, tensor<?x32x?x?xf16>) outs(%67 : tensor<?x32x?x?xf16>) {
    ^bb0(%in: f16, %in_23: f16, %out: f16):
      %106 = arith.mulf %in, %in_23 : f16
      linalg.yield %106 : f16
    } -> tensor<?x32x?x?xf16>
    %77 = arith.index_cast %dim_15 : index to i64
    %78 = arith.index_cast %dim_16 : index to i64
    %79 = tensor.empty(%dim_14) : tensor<?x32x1x1xf16>
    %80 = linalg.fill ins(%cst : f16) outs(%79 : tensor<?x32x1x1xf16>) -> tensor<?x32x1x1xf16>
    %81 = tensor.empty(%dim_15, %dim_16) : tensor<?x?xf16>
    %82 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%76, %81 : tensor<?x32x?x?xf16>, tensor<?x?xf16>) outs(%80 : tensor<?x32x1x1xf16>) -> tensor<?x32x1x1xf16>
    %83 = arith.muli %77, %78 : i64
    %84 = arith.sitofp %83 : i64 to f16
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<?x32x1x1xf16>) outs(%79 : tensor<?x32x1x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %106 = arith.divf %in, %84 : f16
      linalg.yield %106 : f16
    } -> tensor<?x32x1x1xf16>
    %collapsed_21 = tensor.collapse_shape %85 [[0], [1, 2, 3]] : tensor<?x32x1x1xf16> into tensor<?x32xf16>
    %86 = tensor.empty() : tensor<32x10xf16>
    %transposed = linalg.transpose ins(%arg14 : tensor<10x32xf16>) outs(%86 : tensor<32x10xf16>) permutation = [1, 0] 
    %87 = tensor.empty(%dim_14) : tensor<?x10xf32>
    %88 = linalg.fill ins(%cst_1 : f32) outs(%87 : tensor<?x10xf32>) -> tensor<?x10xf32>
    %89 = linalg.matmul ins(%collapsed_21, %transposed : tensor<?x32xf16>, tensor<32x10xf16>) outs(%88 : tensor<?x10xf32>) -> tensor<?x10xf32>
    %90 = tensor.empty(%dim_14) : tensor<?x10xf16>
    %91 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%89 : tensor<?x10xf32>) outs(%90 : tensor<?x10xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x10xf16>
    %92 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%91, %arg15 : tensor<?x10xf16>, tensor<10xf16>) outs(%90 : tensor<?x10xf16>) {
    ^bb0(%in: f16, %in_23: f16, %out: f16):
      %106 = arith.addf %in, %in_23 : f16
      linalg.yield %106 : f16
    } -> tensor<?x10xf16>
    %93 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%92 : tensor<?x10xf16>) outs(%87 : tensor<?x10xf32>) {
    ^bb0(%in: f16, %out: f32):
      %106 = arith.extf %in : f16 to f32
      linalg.yield %106 : f32
    } -> tensor<?x10xf32>
    %94 = tensor.empty(%dim_14) : tensor<?xi64>
    %95 = linalg.fill ins(%c0_i64 : i64) outs(%94 : tensor<?xi64>) -> tensor<?xi64>
    %96 = tensor.empty(%dim_14) : tensor<?xf32>
    %97 = linalg.fill ins(%cst_2 : f32) outs(%96 : tensor<?xf32>) -> tensor<?xf32>
    %98:2 = linalg.generic {indexing_maps = [#map4, #map6, #map6], iterator_types = ["parallel", "reduction"]} ins(%93 : tensor<?x10xf32>) outs(%97, %95 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_23: i64):
      %106 = linalg.index 1 : index
      %107 = arith.index_cast %106 : index to i64
      %108 = arith.maximumf %in, %out : f32
      %109 = arith.cmpf ogt, %in, %out : f32
      %110 = arith.select %109, %107, %out_23 : i64
      linalg.yield %108, %110 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded_22 = tensor.expand_shape %98#0 [[0, 1]] output_shape [%dim_14, 1] : tensor<?xf32> into tensor<?x1xf32>
    %99 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%93, %expanded_22 : tensor<?x10xf32>, tensor<?x1xf32>) outs(%87 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.subf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x10xf32>
    %100 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%99 : tensor<?x10xf32>) outs(%87 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = math.exp %in : f32
      linalg.yield %106 : f32
    } -> tensor<?x10xf32>
    %101 = tensor.empty(%dim_14) : tensor<?x1xf32>
    %102 = linalg.fill ins(%cst_1 : f32) outs(%101 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %103 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "reduction"]} ins(%100 : tensor<?x10xf32>) outs(%102 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.addf %in, %out : f32
      linalg.yield %106 : f32
    } -> tensor<?x1xf32>
    %104 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%100, %103 : tensor<?x10xf32>, tensor<?x1xf32>) outs(%87 : tensor<?x10xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %106 = arith.divf %in, %in_23 : f32
      linalg.yield %106 : f32
    } -> tensor<?x10xf32>
    %105 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%104 : tensor<?x10xf32>) outs(%90 : tensor<?x10xf16>) {
    ^bb0(%in: f32, %out: f16):
      %106 = arith.truncf %in : f32 to f16
      linalg.yield %106 : f16
    } -> tensor<?x10xf16>
    return %105, %92 : tensor<?x10xf16>, tensor<?x10xf16>
  }
}

