// Launches of kernels that are lowered here: what they pass on, the shared memory that the kernel takes, and tensor maps, which
// a launch has to pass on as what they are.

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
    // expected-error @+1 {{'gpu.launch_func' op expected dynamic_shared_memory_size 1024, which the kernel requires, found none; an explicit 0 is replaced by it}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%o : !layout.view<f32, global, 128:1>)
    return
  }
}

// -----

// Tensor maps, and the blocks of a kernel that continues by itself, are the runtime library's; a workspace is memory of the device.

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<1>, %n: i32, %w: !llvm.ptr<1>, %map: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel,
        layout.kernel = {chip = "sm_90a", block = array<i64: 32, 1, 1>, grid_limit = "multiprocessors", sizes = [{name = "m"}],
                         args = [{name = "a", sizes = [{value = "m"}]}], workspaces = [{name = "sums"}],
                         tensor_maps = [{arg = 0 : i64}]}} {
      llvm.return
    }
  }
  // CHECK:       func.func private @layout_prepare_launch(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
  // CHECK:       llvm.mlir.global private constant @layout.launch.k("{\22args\22:[{{.*}}\22name\22:\22k\22{{.*}}}\00")
  // CHECK-LABEL: func.func @f(%arg0: !llvm.ptr<1>, %arg1: i32)
  // CHECK:         llvm.alloca
  // CHECK:         %[[W:.+]] = gpu.alloc  () : memref<64xf32>
  // CHECK:         %[[M:.+]] = arith.extsi %arg1 : i32 to i64
  // CHECK:         llvm.insertvalue %[[M]], %{{.+}}[0] : !llvm.array<1 x i64>
  // CHECK:         call @layout_prepare_launch(
  // CHECK:         %[[GRID:.+]] = llvm.load %{{.+}} : !llvm.ptr -> !llvm.array<3 x i64>
  // CHECK:         %[[X:.+]] = llvm.extractvalue %[[GRID]][0]
  // CHECK:         %[[BLOCKS:.+]] = arith.index_cast %[[X]] : i64 to index
  // CHECK:         %[[MAP:.+]] = llvm.extractvalue %{{.+}}[0] : !llvm.array<1 x array<16 x i64>>
  // CHECK:         gpu.launch_func @m::@k blocks in (%[[BLOCKS]],
  // CHECK:         gpu.dealloc %[[W]] : memref<64xf32>
  func.func @f(%p: !llvm.ptr<1>, %m: i32) {
    %c1 = arith.constant 1 : index
    %w = memref.alloc() : memref<64xf32>
    %at = memref.extract_aligned_pointer_as_index %w : memref<64xf32> -> index
    %word = arith.index_cast %at : index to i64
    %q = llvm.inttoptr %word : i64 to !llvm.ptr<1>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>, %m : i32, %q : !llvm.ptr<1>)
    memref.dealloc %w : memref<64xf32>
    return
  }
}
