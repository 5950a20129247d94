// Operations that programs do not support.

// RUN: layout-opt %s --split-input-file --layout-export-programs --verify-diagnostics

func.func @loops(%a: memref<64xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error@+1 {{expected elements that kernels store, found memref.store of an element that the host computes; a program takes tensor.from_elements of integers and floats}}
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
  %n = memref.load %rows[%c0] : memref<1xindex>
  // expected-error@+1 {{expected memory whose sizes are those of arguments, found value0, which is not known at launch}}
  %c = memref.alloc(%n) : memref<?xf32>
  return %c : memref<?xf32>
}

// -----

memref.global "private" @state : memref<2xf32> = dense<1.0>
func.func @variable() -> memref<2xf32> attributes {layout.host} {
  // expected-error@+1 {{expected a constant @state, found a variable, as a mutable ml_program.global becomes one: a program keeps nothing between calls}}
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

// -----

func.func @step(%a: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  // expected-error@+1 {{expected a static loop step of at least 1, found arg0_0}}
  scf.for %i = %c0 to %n step %n {
  }
  return
}

// -----

func.func @number(%a: memref<f32>, %b: memref<4xf32>) attributes {layout.host} {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected an integer where a program reads an element of a tensor to decide what comes next, found f32}}
  %x = memref.load %a[] : memref<f32>
  %c = arith.cmpf ogt, %x, %zero : f32
  scf.if %c {
    memref.copy %b, %b : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

func.func @moves(%a: memref<4xf32>, %b: memref<4xf32>, %n: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = memref.dim %n, %c0 : memref<?xf32>
  // expected-error@+1 {{expected one buffer in all iterations and branches, found another one of memref<4xf32>; layout-carry-in-place updates tensors in place}}
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%x = %a, %y = %b) -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %y, %x : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @asserted(%flag: memref<i1>) attributes {layout.host} {
  %c = memref.load %flag[] : memref<i1>
  // expected-error@+1 {{expected an assertion about sizes of arguments, found one about a value that is not known at launch}}
  cf.assert %c, "the flag"
  return
}

// -----

func.func @rows(%a: memref<8x4xf32>, %n: memref<i64>) -> memref<?x4xf32> attributes {layout.host} {
  %v = memref.load %n[] : memref<i64>
  %k = arith.index_cast %v : i64 to index
  %x = memref.subview %a[0, 0] [%k, 4] [1, 1] : memref<8x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  %y = memref.cast %x : memref<?x4xf32, strided<[4, 1]>> to memref<?x4xf32>
  // expected-error@+1 {{expected results whose sizes are those of arguments, found value0, which is not known at launch}}
  return %y : memref<?x4xf32>
}

// -----

func.func @unsigned(%a: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  // expected-error@+1 {{expected a signed loop, found an unsigned one}}
  scf.for unsigned %i = %c0 to %n step %c1 {
  }
  return
}
