// A reshape of a contraction's result moves after the elementwise operations that read it, which become its epilogue.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#col = affine_map<(d0, d1, d2) -> (d2)>

// A bias and a residual in the shape of a batch of sequences.

// CHECK-LABEL: func.func @residual(
// CHECK:         %[[X:.*]] = tensor.collapse_shape %arg3 {{\[\[}}0, 1], [2]] : tensor<2x128x96xbf16> into tensor<256x96xbf16>
// CHECK:         bufferization.to_buffer %[[X]] read_only
// CHECK:         layout.matmul {{.*}} epilogue(
// CHECK:           arith.addf
// CHECK:           arith.addf
// CHECK:           layout.yield
// CHECK:         %[[T:.*]] = bufferization.to_tensor {{.*}} : memref<256x96xbf16> to tensor<256x96xbf16>
// CHECK:         %[[Y:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0, 1], [2]] output_shape [2, 128, 96]
// CHECK-NEXT:    return %[[Y]]
func.func @residual(%a: tensor<256x64xbf16>, %b: tensor<64x96xbf16>, %bias: tensor<96xbf16>, %x: tensor<2x128x96xbf16>) -> tensor<2x128x96xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x96xf32>) -> tensor<256x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x64xbf16>, tensor<64x96xbf16>) outs(%i : tensor<256x96xf32>) -> tensor<256x96xf32>
  %s = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, 128, 96] : tensor<256x96xf32> into tensor<2x128x96xf32>
  %o = tensor.empty() : tensor<2x128x96xbf16>
  %y = linalg.generic {indexing_maps = [#id, #col, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias, %x : tensor<2x128x96xf32>, tensor<96xbf16>, tensor<2x128x96xbf16>) outs(%o : tensor<2x128x96xbf16>) {
  ^bb0(%p: f32, %q: bf16, %r: bf16, %out: bf16):
    %q32 = arith.extf %q : bf16 to f32
    %r32 = arith.extf %r : bf16 to f32
    %t = arith.addf %p, %q32 : f32
    %u = arith.addf %t, %r32 : f32
    %v = arith.truncf %u : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<2x128x96xbf16>
  return %y : tensor<2x128x96xbf16>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (0, 0, d2)>

// The length is known at run time, the bias has dimensions of one element, and another operation reads the length.

// CHECK-LABEL: func.func @run_time(
// CHECK:         %[[DIM:.*]] = tensor.dim %arg0
// CHECK:         layout.matmul {{.*}} epilogue(
// CHECK:         %[[T:.*]] = bufferization.to_tensor {{.*}} : memref<?x96xbf16> to tensor<?x96xbf16>
// CHECK:         %[[Y:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0, 1], [2]] output_shape [2, %[[DIM]], 96]
// CHECK-NEXT:    return %[[Y]], %[[DIM]]
func.func @run_time(%a: tensor<2x?x64xbf16>, %b: tensor<64x96xbf16>, %bias: tensor<1x1x96xbf16>) -> (tensor<2x?x96xbf16>, index) {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %dim = tensor.dim %a, %c1 : tensor<2x?x64xbf16>
  %ac = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x?x64xbf16> into tensor<?x64xbf16>
  %n = arith.muli %dim, %c2 : index
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %c = linalg.matmul ins(%ac, %b : tensor<?x64xbf16>, tensor<64x96xbf16>) outs(%i : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, %dim, 96] : tensor<?x96xf32> into tensor<2x?x96xf32>
  %again = tensor.dim %s, %c1 : tensor<2x?x96xf32>
  %o = tensor.empty(%again) : tensor<2x?x96xbf16>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x?x96xf32>, tensor<1x1x96xbf16>) outs(%o : tensor<2x?x96xbf16>) {
  ^bb0(%p: f32, %q: bf16, %out: bf16):
    %q32 = arith.extf %q : bf16 to f32
    %t = arith.addf %p, %q32 : f32
    %v = arith.truncf %t : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<2x?x96xbf16>
  return %y, %again : tensor<2x?x96xbf16>, index
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// After a reduction of the same result, the operation stays in the shape of the reduction, and one kernel computes both.

// CHECK-LABEL: func.func @norm(
// CHECK-NOT:     epilogue(
// CHECK:         layout.matmul
// CHECK-NOT:     epilogue(
// CHECK:         gpu.launch_func {{.*}}@norm_rows
// CHECK-NOT:     gpu.launch_func
// CHECK:         return {{.*}} : tensor<2x128x96xf32>
func.func @norm(%a: tensor<256x64xbf16>, %b: tensor<64x96xbf16>) -> tensor<2x128x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x96xf32>) -> tensor<256x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x64xbf16>, tensor<64x96xbf16>) outs(%i : tensor<256x96xf32>) -> tensor<256x96xf32>
  %s = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, 128, 96] : tensor<256x96xf32> into tensor<2x128x96xf32>
  %re = tensor.empty() : tensor<2x128xf32>
  %ri = linalg.fill ins(%zero : f32) outs(%re : tensor<2x128xf32>) -> tensor<2x128xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x128x96xf32>) outs(%ri : tensor<2x128xf32>) {
  ^bb0(%p: f32, %out: f32):
    %t = arith.addf %out, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x128xf32>
  %o = tensor.empty() : tensor<2x128x96xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<2x128x96xf32>, tensor<2x128xf32>) outs(%o : tensor<2x128x96xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x128x96xf32>
  return %y : tensor<2x128x96xf32>
}
