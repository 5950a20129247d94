// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --verify-each-layout-pass --split-input-file 2>&1 | FileCheck %s --check-prefix=PROVED

// PROVED-NOT: not proved

// A chip with conversions to floats of 8 bits takes them, two elements at once: the first operand is the upper element.

// CHECK-LABEL: gpu.func @floats(
// CHECK:         %[[V:.+]] = llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK:         %[[LOW:.+]] = vector.extract %[[V]][0]
// CHECK:         %[[HIGH:.+]] = vector.extract %[[V]][1]
// CHECK:         %[[BYTES:.+]] = nvvm.convert.f32x2.to.f8x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// CHECK:         llvm.store %{{.+}}, %{{.+}} {alignment = 2 : i64} : vector<2xi8>
// One alone is both.
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[ONE:.+]], %[[ONE]] {{.+}} : vector<2xi8>(f8E5M2)
// CHECK:         vector.extract %{{.+}}[0] : i8 from vector<2xi8>
gpu.module @new {
  gpu.func @floats(%s: !layout.view<f32, global, 2:1>, %t: !layout.view<f8E4M3FN, global, 2:1>, %u: !layout.view<f8E5M2, global, 2:1>)
      kernel attributes {layout.kernel = {chip = "sm_90a"}} {
    layout.copy #layout.atom<simt_2> %s, %t : !layout.view<f32, global, 2:1>, !layout.view<f8E4M3FN, global, 2:1>
    layout.copy #layout.atom<simt_1> %s, %u : !layout.view<f32, global, 2:1>, !layout.view<f8E5M2, global, 2:1>
    gpu.return
  }
}

// -----

// From there, by way of f16, which has them exactly. A kernel that says nothing of its chip is for that of the one beside it.

// CHECK-LABEL: gpu.func @from(
// CHECK:         %[[HALVES:.+]] = nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         arith.extf %[[HALVES]] : vector<2xf16> to vector<2xf32>
gpu.module @scalars {
  gpu.func @from(%s: !layout.view<f8E4M3FN, global, 2:1>, %t: !layout.view<f32, global, 2:1>) kernel {
    layout.copy #layout.atom<simt_2> %s, %t : !layout.view<f8E4M3FN, global, 2:1>, !layout.view<f32, global, 2:1>
    gpu.return
  }
  gpu.func @other() kernel attributes {layout.kernel = {chip = "sm_89"}} {
    gpu.return
  }
}

// -----

// On chips before, arithmetic gives the same bits: the magnitude is at most that of 448, and what is below the least normal number is rounded by
// a sum.

// CHECK-LABEL: gpu.func @arithmetic(
// CHECK-NOT:     nvvm.convert
// CHECK:         %[[LIMITED:.+]] = arith.minui %{{.+}}, %c1138753536_i32
// CHECK:         %[[UNIT:.+]] = arith.constant 1.638400e+04 : f32
// CHECK:         arith.addf %{{.+}}, %[[UNIT]]
// CHECK:         arith.cmpi ult, %[[LIMITED]], %c1015021568_i32
gpu.module @old {
  gpu.func @arithmetic(%s: !layout.view<f32, global, 1:1>, %t: !layout.view<f8E4M3FN, global, 1:1>)
      kernel attributes {layout.kernel = {chip = "sm_80"}} {
    layout.copy #layout.atom<simt_1> %s, %t : !layout.view<f32, global, 1:1>, !layout.view<f8E4M3FN, global, 1:1>
    gpu.return
  }
}

// -----

// Integers of 8 bits are packed with saturation, on every chip: four at once, two, or one; numbers are rounded to integers first.

