// Tensors that callers pass are only read, unless they give it away.

// RUN: layout-opt %s --layout-protect-arguments | FileCheck %s

// CHECK: func.func @main(%{{.*}}: tensor<4xf32> {bufferization.writable = false, jax.arg = "x"}, %{{.*}}: index, %{{.*}}: tensor<4xf32> {bufferization.writable = true})
func.func @main(%x: tensor<4xf32> {jax.arg = "x"}, %i: index, %cache: tensor<4xf32> {bufferization.writable = true}) {
  return
}

// CHECK: func.func private @inner(%{{.*}}: tensor<4xf32>)
func.func private @inner(%x: tensor<4xf32>) {
  return
}
