// RUN: layout-opt %s --layout-serialize --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected a kernel with layout.kernel = {grid, block, …}, found none}}
  gpu.func @no_facts() kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected a grid over x and y of whole warps along x, found grid [1, 1, 2] and block [64, 1, 1]}}
  gpu.func @three_dimensions() kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 2>, block = array<i64: 64, 1, 1>}} {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown(%p: !llvm.ptr<1>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    // expected-error @+1 {{'llvm.load' op expected an operation that layout-serialize knows, found llvm.load}}
    %0 = llvm.load %p : !llvm.ptr<1> -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @thread_bounds() kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'scf.for' op expected a loop with the same bounds for all threads of a block, found an upper bound that depends on the thread}}
    scf.for %i = %c0 to %t step %c1 {
      gpu.barrier
    }
    gpu.return
  }
}
