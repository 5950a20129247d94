// Branches whose results have dynamic sizes: others in each, or computed in both.
#all = affine_map<(i) -> (i)>
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %few = arith.cmpi ule, %m, %n : index
  %r = scf.if %few -> tensor<?xf32> {
    %e = tensor.empty(%m) : tensor<?xf32>
    %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%u: f32, %o: f32):
      %v = arith.addf %u, %u : f32
      linalg.yield %v : f32
    } -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @same(%p: tensor<1xi32>, %x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = tensor.extract %p[%c0] : tensor<1xi32>
  %zero = arith.constant 0 : i32
  %z = arith.constant 0.0 : f32
  %is = arith.cmpi eq, %q, %zero : i32
  %r = scf.if %is -> tensor<?xf32> {
    %m = tensor.dim %x, %c0 : tensor<?x?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    scf.yield %s : tensor<?xf32>
  } else {
    %m = tensor.dim %x, %c0 : tensor<?x?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @moved(%p: tensor<1xi32>, %x: tensor<?x4xf32>, %k: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %q = tensor.extract %p[%c0] : tensor<1xi32>
  %zero = arith.constant 0 : i32
  %is = arith.cmpi eq, %q, %zero : i32
  %r = scf.if %is -> tensor<?xf32> {
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%n) : tensor<?x4xf32>
    %d = linalg.add ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %s = tensor.collapse_shape %d [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %four = arith.constant 4 : index
    %all = arith.muli %n, %four : index
    %s = tensor.extract_slice %k[0] [%all] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
