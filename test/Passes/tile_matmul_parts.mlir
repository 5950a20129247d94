// A part of a memref that starts a multiple of 16 bytes past it is read by bulk copies in place; of one that starts 4 bytes
// past it less is known.

// RUN: layout-opt %s --layout-from-linalg --layout-tile-matmul | FileCheck %s

// CHECK-LABEL: gpu.func @halves_kernel(
// CHECK-NOT:     llvm.align
// CHECK:         kernel
// CHECK-LABEL: gpu.func @shifted_kernel(
// CHECK:         {llvm.align = 4 : i64}
func.func @halves(%a: memref<64x64xbf16>, %b: memref<64x256xbf16>, %c: memref<64x128xbf16>) attributes {layout.host} {
  %part = memref.subview %b[0, 128] [64, 128] [1, 1] : memref<64x256xbf16> to memref<64x128xbf16, strided<[256, 1], offset: 128>>
  linalg.matmul ins(%a, %part : memref<64x64xbf16>, memref<64x128xbf16, strided<[256, 1], offset: 128>>) outs(%c : memref<64x128xbf16>)
  return
}
func.func @shifted(%a: memref<64x64xbf16>, %b: memref<64x256xbf16>, %c: memref<64x128xbf16>) attributes {layout.host} {
  %part = memref.subview %b[0, 2] [64, 128] [1, 1] : memref<64x256xbf16> to memref<64x128xbf16, strided<[256, 1], offset: 2>>
  linalg.matmul ins(%a, %part : memref<64x64xbf16>, memref<64x128xbf16, strided<[256, 1], offset: 2>>) outs(%c : memref<64x128xbf16>)
  return
}
