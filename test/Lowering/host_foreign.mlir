// Everything that belongs to no layout program is unchanged: functions that none of its functions calls or is called by, kernels of other
// targets, modules of others. Functions that a layout program's functions call, and their callers, go to LLVM's dialect with them.

// RUN: layout-opt %s --layout-to-host | FileCheck %s
// RUN: layout-translate %s --pipeline --run-on-cpu | FileCheck %s --check-prefix=CPU

// CPU: gemm_kernel: 16x8x16 on the CPU: {{.*}} 0 stray bytes: right

!a = !layout.view<bf16, global, (16,16):(16,1)>
!b = !layout.view<bf16, global, (8,16):(16,1)>
!c = !layout.view<f32, global, (16,8):(8,1)>

module attributes {gpu.container_module} {
  // CHECK:       gpu.module @others [#rocdl.target] {
  // CHECK:         gpu.func @kernel(%{{.+}}: memref<8xf32>) kernel {
  // CHECK-NEXT:      %[[I:.+]] = gpu.thread_id x
  // CHECK-NEXT:      %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT:      memref.store %[[ONE]], %{{.+}}[%[[I]]] : memref<8xf32>
  // CHECK:           scf.for
  gpu.module @others [#rocdl.target] {
    gpu.func @kernel(%x: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<8xf32>
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      scf.for %k = %c0 to %c8 step %c1 {
        memref.store %one, %x[%k] : memref<8xf32>
      }
      gpu.return
    }
  }

  // CHECK:       func.func @foreign(%[[X:.+]]: memref<8xf32>, %[[N:.+]]: index) -> f32 {
  // CHECK:         scf.for
  // CHECK:         gpu.launch_func @others::@kernel
  // CHECK:         call @helper
  func.func @foreign(%x: memref<8xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = arith.constant 0.0 : f32
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> f32 {
      %e = memref.load %x[%i] : memref<8xf32>
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    gpu.launch_func @others::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>)
    %r = func.call @helper(%all) : (f32) -> f32
    return %r : f32
  }
  // CHECK:       func.func private @helper(%{{.+}}: f32) -> f32 {
  // CHECK-NEXT:    %[[TWICE:.+]] = arith.addf
  func.func private @helper(%x: f32) -> f32 {
    %t = arith.addf %x, %x : f32
    return %t : f32
  }

  // CHECK:       module @theirs {
  // CHECK-NEXT:    func.func @own(%{{.+}}: index) -> index {
  // CHECK-NEXT:      %[[C:.+]] = arith.constant 0 : index
  // CHECK-NEXT:      arith.addi
  module @theirs {
    func.func @own(%x: index) -> index {
      %c0 = arith.constant 0 : index
      %t = arith.addi %x, %c0 : index
      return %t : index
    }
  }

  // CHECK-DAG:   llvm.func @gemm_kernel(
  // CHECK-DAG:   llvm.func @gemm(
  // CHECK-DAG:   llvm.func @caller(
  // CHECK-DAG:   llvm.func @scale(
  // CHECK-DAG:   llvm.call @gemm_kernel(
  // CHECK-DAG:   llvm.call @scale(
  // CHECK-NOT:   layout.host
  func.func @gemm(%a: !a, %b: !b, %c: !c) -> i32 {
    layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (16,16,16), warps = (1,1), stages = 2>) : !a, !b, !c
    %one = arith.constant 1 : i32
    %r = func.call @scale(%one) : (i32) -> i32
    return %r : i32
  }
  func.func private @scale(%x: i32) -> i32 {
    %t = arith.addi %x, %x : i32
    return %t : i32
  }
  func.func @caller(%x: i32) -> i32 {
    %t = func.call @scale(%x) : (i32) -> i32
    return %t : i32
  }
}
