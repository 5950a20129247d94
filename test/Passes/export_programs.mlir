// Host functions that launch kernels become programs of the manifest: buffers, offsets and sizes as expressions.

// RUN: layout-opt %s --split-input-file --layout-tile-matmul --layout-derive-launch --layout-export-programs | FileCheck %s

// A matmul to an allocated buffer, then one whose result is returned.

// CHECK-LABEL: module attributes {gpu.container_module
// CHECK-SAME:    layout.programs = [{arguments = [{element = "f16", shape = [64, 64]}, {element = "f16", shape = [64, 64]}],
// CHECK-SAME:      buffers = [8192],
// CHECK-SAME:      name = "chain",
// CHECK-SAME:      results = [{element = "f16", shape = [64, 64]}],
// CHECK-SAME:      steps = [{launch = {kernel = "chain_kernel", operands = [{argument = 0 : i64}, {argument = 1 : i64}, {buffer = 0 : i64}]}},
// CHECK-SAME:               {launch = {kernel = "chain_kernel_1", operands = [{buffer = 0 : i64}, {argument = 1 : i64}, {result = 0 : i64}]}}]}]
// CHECK:       gpu.module @chain_kernel
// CHECK-NOT:   func.func @chain(
#schedule = #layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">
#rows = #layout<(64,64):(64,1)>
func.func @chain(%a: memref<64x64xf16>, %b: memref<64x64xf16>) -> memref<64x64xf16> attributes {layout.host} {
  %rows = layout.constant #rows : !layout<(64,64):(64,1)>
  %x = memref.alloc() : memref<64x64xf16>
  %y = memref.alloc() : memref<64x64xf16>
  %da = memref.memory_space_cast %a : memref<64x64xf16> to memref<64x64xf16, 1>
  %db = memref.memory_space_cast %b : memref<64x64xf16> to memref<64x64xf16, 1>
  %dx = memref.memory_space_cast %x : memref<64x64xf16> to memref<64x64xf16, 1>
  %dy = memref.memory_space_cast %y : memref<64x64xf16> to memref<64x64xf16, 1>
  %va = layout.make_view %da, %rows : memref<64x64xf16, 1>, !layout<(64,64):(64,1)>
  %vb = layout.make_view %db, %rows : memref<64x64xf16, 1>, !layout<(64,64):(64,1)>
  %vx = layout.make_view %dx, %rows : memref<64x64xf16, 1>, !layout<(64,64):(64,1)>
  %vy = layout.make_view %dy, %rows : memref<64x64xf16, 1>, !layout<(64,64):(64,1)>
  layout.matmul %va, %vb, %vx schedule(#schedule) : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, global, (64,64):(64,1)>
  layout.matmul %vx, %vb, %vy schedule(#schedule) : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, global, (64,64):(64,1)>
  memref.dealloc %x : memref<64x64xf16>
  return %y : memref<64x64xf16>
}

// -----

// A size that is known at run time, a part of an argument, an argument that is returned, and a constant.

// CHECK-LABEL: module attributes {gpu.container_module, layout.programs = [{
// CHECK-SAME:    arguments = [{element = "f16", shape = ["arg0_0", 64]}, {element = "f16", shape = [128, 64]}],
// CHECK-SAME:    constants = ["0000803f0000803f"],
// CHECK-SAME:    results = [{element = "f16", shape = ["arg0_0", 64]}, {element = "f16", shape = [128, 64]}, {element = "f32", shape = [2]}],
// CHECK-SAME:    steps = [{launch = {kernel = "sized_kernel", operands = [{argument = 0 : i64}, {argument = 1 : i64, offset = 8192 : i64}, {result = 0 : i64}], sizes = {m = "arg0_0"}}},
// CHECK-SAME:             {copy = {bytes = 16384 : i64, from = {argument = 1 : i64}, to = {result = 1 : i64}}},
// CHECK-SAME:             {copy = {bytes = 8 : i64, from = {constant = 0 : i64}, to = {result = 2 : i64}}}]}]
memref.global "private" constant @ones : memref<2xf32> = dense<1.0>
func.func @sized(%a: memref<?x64xf16>, %b: memref<128x64xf16>) -> (memref<?x64xf16>, memref<128x64xf16>, memref<2xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x64xf16>
  %n = arith.index_cast %m : index to i64
  %rows = layout.make %n : (i64) -> !layout<(?{i64},64):(64,1)>
  %square = layout.constant #layout<(64,64):(64,1)> : !layout<(64,64):(64,1)>
  %half = memref.subview %b[64, 0] [64, 64] [1, 1] : memref<128x64xf16> to memref<64x64xf16, strided<[64, 1], offset: 4096>>
  %c = memref.alloc(%m) : memref<?x64xf16>
  %da = memref.memory_space_cast %a : memref<?x64xf16> to memref<?x64xf16, 1>
  %db = memref.memory_space_cast %half : memref<64x64xf16, strided<[64, 1], offset: 4096>> to memref<64x64xf16, strided<[64, 1], offset: 4096>, 1>
  %dc = memref.memory_space_cast %c : memref<?x64xf16> to memref<?x64xf16, 1>
  %va = layout.make_view %da, %rows : memref<?x64xf16, 1>, !layout<(?{i64},64):(64,1)>
  %vb = layout.make_view %db, %square : memref<64x64xf16, strided<[64, 1], offset: 4096>, 1>, !layout<(64,64):(64,1)>
  %vc = layout.make_view %dc, %rows : memref<?x64xf16, 1>, !layout<(?{i64},64):(64,1)>
  layout.matmul %va, %vb, %vc schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !layout.view<f16, global, (?{i64},64):(64,1)>, !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, global, (?{i64},64):(64,1)>
  %ones = memref.get_global @ones : memref<2xf32>
  return %c, %b, %ones : memref<?x64xf16>, memref<128x64xf16>, memref<2xf32>
}

// -----

// An assertion of sizes in a function is a condition of the program. An assertion that holds at all sizes is none.

// CHECK-LABEL: module attributes {layout.programs = [{
// CHECK-SAME:    arguments = [{element = "f32", shape = ["arg0_0"]}, {element = "f32", shape = ["arg1_0"]}],
// CHECK-SAME:    conditions = [{message = "mismatched sizes", value = "max(min(arg0_0-arg1_0+1,1),0)*max(min(arg1_0-arg0_0+1,1),0)"},
// CHECK-SAME:                  {message = "one dimension is inferred", value = "max(min(arg0_0-2+1,1),0)"}],
// CHECK-SAME:    results = [{element = "f32", shape = ["arg0_0"]}],
func.func @asserted(%a: memref<?xf32>, %b: memref<?xf32>) -> memref<?xf32> attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %m = memref.dim %a, %c0 : memref<?xf32>
  %n = memref.dim %b, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "mismatched sizes"
  %rows = arith.index_cast %m : index to i64
  %negative = arith.cmpi slt, %rows, %zero : i64
  %size = arith.select %negative, %one, %rows : i64
  %count = arith.extui %negative : i1 to i64
  %few = arith.cmpi sle, %count, %one : i64
  cf.assert %few, "at most one dimension is inferred"
  %many = arith.cmpi sge, %size, %two : i64
  cf.assert %many, "one dimension is inferred"
  cf.assert %many, "one dimension is inferred"
  %c = memref.alloc(%m) : memref<?xf32>
  memref.copy %a, %c : memref<?xf32> to memref<?xf32>
  return %c : memref<?xf32>
}

// -----

// Matmuls of as many rows as a caller has: the function chooses between kernels of a family, and the program launches the family.

// CHECK-LABEL: module attributes {gpu.container_module, layout.programs = [{
// CHECK-SAME:    name = "family",
// CHECK-SAME:    steps = [{launch = {kernel = "family_kernel", operands = [{argument = 0 : i64}, {argument = 1 : i64}, {buffer = 0 : i64}], sizes = {m = "arg0_0"}}},
// CHECK-SAME:             {launch = {kernel = "family_kernel_1", operands = [{buffer = 0 : i64}, {argument = 1 : i64}, {result = 0 : i64}], sizes = {m = "arg0_0"}}}]}]
// CHECK:       gpu.func @family_kernel_up_to_16(
// CHECK-NOT:   func.func @family(
func.func @family(%a: memref<?x4096xbf16>, %b: memref<4096x4096xbf16>) -> memref<?x4096xbf16> attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x4096xbf16>
  %n = arith.index_cast %m : index to i64
  %rows = layout.make %n : (i64) -> !layout<(?{i64},4096):(4096,1)>
  %square = layout.constant #layout<(4096,4096):(4096,1)> : !layout<(4096,4096):(4096,1)>
  %x = memref.alloc(%m) : memref<?x4096xbf16>
  %y = memref.alloc(%m) : memref<?x4096xbf16>
  %da = memref.memory_space_cast %a : memref<?x4096xbf16> to memref<?x4096xbf16, 1>
  %db = memref.memory_space_cast %b : memref<4096x4096xbf16> to memref<4096x4096xbf16, 1>
  %dx = memref.memory_space_cast %x : memref<?x4096xbf16> to memref<?x4096xbf16, 1>
  %dy = memref.memory_space_cast %y : memref<?x4096xbf16> to memref<?x4096xbf16, 1>
  %va = layout.make_view %da, %rows : memref<?x4096xbf16, 1>, !layout<(?{i64},4096):(4096,1)>
  %vb = layout.make_view %db, %square : memref<4096x4096xbf16, 1>, !layout<(4096,4096):(4096,1)>
  %vx = layout.make_view %dx, %rows : memref<?x4096xbf16, 1>, !layout<(?{i64},4096):(4096,1)>
  %vy = layout.make_view %dy, %rows : memref<?x4096xbf16, 1>, !layout<(?{i64},4096):(4096,1)>
  layout.matmul %va, %vb, %vx schedule(#layout.schedule<auto, chip = "sm_90a">) : !layout.view<bf16, global, (?{i64},4096):(4096,1)>, !layout.view<bf16, global, (4096,4096):(4096,1)>, !layout.view<bf16, global, (?{i64},4096):(4096,1)>
  layout.matmul %vx, %vb, %vy schedule(#layout.schedule<auto, chip = "sm_90a">) : !layout.view<bf16, global, (?{i64},4096):(4096,1)>, !layout.view<bf16, global, (4096,4096):(4096,1)>, !layout.view<bf16, global, (?{i64},4096):(4096,1)>
  memref.dealloc %x : memref<?x4096xbf16>
  return %y : memref<?x4096xbf16>
}

// -----

// Slices as front ends clamp them: extents and their quotients are at least 0, factors of a quotient cancel, and a constant is added or subtracted once.

// CHECK-LABEL: module attributes {{.*}}layout.programs = [{
// CHECK-SAME:    name = "slices",
// CHECK-SAME:    results = [{element = "f32", shape = ["min(ceil_div(arg0_0,4)+ceil_div(arg0_0,4),arg0_0)-min(ceil_div(arg0_0,4),arg0_0)"]}, {element = "f32", shape = ["2*arg0_0"]}]
func.func @slices(%a: memref<?xf32>, %b: memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) attributes {layout.host} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %n = memref.dim %b, %c0 : memref<?xf32>
  %sum = arith.addi %m, %c3 : index
  %quarter = arith.floordivsi %sum, %c4 : index
  %half = arith.addi %quarter, %quarter : index
  %negative = arith.cmpi slt, %quarter, %c0 : index
  %wrapped = arith.addi %quarter, %m : index
  %start = arith.select %negative, %wrapped, %quarter : index
  %least = arith.maxsi %start, %c0 : index
  %from = arith.minsi %least, %m : index
  %past_end = arith.cmpi slt, %half, %c0 : index
  %end = arith.select %past_end, %cm1, %half : index
  %to = arith.minsi %end, %m : index
  %length = arith.subi %to, %from : index
  %c = memref.alloc(%length) : memref<?xf32>
  %part = memref.subview %a[%from] [%length] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  memref.copy %part, %c : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32>
  %six = arith.muli %m, %c6 : index
  %all = arith.muli %six, %n : index
  %three = arith.muli %n, %c3 : index
  %twice = arith.divsi %all, %three : index
  %d = memref.alloc(%twice) : memref<?xf32>
  %whole = memref.subview %d[0] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %a, %whole : memref<?xf32> to memref<?xf32, strided<[1]>>
  return %c, %d : memref<?xf32>, memref<?xf32>
}
