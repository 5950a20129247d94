// Contractions of linalg become matmuls on views, and operations on their results epilogues. Other operations: from_linalg_rows.mlir.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

// A filled result, a bias that is widened and broadcast by operations of its own, an activation and a conversion: one matmul.

#vector = affine_map<(i) -> (i)>
#column = affine_map<(i, j) -> (j)>
#matrix = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    attributes {layout.host}
// CHECK:         %[[A:.*]] = bufferization.to_buffer %arg0 read_only : tensor<64x32xbf16> to memref<64x32xbf16>
// CHECK:         layout.constant #layout<(64,32):(32,1)>
// CHECK:         layout.constant #layout<(48,32):(1,48)>
// CHECK:         layout.constant #layout<(64,48):(0,1)>
// CHECK:         %[[C:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x48xbf16>
// CHECK-NOT:     linalg
// CHECK:         layout.matmul {{.*}} schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:      %[[BIASED:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[RELU:.*]] = arith.maximumf %[[BIASED]], %[[ZERO]] : f32
// CHECK-NEXT:      layout.yield %[[RELU]] : f32
// CHECK-NEXT:    } : !layout.view<bf16, global, (64,32):(32,1)>, !layout.view<bf16, global, (48,32):(1,48)>, !layout.view<bf16, global, (64,48):(48,1)>, !layout.view<bf16, global, (64,48):(0,1)>
// CHECK-NEXT:    %[[R:.*]] = bufferization.to_tensor %[[C]] restrict writable
// CHECK-NEXT:    return %[[R]]
func.func @layer(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %bias: tensor<48xbf16>) -> tensor<64x48xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%filled : tensor<64x48xf32>) -> tensor<64x48xf32>
  %vector = tensor.empty() : tensor<48xf32>
  %wide = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%bias : tensor<48xbf16>) outs(%vector : tensor<48xf32>) {
  ^bb0(%x: bf16, %old: f32):
    %w = arith.extf %x : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<48xf32>
  %rows = linalg.generic {indexing_maps = [#column, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<64x48xf32>
  %biased = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %rows : tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  %half = tensor.empty() : tensor<64x48xbf16>
  %result = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%biased : tensor<64x48xf32>) outs(%half : tensor<64x48xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %r = arith.maximumf %x, %zero : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x48xbf16>
  return %result : tensor<64x48xbf16>
}

// -----

// A result that is added to; sizes known at run time; a memref in its own place.

// CHECK-LABEL: func.func @added(
// CHECK:         %[[M:.*]] = memref.dim %arg0, %c0
// CHECK:         %[[WIDE:.*]] = arith.index_cast %[[M]] : index to i64
// CHECK:         layout.make %[[WIDE]] : (i64) -> !layout<(?{i64},32):(32,1)>
// CHECK:         layout.matmul {{.*}} epilogue(
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUM]] : f32
// CHECK-NEXT:      layout.yield %[[NEW]] : f32
func.func @added(%a: memref<?x32xf16>, %b: memref<32x48xf16>, %c: memref<?x48xf32>) {
  linalg.matmul ins(%a, %b : memref<?x32xf16>, memref<32x48xf16>) outs(%c : memref<?x48xf32>)
  return
}

// -----

// A convolution is a matmul whose A has a mode for each loop of the filter, over rows that overlap.

// CHECK-LABEL: func.func @convolution(
// CHECK:         layout.constant #layout<((6,6,2),(24,3)):((16,224,1568),(1,112))>
// CHECK-NOT:     linalg
func.func @convolution(%image: memref<2x14x14x8xbf16>, %filter: memref<3x3x8x16xbf16>, %out: memref<2x6x6x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<2x6x6x16xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%image, %filter : memref<2x14x14x8xbf16>, memref<3x3x8x16xbf16>) outs(%out : memref<2x6x6x16xf32>)
  return
}

// -----

// An accumulator that others read is no part of the epilogue, nor is one that is returned.

// CHECK-LABEL: func.func @read_twice(
// CHECK:         layout.matmul
// CHECK-NOT:       epilogue
// CHECK:         gpu.launch_func @read_twice_elements::@read_twice_elements
#matrix = affine_map<(i, j) -> (i, j)>
func.func @read_twice(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%filled : tensor<64x48xf32>) -> tensor<64x48xf32>
  %twice = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%x: f32, %old: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  return %sums, %twice : tensor<64x48xf32>, tensor<64x48xf32>
}

// -----

// With rows known at run time, as JAX writes it: a bias whose broadcast reads a row of one element, and numbers that are tensors of
// rank 0, repeated. No kernel but the matmul is left.

