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

// -----

func.func @condition(%a: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %few = arith.cmpi ule, %m, %c16 : index
  // expected-error@+1 {{expected scf.if in a program to choose between launches of a family's kernels, each for sizes up to its bound and the last for all others, found 0 launches and copies in a branch}}
  scf.if %few {
  }
  return
}

// -----

func.func @copied(%a: memref<?xf32>, %b: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %few = arith.cmpi ule, %m, %c16 : index
  // expected-error@+1 {{expected scf.if in a program to choose between launches of a family's kernels, each for sizes up to its bound and the last for all others, found a copy}}
  scf.if %few {
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  }
  return
}

// -----

module attributes {gpu.container_module} {
gpu.module @scale {
  gpu.func @few(%x: !layout.view<f32, global, (?{i64}):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      family = {name = "scale", number = 0 : i64, most = {m = 16 : i64}}, sizes = [{name = "m"}],
      args = [{name = "x", element = "f32", shape = "(m)", stride = "(1)", access = "write", sizes = [{value = "m", bits = 64 : i64}]}]}} {
    gpu.return
  }
  gpu.func @many(%x: !layout.view<f32, global, (?{i64}):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      family = {name = "scale", number = 1 : i64}, sizes = [{name = "m"}],
      args = [{name = "x", element = "f32", shape = "(m)", stride = "(1)", access = "write", sizes = [{value = "m", bits = 64 : i64}]}]}} {
    gpu.return
  }
}
func.func @bound(%a: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %c17 = arith.constant 17 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %n = arith.index_cast %m : index to i64
  %rows = layout.make %n : (i64) -> !layout<(?{i64}):(1)>
  %d = memref.memory_space_cast %a : memref<?xf32> to memref<?xf32, 1>
  %x = layout.make_view %d, %rows : memref<?xf32, 1>, !layout<(?{i64}):(1)>
  %few = arith.cmpi ule, %m, %c17 : index
  // expected-error@+1 {{expected scf.if in a program to choose between launches of a family's kernels, each for sizes up to its bound and the last for all others, found another condition of @few}}
  scf.if %few {
    gpu.launch_func @scale::@few blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
  } else {
    gpu.launch_func @scale::@many blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
  }
  return
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @scale {
  gpu.func @one(%x: !layout.view<f32, global, (4):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      args = [{name = "x", element = "f32", shape = "(4)", stride = "(1)", access = "write"}]}} {
    gpu.return
  }
}
func.func @other(%a: memref<4xf32>, %b: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %c16 = arith.constant 16 : index
  %m = memref.dim %b, %c0 : memref<?xf32>
  %rows = layout.constant #layout<(4):(1)> : !layout<(4):(1)>
  %d = memref.memory_space_cast %a : memref<4xf32> to memref<4xf32, 1>
  %x = layout.make_view %d, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  %few = arith.cmpi ule, %m, %c16 : index
  // expected-error@+1 {{found a launch of @one, which is of none}}
  scf.if %few {
    gpu.launch_func @scale::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (4):(1)>)
  } else {
    gpu.launch_func @scale::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (4):(1)>)
  }
  return
}
}
