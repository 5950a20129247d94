// A call of a function that another library has.

func.func private @foreign(tensor<8xf32>) -> tensor<8xf32>

func.func @calls(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = call @foreign(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
