// A warp's MMA is convergent: the branches on the lane before and after it have one condition, and
// the MMA is there once, and not in both sides of a branch, through stock gpu-module-to-binary and through ours.

// RUN: layout-opt %s --layout-to-nvvm -o %t.nvvm.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.nvvm.mlir
// RUN: mlir-opt %t.nvvm.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_89 features=+ptx84 O=3},gpu-module-to-binary{format=isa})' -o %t.stock.mlir
// RUN: layout-translate %t.nvvm.mlir --layout-to-ptx --chip sm_89 -o %t.ours.ptx
// RUN: %python %S/Inputs/stock.py %t.stock.mlir %t.ours.ptx | FileCheck %s

// IR-DAG: llvm.func @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)> attributes {convergent
// IR-DAG: llvm.func @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(
// IR-DAG: llvm.call @llvm.nvvm.mma.m16n8k16.row.col.bf16({{.*}}) {convergent}
// IR-DAG: llvm.call @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32({{.*}}) {convergent}

// CHECK: mma.sync: 2
// CHECK: both are alike

!global = !layout.view<f32, global, (128):(1)>
!a16 = !layout.view<bf16, register, (8,1,1):(1,8,8)>
!b16 = !layout.view<bf16, register, (4,1,1):(1,4,4)>
!a8 = !layout.view<f8E4M3FN, register, (16,1,1):(1,16,16)>
!b8 = !layout.view<f8E4M3FN, register, (8,1,1):(1,8,8)>
!sums = !layout.view<f32, register, (4,1,1):(1,4,4)>
gpu.module @kernels {
  gpu.func @lanes(%q: !global) kernel {
    %lane = gpu.thread_id x
    %three = arith.constant 3 : index
    %is = arith.cmpi eq, %lane, %three : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %value = arith.constant 1.0 : f32
    %half = arith.constant 1.0 : bf16
    %byte = arith.constant 1.0 : f8E4M3FN
    %none = arith.constant 0.0 : f32
    %sixty = arith.constant 64 : index
    %next = arith.addi %lane, %sixty : index
    %a = layout.alloc : !a16
    %b = layout.alloc : !b16
    %c = layout.alloc : !sums
    %x = layout.alloc : !a8
    %y = layout.alloc : !b8
    %d = layout.alloc : !sums
    layout.fill %a, %half : !a16
    layout.fill %b, %half : !b16
    layout.fill %c, %none : !sums
    layout.fill %x, %byte : !a8
    layout.fill %y, %byte : !b8
    layout.fill %d, %none : !sums
    scf.if %is {
      layout.store %value, %q(%zero) : !global
    }
    layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %a, %b, %c : !a16, !b16, !sums
    %s = layout.load %c(0,0,0) : !sums
    layout.store %s, %q(%lane) : !global
    scf.if %is {
      layout.store %value, %q(%one) : !global
    }
    layout.mma #layout.atom<mma_m16n8k32_f32_e4m3> %x, %y, %d : !a8, !b8, !sums
    %t = layout.load %d(0,0,0) : !sums
    layout.store %t, %q(%next) : !global
    scf.if %is {
      layout.store %value, %q(%two) : !global
    }
    gpu.return
  }
}
