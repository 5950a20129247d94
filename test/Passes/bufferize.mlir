// One-shot bufferisation where a tensor that a layout encodes has a buffer of that layout.

// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-bufferize,canonicalize)' --split-input-file | FileCheck %s
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-bufferize,layout-expand-memrefs,canonicalize,expand-strided-metadata)' --split-input-file 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=STRIDED

// Arguments and results; what is written in place stays in place.
// CHECK-LABEL: func @columns
// CHECK-SAME: (%[[T:.*]]: memref<8x16xf32, #layout<(8,16):(1,8)>>, %{{.*}}: f32) -> memref<8x16xf32, #layout<(8,16):(1,8)>>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[T]] :
// CHECK-NEXT: return %[[T]]
// STRIDED-LABEL: func @columns
func.func @columns(%t: tensor<8x16xf32, #layout<(8,16):(1,8)>>, %x: f32) -> tensor<8x16xf32, #layout<(8,16):(1,8)>> {
  %0 = linalg.fill ins(%x : f32) outs(%t : tensor<8x16xf32, #layout<(8,16):(1,8)>>) -> tensor<8x16xf32, #layout<(8,16):(1,8)>>
  return %0 : tensor<8x16xf32, #layout<(8,16):(1,8)>>
}

// A new tensor; a call that writes into it.
// CHECK-LABEL: func @new
// CHECK: %[[M:.*]] = memref.alloc() : memref<8x16xf32, #layout<(8,16):(1,8)>>
// CHECK: linalg.add {{.*}} outs(%[[M]] : memref<8x16xf32, #layout<(8,16):(1,8)>>)
// CHECK: call @columns(%[[M]], %{{.*}}) : (memref<8x16xf32, #layout<(8,16):(1,8)>>, f32) -> memref<8x16xf32, #layout<(8,16):(1,8)>>
func.func @new(%a: tensor<8x16xf32>, %b: tensor<8x16xf32, #layout<(8,16):(1,8)>>, %x: f32) -> tensor<8x16xf32, #layout<(8,16):(1,8)>> {
  %e = tensor.empty() : tensor<8x16xf32, #layout<(8,16):(1,8)>>
  %0 = linalg.add ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32, #layout<(8,16):(1,8)>>) outs(%e : tensor<8x16xf32, #layout<(8,16):(1,8)>>) -> tensor<8x16xf32, #layout<(8,16):(1,8)>>
  %1 = call @columns(%0, %x) : (tensor<8x16xf32, #layout<(8,16):(1,8)>>, f32) -> tensor<8x16xf32, #layout<(8,16):(1,8)>>
  return %1 : tensor<8x16xf32, #layout<(8,16):(1,8)>>
}

// -----

// A tensor that is written while the old one is read: the copy has the layout, too.
// CHECK-LABEL: func @both
// CHECK-SAME: %[[T:.*]]: memref<8x16xf32, #layout<(8,16):(1,8)>>
// CHECK: %[[M:.*]] = memref.alloc() : memref<8x16xf32, #layout<(8,16):(1,8)>>
// CHECK: linalg.fill {{.*}} outs(%[[M]]
// CHECK: return %[[M]], %[[T]]
func.func @both(%t: tensor<8x16xf32, #layout<(8,16):(1,8)>>, %x: f32) -> (tensor<8x16xf32, #layout<(8,16):(1,8)>>, tensor<8x16xf32, #layout<(8,16):(1,8)>>) {
  %0 = linalg.fill ins(%x : f32) outs(%t : tensor<8x16xf32, #layout<(8,16):(1,8)>>) -> tensor<8x16xf32, #layout<(8,16):(1,8)>>
  return %0, %t : tensor<8x16xf32, #layout<(8,16):(1,8)>>, tensor<8x16xf32, #layout<(8,16):(1,8)>>
}

// -----

// A cast copies into the layout, and out of one whose modes have several strides.
// CHECK-LABEL: func @cast
// CHECK: %[[M:.*]] = memref.alloc() : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
// CHECK: memref.copy %{{.*}}, %[[M]]
// STRIDED-LABEL: func @cast
// STRIDED: memref.alloc() : memref<4x8x2xf32>
func.func @cast(%a: tensor<8x8xf32>) -> tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>> {
  %0 = tensor.cast %a : tensor<8x8xf32> to tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  return %0 : tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>>
}

// CHECK-LABEL: func @out
// CHECK: %[[M:.*]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: memref.copy %{{.*}}, %[[M]] : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>> to memref<8x8xf32>
// CHECK: memref.subview %[[M]][2, 0] [4, 4] [1, 1]
func.func @out(%t: tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>>) -> tensor<4x4xf32> {
  %p = tensor.cast %t : tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>> to tensor<8x8xf32>
  %s = tensor.extract_slice %p[2, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// A tensor of such memory is copied before a part of it is taken.
// CHECK-LABEL: func @memory
// CHECK: %[[M:.*]] = memref.alloc() {{.*}}: memref<8x8xf32>
// CHECK: memref.copy %{{.*}}, %[[M]]
// CHECK: memref.subview %[[M]][2, 0] [4, 4] [1, 1]
func.func @memory(%m: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>) -> tensor<4x4xf32> {
  %t = bufferization.to_tensor %m restrict : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>> to tensor<8x8xf32>
  %s = tensor.extract_slice %t[2, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// A loop carries the layout; a number of rows is known at run time.
// CHECK-LABEL: func @loop
// CHECK-SAME: %[[T:.*]]: memref<8x16xf32, #layout<(8,16):(1,8)>>
// CHECK: scf.for
// CHECK-NEXT: memref.store %{{.*}}, %[[T]]
func.func @loop(%t: tensor<8x16xf32, #layout<(8,16):(1,8)>>, %n: index) -> tensor<8x16xf32, #layout<(8,16):(1,8)>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8x16xf32, #layout<(8,16):(1,8)>> {
    %0 = tensor.insert %f into %a[%i, %i] : tensor<8x16xf32, #layout<(8,16):(1,8)>>
    scf.yield %0 : tensor<8x16xf32, #layout<(8,16):(1,8)>>
  }
  return %r : tensor<8x16xf32, #layout<(8,16):(1,8)>>
}

// CHECK-LABEL: func @rows
// CHECK: memref.alloc(%{{.*}}) : memref<?x64xf32, #layout<(?,64):(64,1)>>
func.func @rows(%t: tensor<?x64xf32, #layout<(?,64):(64,1)>>) -> tensor<?x64xf32, #layout<(?,64):(64,1)>> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %t, %c0 : tensor<?x64xf32, #layout<(?,64):(64,1)>>
  %e = tensor.empty(%d) : tensor<?x64xf32, #layout<(?,64):(64,1)>>
  %0 = linalg.exp ins(%t : tensor<?x64xf32, #layout<(?,64):(64,1)>>) outs(%e : tensor<?x64xf32, #layout<(?,64):(64,1)>>) -> tensor<?x64xf32, #layout<(?,64):(64,1)>>
  return %0 : tensor<?x64xf32, #layout<(?,64):(64,1)>>
}