// CHECK-LABEL: func.func @open_layer(
// CHECK:         layout.matmul {{.*}} epilogue(
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:      %[[BIASED:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-NEXT:      %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      %[[SCALED:.*]] = arith.mulf %[[HALF]], %[[BIASED]] : f32
// CHECK-NEXT:      layout.yield %[[SCALED]] : f32
// CHECK-NEXT:    } : !layout.view<bf16, global, (?{i64},32):(32,1)>, !layout.view<bf16, global, (48,32):(1,48)>, !layout.view<f32, global, (?{i64},48):(48,1)>, !layout.view<bf16, global, (?{i64},48):(0,1)>
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
#scalar = affine_map<(i, j) -> ()>
#row = affine_map<(i, j) -> (0, j)>
func.func @open_layer(%a: tensor<?x32xbf16>, %b: tensor<32x48xbf16>, %bias: tensor<48xbf16>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x32xbf16>
  %empty = tensor.empty(%m) : tensor<?x48xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>) -> tensor<?x48xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<?x32xbf16>, tensor<32x48xbf16>) outs(%filled : tensor<?x48xf32>) -> tensor<?x48xf32>
  %one_row = tensor.empty() : tensor<1x48xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<48xbf16>) outs(%one_row : tensor<1x48xf32>) {
  ^bb0(%x: bf16, %old: f32):
    %w = arith.extf %x : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<1x48xf32>
  %rows = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<1x48xf32>) outs(%empty : tensor<?x48xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<?x48xf32>
  %biased = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %rows : tensor<?x48xf32>, tensor<?x48xf32>) outs(%empty : tensor<?x48xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x48xf32>
  %halves = linalg.generic {indexing_maps = [#scalar, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%half : tensor<f32>) outs(%empty : tensor<?x48xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<?x48xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%halves, %biased : tensor<?x48xf32>, tensor<?x48xf32>) outs(%empty : tensor<?x48xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x48xf32>
  return %scaled : tensor<?x48xf32>
}

// -----

// The reciprocal of a sigmoid whose result has 16 bits is the chip's, within two units of f32; one whose result is stored in f32
// is rounded as IEEE says.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @sigmoid
// CHECK:         layout.matmul
// CHECK:           arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
// CHECK-LABEL: func.func @sigmoid_wide
// CHECK:         layout.matmul
// CHECK:           arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f32
func.func @sigmoid(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = tensor.empty() : tensor<64x64xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x64xf32>) outs(%o : tensor<64x64xbf16>) {
  ^bb0(%p: f32, %out: bf16):
    %n = arith.negf %p : f32
    %x = math.exp %n : f32
    %d = arith.addf %x, %one : f32
    %q = arith.divf %one, %d : f32
    %v = arith.truncf %q : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<64x64xbf16>
  return %y : tensor<64x64xbf16>
}

func.func @sigmoid_wide(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %out: f32):
    %n = arith.negf %p : f32
    %x = math.exp %n : f32
    %d = arith.addf %x, %one : f32
    %q = arith.divf %one, %d : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// The initial accumulator of a contraction is an operand of the epilogue, broadcast by its strides, or a number.

// CHECK-LABEL: func.func @starts_with_bias(
// CHECK-NOT:     linalg
// CHECK:         layout.matmul {{.*}} epilogue(
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:      %[[BIASED:.*]] = arith.addf %[[BIAS]], %[[SUM]] : f32
// CHECK-NEXT:      layout.yield %[[BIASED]] : f32
// CHECK-NEXT:    } : {{.*}}, !layout.view<f32, global, (64,48):(48,1)>, !layout.view<f32, global, (64,48):(0,1)>
// CHECK-NOT:     linalg
func.func @starts_with_bias(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %bias: tensor<48xf32>) -> tensor<64x48xf32> {
  %empty = tensor.empty() : tensor<64x48xf32>
  %rows = linalg.broadcast ins(%bias : tensor<48xf32>) outs(%empty : tensor<64x48xf32>) dimensions = [0]
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%rows : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %sums : tensor<64x48xf32>
}

// CHECK-LABEL: func.func @starts_with_zeros(
// CHECK:         layout.matmul %{{.*}}, %{{.*}}, %{{.*}} schedule(#layout.schedule<auto, chip = "sm_90a">) : {{.*}}, !layout.view<f32, global, (64,48):(48,1)>{{$}}
func.func @starts_with_zeros(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> tensor<64x48xf32> {
  %zeros = arith.constant dense<0.0> : tensor<64x48xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%zeros : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %sums : tensor<64x48xf32>
}

// CHECK-LABEL: func.func @starts_with_ones(
// CHECK:         layout.matmul {{.*}} epilogue {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      arith.addf %[[ONE]], %[[SUM]] : f32
func.func @starts_with_ones(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> tensor<64x48xf32> {
  %ones = arith.constant dense<1.0> : tensor<64x48xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%ones : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %sums : tensor<64x48xf32>
}

// A matmul in f64 has its result in f64; what rounds it to f32 is a kernel of its own.

// CHECK:         %[[X:.*]] = layout.load %{{.*}} : !layout.view<f64, register
// CHECK-NEXT:    arith.truncf %[[X]] : f64 to f32
// CHECK-LABEL: func.func @narrows_later(
// CHECK:         layout.matmul {{.*}}, !layout.view<f64, global, (64,48):(48,1)>{{$}}
func.func @narrows_later(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>) -> tensor<64x48xf32> {
  %zeros = arith.constant dense<0.0> : tensor<64x48xf64>
  %sums = linalg.matmul ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%zeros : tensor<64x48xf64>) -> tensor<64x48xf64>
  %empty = tensor.empty() : tensor<64x48xf32>
  %narrow = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<64x48xf64>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%x: f64, %old: f32):
    %y = arith.truncf %x : f64 to f32
    linalg.yield %y : f32
  } -> tensor<64x48xf32>
  return %narrow : tensor<64x48xf32>
}
