// Operations of linalg and tensor that are no loops become loops.

// RUN: layout-opt %s --split-input-file --layout-decompose-extensions --verify-diagnostics | FileCheck %s

// A tensor in tiles is a copy that reads tile and place; it is padded to whole tiles first.
// CHECK: #[[TILES:.+]] = affine_map<(d0, d1, d2, d3) -> (d0 * 8 + d2, d1 * 4 + d3)>
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:      %[[X:.+]]: tensor<?x10xf32>, %[[O:[^:]+]]: tensor<?x3x8x4xf32>
// CHECK:         %[[TILED:.+]] = tensor.dim %[[O]], %
// CHECK:         %[[SIZE:.+]] = tensor.dim %[[X]], %
// CHECK:         %[[WHOLE:.+]] = arith.muli %[[TILED]], %{{.*}} : index
// CHECK:         %[[HIGH:.+]] = arith.subi %[[WHOLE]], %[[SIZE]] : index
// CHECK:         %[[PADDED:.+]] = tensor.pad %[[X]] low[0, 0] high[%[[HIGH]], 2]
// CHECK:         linalg.generic {indexing_maps = [#[[TILES]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[PADDED]] : tensor<?x12xf32>)
func.func @pack(%x: tensor<?x10xf32>, %o: tensor<?x3x8x4xf32>, %p: f32) -> tensor<?x3x8x4xf32> {
  %y = linalg.pack %x padding_value(%p : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %o : tensor<?x10xf32> -> tensor<?x3x8x4xf32>
  return %y : tensor<?x3x8x4xf32>
}

// -----

// Tiles along the first dimension alone, the last dimension first.
// CHECK: #[[TILES:.+]] = affine_map<(d0, d1, d2) -> (d1 * 8 + d2, d0)>
// CHECK-LABEL: func.func @pack_in_order(
// CHECK:         linalg.generic {indexing_maps = [#[[TILES]], #{{.*}}], {{.*}}} ins(%{{.*}} : tensor<16x5xf32>)
func.func @pack_in_order(%x: tensor<16x5xf32>, %o: tensor<5x2x8xf32>) -> tensor<5x2x8xf32> {
  %y = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<16x5xf32> -> tensor<5x2x8xf32>
  return %y : tensor<5x2x8xf32>
}

// -----

// CHECK: #[[TURNED:.+]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: func.func @unpack(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<5x?x8xf32>, %[[O:[^:]+]]: tensor<?x5xf32>
// CHECK:         %[[T:.+]] = linalg.generic {indexing_maps = [#[[TURNED]], #{{.*}}], {{.*}}} ins(%[[X]] : tensor<5x?x8xf32>)
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2]] : tensor<?x8x5xf32> into tensor<?x5xf32>
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[O]], %
// CHECK:         tensor.extract_slice %[[FLAT]][0, 0] [%[[ROWS]], 5] [1, 1]
func.func @unpack(%x: tensor<5x?x8xf32>, %o: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %y = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<5x?x8xf32> -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

func.func @tiles_of_run_time(%x: tensor<16x5xf32>, %o: tensor<?x5x?xf32>, %t: index) -> tensor<?x5x?xf32> {
  // expected-remark@+1 {{expected tiles of known sizes, found a dynamic size in dimension 0}}
  %y = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%t] into %o : tensor<16x5xf32> -> tensor<?x5x?xf32>
  return %y : tensor<?x5x?xf32>
}

// -----

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:      %[[X:[^:]+]]: tensor<?x5x6xf32>, %[[I:[^:]+]]: tensor<4x2xi32>
// CHECK:         linalg.generic
// CHECK-DAG:       %[[B:.+]] = linalg.index 0
// CHECK-DAG:       %[[J:.+]] = linalg.index 1
// CHECK-DAG:       %[[LAST:.+]] = tensor.extract %[[I]][%[[B]], %c0{{.*}}] : tensor<4x2xi32>
// CHECK:           tensor.extract %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] : tensor<?x5x6xf32>
// CHECK:         -> tensor<4x5xf32>
func.func @gather(%x: tensor<?x5x6xf32>, %i: tensor<4x2xi32>) -> tensor<4x5xf32> {
  %y = tensor.gather %x[%i] gather_dims([0, 2]) : (tensor<?x5x6xf32>, tensor<4x2xi32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @generate(
// CHECK-SAME:      %[[N:.+]]: index, %[[M:.+]]: i32
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x4xi32>
// CHECK:         linalg.generic {{.*}} outs(%[[E]] : tensor<?x4xi32>)
// CHECK-DAG:       %[[I:.+]] = linalg.index 0
// CHECK-DAG:       %[[J:.+]] = linalg.index 1
// CHECK:           %[[S:.+]] = arith.addi %[[I]], %[[J]] : index
// CHECK:           %[[C:.+]] = arith.index_cast %[[S]] : index to i32
// CHECK:           %[[P:.+]] = arith.muli %[[C]], %[[M]] : i32
// CHECK:           linalg.yield %[[P]] : i32
func.func @generate(%n: index, %m: i32) -> tensor<?x4xi32> {
  %y = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %c = arith.index_cast %s : index to i32
    %p = arith.muli %c, %m : i32
    tensor.yield %p : i32
  } : tensor<?x4xi32>
  return %y : tensor<?x4xi32>
}

// -----

// CHECK-LABEL: func.func @splat(
// CHECK-SAME:      %[[V:.+]]: f32, %[[N:.+]]: index
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x5xf32>
// CHECK:         linalg.fill ins(%[[V]] : f32) outs(%[[E]] : tensor<?x5xf32>)
func.func @splat(%v: f32, %n: index) -> tensor<?x5xf32> {
  %y = tensor.splat %v[%n] : tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
