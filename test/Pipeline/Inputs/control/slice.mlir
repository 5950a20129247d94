// The first rows and columns of a tensor in tiles, whose result upstream's loops leave in the memory of the whole.

func.func @first(%x: tensor<?x?x8x4xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %o : tensor<?x?x8x4xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
