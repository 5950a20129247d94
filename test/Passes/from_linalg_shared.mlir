// Equal kernels are one, which each launches: those of elementwise operations, of matmuls, and of families for sizes that are known at run time.

// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-from-linalg,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},layout-tile-matmul)' | FileCheck %s

// CHECK-COUNT-1: gpu.module
// CHECK-NOT:     gpu.module
// CHECK-LABEL: func.func @elements(
// CHECK:         gpu.launch_func {{.*}}@[[ELEMENTS:elements[a-z_0-9]*]]::@[[ELEMENTS]]
// CHECK:         gpu.launch_func {{.*}}@[[ELEMENTS]]::@[[ELEMENTS]]
// CHECK:         return
func.func @elements(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %e = tensor.empty() : tensor<64x32xf32>
  %x = linalg.exp ins(%a : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.exp ins(%b : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %x, %y : tensor<64x32xf32>, tensor<64x32xf32>
}

// CHECK-COUNT-1: gpu.module
// CHECK-NOT:     gpu.module
// CHECK-LABEL: func.func @layers(
// CHECK:         gpu.launch_func {{.*}}@[[KERNEL:layers_kernel]]::
// CHECK:         gpu.launch_func {{.*}}@[[KERNEL]]::
// CHECK:         return
func.func @layers(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x64xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %y = linalg.matmul ins(%x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %r = linalg.matmul ins(%y, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// CHECK-COUNT-2: gpu.module
// CHECK-NOT:     gpu.module
// CHECK-LABEL: func.func @rows(
// CHECK:         gpu.launch_func {{.*}}@rows_kernel_up_to_16::
// CHECK:         gpu.launch_func {{.*}}@rows_kernel_beyond::
// CHECK:         gpu.launch_func {{.*}}@rows_kernel_up_to_16::
// CHECK:         gpu.launch_func {{.*}}@rows_kernel_beyond::
// CHECK:         return
func.func @rows(%x: tensor<?x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%x, %v : tensor<?x64xf32>, tensor<64x64xf32>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
