// A shape that StableHLO's conversion concatenates, and its elements.
func.func @broadcast(%x: tensor<?x196xf32>) -> tensor<?x196x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 196 : i32
  %columns = arith.constant 512 : i32
  %dim = tensor.dim %x, %c0 : tensor<?x196xf32>
  %size = arith.index_cast %dim : index to i32
  %first = tensor.from_elements %size : tensor<1xi32>
  %e = tensor.empty() : tensor<3xi32>
  %shape = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%e : tensor<3xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %is = arith.cmpi ult, %i, %c1 : index
    %value = scf.if %is -> (i32) {
      %inside = tensor.extract %first[%i] : tensor<1xi32>
      scf.yield %inside : i32
    } else {
      %below = arith.cmpi ult, %i, %c2 : index
      %other = arith.select %below, %rows, %columns : i32
      scf.yield %other : i32
    }
    linalg.yield %value : i32
  } -> tensor<3xi32>
  %element = tensor.extract %shape[%c0] : tensor<3xi32>
  %n = arith.index_cast %element : i32 to index
  %to = tensor.empty(%n) : tensor<?x196x512xf32>
  %y = linalg.broadcast ins(%x : tensor<?x196xf32>) outs(%to : tensor<?x196x512xf32>) dimensions = [2]
  return %y : tensor<?x196x512xf32>
}

// An element of numbers that are read elsewhere stays.
func.func @read(%x: tensor<4xi32>) -> i32 {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%f: i32, %old: i32):
    %s = arith.addi %f, %f : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  %element = tensor.extract %y[%c2] : tensor<4xi32>
  return %element : i32
}
