// RUN: layout-opt %s --layout-to-nvvm --split-input-file --verify-diagnostics

// A launch is refused if its kernel would read an argument that it does not pass.

// A split-K kernel is launched with the kernel that adds its partial results.

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @sum(%o: !layout.view<f32, global, 32:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, layout.step = {block = array<i64: 32, 1, 1>, grid = array<i64: 1, 1, 1>}} {
      gpu.return
    }
    gpu.func @k(%o: !layout.view<f32, global, 32:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a",
                         after = [{name = "sum", grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>}]}} {
      gpu.return
    }
  }
  func.func @f(%o: !layout.view<f32, global, 32:1>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @m::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%o : !layout.view<f32, global, 32:1>)
    // expected-error @+1 {{'gpu.launch_func' op expected a launch of @sum after that of @k in the same block, with the same operands, found none}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%o : !layout.view<f32, global, 32:1>)
    return
  }
}

// -----

// Facts name a size that no argument passes on.

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<1>, %map: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel,
        layout.kernel = {chip = "sm_90a", block = array<i64: 32, 1, 1>, sizes = [{name = "m"}], args = [{name = "a"}],
                         tensor_maps = [{arg = 0 : i64}]}} {
      llvm.return
    }
  }
  func.func @f(%p: !llvm.ptr<1>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'gpu.launch_func' op expected the size m among the operands of @k, found none}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>)
    return
  }
}

// -----

// A launch with tensor maps of its own passes them by value.

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<1>, %map: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel,
        layout.kernel = {tensor_maps = [{arg = 0 : i64}]}} {
      llvm.return
    }
  }
  func.func @wrong(%p: !llvm.ptr<1>, %q: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'gpu.launch_func' op expected the kernel's 1 tensor maps after its other operands, each of 128 bytes by value (!llvm.array<16 x i64>, encoded by cuTensorMapEncodeTiled as layout.kernel describes), found !llvm.ptr as operand 1}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>, %q : !llvm.ptr)
    return
  }
  func.func @right(%p: !llvm.ptr<1>, %q: !llvm.array<128 x i8>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>, %q : !llvm.array<128 x i8>)
    return
  }
}
