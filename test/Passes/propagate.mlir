// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-propagate)' 2>/dev/null | FileCheck %s
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-propagate)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Halves are found first: those of @gated below.
// REMARK: remark: layout-propagate computes the halves of tensor<?x8192xf32> by themselves, since they meet after it

// A contraction reads an operand where a transpose reads it, through the reshape after it too: the loop becomes several.

// CHECK: #[[A:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK: #[[B:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK: #[[C:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @experts
// CHECK-NOT: transpose
// CHECK: %[[FILL:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<8x64x32xf32>)
// CHECK: %[[P:.+]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%arg0, %arg1 : tensor<8x128x64xbf16>, tensor<32x128xbf16>) outs(%[[FILL]] : tensor<8x64x32xf32>)
// CHECK: return %[[P]]
// REMARK: remark: layout-propagate reads A in place, without the copy that linalg.transpose makes of tensor<8x128x64xbf16>: 0.0 us in place, 1.8 us with it
// REMARK: remark: layout-propagate reads B in place, without the copy that linalg.transpose makes of tensor<32x128xbf16>: 0.0 us in place, 1.7 us with it
func.func @experts(%w: tensor<8x128x64xbf16>, %x: tensor<32x128xbf16>) -> tensor<8x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x64x128xbf16>
  %t0 = linalg.transpose ins(%w : tensor<8x128x64xbf16>) outs(%e0 : tensor<8x64x128xbf16>) permutation = [0, 2, 1]
  %a = tensor.collapse_shape %t0 [[0, 1], [2]] : tensor<8x64x128xbf16> into tensor<512x128xbf16>
  %e1 = tensor.empty() : tensor<128x32xbf16>
  %b = linalg.transpose ins(%x : tensor<32x128xbf16>) outs(%e1 : tensor<128x32xbf16>) permutation = [1, 0]
  %e2 = tensor.empty() : tensor<512x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<512x32xf32>) -> tensor<512x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<512x128xbf16>, tensor<128x32xbf16>) outs(%f : tensor<512x32xf32>) -> tensor<512x32xf32>
  %y = tensor.expand_shape %p [[0, 1], [2]] output_shape [8, 64, 32] : tensor<512x32xf32> into tensor<8x64x32xf32>
  return %y : tensor<8x64x32xf32>
}

// A broadcast is read where its source lies: the loop that B has not is one of M.

// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: linalg.broadcast
// CHECK: linalg.generic {indexing_maps = [{{.+}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<?x7x64xbf16>, tensor<64x32xbf16>)
// REMARK: remark: layout-propagate reads B in place, without the copy that linalg.broadcast makes of tensor<64x32xbf16>
func.func @broadcast(%x: tensor<?x7x64xbf16>, %w: tensor<64x32xbf16>, %c: tensor<?x7x32xf32>, %e: tensor<?x64x32xbf16>) -> tensor<?x7x32xf32> {
  %b = linalg.broadcast ins(%w : tensor<64x32xbf16>) outs(%e : tensor<?x64x32xbf16>) dimensions = [0]
  %p = linalg.batch_matmul ins(%x, %b : tensor<?x7x64xbf16>, tensor<?x64x32xbf16>) outs(%c : tensor<?x7x32xf32>) -> tensor<?x7x32xf32>
  return %p : tensor<?x7x32xf32>
}

// A convolution's weights whose innermost dimension is a window's are copied: loads of them would be single elements.

