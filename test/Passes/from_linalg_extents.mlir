// RUN: layout-opt %s --layout-from-linalg | FileCheck %s

// Sizes that are computed in several ways are equal where their normal forms are: the kernel has one for rows, and one for columns,
// and its passes have the same columns.

// CHECK-LABEL: gpu.func @computed_twice_rows
// CHECK-SAME:    (%{{[^:]*}}: !layout.view<{{[^>]*}}>, %{{[^:]*}}: !layout.view<{{[^>]*}}>, %{{[^:]*}}: index, %{{[^:]*}}: index) kernel
// CHECK:       func.func @computed_twice
func.func @computed_twice(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %twice = arith.addi %m, %m : index
  %wide = arith.index_cast %m : index to i64
  %two = arith.constant 2 : i64
  %product = arith.muli %two, %wide : i64
  %again = arith.index_cast %product : i64 to index
  %most = arith.maxsi %n, %n : index
  %four = arith.muli %n, %c4 : index
  %back = arith.divui %four, %c4 : index
  %e = tensor.empty(%n, %twice) : tensor<?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %h = arith.divui %j, %c2 : index
    %v = tensor.extract %x[%i, %h] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%most, %again) : tensor<?x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = math.exp %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %se = tensor.empty(%back) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%se : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%b : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.divf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %r = linalg.reduce { arith.maximumf } ins(%d : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
