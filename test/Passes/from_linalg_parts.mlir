// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-from-linalg,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map})' 2>/dev/null | FileCheck %s

// Operands of contractions that are parts of another tensor are read where they lie: bufferisation makes views of them, and copies nothing.

// CHECK-LABEL: func.func @scores
// CHECK-NOT: memref.copy
// CHECK: %[[Q:.+]] = memref.expand_shape %{{.+}} memref<64x64xbf16, strided<[192, 1]>> into memref<64x4x16xbf16, strided<[192, 16, 1]>>
// CHECK: %[[K:.+]] = memref.expand_shape %{{.+}} into memref<64x4x16xbf16, strided<[192, 16, 1], offset: 64>>
// CHECK: memref.memory_space_cast %[[Q]]
// CHECK: layout.make_view %{{.+}} !layout<(64,16,4):(192,1,16)>
// CHECK: memref.memory_space_cast %[[K]]
// CHECK: layout.make_view %{{.+}} !layout<(64,16,4):(192,1,16)>
// CHECK-NOT: memref.copy
// CHECK: layout.matmul
func.func @scores(%x: tensor<64x64xbf16>, %w: tensor<64x192xbf16>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x192xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x192xf32>) -> tensor<64x192xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xbf16>, tensor<64x192xbf16>) outs(%f0 : tensor<64x192xf32>) -> tensor<64x192xf32>
  %e1 = tensor.empty() : tensor<64x192xbf16>
  %qkv = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<64x192xf32>) outs(%e1 : tensor<64x192xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x192xbf16>
  %q = tensor.extract_slice %qkv[0, 0] [64, 64] [1, 1] : tensor<64x192xbf16> to tensor<64x64xbf16>
  %k = tensor.extract_slice %qkv[0, 64] [64, 64] [1, 1] : tensor<64x192xbf16> to tensor<64x64xbf16>
  %qh = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 4, 16] : tensor<64x64xbf16> into tensor<64x4x16xbf16>
  %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [64, 4, 16] : tensor<64x64xbf16> into tensor<64x4x16xbf16>
  %e2 = tensor.empty() : tensor<4x64x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (i, h, d)>, affine_map<(h, i, j, d) -> (j, h, d)>, affine_map<(h, i, j, d) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qh, %kh : tensor<64x4x16xbf16>, tensor<64x4x16xbf16>) outs(%f2 : tensor<4x64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %m = arith.mulf %wa, %wb : f32
    %sum = arith.addf %c, %m : f32
    linalg.yield %sum : f32
  } -> tensor<4x64x64xf32>
  return %s : tensor<4x64x64xf32>
}

// A part that does not start at 16 bytes is copied by a kernel, since no copy of several elements could read it; so is one whose offset is known
// at run time.

// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: memref.copy
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: memref.copy
// CHECK: layout.matmul
func.func @unaligned(%x: tensor<64x192xbf16>, %at: index, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = tensor.extract_slice %x[0, 4] [64, 64] [1, 1] : tensor<64x192xbf16> to tensor<64x64xbf16>
  %b = tensor.extract_slice %x[0, %at] [64, 64] [1, 1] : tensor<64x192xbf16> to tensor<64x64xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// A slice of rows, collapsed: dimensions without gaps become one; with gaps they cannot.

// CHECK-LABEL: func.func @collapsed
// CHECK-NOT: memref.copy
// CHECK: layout.make_view %{{.+}} !layout<(64,64):(64,1)>
// CHECK-NOT: memref.copy
// CHECK: layout.matmul
func.func @collapsed(%x: tensor<24x8x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tensor.extract_slice %x[8, 0, 0] [8, 8, 64] [1, 1, 1] : tensor<24x8x64xbf16> to tensor<8x8x64xbf16>
  %a = tensor.collapse_shape %s [[0, 1], [2]] : tensor<8x8x64xbf16> into tensor<64x64xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// Dimensions of one element have any stride, in a slice too: the class token of each image.

// CHECK-LABEL: func.func @token
// CHECK-NOT: memref.copy
// CHECK: layout.make_view %{{.+}} !layout<(64,64):(576,1)>
// CHECK-NOT: memref.copy
// CHECK: layout.matmul
func.func @token(%x: tensor<64x9x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tensor.extract_slice %x[0, 1, 0] [64, 1, 64] [1, 1, 1] : tensor<64x9x64xbf16> to tensor<64x1x64xbf16>
  %a = tensor.collapse_shape %s [[0, 1], [2]] : tensor<64x1x64xbf16> into tensor<64x64xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
