// Sums in 16 bits, of which a kernel rounds none but the last, and padding that takes elements away.
func.func @sums(%x: tensor<64x512xbf16>) -> tensor<64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<64xbf16>) -> tensor<64xbf16>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xbf16>) outs(%f : tensor<64xbf16>) dimensions = [1]
  return %r : tensor<64xbf16>
}

func.func @products(%a: tensor<?x512xf16>, %b: tensor<512x64xf16>) -> tensor<?x64xf16> {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x512xf16>
  %e = tensor.empty(%n) : tensor<?x64xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x64xf16>) -> tensor<?x64xf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x512xf16>, tensor<512x64xf16>) outs(%f : tensor<?x64xf16>) -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

// The greatest of each row, of numbers that the body widens itself, and its place.
func.func @greatest(%x: tensor<8x100xf16>) -> (tensor<8xf16>, tensor<8xi32>) {
  %low = arith.constant 0xFC00 : f16
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xf16>
  %p = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%low : f16) outs(%e : tensor<8xf16>) -> tensor<8xf16>
  %g = linalg.fill ins(%none : i32) outs(%p : tensor<8xi32>) -> tensor<8xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x100xf16>) outs(%f, %g : tensor<8xf16>, tensor<8xi32>) {
  ^bb0(%v: f16, %most: f16, %at: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %wide = arith.extf %v : f16 to f32
    %before = arith.extf %most : f16 to f32
    %more = arith.cmpf ogt, %wide, %before : f32
    %next = arith.select %more, %v, %most : f16
    %place = arith.select %more, %k, %at : i32
    linalg.yield %next, %place : f16, i32
  } -> (tensor<8xf16>, tensor<8xi32>)
  return %r#0, %r#1 : tensor<8xf16>, tensor<8xi32>
}

func.func @cut(%x: tensor<?x16xf32>) -> tensor<?x17xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-1, 3] high[-2, -2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x16xf32> to tensor<?x17xf32>
  return %p : tensor<?x17xf32>
}

// A number of one place, doubled and put into another.
func.func @moved(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = tensor.extract %x[%c2, %c3] : tensor<8x4xf32>
  %b = arith.addf %a, %a : f32
  %y = tensor.insert %b into %x[%c3, %c2] : tensor<8x4xf32>
  %z = tensor.insert %a into %y[%c2, %c2] : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
