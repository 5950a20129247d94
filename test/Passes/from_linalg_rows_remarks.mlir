// Operations on tensors of which layout-from-linalg makes no kernel, and why.

// RUN: layout-opt %s --split-input-file --layout-from-linalg --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @read(
// CHECK:         linalg.generic
#v = affine_map<(i) -> (i)>
func.func @read(%x: tensor<8xi24>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected elements that kernels read, found i24}}
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xi24>) outs(%e : tensor<8xi32>) {
  ^bb0(%a: i24, %old: i32):
    %b = arith.extsi %a : i24 to i32
    linalg.yield %b : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

#v = affine_map<(i) -> (i)>
func.func @written(%x: tensor<8xi32>) -> tensor<8xi24> {
  %e = tensor.empty() : tensor<8xi24>
  // expected-remark@+1 {{expected elements that kernels write, found i24}}
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%e : tensor<8xi24>) {
  ^bb0(%a: i32, %old: i24):
    %b = arith.trunci %a : i32 to i24
    linalg.yield %b : i24
  } -> tensor<8xi24>
  return %y : tensor<8xi24>
}

// -----

func.func @function(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{expected a body of arith, and of math that kernels have, found math.clampf}}
  %y = linalg.map { math.clampf } ins(%x, %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %y : tensor<8xf32>
}

// -----

#m = affine_map<(i) -> (i floordiv 2)>
#v = affine_map<(i) -> (i)>
func.func @coordinates(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark@+1 {{expected coordinates that are linear in the loops, found others}}
  %y = linalg.generic {indexing_maps = [#m, #v], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#v = affine_map<(i) -> (i)>
#twice = affine_map<(i) -> (i, i)>
func.func @diagonal(%x: tensor<4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark@+1 {{expected a result whose coordinates are loops, each once, found other coordinates}}
  %y = linalg.generic {indexing_maps = [#v, #twice], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @spread(%x: tensor<4xf32>, %all: tensor<8xf32>, %step: index) -> tensor<8xf32> {
  // expected-remark@+1 {{expected a slice with static strides of at least 1, found another one}}
  %y = tensor.insert_slice %x into %all[0] [4] [%step] : tensor<4xf32> into tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// The rest is memory for what reads it.

// CHECK-LABEL: func.func @between(
// CHECK:         gpu.launch_func @between_elements::
// CHECK:         linalg.map { math.clampf }
// CHECK:         gpu.launch_func @between_elements::
func.func @between(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark@+1 {{found math.clampf}}
  %b = linalg.map { math.clampf } ins(%a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  %c = linalg.add ins(%b, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// A matmul is none of these, and neither is a fill that it needs no more.
// CHECK-LABEL: func.func @memory(
// CHECK:         layout.matmul
// CHECK:         linalg.exp
func.func @memory(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected a contraction or operands that are tensors, found memrefs}}
  linalg.exp ins(%c : memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// Operations of other dialects on tensors, and the passes that make them operations of linalg.
func.func @others(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected operations of linalg on tensors, found arith.addf; --convert-elementwise-to-linalg makes them of it}}
  %0 = arith.addf %a, %a : tensor<8x8xf32>
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected operations of linalg on tensors, found tosa.tanh; --tosa-to-linalg-pipeline makes them of it}}
  %1 = tosa.tanh %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected operations of linalg on tensors, found tensor.generate; linalg.generic with linalg.index computes the same}}
  %2 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<8x8xf32>
  // expected-remark@+1 {{found tosa.add}}
  %3 = tosa.add %1, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
