// Memrefs whose modes have several strides get a dimension for each leaf, the greatest stride first; upstream's subviews, tiling
// and expand-strided-metadata take those.

// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-expand-memrefs,canonicalize)' --split-input-file 2>/dev/null | FileCheck %s
// RUN: layout-opt %s --layout-expand-memrefs --split-input-file -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: layout-opt %t.mlir --layout-expand-memrefs --split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE --implicit-check-not=remark

// REMARK: remark: layout-expand-memrefs gives each leaf of a layout a dimension: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>> becomes memref<4x8x2xf32>
// CHECK-LABEL: func @access
// CHECK-SAME: %[[M:.*]]: memref<4x8x2xf32>, %[[I:.*]]: index, %[[J:.*]]: index
// CHECK-DAG: %[[REST:.*]] = arith.remui %[[I]], %c2
// CHECK-DAG: %[[QUOTIENT:.*]] = arith.divui %[[I]], %c2
// CHECK: memref.load %[[M]][%[[QUOTIENT]], %[[J]], %[[REST]]] : memref<4x8x2xf32>
// TWICE-LABEL: func @access
func.func @access(%m: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>, %i: index, %j: index) -> f32 {
  %v = memref.load %m[%i, %j] : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  memref.store %v, %m[%j, %i] : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>
  return %v : f32
}

// -----

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 + d1 * 2, d2)>
// CHECK-LABEL: func @matmul
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
func.func @matmul(%a: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>, %b: memref<8x6xf32>, %c: memref<8x6xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>, memref<8x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// -----

// An index of a loop that is split is the sum of its parts'.
// CHECK-LABEL: func @index
// CHECK: linalg.generic
// CHECK: %[[FAST:.*]] = linalg.index 0
// CHECK: %[[SLOWER:.*]] = linalg.index 1
// CHECK: %[[TIMES:.*]] = arith.muli %[[SLOWER]], %c2
// CHECK: arith.addi %[[FAST]], %[[TIMES]]
func.func @index(%a: memref<8xindex, #layout<((2,4)):((1,4))>>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : memref<8xindex, #layout<((2,4)):((1,4))>>) {
  ^bb0(%old: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  }
  return
}

// -----

// Leaves with gaps keep their strides; copies between layouts are loops, those within one stay.
// CHECK-LABEL: func @copies
// CHECK-SAME: %[[A:.*]]: memref<4x2xf32, strided<[4, 1]>>, %[[B:.*]]: memref<4x2xf32, strided<[4, 1]>>, %[[C:.*]]: memref<8xf32>
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<4x2xf32, strided<[4, 1]>>) outs(%[[C]] : memref<8xf32>)
func.func @copies(%a: memref<8xf32, #layout<((2,4)):((1,4))>>, %b: memref<8xf32, #layout<((2,4)):((1,4))>>, %c: memref<8xf32>) {
  memref.copy %a, %b : memref<8xf32, #layout<((2,4)):((1,4))>> to memref<8xf32, #layout<((2,4)):((1,4))>>
  memref.copy %a, %c : memref<8xf32, #layout<((2,4)):((1,4))>> to memref<8xf32>
  return
}

// -----

// Sizes and strides that are known at run time, calls and loops.
// CHECK-LABEL: func @new
// CHECK-SAME: (%[[N:.*]]: index) -> memref<?x8x2xf32>
// CHECK: %[[HALF:.*]] = arith.divui %[[N]], %c2
// CHECK: memref.alloc(%[[HALF]]) : memref<?x8x2xf32>
func.func @new(%n: index) -> memref<?x8xf32, #layout<((2,?),8):((1,16),2)>> {
  %m = memref.alloc(%n) : memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
  return %m : memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
}

// CHECK-LABEL: func @use
// CHECK: %[[M:.*]] = call @new(%{{.*}}) : (index) -> memref<?x8x2xf32>
// CHECK: memref.store %{{.*}}, %[[M]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<?x8x2xf32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[M]], %c0 : memref<?x8x2xf32>
// CHECK: %[[SIZE:.*]] = arith.muli %[[ROWS]], %c2
// CHECK: return %[[SIZE]], %[[M]] : index, memref<?x8x2xf32>
func.func @use(%n: index) -> (index, memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %m = func.call @new(%n) : (index) -> memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m) -> memref<?x8xf32, #layout<((2,?),8):((1,16),2)>> {
    memref.store %x, %a[%i, %c0] : memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
    scf.yield %a : memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
  }
  %d = memref.dim %r, %c0 : memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
  return %d, %r : index, memref<?x8xf32, #layout<((2,?),8):((1,16),2)>>
}

// -----

// A view keeps the layout.
// CHECK-LABEL: func @view
// CHECK: layout.make_view %{{.*}}, %{{.*}} : memref<4x8x2xf32, 1>, !layout<((2,4),8):((1,16),2)>
func.func @view(%m: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>, 1>, %i: index) -> f32 {
  %v = layout.make_view %m : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>, 1>
  %x = layout.load %v((0, %i), 0) : !layout.view<f32, global, ((2,4),8):((1,16),2)>
  return %x : f32
}

// -----

// Each dimension has one stride: nothing changes.
// CHECK-LABEL: func @strided
// CHECK-SAME: memref<8x16xf32, #layout<(8,16):(1,8)>>
func.func @strided(%m: memref<8x16xf32, #layout<(8,16):(1,8)>>, %i: index) -> f32 {
  %v = memref.load %m[%i, %i] : memref<8x16xf32, #layout<(8,16):(1,8)>>
  return %v : f32
}
