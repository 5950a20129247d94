func.func @same(%x: tensor<?xf32>, %y: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>) {
  return %x, %x, %y : tensor<?xf32>, tensor<?xf32>, tensor<f32>
}
func.func @constant() -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func @none(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %e = math.exp %x : tensor<0x4xf32>
  return %e : tensor<0x4xf32>
}
