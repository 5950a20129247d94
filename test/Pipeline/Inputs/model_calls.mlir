// Functions that a program checks before it runs, and functions without kernels.

func.func @biased(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Weights that are broadcast stay in their place, whichever operand they are.
func.func @projected(%x: tensor<?x?x64xf16>, %w: tensor<?x?xf16>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf16>
  %t = tensor.dim %x, %c1 : tensor<?x?x64xf16>
  %k = tensor.dim %w, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%b, %k, %n) : tensor<?x?x?xf16>
  %wb = linalg.broadcast ins(%w : tensor<?x?xf16>) outs(%e : tensor<?x?x?xf16>) dimensions = [0]
  %o = tensor.empty(%b, %t, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%x, %wb : tensor<?x?x64xf16>, tensor<?x?x?xf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @mixed(%w: tensor<24x64xf16>, %x: tensor<?x64x?xf16>) -> tensor<?x24x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x64x?xf16>
  %t = tensor.dim %x, %c2 : tensor<?x64x?xf16>
  %e = tensor.empty(%b) : tensor<?x24x64xf16>
  %wb = linalg.broadcast ins(%w : tensor<24x64xf16>) outs(%e : tensor<?x24x64xf16>) dimensions = [0]
  %o = tensor.empty(%b, %t) : tensor<?x24x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x24x?xf32>) -> tensor<?x24x?xf32>
  %r = linalg.batch_matmul ins(%wb, %x : tensor<?x24x64xf16>, tensor<?x64x?xf16>) outs(%f : tensor<?x24x?xf32>) -> tensor<?x24x?xf32>
  return %r : tensor<?x24x?xf32>
}

// A window of one tap that moves by one is a matmul of the image in place.
func.func @pointwise(%a: tensor<?x?x?x64xf16>, %w: tensor<1x1x64x32xf16>) -> tensor<?x?x?x32xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f16
  %b = tensor.dim %a, %c0 : tensor<?x?x?x64xf16>
  %h = tensor.dim %a, %c1 : tensor<?x?x?x64xf16>
  %v = tensor.dim %a, %c2 : tensor<?x?x?x64xf16>
  %e = tensor.empty(%b, %h, %v) : tensor<?x?x?x32xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<?x?x?x32xf16>) -> tensor<?x?x?x32xf16>
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<?x?x?x64xf16>, tensor<1x1x64x32xf16>) outs(%f : tensor<?x?x?x32xf16>) -> tensor<?x?x?x32xf16>
  return %r : tensor<?x?x?x32xf16>
}

func.func @planes(%a: tensor<2x64x?x?xf16>, %w: tensor<32x64x1x1xf16>) -> tensor<2x32x?x?xf16> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f16
  %h = tensor.dim %a, %c2 : tensor<2x64x?x?xf16>
  %v = tensor.dim %a, %c3 : tensor<2x64x?x?xf16>
  %e = tensor.empty(%h, %v) : tensor<2x32x?x?xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<2x32x?x?xf16>) -> tensor<2x32x?x?xf16>
  %r = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<2x64x?x?xf16>, tensor<32x64x1x1xf16>) outs(%f : tensor<2x32x?x?xf16>) -> tensor<2x32x?x?xf16>
  return %r : tensor<2x32x?x?xf16>
}

// An assertion in a branch, of integers as --generate-runtime-verification writes them.
func.func @verified(%x: tensor<?xf32>, %y: tensor<?xf32>, %any: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %any, %c0 : tensor<?xf32>
  %some = index.cmp slt(%c0, %m)
  %more = index.cmp slt(%c0, %n)
  %both = arith.andi %some, %more : i1
  scf.if %both {
    %one = index.cmp eq(%n, %c1)
    %same = index.cmp eq(%m, %n)
    %either = arith.xori %one, %same : i1
    cf.assert %either, "expected one or as many"
  }
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// A slice with a step of -1, as ONNX computes its length.
func.func @backwards(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %minus = arith.constant -1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %d = arith.subi %minus, %n : index
  %q = arith.floordivsi %d, %minus : index
  %size = arith.subi %q, %q : index
  %own = arith.addi %n, %size : index
  %part = tensor.extract_slice %x[0] [%own] [1] : tensor<?xf32> to tensor<?xf32>
  %r = math.exp %part : tensor<?xf32>
  return %r : tensor<?xf32>
}
