// What no program can do.

// RUN: layout-opt %s --split-input-file --layout-export-programs --verify-diagnostics

func.func @loops(%a: memref<64xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected launches of kernels, copies, views of memory and integers in a program, found scf.for; what stays in a function after layout-from-linalg says in a remark why}}
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %zero, %a[%i] : memref<64xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected tensors, or memrefs without gaps, as arguments of a program, found memref<64x64xf32, strided<[128, 1]>>}}
func.func @gaps(%a: memref<64x64xf32, strided<[128, 1]>>) attributes {layout.host} {
  return
}

// -----

func.func @columns(%a: memref<64x64xf32>, %b: memref<64x32xf32>) attributes {layout.host} {
  %half = memref.subview %a[0, 32] [64, 32] [1, 1] : memref<64x64xf32> to memref<64x32xf32, strided<[64, 1], offset: 32>>
  // expected-error@+1 {{expected a copy between memory without gaps, found memref<64x32xf32, strided<[64, 1], offset: 32>>}}
  memref.copy %half, %b : memref<64x32xf32, strided<[64, 1], offset: 32>> to memref<64x32xf32>
  return
}

// -----

func.func @data(%rows: memref<1xindex>) -> memref<?xf32> attributes {layout.host} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{expected memref.cast, subview, reinterpret_cast, expand_shape, collapse_shape or view in a program, found memref.load}}
  %n = memref.load %rows[%c0] : memref<1xindex>
  %c = memref.alloc(%n) : memref<?xf32>
  return %c : memref<?xf32>
}

// -----

memref.global "private" @state : memref<2xf32> = dense<1.0>
func.func @variable() -> memref<2xf32> attributes {layout.host} {
  // expected-error@+1 {{expected a constant @state, found a variable}}
  %state = memref.get_global @state : memref<2xf32>
  return %state : memref<2xf32>
}

// -----

func.func @never(%a: memref<64xf32>) attributes {layout.host} {
  %no = arith.constant false
  // expected-error@+1 {{expected an assertion that may hold, found one that fails at all sizes: no such model}}
  cf.assert %no, "no such model"
  return
}
