// Functions whose loops and branches depend on floats, and parallel loops over tensors.

func.func @branch(%x: tensor<64xf32>, %t: tensor<f32>) -> tensor<64xf32> {
  %v = tensor.extract %t[] : tensor<f32>
  %c = arith.constant 0.5 : f32
  %b = arith.cmpf ogt, %v, %c : f32
  %y = scf.if %b -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %r : tensor<64xf32>
  } else { scf.yield %x : tensor<64xf32> }
  return %y : tensor<64xf32>
}

func.func @until(%x: tensor<64xf32>, %t: f32) -> (tensor<64xf32>, tensor<f32>) {
  %c = arith.constant 0.5 : f32
  %big = arith.constant 100.0 : f32
  %y:2 = scf.while (%a = %t, %z = %x) : (f32, tensor<64xf32>) -> (f32, tensor<64xf32>) {
    %b = arith.cmpf olt, %a, %big : f32
    scf.condition(%b) %a, %z : f32, tensor<64xf32>
  } do {
  ^bb0(%a: f32, %z: tensor<64xf32>):
    %m = arith.mulf %a, %a : f32
    %n = arith.addf %m, %c : f32
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%z : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.mulf %p, %n : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %n, %r : f32, tensor<64xf32>
  }
  %f = tensor.from_elements %y#0 : tensor<f32>
  return %y#1, %f : tensor<64xf32>, tensor<f32>
}

func.func @scaled(%x: tensor<64xf32>, %t: f32) -> tensor<64xf32> {
    %c = arith.constant 0.5 : f32
    %m = arith.mulf %t, %c : f32
    %n = math.exp %m : f32
    %e = tensor.empty() : tensor<64xf32>
    %q = linalg.fill ins(%n : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%x,%q : tensor<64xf32>,tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %w: f32, %o: f32):
      %s = arith.mulf %p, %n : f32
      %u = arith.addf %s, %w : f32
      linalg.yield %u : f32
    } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

func.func @counted(%x: tensor<64xf32>, %t: tensor<2xf32>) -> tensor<64xf32> {
  %k = arith.constant 1 : index
  %v = tensor.extract %t[%k] : tensor<2xf32>
  %i = arith.fptosi %v : f32 to i32
  %n = arith.index_cast %i : i32 to index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %y = scf.for %j = %z to %n step %o iter_args(%a = %x) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %r : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

func.func @tiles(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = scf.forall (%r, %c) = (0, 0) to (8, 32) step (4, 16) shared_outs(%o = %i) -> tensor<8x32xf32> {
    %a = tensor.extract_slice %x[%r, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
    %b = tensor.extract_slice %w[0, %c] [64, 16] [1, 1] : tensor<64x32xf32> to tensor<64x16xf32>
    %d = tensor.extract_slice %o[%r, %c] [4, 16] [1, 1] : tensor<8x32xf32> to tensor<4x16xf32>
    %m = linalg.matmul ins(%a, %b : tensor<4x64xf32>, tensor<64x16xf32>) outs(%d : tensor<4x16xf32>) -> tensor<4x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%r, %c] [4, 16] [1, 1] : tensor<4x16xf32> into tensor<8x32xf32>
    }
  }
  return %y : tensor<8x32xf32>
}

func.func @rows(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%r) in (%n) shared_outs(%o = %e) -> tensor<?x64xf32> {
    %a = tensor.extract_slice %x[%r, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<1x64xf32>
    %t = tensor.empty() : tensor<1x64xf32>
    %m = linalg.exp ins(%a : tensor<1x64xf32>) outs(%t : tensor<1x64xf32>) -> tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%r, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<?x64xf32>
    }
  }
  return %y : tensor<?x64xf32>
}
