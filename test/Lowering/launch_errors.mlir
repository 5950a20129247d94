// RUN: layout-opt %s --layout-to-nvvm --split-input-file --verify-diagnostics

// A kernel for sm_90a takes tensor maps: its launch has to hand them on by value, and is refused where it does not.

!a = !layout.view<bf16, global, (512,512):(512,1)>
func.func private @gemm(%a: !a, %b: !a, %c: !a) {
  // expected-error @+1 {{'gpu.launch_func' op expected the kernel's 3 tensor maps behind its other operands, each of 128 bytes by value (!llvm.array<128 x i8>, encoded by cuTensorMapEncodeTiled as layout.kernel says), found 3 operands for its 6 parameters}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !a, !a, !a
  return
}
func.func @main(%a: !a, %b: !a, %c: !a) {
  call @gemm(%a, %b, %c) : (!a, !a, !a) -> ()
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @k(%p: !llvm.ptr<1>, %map: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel,
        layout.kernel = {tensor_maps = [{arg = 0 : i64}]}} {
      llvm.return
    }
  }
  func.func @wrong(%p: !llvm.ptr<1>, %q: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'gpu.launch_func' op expected the kernel's 1 tensor maps behind its other operands, each of 128 bytes by value (!llvm.array<128 x i8>, encoded by cuTensorMapEncodeTiled as layout.kernel says), found !llvm.ptr as operand 1}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>, %q : !llvm.ptr)
    return
  }
  func.func @right(%p: !llvm.ptr<1>, %q: !llvm.array<128 x i8>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr<1>, %q : !llvm.array<128 x i8>)
    return
  }
}
