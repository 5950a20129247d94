// Operations of front ends' dialects become linalg.

// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-decompose-extensions,canonicalize,cse)' | FileCheck %s
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-decompose-extensions,canonicalize,cse)' | mlir-opt > /dev/null
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-decompose-extensions)' --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: 12 decomposed

// The rank of each element, the element of each rank, and one gather of all tensors that are sorted.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xf32>, %[[I:.*]]: tensor<4x?xi64>)
// CHECK:         %[[RANKS:.*]] = linalg.generic {indexing_maps = [#[[OWN:.*]], #[[OTHER:.*]], #[[OWN]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[X]] :
// CHECK:           arith.cmpf ole, %in_{{.*}}, %in : f32
// CHECK:           arith.cmpf uno, %in, %in : f32
// CHECK:           arith.addi %out
// CHECK:         %[[ORDER:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[RANKS]] :
// CHECK:           arith.maxsi %out
// CHECK:         %{{.*}}:2 = linalg.generic {{.*}} ins(%[[ORDER]] :
// CHECK:           tensor.extract %[[X]][
// CHECK:           tensor.extract %[[I]][
func.func @sort(%x: tensor<4x?xf32>, %i: tensor<4x?xi64>) -> (tensor<4x?xf32>, tensor<4x?xi64>) {
  %y:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<4x?xf32>, tensor<4x?xi64>) {
  ^bb0(%a: f32, %b: f32, %p: i64, %q: i64):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4x?xf32>, tensor<4x?xi64>
  return %y#0, %y#1 : tensor<4x?xf32>, tensor<4x?xi64>
}

