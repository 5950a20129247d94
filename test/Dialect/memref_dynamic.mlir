// A partly static layout as the layout of a memref: its map has a symbol for each integer that it depends on, upstream passes
// see strides where each dimension has one, and a view has the memref's sizes and strides with what is known of them.

// RUN: layout-opt %s -o %t.mlir && layout-opt %t.mlir | FileCheck %s
// RUN: layout-opt %s --emit-bytecode -o %t.mlirbc && layout-opt %t.mlirbc | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic -o %t.generic.mlir && layout-opt %t.generic.mlir \
// RUN:   | FileCheck %s
// RUN: layout-opt %s --expand-strided-metadata --canonicalize | FileCheck %s --check-prefix=STRIDES
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-lower,canonicalize)' | FileCheck %s --check-prefix=LOWER

// Rows without gaps are MLIR's identity, whatever the number of rows.
// CHECK-LABEL: func @rows
// CHECK-SAME: memref<?x64xf32, #layout<(?,64):(64,1)>>
// STRIDES-LABEL: func @rows
// STRIDES: memref.reinterpret_cast %{{.*}} to offset: [128], sizes: [4, 4], strides: [64, 1]
func.func @rows(%m: memref<?x64xf32, #layout<(?,64):(64,1)>>, %i: index) -> f32 {
  %s = memref.subview %m[2, 0] [4, 4] [1, 1]
    : memref<?x64xf32, #layout<(?,64):(64,1)>> to memref<4x4xf32, strided<[64, 1], offset: 128>>
  %v = memref.load %s[%i, %i] : memref<4x4xf32, strided<[64, 1], offset: 128>>
  return %v : f32
}

// The stride of a column is known at run time; memory for it takes the stride beside the size.
// CHECK-LABEL: func @columns
// CHECK-SAME: memref<?x8xf16, #layout<(?,8):(1,?{div=8})>>
// STRIDES-LABEL: func @columns
// STRIDES: %[[ONE:.*]] = arith.constant 1 : index
// STRIDES: return %[[ONE]], %{{.*}}#1
func.func @columns(%m: memref<?x8xf16, #layout<(?,8):(1,?{div=8})>>) -> (index, index) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %m
    : memref<?x8xf16, #layout<(?,8):(1,?{div=8})>> -> memref<f16>, index, index, index, index, index
  return %strides#0, %strides#1 : index, index
}

// CHECK-LABEL: func @new
// CHECK: memref.alloc(%{{.*}})[%{{.*}}] : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
func.func @new(%n: index, %stride: index, %i: index) -> f32 {
  %m = memref.alloc(%n)[%stride] : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
  %v = affine.load %m[%i, %i] : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
  memref.dealloc %m : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
  return %v : f32
}

// A symbol in two places is one integer; facts of the layout are facts of the view, in 64 bits.
// CHECK-LABEL: func @view
// CHECK-SAME: memref<?x?xf32, #layout<(?,?1{div=8}):(?1,1)>, 1>
// CHECK: layout.load %{{.*}} : !layout.view<f32, global, (?{i64},?1{i64 div=8}):(?1,1)>
// LOWER-LABEL: func @view
// LOWER: %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}}:2 = memref.extract_strided_metadata
// LOWER: arith.index_cast %[[SIZES]]#1 : index to i64
func.func @view(%m: memref<?x?xf32, #layout<(?0,?1{div=8}):(?1,1)>, 1>, %i: index) -> f32 {
  %v = layout.make_view %m : memref<?x?xf32, #layout<(?0,?1{div=8}):(?1,1)>, 1>
  %x = layout.load %v(%i, %i) : !layout.view<f32, global, (?{i64},?1{i64 div=8}):(?1,1)>
  return %x : f32
}
