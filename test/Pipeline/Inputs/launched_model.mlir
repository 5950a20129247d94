// A model of two layers: what lies between them, and its result, are memory of the device. The caller's memory is that, too.
func.func private @mlp(%x: tensor<64x128xbf16>, %w: tensor<128x256xbf16>, %v: tensor<256x128xbf16>) -> tensor<64x128xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x256xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %h = linalg.matmul ins(%x, %w : tensor<64x128xbf16>, tensor<128x256xbf16>) outs(%f : tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %e2 = tensor.empty() : tensor<64x128xbf16>
  %f2 = linalg.fill ins(%z : bf16) outs(%e2 : tensor<64x128xbf16>) -> tensor<64x128xbf16>
  %r = linalg.matmul ins(%h, %v : tensor<64x256xbf16>, tensor<256x128xbf16>) outs(%f2 : tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
}

func.func @main() attributes {llvm.emit_c_interface} {
  %x = gpu.alloc () : memref<64x128xbf16>
  %w = gpu.alloc () : memref<128x256xbf16>
  %v = gpu.alloc () : memref<256x128xbf16>
  %a = bufferization.to_tensor %x restrict : memref<64x128xbf16> to tensor<64x128xbf16>
  %b = bufferization.to_tensor %w restrict : memref<128x256xbf16> to tensor<128x256xbf16>
  %c = bufferization.to_tensor %v restrict : memref<256x128xbf16> to tensor<256x128xbf16>
  %r = call @mlp(%a, %b, %c) : (tensor<64x128xbf16>, tensor<128x256xbf16>, tensor<256x128xbf16>) -> tensor<64x128xbf16>
  return
}
