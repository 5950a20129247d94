// Loops and branches of host functions are steps of programs, and integers in them variables.

// RUN: layout-opt %s --split-input-file --layout-export-programs | FileCheck %s

// A loop to a bound that is an extent, around a copy at an offset that it counts.

// CHECK-LABEL: module attributes {layout.programs = [{
// CHECK-SAME:    name = "counted",
// CHECK-SAME:    steps = [{set = [{value = 0 : i64, variable = "value0"}]},
// CHECK-SAME:             {loop = {body = [{copy = {bytes = 16 : i64, from = {argument = 0 : i64, offset = "(value0*4)*4"}, to = {argument = 1 : i64}}},
// CHECK-SAME:                              {set = [{value = "value0+1", variable = "value0"}]}],
// CHECK-SAME:                      condition = "1-max(min(value0-arg0_0+1,1),0)"}}],
// CHECK-SAME:    variables = ["value0"]}]}
func.func @counted(%a: memref<?x4xf32>, %b: memref<4xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %a[%i, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %row, %b : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
  }
  return
}

// -----

// A while loop that reads its condition from memory, and counts in 32 bits.

// CHECK-LABEL: module attributes {layout.programs = [{
// CHECK-SAME:    steps = [{set = [{bits = 32 : i64, value = 7 : i64, variable = "value0"}]},
// CHECK-SAME:             {loop = {before = [{read = {element = "i1", from = {argument = 1 : i64, offset = 3 : i64}, variable = "value1"}}],
// CHECK-SAME:                      body = [{copy = {bytes = 16 : i64, from = {argument = 0 : i64}, to = {argument = 2 : i64}}},
// CHECK-SAME:                              {set = [{bits = 32 : i64, value = "value0+1", variable = "value0"}]}],
// CHECK-SAME:                      condition = "value1"}},
// CHECK-SAME:             {copy = {bytes = 4 : i64, from = {argument = 0 : i64, offset = "value0*4"}, to = {argument = 2 : i64}}}],
// CHECK-SAME:    variables = ["value0", "value1"]}]}
func.func @repeated(%a: memref<4xf32>, %flags: memref<8xi1>, %b: memref<4xf32>) attributes {layout.host} {
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %seven) : (i32) -> i32 {
    %c = memref.load %flags[%c3] : memref<8xi1>
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  %k = arith.index_cast %r : i32 to index
  %x = memref.subview %a[%k] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
  %y = memref.subview %b[0] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1]>>
  memref.copy %x, %y : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1]>>
  return
}

// -----

// A branch on an integer in memory, with a result that is an integer.

// CHECK-LABEL: module attributes {layout.programs = [{
// CHECK-SAME:    steps = [{read = {element = "i32", from = {argument = 2 : i64}, variable = "value0"}},
// CHECK-SAME:             {branch = {condition = "1-max(min(2-value0+1,1),0)",
// CHECK-SAME:                        otherwise = [{set = [{value = 0 : i64, variable = "value1"}]}],
// CHECK-SAME:                        then = [{copy = {bytes = 16 : i64, from = {argument = 0 : i64}, to = {argument = 1 : i64}}},
// CHECK-SAME:                                {set = [{value = 1 : i64, variable = "value1"}]}]}},
// CHECK-SAME:             {copy = {bytes = 4 : i64, from = {argument = 0 : i64, offset = "value1*4"}, to = {argument = 1 : i64}}}],
func.func @branch(%a: memref<4xf32>, %b: memref<4xf32>, %flag: memref<i32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %v = memref.load %flag[] : memref<i32>
  %c = arith.cmpi sgt, %v, %two : i32
  %k = scf.if %c -> index {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    scf.yield %c1 : index
  } else {
    scf.yield %c0 : index
  }
  %x = memref.subview %a[%k] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
  %y = memref.subview %b[0] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1]>>
  memref.copy %x, %y : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1]>>
  return
}

// -----

// A choice between kernels of a family by another bound than the first one's is a branch, too.

// CHECK-LABEL: module attributes {gpu.container_module, layout.programs = [{
// CHECK-SAME:    steps = [{branch = {condition = "max(min(17-arg0_0+1,1),0)",
// CHECK-SAME:                        otherwise = [{launch = {kernel = "many", operands = [{argument = 0 : i64}], sizes = {m = "arg0_0"}}}],
// CHECK-SAME:                        then = [{launch = {kernel = "few", operands = [{argument = 0 : i64}], sizes = {m = "arg0_0"}}}]}}]}]}
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
  scf.if %few {
    gpu.launch_func @scale::@few blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
  } else {
    gpu.launch_func @scale::@many blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
  }
  return
}
}

// -----

// Kernels of a family may have several ranges each: choices between all of these are one launch of the family.

