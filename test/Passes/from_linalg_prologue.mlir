// Conversions before a contraction of few rows become its prologue: the matmul reads the narrow type. With more rows, or sizes that
// are dynamic, a kernel converts, and a remark says why.

// RUN: layout-opt %s --split-input-file --layout-from-linalg --verify-diagnostics | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @weights
// CHECK-NOT:     gpu.launch_func
// CHECK:         layout.matmul
// CHECK:         : !layout.view<bf16, global, (32,256):(256,1)>, !layout.view<i8, global, (512,256):(1,512)>, !layout.view<f32, global, (32,512):(512,1)>
func.func @weights(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %c: tensor<32x512xf32>) -> tensor<32x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  // expected-remark@+1 {{layout-from-linalg converts B from i8 to bf16 in registers, as the prologue of the contraction}}
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<256x512xi8>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    linalg.yield %f : bf16
  } -> tensor<256x512xbf16>
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  return %r : tensor<32x512xf32>
}

// -----

// Weights on the left.

// CHECK-LABEL: func.func @left
// CHECK-NOT:     gpu.launch_func
// CHECK:         : !layout.view<f8E4M3FN, global, (512,256):(256,1)>, !layout.view<f16, global, (64,256):(1,64)>
func.func @left(%w: tensor<512x256xf8E4M3FN>, %x: tensor<256x64xf16>, %c: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %r = linalg.matmul ins(%w, %x : tensor<512x256xf8E4M3FN>, tensor<256x64xf16>) outs(%c : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// Tensor cores bound a contraction of many rows, and warpgroups read two bytes.

// CHECK-LABEL: func.func @many
// CHECK:         gpu.launch_func
// CHECK:         : !layout.view<bf16, global, (128,256):(256,1)>, !layout.view<bf16, global, (512,256):(1,512)>
func.func @many(%x: tensor<128x256xbf16>, %w: tensor<256x512xi8>, %c: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<256x512xi8>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    linalg.yield %f : bf16
  } -> tensor<256x512xbf16>
  // expected-remark@+1 {{layout-from-linalg converts B in a kernel before the contraction: expected 16 to 64 rows of A for a conversion in registers, found 128}}
  %r = linalg.matmul ins(%x, %wide : tensor<128x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<128x512xf32>) -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @dynamic
// CHECK:         gpu.launch_func
func.func @dynamic(%x: tensor<?x256xbf16>, %w: tensor<256x512xi8>, %c: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<256x512xi8>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    linalg.yield %f : bf16
  } -> tensor<256x512xbf16>
  // expected-remark@+1 {{layout-from-linalg converts B in a kernel before the contraction: expected 16 to 64 rows of A for a conversion in registers, found a dynamic number}}
  %r = linalg.matmul ins(%x, %wide : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// A conversion that rounds is no prologue.

// CHECK-LABEL: func.func @rounded
// CHECK:         gpu.launch_func
// CHECK:         : !layout.view<bf16, global, (32,256):(256,1)>, !layout.view<bf16, global, (512,256):(1,512)>
func.func @rounded(%x: tensor<32x256xbf16>, %w: tensor<256x512xf32>, %c: tensor<32x512xf32>) -> tensor<32x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<256x512xf32>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %f = arith.truncf %a : f32 to bf16
    linalg.yield %f : bf16
  } -> tensor<256x512xbf16>
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  return %r : tensor<32x512xf32>
}
