// Atomics: their form in LLVM IR and in PTX, and that the host has them too.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-translate %s --pipeline --layout-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: layout-opt %s --layout-to-host | FileCheck %s --check-prefix=HOST

// PTX-LABEL: .entry atomics
// PTX: atom.global.add.f32
// PTX: fence.acq_rel.gpu;
// PTX-NEXT: atom.global.max.s32
// PTX-NEXT: fence.acq_rel.gpu;
// PTX: atom.shared.add.u32

// HOST-LABEL: llvm.func @atomics
// HOST: llvm.atomicrmw fadd %{{.*}} monotonic : !llvm.ptr, f32
// HOST: llvm.atomicrmw max %{{.*}} monotonic : !llvm.ptr, i32
// HOST: llvm.atomicrmw add %{{.*}} monotonic : !llvm.ptr, i32

gpu.module @atomics {
  // CHECK-LABEL: gpu.func @atomics
  // CHECK: llvm.atomicrmw fadd %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
  // CHECK: llvm.fence syncscope("device") release
  // CHECK-NEXT: llvm.atomicrmw max %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK-NEXT: llvm.fence syncscope("device") acquire
  // CHECK: llvm.atomicrmw add %{{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
  // CHECK-NOT: layout.atomic
  gpu.func @atomics(%f: !layout.view<f32, global, 32:1>, %i: !layout.view<i32, global, (4,8):(8,1)>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    %n = arith.constant 7 : i32
    %s = layout.alloc : !layout.view<i32, shared, 8:1>
    layout.atomic add %one, %f(%t) relaxed : !layout.view<f32, global, 32:1>
    layout.atomic max %n, %i(3, 2) acq_rel : !layout.view<i32, global, (4,8):(8,1)>
    layout.atomic add %n, %s(5) relaxed : !layout.view<i32, shared, 8:1>
    gpu.return
  }

  // The result is the element before.
  // PTX-LABEL: .entry ticket
  // PTX: atom.global.add.u32 [[OLD:%r[0-9]+]], [%rd{{[0-9]+}}], 1;
  // PTX: st.global.b32 [%rd{{[0-9]+}}], [[OLD]];
  // CHECK-LABEL: gpu.func @ticket
  // CHECK: %[[OLD:.+]] = llvm.atomicrmw add %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.store %[[OLD]]
  gpu.func @ticket(%counter: !layout.view<i32, global, 1:1>, %out: !layout.view<i32, global, 32:1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %n = arith.constant 1 : i32
    %old = layout.atomic add %n, %counter(0) relaxed : !layout.view<i32, global, 1:1>
    layout.store %old, %out(%t) : !layout.view<i32, global, 32:1>
    gpu.return
  }
}
