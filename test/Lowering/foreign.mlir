// Kernels of another target and functions of the host are left as they are.

// RUN: layout-opt %s --layout-to-nvvm | FileCheck %s

module attributes {gpu.container_module} {
// CHECK:      gpu.module @mine [#rocdl.target<chip = "gfx90a">] {
// CHECK-NEXT:   gpu.func @k(%[[M:.+]]: memref<64xf32>) kernel {
// CHECK-NEXT:     %[[I:.+]] = gpu.thread_id x
// CHECK-NEXT:     %[[Z:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %[[V:.+]] = memref.load %[[M]][%[[I]]] : memref<64xf32>
// CHECK-NEXT:     %[[W:.+]] = math.exp %[[V]] : f32
// CHECK-NEXT:     memref.store %[[W]], %[[M]][%[[I]]] : memref<64xf32>
// CHECK-NEXT:     gpu.return
gpu.module @mine [#rocdl.target<chip = "gfx90a">] {
  gpu.func @k(%m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %unused = arith.constant 0.0 : f32
    %v = memref.load %m[%i] : memref<64xf32>
    %w = math.exp %v : f32
    memref.store %w, %m[%i] : memref<64xf32>
    gpu.return
  }
}
// CHECK:      llvm.func @gemm(
// CHECK-SAME:   nvvm.maxntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32
func.func @gemm(%a: !layout.view<bf16, global, (512,256):(256,1)>, %b: !layout.view<bf16, global, (512,256):(256,1)>, %c: !layout.view<f32, global, (512,512):(512,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (512,256):(256,1)>, !layout.view<bf16, global, (512,256):(256,1)>, !layout.view<f32, global, (512,512):(512,1)>
  return
}
// CHECK:      func.func @host(
// CHECK:        math.exp %{{.+}} : f32
func.func @host(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
}
