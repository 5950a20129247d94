// Launches of kernels that are lowered here: what they hand on, the shared memory that the kernel takes, and tensor maps, which
// a launch has to hand on as what they are.

// RUN: layout-opt %s --layout-lower --split-input-file --verify-diagnostics | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%o: !layout.view<f32, global, 128:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_80", args = []}} {
      %s = layout.alloc : !layout.view<f32, shared, 32:1>
      %t = gpu.thread_id x
      %v = layout.load %s(%t) : !layout.view<f32, shared, 32:1>
      layout.store %v, %o(%t) : !layout.view<f32, global, 128:1>
      gpu.return
    }
  }
  // CHECK-LABEL: func.func @f(%arg0: !llvm.ptr)
  // CHECK:         %[[P:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<1>
  // CHECK:         %[[S:.+]] = arith.constant 1024 : i32
  // CHECK:         gpu.launch_func @m::@k {{.*}} dynamic_shared_memory_size %[[S]] args(%[[P]] : !llvm.ptr<1>)
  func.func @f(%o: !layout.view<f32, global, 128:1>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %none = arith.constant 0 : i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %none
      args(%o : !layout.view<f32, global, 128:1>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%o: !layout.view<f32, global, 128:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_80", args = []}} {
      %s = layout.alloc : !layout.view<f32, shared, 32:1>
      %t = gpu.thread_id x
      %v = layout.load %s(%t) : !layout.view<f32, shared, 32:1>
      layout.store %v, %o(%t) : !layout.view<f32, global, 128:1>
      gpu.return
    }
  }
  func.func @f(%o: !layout.view<f32, global, 128:1>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'gpu.launch_func' op expected dynamic_shared_memory_size 1024, which the kernel takes, found none; 0 there is made as many}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%o : !layout.view<f32, global, 128:1>)
    return
  }
}
