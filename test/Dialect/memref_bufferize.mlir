// Bufferisation slices a buffer with a layout as it slices any other.

// RUN: layout-opt %s --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

// CHECK-LABEL: func @slice
// CHECK-SAME: %[[M:.*]]: memref<128x64xf32, #layout<((8,16),64):((64,512),1)>>
// CHECK: memref.subview %[[M]][8, 0] [16, 64] [1, 1] : memref<128x64xf32, #layout<((8,16),64):((64,512),1)>> to memref<16x64xf32, strided<[64, 1], offset: 512>>
// CHECK: linalg.fill
func.func @slice(%m: memref<128x64xf32, #layout<((8,16),64):((64,512),1)>>, %x: f32) {
  %t = bufferization.to_tensor %m restrict writable
    : memref<128x64xf32, #layout<((8,16),64):((64,512),1)>> to tensor<128x64xf32>
  %s = tensor.extract_slice %t[8, 0] [16, 64] [1, 1] : tensor<128x64xf32> to tensor<16x64xf32>
  %f = linalg.fill ins(%x : f32) outs(%s : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = tensor.insert_slice %f into %t[8, 0] [16, 64] [1, 1] : tensor<16x64xf32> into tensor<128x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %m
    : (tensor<128x64xf32>, memref<128x64xf32, #layout<((8,16),64):((64,512),1)>>) -> ()
  return
}
