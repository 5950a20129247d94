// Operations that layout-from-linalg leaves unchanged, with the reason.

// RUN: layout-opt %s --split-input-file --layout-from-linalg --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @types(
// CHECK:         linalg.matmul
func.func @types(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf64>) {
  // expected-remark@+1 {{layout-from-linalg leaves it as it is: expected A and B of one element type that matmuls take, and C of that type or of the accumulators', found f32, f32 and f64}}
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf64>)
  return
}

// -----

func.func @integers(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi32>) {
  // expected-remark@+1 {{expected a result that is filled with 0 before integers are added to it, found its old elements}}
  linalg.matmul ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>)
  return
}

// -----

func.func @own(%a: memref<8x8xf16>, %b: memref<8x8xf16>) {
  // expected-remark@+1 {{expected a result that aliases no operand, found the buffer of an operand}}
  linalg.matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%a : memref<8x8xf16>)
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @greatest(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf16>) {
  // expected-remark@+1 {{expected a multiply-add as the body, found arith.maximumf}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %p = arith.mulf %x, %y : f16
    %m = arith.maximumf %s, %p : f16
    linalg.yield %m : f16
  }
  return
}

// -----

func.func @unranked(%a: memref<8x?x?xf16>, %b: memref<?x?x4xf16>, %c: memref<8x4xf32>) {
  // expected-remark@+1 {{expected one loop in a mode whose size is known at run time, found 2 loops that do not merge}}
  linalg.generic {
      indexing_maps = [affine_map<(m, n, p, q) -> (m, p, q)>, affine_map<(m, n, p, q) -> (q, p, n)>, affine_map<(m, n, p, q) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<8x?x?xf16>, memref<?x?x4xf16>) outs(%c : memref<8x4xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %x1 = arith.extf %x : f16 to f32
    %y1 = arith.extf %y : f16 to f32
    %p = arith.mulf %x1, %y1 : f32
    %m = arith.addf %s, %p : f32
    linalg.yield %m : f32
  }
  return
}

// -----

func.func @accumulators(%a: memref<16x16xf8E4M3FN>, %b: memref<16x16xf8E4M3FN>, %c: memref<16x16xf16>) {
  // expected-remark@+1 {{expected A and B of one element type that matmuls take, and C of that type or of the accumulators', found f8E4M3FN, f8E4M3FN and f16}}
  linalg.matmul ins(%a, %b : memref<16x16xf8E4M3FN>, memref<16x16xf8E4M3FN>) outs(%c : memref<16x16xf16>)
  return
}

// -----

func.func @block_memory(%a: memref<16x16xf16, 3>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  // expected-remark@+1 {{expected operands in host or global memory, found an operand in shared memory}}
  linalg.matmul ins(%a, %b : memref<16x16xf16, 3>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)
  return
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) kernel {
    // expected-remark@+1 {{expected an operation on the host, found it in gpu.func}}
    linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)
    gpu.return
  }
}
