// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// CHECK-LABEL: @copies
func.func @copies(%g: !layout.view<f16, global, 8:1>, %s: !layout.view<f16, shared, 8:1>,
                  %m: !layout.view<index, iota, 8:0>, %k: !layout.view<index, iota, 8:1>,
                  %r: !layout.view<f32, register, 8:1>) {
  // CHECK: layout.copy #layout.atom<cp_async_16> %{{.*}}, %{{.*}} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  layout.copy #layout.atom<cp_async_16> %g, %s
    : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  // CHECK: layout.copy #layout.atom<cp_async_16> %{{.*}}, %{{.*}} guard(%{{.*}} < 127 : !layout.view<index, iota, 8:0>, %{{.*}} < 65 : !layout.view<index, iota, 8:1>) : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  layout.copy #layout.atom<cp_async_16> %g, %s
    guard(%m < 127 : !layout.view<index, iota, 8:0>, %k < 65 : !layout.view<index, iota, 8:1>)
    : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  // simt copies convert between floats.
  // CHECK: layout.copy #layout.atom<simt_2> %{{.*}}, %{{.*}} : !layout.view<f32, register, 8:1>, !layout.view<f16, global, 8:1>
  layout.copy #layout.atom<simt_2> %r, %g
    : !layout.view<f32, register, 8:1>, !layout.view<f16, global, 8:1>
  return
}

// CHECK-LABEL: @ldmatrix
func.func @ldmatrix(%s: !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>,
                    %r: !layout.view<f16, register, (8,2):(1,8)>) {
  // CHECK: layout.copy #layout.atom<ldmatrix_x4> %{{.*}}, %{{.*}} : !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>, !layout.view<f16, register, (8,2):(1,8)>
  layout.copy #layout.atom<ldmatrix_x4> %s, %r
    : !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>,
      !layout.view<f16, register, (8,2):(1,8)>
  return
}

// CHECK-LABEL: @mma
func.func @mma(%a: !layout.view<f16, register, (8,2,1):(1,8,16)>,
               %b: !layout.view<f16, register, (4,4,1):(1,4,16)>,
               %c: !layout.view<f32, register, (4,2,4):(1,4,8)>) {
  // CHECK: layout.mma #layout.atom<mma_m16n8k16_f32_f16> %{{.*}}, %{{.*}}, %{{.*}} : !layout.view<f16, register, (8,2,1):(1,8,16)>, !layout.view<f16, register, (4,4,1):(1,4,16)>, !layout.view<f32, register, (4,2,4):(1,4,8)>
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
    : !layout.view<f16, register, (8,2,1):(1,8,16)>,
      !layout.view<f16, register, (4,4,1):(1,4,16)>,
      !layout.view<f32, register, (4,2,4):(1,4,8)>
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: !layout.view<bf16, global, (512,256):(256,1)>,
                  %b: !layout.view<bf16, global, (1024,256):(1,1024)>,
                  %c: !layout.view<f32, global, (512,1024):(1024,1)>) {
  // CHECK: layout.matmul %{{.*}}, %{{.*}}, %{{.*}} schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !layout.view<bf16, global, (512,256):(256,1)>, !layout.view<bf16, global, (1024,256):(1,1024)>, !layout.view<f32, global, (512,1024):(1024,1)>
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (512,256):(256,1)>,
      !layout.view<bf16, global, (1024,256):(1,1024)>,
      !layout.view<f32, global, (512,1024):(1024,1)>
  return
}
