// Conversions before a contraction of few rows become its prologue: the matmul reads the narrow type. With more rows, or sizes that
// are dynamic, a kernel converts, and a remark says why. Scales that are the same along K become factors in the epilogue.

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
  // expected-remark@+1 {{layout-from-linalg converts B in a kernel before the contraction: expected 1 to 64 rows of A for a conversion in registers, found 128}}
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
  // expected-remark@+1 {{layout-from-linalg converts B in a kernel before the contraction: expected 1 to 64 rows of A for a conversion in registers, found a dynamic number}}
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

// -----

#all = affine_map<(i, j) -> (i, j)>

// A single row, as a decoder has.

// CHECK-LABEL: func.func @one
// CHECK-NOT:     gpu.launch_func
// CHECK:         : !layout.view<bf16, global, (1,256):(256,1)>, !layout.view<i8, global, (512,256):(1,512)>, !layout.view<f32, global, (1,512):(512,1)>
func.func @one(%x: tensor<1x256xbf16>, %w: tensor<256x512xi8>, %c: tensor<1x512xf32>) -> tensor<1x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  // expected-remark@+1 {{layout-from-linalg converts B from i8 to bf16 in registers, as the prologue of the contraction}}
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<256x512xi8>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    linalg.yield %f : bf16
  } -> tensor<256x512xbf16>
  %r = linalg.matmul ins(%x, %wide : tensor<1x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %r : tensor<1x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// A scale for each column, whose product with a weight is rounded to bf16, as the result is.

// CHECK-LABEL: func.func @columns
// CHECK-NOT:     gpu.launch_func
// CHECK:         layout.matmul {{.*}} epilogue({{.*}})
// CHECK:           arith.mulf
// CHECK:         !layout.view<i8, global, (512,256):(1,512)>
func.func @columns(%x: tensor<8x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<8x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<8x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<8x512xf32>) -> tensor<8x512xf32>
  // expected-remark@+1 {{layout-from-linalg multiplies by the scales of B, which is i8, after the contraction}}
  %r = linalg.matmul ins(%x, %wide : tensor<8x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<8x512xf32>) -> tensor<8x512xf32>
  %o = tensor.empty() : tensor<8x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x512xf32>) outs(%o : tensor<8x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %b = arith.truncf %a : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<8x512xbf16>
  return %n : tensor<8x512xbf16>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// Scales in f32 round nothing: with more rows, a kernel makes 16-bit numbers of the weights, and warpgroups multiply.

// CHECK-LABEL: func.func @many_rows
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul {{.*}} epilogue({{.*}})
// CHECK:         !layout.view<bf16, global, (128,256):(256,1)>, !layout.view<bf16, global, (512,256):(1,512)>
func.func @many_rows(%x: tensor<128x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xf32>) -> tensor<128x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%a: i8, %t: f32, %old: f32):
    %f = arith.sitofp %a : i8 to f32
    %g = arith.mulf %t, %f : f32
    linalg.yield %g : f32
  } -> tensor<256x512xf32>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<128x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<128x512xf32>) -> tensor<128x512xf32>
  // expected-remark@+2 {{layout-from-linalg multiplies by the scales of B, which is i8, after the contraction}}
  // expected-remark@+1 {{layout-from-linalg first converts B from i8 to bf16, without rounding}}
  %r = linalg.matmul ins(%x, %wide : tensor<128x256xbf16>, tensor<256x512xf32>) outs(%c : tensor<128x512xf32>) -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// Scales that differ along K are no factor of a sum.

// CHECK-LABEL: func.func @along_k
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul
func.func @along_k(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<256xbf16>) -> tensor<32x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<32x512xf32>) -> tensor<32x512xf32>
  // expected-remark@+1 {{layout-from-linalg dequantises B in a kernel before the contraction: expected scales that are the same along K, found others}}
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  %o = tensor.empty() : tensor<32x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<32x512xf32>) outs(%o : tensor<32x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %b = arith.truncf %a : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<32x512xbf16>
  return %n : tensor<32x512xbf16>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// A result in f32 shows the roundings of the weights.

// CHECK-LABEL: func.func @shown
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul
func.func @shown(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<32x512xf32> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<32x512xf32>) -> tensor<32x512xf32>
  // expected-remark@+1 {{layout-from-linalg dequantises B in a kernel before the contraction: expected a result that is rounded to no more bits than weights in bf16, found one in f32}}
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  return %r : tensor<32x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// The scales are no factors of an initial value.

// CHECK-LABEL: func.func @started
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul
func.func @started(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<32x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 1.0 : f32
  %i = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<32x512xf32>) -> tensor<32x512xf32>
  // expected-remark@+1 {{layout-from-linalg dequantises B in a kernel before the contraction: expected sums that start at 0, found an initial value}}
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  %o = tensor.empty() : tensor<32x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<32x512xf32>) outs(%o : tensor<32x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %b = arith.truncf %a : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<32x512xbf16>
  return %n : tensor<32x512xbf16>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// Numbers with zero points are dequantised by one kernel.

// CHECK-LABEL: func.func @zero_points
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul
func.func @zero_points(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<32x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %h = arith.subf %f, %t : bf16
    %g = arith.mulf %h, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<32x512xf32>) -> tensor<32x512xf32>
  // expected-remark@+1 {{layout-from-linalg dequantises B in a kernel before the contraction: expected numbers without zero points, found a difference}}
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  %o = tensor.empty() : tensor<32x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<32x512xf32>) outs(%o : tensor<32x512xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %b = arith.truncf %a : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<32x512xbf16>
  return %n : tensor<32x512xbf16>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// Scaled numbers that something else reads, too, are in memory.

// CHECK-LABEL: func.func @read_twice
// CHECK:         gpu.launch_func
// CHECK:         layout.matmul
func.func @read_twice(%x: tensor<32x256xbf16>, %w: tensor<256x512xi8>, %s: tensor<512xbf16>) -> tensor<32x512xbf16> {
  %e = tensor.empty() : tensor<256x512xbf16>
  %wide = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<512xbf16>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i8, %t: bf16, %old: bf16):
    %f = arith.sitofp %a : i8 to bf16
    %g = arith.mulf %f, %t : bf16
    linalg.yield %g : bf16
  } -> tensor<256x512xbf16>
  %z = arith.constant 0.0 : f32
  %p = tensor.extract_slice %wide[0, 0] [32, 512] [1, 1] : tensor<256x512xbf16> to tensor<32x512xbf16>
  %i = tensor.empty() : tensor<32x512xf32>
  %c = linalg.fill ins(%z : f32) outs(%i : tensor<32x512xf32>) -> tensor<32x512xf32>
  // expected-remark@+1 {{layout-from-linalg dequantises B in a kernel before the contraction: expected one reader of the scaled numbers, found several}}
  %r = linalg.matmul ins(%x, %wide : tensor<32x256xbf16>, tensor<256x512xbf16>) outs(%c : tensor<32x512xf32>) -> tensor<32x512xf32>
  %o = tensor.empty() : tensor<32x512xbf16>
  %n = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%r, %p : tensor<32x512xf32>, tensor<32x512xbf16>) outs(%o : tensor<32x512xbf16>) {
  ^bb0(%a: f32, %q: bf16, %old: bf16):
    %b = arith.truncf %a : f32 to bf16
    %d = arith.addf %b, %q : bf16
    linalg.yield %d : bf16
  } -> tensor<32x512xbf16>
  return %n : tensor<32x512xbf16>
}
