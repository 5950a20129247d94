// Two functions of one name: the error has a note.

func.func @copy(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @copy() {
  return
}