// CHECK-LABEL: module attributes {gpu.container_module, layout.programs = [{
// CHECK-SAME:    steps = [{launch = {kernel = "scale", operands = [{argument = 0 : i64}], sizes = {m = "arg0_0"}}}]}]}
module attributes {gpu.container_module} {
gpu.module @scale {
  gpu.func @even(%x: !layout.view<f32, global, (?{i64}):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      family = {name = "scale", before = [{number = 0 : i64, most = {m = 16 : i64}}], number = 2 : i64, most = {m = 64 : i64}}, sizes = [{name = "m"}],
      args = [{name = "x", element = "f32", shape = "(m)", stride = "(1)", access = "write", sizes = [{value = "m", bits = 64 : i64}]}]}} {
    gpu.return
  }
  gpu.func @odd(%x: !layout.view<f32, global, (?{i64}):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      family = {name = "scale", before = [{number = 1 : i64, most = {m = 32 : i64}}], number = 3 : i64}, sizes = [{name = "m"}],
      args = [{name = "x", element = "f32", shape = "(m)", stride = "(1)", access = "write", sizes = [{value = "m", bits = 64 : i64}]}]}} {
    gpu.return
  }
}
func.func @ranges(%a: memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %n = arith.index_cast %m : index to i64
  %rows = layout.make %n : (i64) -> !layout<(?{i64}):(1)>
  %d = memref.memory_space_cast %a : memref<?xf32> to memref<?xf32, 1>
  %x = layout.make_view %d, %rows : memref<?xf32, 1>, !layout<(?{i64}):(1)>
  %first = arith.cmpi ule, %m, %c16 : index
  scf.if %first {
    gpu.launch_func @scale::@even blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
  } else {
    %second = arith.cmpi ule, %m, %c32 : index
    scf.if %second {
      gpu.launch_func @scale::@odd blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
    } else {
      %third = arith.cmpi ule, %m, %c64 : index
      scf.if %third {
        gpu.launch_func @scale::@even blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
      } else {
        gpu.launch_func @scale::@odd blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%x : !layout.view<f32, global, (?{i64}):(1)>)
      }
    }
  }
  return
}
}

// -----

// A launch whose buffer is only copied writes where that goes, unless the launch reads it, or the buffer is a result, too.

// CHECK-LABEL: module attributes {gpu.container_module, layout.programs = [{
// CHECK-SAME:    steps = [{launch = {kernel = "one", operands = [{argument = 0 : i64}, {argument = 1 : i64}]}},
// CHECK-SAME:             {launch = {kernel = "one", operands = [{argument = 1 : i64}, {buffer = 0 : i64}]}},
// CHECK-SAME:             {copy = {bytes = 16 : i64, from = {buffer = 0 : i64}, to = {argument = 1 : i64}}},
// CHECK-SAME:             {launch = {kernel = "one", operands = [{argument = 1 : i64}, {result = 0 : i64}]}},
// CHECK-SAME:             {copy = {bytes = 16 : i64, from = {result = 0 : i64}, to = {argument = 0 : i64}}}]}]}
module attributes {gpu.container_module} {
gpu.module @scale {
  gpu.func @one(%x: !layout.view<f32, global, (4):(1)>, %y: !layout.view<f32, global, (4):(1)>) kernel attributes {layout.kernel = {grid = [1, 1, 1], block = array<i64: 128, 1, 1>, chip = "sm_80",
      args = [{name = "x", element = "f32", shape = "(4)", stride = "(1)", access = "read"}, {name = "y", element = "f32", shape = "(4)", stride = "(1)", access = "write"}]}} {
    gpu.return
  }
}
func.func @copied(%a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> attributes {layout.host} {
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %rows = layout.constant #layout<(4):(1)> : !layout<(4):(1)>
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  %z = memref.alloc() : memref<4xf32>
  %da = memref.memory_space_cast %a : memref<4xf32> to memref<4xf32, 1>
  %db = memref.memory_space_cast %b : memref<4xf32> to memref<4xf32, 1>
  %dx = memref.memory_space_cast %x : memref<4xf32> to memref<4xf32, 1>
  %dy = memref.memory_space_cast %y : memref<4xf32> to memref<4xf32, 1>
  %dz = memref.memory_space_cast %z : memref<4xf32> to memref<4xf32, 1>
  %va = layout.make_view %da, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  %vb = layout.make_view %db, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  %vx = layout.make_view %dx, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  %vy = layout.make_view %dy, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  %vz = layout.make_view %dz, %rows : memref<4xf32, 1>, !layout<(4):(1)>
  gpu.launch_func @scale::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%va : !layout.view<f32, global, (4):(1)>, %vx : !layout.view<f32, global, (4):(1)>)
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  gpu.launch_func @scale::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%vb : !layout.view<f32, global, (4):(1)>, %vy : !layout.view<f32, global, (4):(1)>)
  memref.copy %y, %b : memref<4xf32> to memref<4xf32>
  gpu.launch_func @scale::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %none args(%vb : !layout.view<f32, global, (4):(1)>, %vz : !layout.view<f32, global, (4):(1)>)
  memref.copy %z, %a : memref<4xf32> to memref<4xf32>
  return %z : memref<4xf32>
}
}