// Where only the first elements of a sort are read, only these are gathered.
// CHECK-LABEL: func.func @first(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x5xf32>)
// CHECK:         return %[[FIRST]]
func.func @first(%x: tensor<4x64xf32>) -> tensor<4x5xf32> {
  %y = tm_tensor.sort dimension(1) outs(%x : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4x64xf32>
  %z = tensor.extract_slice %y[0, 0] [4, 5] [1, 1] : tensor<4x64xf32> to tensor<4x5xf32>
  return %z : tensor<4x5xf32>
}

// So it is where the other sizes are those of the sorted tensor, known at run time.
// CHECK-LABEL: func.func @first_of_rows(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @first_of_rows(%x: tensor<?x64xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %y = tm_tensor.sort dimension(1) outs(%x : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?x64xf32>
  %z = tensor.extract_slice %y[0, 0] [%m, 5] [1, 1] : tensor<?x64xf32> to tensor<?x5xf32>
  return %z : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @topk(
// CHECK:         linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK:         linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<5xi32>)
// CHECK:         } -> (tensor<5xi32>, tensor<5xi32>)
func.func @topk(%x: tensor<64xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  %least = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<5xi32>
  %v = linalg.fill ins(%least : i32) outs(%e : tensor<5xi32>) -> tensor<5xi32>
  %y:2 = iree_linalg_ext.topk dimension(0) ins(%x : tensor<64xi32>) outs(%v, %e : tensor<5xi32>, tensor<5xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sge, %a, %b : i32
    iree_linalg_ext.yield %c : i1
  } -> tensor<5xi32>, tensor<5xi32>
  return %y#0, %y#1 : tensor<5xi32>, tensor<5xi32>
}

// A short scan is one reduction for each element; one whose length is not known goes by blocks of 256.
// CHECK-LABEL: func.func @scan(
// CHECK:         linalg.generic {{.*}}"reduction"]}
// CHECK:           arith.cmpi sle
// CHECK:           arith.addf %out
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @scan(%x: tensor<100xf32>, %s: tensor<f32>) -> tensor<100xf32> {
  %y:2 = iree_linalg_ext.scan dimension(0) inclusive(true) ins(%x : tensor<100xf32>) outs(%x, %s : tensor<100xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    iree_linalg_ext.yield %c : f32
  } -> tensor<100xf32>, tensor<f32>
  return %y#0 : tensor<100xf32>
}

// CHECK-LABEL: func.func @long_scan(
// CHECK:         %[[TOTALS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<256xf32>)
// CHECK:         %[[BEFORE:.*]] = linalg.generic {{.*}} ins(%[[TOTALS]] :
// CHECK:         tensor.extract %[[BEFORE]]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<256xf32>)
func.func @long_scan(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf32> {
  %y:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<?xf32>) outs(%x, %s : tensor<?xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tm_tensor.yield %c : f32
  } -> tensor<?xf32>, tensor<f32>
  return %y#0 : tensor<?xf32>
}

// An update that replaces: the last update of each place, then a gather.
// CHECK-LABEL: func.func @replace(
// CHECK:         %[[LAST:.*]] = linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<16xi32>)
// CHECK:           arith.maxsi %out
// CHECK:         linalg.generic {{.*}} ins(%[[LAST]], %{{.*}} : tensor<16xi32>, tensor<16x8xf32>)
// CHECK:           scf.if
func.func @replace(%x: tensor<16x8xf32>, %u: tensor<3x8xf32>, %i: tensor<3x1xi32>) -> tensor<16x8xf32> {
  %y = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false) ins(%u, %i : tensor<3x8xf32>, tensor<3x1xi32>) outs(%x : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    iree_linalg_ext.yield %a : f32
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// One that combines: a reduction over updates.
// CHECK-LABEL: func.func @add(
// CHECK:         linalg.generic {{.*}}"parallel", "parallel", "reduction"]}
// CHECK:           arith.addf %out
func.func @add(%x: tensor<16x8xf32>, %u: tensor<3x1x8xf32>, %i: tensor<3x1xi64>) -> tensor<16x8xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<3x1x8xf32>, tensor<3x1xi64>) outs(%x : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    tm_tensor.yield %c : f32
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @attention(
// CHECK-COUNT-2: "parallel", "parallel", "parallel", "reduction"]}
// CHECK:         return
func.func @attention(%q: tensor<8x?x64xf16>, %k: tensor<8x?x64xf16>, %v: tensor<8x?x64xf16>, %o: tensor<8x?x64xf16>) -> tensor<8x?x64xf16> {
  %y = tm_tensor.attention ins(%q, %k, %v : tensor<8x?x64xf16>, tensor<8x?x64xf16>, tensor<8x?x64xf16>) outs(%o : tensor<8x?x64xf16>) -> tensor<8x?x64xf16>
  return %y : tensor<8x?x64xf16>
}

// Few first elements of many: those of blocks of 1024 (8 of each), then those of all.
// CHECK-LABEL: func.func @first_of_many(
// CHECK:         %[[RANKS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<10000xi32>)
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<10x8xi32>)
// CHECK:           tensor.extract %[[RANKS]]
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[FIRST]] {{.*}} into tensor<80xi32>
// CHECK:         %[[RANKS:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[ROW]] :
// CHECK:         linalg.generic {{.*}} ins(%[[RANKS]], %[[ROW]] : {{.*}} outs(%{{.*}} : tensor<8xi32>)
func.func @first_of_many(%x: tensor<10000xf32>) -> tensor<8xf32> {
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<10000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<10000xf32>
  %z = tensor.extract_slice %y[0] [8] [1] : tensor<10000xf32> to tensor<8xf32>
  return %z : tensor<8xf32>
}

// `cache[:, i] = x`, as torch-mlir writes it: only `i` is compared with places, and `x` is read in slices.
// CHECK-LABEL: func.func @cache(
// CHECK-SAME:    %{{.*}}: tensor<2x64x8xf32>, %[[I:.*]]: tensor<3xi64>, %[[X:.*]]: tensor<2x3x8xf32>)
// CHECK:         %[[LAST:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[I]] : tensor<3xi64>) outs(%{{.*}} : tensor<64xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[LAST]], %{{.*}} : tensor<64xi32>, tensor<2x64x8xf32>)
// CHECK:           tensor.extract %[[X]]
#line = affine_map<(i) -> (i)>
#all = affine_map<(i, j, k) -> (i, j, k)>
func.func @cache(%cache: tensor<2x64x8xf32>, %i: tensor<3xi64>, %x: tensor<2x3x8xf32>) -> tensor<2x64x8xf32> {
  %e2 = tensor.empty() : tensor<2xi64>
  %n2 = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e2 : tensor<2xi64>) {
  ^bb0(%old: i64):
    %p = linalg.index 0 : index
    %q = arith.index_cast %p : index to i64
    linalg.yield %q : i64
  } -> tensor<2xi64>
  %e8 = tensor.empty() : tensor<8xi64>
  %n8 = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e8 : tensor<8xi64>) {
  ^bb0(%old: i64):
    %p = linalg.index 0 : index
    %q = arith.index_cast %p : index to i64
    linalg.yield %q : i64
  } -> tensor<8xi64>
  %e = tensor.empty() : tensor<2x3x8xi64>
  %b0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n2 : tensor<2xi64>) outs(%e : tensor<2x3x8xi64>) {
  ^bb0(%in: i64, %old: i64):
    linalg.yield %in : i64
  } -> tensor<2x3x8xi64>
  %b1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<2x3x8xi64>) {
  ^bb0(%in: i64, %old: i64):
    linalg.yield %in : i64
  } -> tensor<2x3x8xi64>
  %b2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k)>, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%n8 : tensor<8xi64>) outs(%e : tensor<2x3x8xi64>) {
  ^bb0(%in: i64, %old: i64):
    linalg.yield %in : i64
  } -> tensor<2x3x8xi64>
  %f0 = tensor.collapse_shape %b0 [[0, 1, 2]] : tensor<2x3x8xi64> into tensor<48xi64>
  %f1 = tensor.collapse_shape %b1 [[0, 1, 2]] : tensor<2x3x8xi64> into tensor<48xi64>
  %f2 = tensor.collapse_shape %b2 [[0, 1, 2]] : tensor<2x3x8xi64> into tensor<48xi64>
  %c0 = tensor.expand_shape %f0 [[0, 1]] output_shape [48, 1] : tensor<48xi64> into tensor<48x1xi64>
  %c1 = tensor.expand_shape %f1 [[0, 1]] output_shape [48, 1] : tensor<48xi64> into tensor<48x1xi64>
  %c2 = tensor.expand_shape %f2 [[0, 1]] output_shape [48, 1] : tensor<48xi64> into tensor<48x1xi64>
  %at = tensor.concat dim(1) %c0, %c1, %c2 : (tensor<48x1xi64>, tensor<48x1xi64>, tensor<48x1xi64>) -> tensor<48x3xi64>
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x3x8xf32> into tensor<48xf32>
  %u = tensor.expand_shape %f [[0, 1, 2, 3]] output_shape [48, 1, 1, 1] : tensor<48xf32> into tensor<48x1x1x1xf32>
  %y = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2>} unique_indices(true) ins(%u, %at : tensor<48x1x1x1xf32>, tensor<48x3xi64>) outs(%cache : tensor<2x64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<2x64x8xf32>
  return %y : tensor<2x64x8xf32>
}

// A softmax along the first dimension, in f32.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xbf16>, %{{.*}}: tensor<?x8xbf16>)
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[X]] :
// CHECK:           arith.extf %in : bf16 to f32
// CHECK:           arith.maximumf %out
// CHECK:         %[[POWERS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[MAX]] :
// CHECK:           math.exp
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[POWERS]] :
// CHECK:           arith.addf %out
// CHECK:         linalg.generic {{.*}} ins(%[[POWERS]], %[[SUM]] :
// CHECK:           arith.divf
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
func.func @softmax(%x: tensor<?x8xbf16>, %o: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = linalg.softmax dimension(0) ins(%x : tensor<?x8xbf16>) outs(%o : tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
