// A layout as the layout of a memref: upstream passes see its affine map, and its strides where each
// dimension has one.

// RUN: layout-opt %s -o %t.mlir && layout-opt %t.mlir | FileCheck %s
// RUN: layout-opt %s --emit-bytecode -o %t.mlirbc && layout-opt %t.mlirbc | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic -o %t.generic.mlir && layout-opt %t.generic.mlir \
// RUN:   | FileCheck %s
// RUN: layout-opt %s --expand-strided-metadata --canonicalize | FileCheck %s --check-prefix=STRIDES
// RUN: layout-opt %s --normalize-memrefs | FileCheck %s --check-prefix=MAP
// RUN: layout-opt %s --normalize-memrefs --expand-strided-metadata --lower-affine \
// RUN:   --finalize-memref-to-llvm --convert-arith-to-llvm --convert-func-to-llvm \
// RUN:   --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// Compact, and the last dimension runs fastest: the modes 128:64 and 64:1 are MLIR's identity.
// CHECK-LABEL: func @identity
// CHECK-SAME: memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>
// LLVM-LABEL: llvm.func @identity
// LLVM: %[[ROW:.*]] = llvm.mlir.constant(64 : index) : i64
// LLVM: llvm.mul %{{.*}}, %[[ROW]]
// LLVM: llvm.load %{{.*}} : !llvm.ptr<3> -> f16
func.func @identity(%m: memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>, %i: index, %j: index) -> f16 {
  %v = memref.load %m[%i, %j] : memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>
  return %v : f16
}

// The first dimension runs fastest: strides 1 and 8.
// CHECK-LABEL: func @columns
// CHECK-SAME: memref<8x16xf32, #layout<(8,16):(1,8)>>
// STRIDES-LABEL: func @columns
// STRIDES-DAG: %[[ONE:.*]] = arith.constant 1 : index
// STRIDES-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// STRIDES: return %[[ONE]], %[[EIGHT]]
func.func @columns(%m: memref<8x16xf32, #layout<(8,16):(1,8)>>) -> (index, index) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %m
    : memref<8x16xf32, #layout<(8,16):(1,8)>> -> memref<f32>, index, index, index, index, index
  return %strides#0, %strides#1 : index, index
}

// A call of the algebra, and an offset before a layout.
// CHECK-LABEL: func @offset
// STRIDES-LABEL: func @offset
// STRIDES-DAG: %[[OFFSET:.*]] = arith.constant 6 : index
// STRIDES-DAG: %[[STRIDE:.*]] = arith.constant 4 : index
// STRIDES: return %[[OFFSET]], %[[STRIDE]]
func.func @offset(%m: memref<4xf32, #layout<100:2 o 3 o 4:2>>, %n: memref<4xf32, #layout<composition(16:2, 4:2)>>) -> (index, index) {
  %base, %offset, %size, %stride = memref.extract_strided_metadata %m
    : memref<4xf32, #layout<100:2 o 3 o 4:2>> -> memref<f32>, index, index, index
  %c = memref.cast %m : memref<4xf32, #layout<100:2 o 3 o 4:2>> to memref<4xf32, strided<[4], offset: 6>>
  %base2, %offset2, %size2, %stride2 = memref.extract_strided_metadata %n
    : memref<4xf32, #layout<composition(16:2, 4:2)>> -> memref<f32>, index, index, index
  return %offset, %stride2 : index, index
}

// A subview has strides, as of any strided memref.
// CHECK-LABEL: func @subview
// STRIDES-LABEL: func @subview
// STRIDES: memref.reinterpret_cast %{{.*}} to offset: [34], sizes: [4, 4], strides: [1, 8]
// LLVM-LABEL: llvm.func @subview
func.func @subview(%m: memref<8x16xf32, #layout<(8,16):(1,8)>>, %i: index, %j: index) -> f32 {
  %s = memref.subview %m[2, 4] [4, 4] [1, 1]
    : memref<8x16xf32, #layout<(8,16):(1,8)>> to memref<4x4xf32, strided<[1, 8], offset: 34>>
  %v = memref.load %s[%i, %j] : memref<4x4xf32, strided<[1, 8], offset: 34>>
  return %v : f32
}

// Modes without one stride: no strides, but a map, which normalisation makes part of each access.
// CHECK-LABEL: func @tiled
// MAP-LABEL: func @tiled
// MAP: memref.alloc() : memref<64xf32>
// MAP: affine.load %{{.*}}[symbol(%{{.*}}) + symbol(%{{.*}}) * 2 + (symbol(%{{.*}}) floordiv 2) * 14] : memref<64xf32>
// LLVM-LABEL: llvm.func @tiled
// LLVM-NOT: #layout
func.func @tiled(%i: index, %j: index) -> f32 {
  %m = memref.alloc() : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  %v = affine.load %m[%i, %j] : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  memref.dealloc %m : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  return %v : f32
}
