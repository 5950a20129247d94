// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// The dialect's attributes print as the algebra spells them, and come back from every form.

// CHECK-LABEL: @terms
// CHECK-SAME: call = #layout<composition((6,2):(8,2), (4,3):(3,1))>
// CHECK-SAME: coordinate = #layout<(_,1)>
// CHECK-SAME: integer = #layout<3>
// CHECK-SAME: nested = #layout<((2,2),3):((24,2),8)>
// CHECK-SAME: shape = #layout<(32,8)>
// CHECK-SAME: spaced = #layout<(4,2):(2,1)>
// CHECK-SAME: swizzled = #layout<S<3,3,3> o 0 o (8,64):(64,1)>
// CHECK-SAME: tiler = #layout<<3:1, (2,4):(1,8)>>
// CHECK-SAME: verbose = #layout<(_,1)>
func.func private @terms() attributes {
  call = #layout<composition((6,2):(8,2), (4,3):(3,1))>,
  coordinate = #layout<(_,1)>,
  integer = #layout<3>,
  nested = #layout<((2,2),3):((24,2),8)>,
  shape = #layout<(32,8)>,
  spaced = #layout< ( 4 , 2 ) : ( 2 , 1 ) >,
  swizzled = #layout<S<3,3,3> o 0 o (8,64):(64,1)>,
  tiler = #layout<<3:1, (2,4):(1,8)>>,
  verbose = #layout<(_, 1)>
}

// A swizzle alone reads as a name with a body, so MLIR prints it so; both spellings are read.
// CHECK-LABEL: @swizzle
// CHECK-SAME: a = #layout.S<3,4,3>
// CHECK-SAME: b = #layout.S<3,4,3>
func.func private @swizzle() attributes {a = #layout<S<3,4,3>>, b = #layout.S<3,4,3>}

// So does a linear layout, and the paper's literal becomes one.
// CHECK-LABEL: @linear
// CHECK-SAME: a = #layout.linear<{lane = [(0,1),(1,0)], warp = []} -> {row = 2, col = 2}>
// CHECK-SAME: b = #layout.linear<{lane = [1,3]} -> {offset = 4}>
// CHECK-SAME: c = #layout.linear<{crd0 = [1,2], crd1 = [3]} -> {idx0 = 4}>
// CHECK-SAME: d = #layout<to_layout(linear<{lane = [1,3]} -> {offset = 4}>)>
func.func private @linear() attributes {
  a = #layout<linear<{lane = [(0,1), (1,0)], warp = []} -> {row = 2, col = 2}>>,
  b = #layout.linear<{lane = [1,3]} -> {offset = 4}>,
  c = #layout<LinearLayout(crd=(4,2), idx=4, vals=[1,2,3])>,
  d = #layout<to_layout(linear<{lane = [1,3]} -> {offset = 4}>)>
}

// CHECK-LABEL: @atoms
// CHECK-SAME: a = #layout.atom<mma_m16n8k16_f32_bf16>
// CHECK-SAME: b = #layout.atom<cp_async_16>
func.func private @atoms() attributes {
  a = #layout.atom<mma_m16n8k16_f32_bf16>, b = #layout.atom< cp_async_16 >
}

// The default chip is not printed.
// CHECK-LABEL: @schedules
// CHECK-SAME: a = #layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>
// CHECK-SAME: b = #layout.schedule<tile = (64,64,32), warps = (1,2), stages = 2, mma = mma_m16n8k16_f32_bf16, chip = "sm_90a">
// CHECK-SAME: c = #layout.schedule<auto>
// CHECK-SAME: d = #layout.schedule<auto, chip = "sm_90a">
func.func private @schedules() attributes {
  a = #layout.schedule<stages = 3, chip = "sm_80", tile = (128, 128, 32), warps = (2, 2)>,
  b = #layout.schedule<tile = (64,64,32), warps = (1,2), stages = 2, mma = mma_m16n8k16_f32_bf16, chip = "sm_90a">,
  c = #layout.schedule<auto, chip = "sm_80">,
  d = #layout.schedule< auto , chip="sm_90a" >
}

#rows = #layout<(8,4):(4,1)>
// CHECK-LABEL: @alias
// CHECK: layout.composition %{{.*}}, #layout<(8,4):(4,1)> : !layout<32:2>
func.func @alias(%l: !layout<32:2>) {
  %0 = layout.composition %l, #rows : !layout<32:2>
  return
}