// CHECK-LABEL: gpu.func @integers(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.f2i.rn"
// CHECK:         %[[UPPER:.+]] = llvm.inline_asm asm_dialect = att "cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;", "=r,r,r,r" %{{.+}}, %{{.+}}, %{{.+}} : (i32, i32, i32) -> i32
// CHECK:         %[[ALL:.+]] = llvm.inline_asm {{.+}} %{{.+}}, %{{.+}}, %[[UPPER]] : (i32, i32, i32) -> i32
// CHECK:         llvm.bitcast %[[ALL]] : i32 to vector<4xi8>
// CHECK-NOT:     f2i
// CHECK:         llvm.inline_asm {{.*}}cvt.pack
// CHECK:         llvm.bitcast %{{.+}} : i16 to vector<2xi8>
gpu.module @packed {
  gpu.func @integers(%s: !layout.view<f32, global, 4:1>, %i: !layout.view<i32, global, 2:1>, %t: !layout.view<i8, global, 4:1>,
      %u: !layout.view<i8, global, 2:1>) kernel {
    layout.copy #layout.atom<simt_4> %s, %t : !layout.view<f32, global, 4:1>, !layout.view<i8, global, 4:1>
    layout.copy #layout.atom<simt_2> %i, %u : !layout.view<i32, global, 2:1>, !layout.view<i8, global, 2:1>
    gpu.return
  }
}

// -----

// A host has neither.

// CHECK-LABEL: func.func @host(
// CHECK-NOT:     nvvm
// CHECK-NOT:     llvm.inline_asm
// CHECK:         "llvm.maxnum.f32"
// CHECK:         "llvm.minnum.f32"
// CHECK:         arith.trunci %{{.+}} : i32 to i8
// CHECK:         arith.sitofp %{{.+}} : i8 to f32
func.func @host(%s: !layout.view<f32, host, 1:1>, %t: !layout.view<i8, host, 1:1>) {
  layout.copy #layout.atom<simt_1> %s, %t : !layout.view<f32, host, 1:1>, !layout.view<i8, host, 1:1>
  layout.copy #layout.atom<simt_1> %t, %s : !layout.view<i8, host, 1:1>, !layout.view<f32, host, 1:1>
  return
}

// -----

// Floats of 64 bits are rounded once.

// CHECK-LABEL: func.func @wide(
// CHECK:         arith.truncf %{{.+}} : f64 to f16
// CHECK:         %[[SINGLE:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         arith.extf %[[SINGLE]] : f32 to f64
func.func @wide(%s: !layout.view<f64, host, 1:1>, %t: !layout.view<f16, host, 1:1>) {
  layout.copy #layout.atom<simt_1> %s, %t : !layout.view<f64, host, 1:1>, !layout.view<f16, host, 1:1>
  layout.copy #layout.atom<simt_1> %t, %s : !layout.view<f16, host, 1:1>, !layout.view<f64, host, 1:1>
  return
}

// -----

// In place of a tf32 is an f32: vectors of them are moved as they are, and are numbers of f32 to a conversion.

// CHECK-LABEL: func.func @tf32(
// CHECK:         %[[V:.+]] = llvm.load %{{.+}} : !llvm.ptr -> vector<2xf32>
// CHECK:         builtin.unrealized_conversion_cast %[[V]] : vector<2xf32> to vector<2xtf32>
// CHECK:         builtin.unrealized_conversion_cast %{{.+}} : vector<2xtf32> to vector<2xf32>
// CHECK:         llvm.store %{{.+}} : vector<2xf32>, !llvm.ptr
// CHECK:         arith.truncf %{{.+}} : vector<2xf32> to vector<2xf16>
func.func @tf32(%s: !layout.view<tf32, host, 2:1>, %t: !layout.view<tf32, host, 2:1>, %u: !layout.view<f16, host, 2:1>) {
  layout.copy #layout.atom<simt_2> %s, %t : !layout.view<tf32, host, 2:1>, !layout.view<tf32, host, 2:1>
  layout.copy #layout.atom<simt_2> %s, %u : !layout.view<tf32, host, 2:1>, !layout.view<f16, host, 2:1>
  return
}
