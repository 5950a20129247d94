// A kernel's launch information agrees with its type.

// RUN: layout-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @+4 {{'gpu.func' op [kernel-facts] expected a block of known_block_size, [32, 4, 1], found [64, 4, 1]}}
  // expected-error @+3 {{'gpu.func' op [kernel-facts] expected args and workspaces for the kernel's 3 views and pointers, found 2}}
  // expected-error @+2 {{'gpu.func' op [kernel-facts] expected element = "f32" for argument 0, found f16}}
  // expected-error @+1 {{'gpu.func' op [kernel-facts] expected a view, a pointer or a number as argument 2, found vector<4xf32>}}
  gpu.func @f(%o: !layout.view<f32, global, 128:1>, %eps: f32, %v: vector<4xf32>, %p: !llvm.ptr<1>, %n: i32) kernel attributes {known_block_size = array<i32: 32, 4, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 4, 1>, chip = "sm_80",
        args = [{name = "o", element = "f16", shape = "(128)", stride = "(1)", access = "write"},
                {name = "p", element = "f16", shape = "(128)", stride = "(1)", access = "write"}]}} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op [kernel-facts] expected a cluster of known_cluster_size, [2, 1, 1], found 4}}
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
      layout.kernel = {grid = array<i64: 4, 1, 1>, cluster = 4, chip = "sm_90a", args = []}} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+3 {{'gpu.func' op [kernel-facts] expected 128 elements for argument 0, 128:1, found 999, (999):(1)}}
  // expected-error @+2 {{'gpu.func' op [kernel-facts] expected memory for 255 elements for argument 1, 128:2, found 128, 128:1}}
  // expected-error @+1 {{'gpu.func' op [kernel-facts] expected argument 2 in global memory, found shared}}
  gpu.func @f(%o: !layout.view<f32, global, 128:1>, %p: !layout.view<f32, global, 128:2>, %q: !layout.view<f32, shared, 8:1>) kernel attributes {
      layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, chip = "sm_80",
        args = [{name = "o", element = "f32", shape = "(999)", stride = "(1)", access = "write"},
                {name = "p", element = "f32", shape = "128", stride = "1", access = "write"}],
        workspaces = [{name = "q", element = "f32", shape = "8", stride = "1", access = "write"}]}} {
    gpu.return
  }
}

// -----

// Another nesting of as many elements in as much memory is no contradiction.

gpu.module @m {
  gpu.func @f(%o: !layout.view<f32, global, (4,(2,16)):(32,(16,1))>) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, chip = "sm_80",
        args = [{name = "o", element = "f32", shape = "128", stride = "1", access = "write"}]}} {
    gpu.return
  }
}

// -----

// An entry or an attribute that no launch reads is a misspelling.

gpu.module @m {
  // expected-error @+6 {{'gpu.func' op [kernel-facts] expected one of layout.kernel, layout.reference, found layout.refrence}}
  // expected-note @+5 {{hint: did you mean 'layout.reference'?}}
  // expected-error @+4 {{'gpu.func' op [kernel-facts] expected one of grid, grid_limit, block, cluster, chip, names, sizes, values, ascending, args, scalars, workspaces, shared_bytes, tensor_maps, before, after, dependent_launch, waits, problem, reference, unordered, bytes, flops, found name}}
  // expected-note @+3 {{hint: did you mean 'names'?}}
  // expected-error @+2 {{'gpu.func' op [kernel-facts] expected sizes = ["…"] with a text for each ? of the arguments' types, in their order, found [["n"]]}}
  // expected-note @+1 {{in the attributes:}}
  gpu.func @f(%o: !layout.view<f32, global, ?:1>) kernel attributes {layout.refrence = @g, layout.kernel = {grid = [1], name = ["o"], sizes = [["n"]]}} {
    gpu.return
  }
}

// -----

// The attribute itself, misspelt.

gpu.module @m {
  // expected-error @+2 {{'gpu.func' op [kernel-facts] expected one of layout.kernel, layout.reference, found layout.kernal}}
  // expected-note @+1 {{hint: did you mean 'layout.kernel'?}}
  gpu.func @f(%o: !layout.view<f32, global, 8:1>) kernel attributes {layout.kernal = {grid = [1]}} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+2 {{'gpu.func' op [kernel-facts] expected names = ["…"] with a text for each of the 2 arguments, found ["o"]}}
  // expected-note @+1 {{in the attributes:}}
  gpu.func @f(%o: !layout.view<f32, global, 8:1>, %n: i32) kernel attributes {layout.kernel = {grid = [1], names = ["o"]}} {
    gpu.return
  }
}
