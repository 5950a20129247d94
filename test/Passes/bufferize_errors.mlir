// RUN: layout-opt %s --layout-bufferize --split-input-file --verify-diagnostics
// RUN: not layout-opt %s --pass-pipeline='builtin.module(layout-bufferize{buffer-alignment=3})' 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not layout-opt %s --pass-pipeline='builtin.module(layout-bufferize{function-boundary-type-conversion=rows})' 2>&1 | FileCheck %s --check-prefix=BOUNDARY
// RUN: not layout-opt %s --pass-pipeline='builtin.module(layout-bufferize{allow-unknown-ops=maybe})' 2>&1 | FileCheck %s --check-prefix=FLAG

// ALIGNMENT: layout-bufferize: expected a power of two below 2^32 as the option 'buffer-alignment', found '3'
// BOUNDARY: layout-bufferize: expected infer-layout-map, fully-dynamic-layout-map or identity-layout-map as the option 'function-boundary-type-conversion', found 'rows'
// FLAG: layout-bufferize: expected true or false as the option 'allow-unknown-ops', found 'maybe'

// expected-error @+1 {{layout-bufferize: expected a memref of the dimensions 4x8 for the layout (4,8):(1,8), found 8x8}}
func.func @shape(%t: tensor<8x8xf32, #layout<(4,8):(1,8)>>) {
  return
}

// -----

// expected-error @+1 {{layout-bufferize: expected a memref's layout to be an affine map, found S<3,3,3> o 0 o (8,64):(64,1): S<3,3,3> is an exclusive or of bits, which affine maps do not have}}
func.func @swizzle(%t: tensor<8x64xf32, #layout<S<3,3,3> o 0 o (8,64):(64,1)>>) {
  return
}

// -----

func.func @part(%t: tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>>) -> tensor<4x4xf32> {
  // expected-error @+1 {{layout-bufferize: expected a layout with one stride for each dimension where a part of a tensor is taken, found tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>>; tensor.cast to a type without it copies the tensor}}
  %s = tensor.extract_slice %t[2, 0] [4, 4] [1, 1] : tensor<8x8xf32, #layout<((2,4),8):((1,16),2)>> to tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

func.func @new(%n: index) -> tensor<?x?xf32, #layout<(?,?):(1,?)>> {
  // expected-error @+1 {{layout-bufferize: expected a layout whose strides are static or follow from the sizes for a new tensor, found tensor<?x?xf32, #layout<(?,?):(1,?)>>}}
  %s = tensor.empty(%n, %n) : tensor<?x?xf32, #layout<(?,?):(1,?)>>
  return %s : tensor<?x?xf32, #layout<(?,?):(1,?)>>
}

// -----

// expected-error @+1 {{layout-bufferize: expected a memref of the dimensions 4x8 for the layout (4,8):(1,8), found 8x8}}
func.func private @declared(tensor<8x8xf32, #layout<(4,8):(1,8)>>)

// -----

func.func @space() -> tensor<8x16xf32, #layout<(8,16):(1,8)>> {
  // expected-error @+1 {{layout-bufferize: expected no memory space for a new tensor with a layout, found 3 : i64}}
  %0 = bufferization.alloc_tensor() {memory_space = 3 : i64} : tensor<8x16xf32, #layout<(8,16):(1,8)>>
  return %0 : tensor<8x16xf32, #layout<(8,16):(1,8)>>
}