// CHECK-LABEL: func.func @weights
// CHECK: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf
// REMARK: remark: layout-propagate keeps the copy of B: {{.+}} us with it, {{.+}} us in place, since elements lie apart along the dimensions that loads are wide in
func.func @weights(%x: tensor<8x58x58x128xbf16>, %w: tensor<128x128x3x3xbf16>, %c: tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32> {
  %e = tensor.empty() : tensor<3x3x128x128xbf16>
  %t = linalg.transpose ins(%w : tensor<128x128x3x3xbf16>) outs(%e : tensor<3x3x128x128xbf16>) permutation = [2, 3, 1, 0]
  %p = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %t : tensor<8x58x58x128xbf16>, tensor<3x3x128x128xbf16>) outs(%c : tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32>
  return %p : tensor<8x56x56x128xf32>
}

// Two contractions that read one copy: loads in place take each longer than from the copy, and both together less than making it.

// CHECK-LABEL: func.func @two_readers
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.+}} ins(%arg0, %arg1 : tensor<96x40x4xf32>, tensor<4x40x32xf32>)
// CHECK: linalg.generic {{.+}} ins(%arg0, %arg2 : tensor<96x40x4xf32>, tensor<4x40x16xf32>)
// CHECK: return
// REMARK: remark: layout-propagate reads A in place, without the copy that linalg.transpose makes of tensor<96x40x4xf32>: {{.+}} us in place, {{.+}} us with it, of all that read it
// REMARK: remark: layout-propagate reads A in place, without the copy that linalg.transpose makes of tensor<96x40x4xf32>
func.func @two_readers(%x: tensor<96x40x4xf32>, %w: tensor<4x40x32xf32>, %v: tensor<4x40x16xf32>, %c: tensor<4x96x32xf32>, %d: tensor<4x96x16xf32>)
    -> (tensor<4x96x32xf32>, tensor<4x96x16xf32>) {
  %e = tensor.empty() : tensor<4x96x40xf32>
  %t = linalg.transpose ins(%x : tensor<96x40x4xf32>) outs(%e : tensor<4x96x40xf32>) permutation = [2, 0, 1]
  %y = linalg.batch_matmul ins(%t, %w : tensor<4x96x40xf32>, tensor<4x40x32xf32>) outs(%c : tensor<4x96x32xf32>) -> tensor<4x96x32xf32>
  %z = linalg.batch_matmul ins(%t, %v : tensor<4x96x40xf32>, tensor<4x40x16xf32>) outs(%d : tensor<4x96x16xf32>) -> tensor<4x96x16xf32>
  return %y, %z : tensor<4x96x32xf32>, tensor<4x96x16xf32>
}

// Where something else reads the copy, it is made anyhow, and read.

// CHECK-LABEL: func.func @made_anyhow
// CHECK: %[[T:.+]] = linalg.transpose
// CHECK: linalg.batch_matmul ins(%[[T]], %arg1
// REMARK: remark: layout-propagate keeps the copy of A: {{.+}} us with it, {{.+}} us in place, since others read it
func.func @made_anyhow(%x: tensor<96x40x4xf32>, %w: tensor<4x40x32xf32>, %c: tensor<4x96x32xf32>) -> (tensor<4x96x32xf32>, tensor<4x96x40xf32>) {
  %e = tensor.empty() : tensor<4x96x40xf32>
  %t = linalg.transpose ins(%x : tensor<96x40x4xf32>) outs(%e : tensor<4x96x40xf32>) permutation = [2, 0, 1]
  %y = linalg.batch_matmul ins(%t, %w : tensor<4x96x40xf32>, tensor<4x40x32xf32>) outs(%c : tensor<4x96x32xf32>) -> tensor<4x96x32xf32>
  return %y, %t : tensor<4x96x32xf32>, tensor<4x96x40xf32>
}

// A result whose size is known at run time keeps its shape: layout-from-linalg moves the reshape after the elementwise operations.

// CHECK-LABEL: func.func @reshape_after
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
// CHECK: linalg.add
func.func @reshape_after(%x: tensor<2x?x32xf32>, %w: tensor<32x64xf32>, %bias: tensor<64xf32>) -> tensor<2x?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = tensor.dim %x, %c1 : tensor<2x?x32xf32>
  %m = arith.muli %s, %c2 : index
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x32xf32> into tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = linalg.matmul ins(%a, %w : tensor<?x32xf32>, tensor<32x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, %s, 64] : tensor<?x64xf32> into tensor<2x?x64xf32>
  %e1 = tensor.empty(%s) : tensor<2x?x64xf32>
  %b = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e1 : tensor<2x?x64xf32>) dimensions = [0, 1]
  %y = linalg.add ins(%r, %b : tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%e1 : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// The result has the shape in which it is read.

// CHECK-LABEL: func.func @rows
// CHECK: %[[X:.+]] = tensor.expand_shape %arg0
// CHECK: %[[P:.+]] = linalg.generic {{.+}} ins(%[[X]], %arg1 : tensor<2x4x32xf32>, tensor<32x64xf32>)
// CHECK: linalg.reduce { arith.addf } ins(%[[P]] : tensor<2x4x64xf32>)
func.func @rows(%x: tensor<8x32xf32>, %w: tensor<32x64xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %r = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 4, 64] : tensor<8x64xf32> into tensor<2x4x64xf32>
  %e1 = tensor.empty() : tensor<2x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sums = linalg.reduce { arith.addf } ins(%r : tensor<2x4x64xf32>) outs(%f1 : tensor<2x4xf32>) dimensions = [2]
  return %sums : tensor<2x4xf32>
}

// A loop that is a sum of several has no digits.

// CHECK-LABEL: func.func @windows
// CHECK: tensor.collapse_shape
// CHECK: linalg.conv_1d_nwc_wcf
func.func @windows(%x: tensor<2x4x10x8xf32>, %w: tensor<3x8x16xf32>, %c: tensor<2x38x16xf32>) -> tensor<2x38x16xf32> {
  %e = tensor.empty() : tensor<2x10x4x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x4x10x8xf32>) outs(%e : tensor<2x10x4x8xf32>) permutation = [0, 2, 1, 3]
  %a = tensor.collapse_shape %t [[0], [1, 2], [3]] : tensor<2x10x4x8xf32> into tensor<2x40x8xf32>
  %p = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
    ins(%a, %w : tensor<2x40x8xf32>, tensor<3x8x16xf32>) outs(%c : tensor<2x38x16xf32>) -> tensor<2x38x16xf32>
  return %p : tensor<2x38x16xf32>
}

// Halves of a result that meet after it are computed by themselves, and so is what is between: each reads its half of the weights and of the bias.

// CHECK-LABEL: func.func @gated
// CHECK-DAG: %[[W0:.+]] = tensor.extract_slice %arg1[0, 0] [64, 4096] [1, 1] : tensor<64x8192xbf16> to tensor<64x4096xbf16>
// CHECK-DAG: %[[W1:.+]] = tensor.extract_slice %arg1[0, 4096] [64, 4096] [1, 1] : tensor<64x8192xbf16> to tensor<64x4096xbf16>
// CHECK-DAG: tensor.extract_slice %arg2[0] [4096] [1] : tensor<8192xf32> to tensor<4096xf32>
// CHECK-DAG: tensor.extract_slice %arg2[4096] [4096] [1] : tensor<8192xf32> to tensor<4096xf32>
// CHECK-DAG: linalg.generic {{.+}} ins(%arg0, %[[W0]] : tensor<?x64xbf16>, tensor<64x4096xbf16>)
// CHECK-DAG: linalg.generic {{.+}} ins(%arg0, %[[W1]] : tensor<?x64xbf16>, tensor<64x4096xbf16>)
// CHECK-NOT: linalg.matmul
// CHECK-NOT: tensor.extract_slice {{.*}} : tensor<?x8192xf32>
// CHECK: return
func.func @gated(%x: tensor<?x64xbf16>, %w: tensor<64x8192xbf16>, %bias: tensor<8192xf32>) -> tensor<?x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8192xf32>) -> tensor<?x8192xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x8192xbf16>) outs(%f : tensor<?x8192xf32>) -> tensor<?x8192xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x8192xf32>, tensor<8192xf32>) outs(%e : tensor<?x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8192xf32>
  %g = tensor.extract_slice %h[0, 0] [%m, 4096] [1, 1] : tensor<?x8192xf32> to tensor<?x4096xf32>
  %u = tensor.extract_slice %h[0, 4096] [%m, 4096] [1, 1] : tensor<?x8192xf32> to tensor<?x4096xf32>
  %e1 = tensor.empty(%m) : tensor<?x4096xf32>
  %y = linalg.mul ins(%g, %u : tensor<?x4096xf32>, tensor<?x4096xf32>) outs(%e1 : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// Halves that do not meet, or of few elements, stay parts of one result.

// CHECK-LABEL: func.func @unmerged
// CHECK: linalg.matmul
// CHECK-LABEL: func.func @few
// CHECK: linalg.matmul
func.func @unmerged(%x: tensor<512x64xbf16>, %w: tensor<64x8192xbf16>) -> (tensor<512x4096xf32>, tensor<512x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x8192xf32>) -> tensor<512x8192xf32>
  %p = linalg.matmul ins(%x, %w : tensor<512x64xbf16>, tensor<64x8192xbf16>) outs(%f : tensor<512x8192xf32>) -> tensor<512x8192xf32>
  %g = tensor.extract_slice %p[0, 0] [512, 4096] [1, 1] : tensor<512x8192xf32> to tensor<512x4096xf32>
  %u = tensor.extract_slice %p[0, 4096] [512, 4096] [1, 1] : tensor<512x8192xf32> to tensor<512x4096xf32>
  return %g, %u : tensor<512x4096xf32>, tensor<512x4096xf32>
}

func.func @few(%x: tensor<128x64xbf16>, %w: tensor<64x512xbf16>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %p = linalg.matmul ins(%x, %w : tensor<128x64xbf16>, tensor<64x512xbf16>) outs(%f : tensor<128x512xf32>) -> tensor<128x512xf32>
  %g = tensor.extract_slice %p[0, 0] [128, 256] [1, 1] : tensor<128x512xf32> to tensor<128x256xf32>
  %u = tensor.extract_slice %p[0, 256] [128, 256] [1, 1] : tensor<128x512xf32> to tensor<128x256xf32>
  %e1 = tensor.empty() : tensor<128x256xf32>
  %y = linalg.mul ins(%g, %u : tensor<128x256xf32>, tensor<128x256xf32>) outs(%e1 : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %y : tensor<128x256xf32>
}

// Groups of dimensions that a transpose moves whole are made one in front of it, where their sizes are known at run time.

// CHECK-LABEL: func.func @cache
// CHECK-NOT: linalg.transpose
// CHECK: %[[K:.+]] = tensor.collapse_shape %arg1 {{\[}}[0, 1], [2], [3]] : tensor<?x8x64x128xbf16> into tensor<?x64x128xbf16>
// CHECK: linalg.generic {{.+}} ins(%arg0, %[[K]] : tensor<?x4x128xbf16>, tensor<?x64x128xbf16>)
// REMARK: remark: layout-propagate reads B in place, without the copy that linalg.transpose makes of tensor<?x8x64x128xbf16>: 0.0 us in place
func.func @cache(%q: tensor<?x4x128xbf16>, %k: tensor<?x8x64x128xbf16>, %c: tensor<?x4x64xf32>) -> tensor<?x4x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?x8x64x128xbf16>
  %e = tensor.empty(%n) : tensor<?x8x128x64xbf16>
  %t = linalg.transpose ins(%k : tensor<?x8x64x128xbf16>) outs(%e : tensor<?x8x128x64xbf16>) permutation = [0, 1, 3, 2]
  %b = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<?x8x128x64xbf16> into tensor<?x128x64xbf16>
  %s = linalg.batch_matmul ins(%q, %b : tensor<?x4x128xbf16>, tensor<?x128x64xbf16>) outs(%c : tensor<?x4x64xf32>) -> tensor<?x4x64xf32>
  return %s : tensor<?x4x64xf32>
}

// One that a transpose takes apart stays after it.

// CHECK-LABEL: func.func @expanded_result
// CHECK: linalg.transpose
// CHECK: linalg.batch_matmul
func.func @expanded_result(%q: tensor<?x4x128xbf16>, %k: tensor<8x64x?x128xbf16>, %c: tensor<?x4x64xf32>) -> tensor<?x4x64xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c2 : tensor<8x64x?x128xbf16>
  %e = tensor.empty(%n) : tensor<?x8x128x64xbf16>
  %t = linalg.transpose ins(%k : tensor<8x64x?x128xbf16>) outs(%e : tensor<?x8x128x64xbf16>) permutation = [2, 0, 3, 1]
  %b = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<?x8x128x64xbf16> into tensor<?x128x64xbf16>
  %s = linalg.batch_matmul ins(%q, %b : tensor<?x4x128xbf16>, tensor<?x128x64xbf16>) outs(%c : tensor<?x4x64xf32>) -> tensor<?x4x64xf32>
  return %s : tensor<?x4x64xf32>
}
