// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

!image = !layout.view<bf16, global, (64,14,14,8):(1,64,896,12544)>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!filter = !layout.view<bf16, global, (32,576):(576,1)>
!result = !layout.view<bf16, global, (1568,32):(32,1)>

// CHECK-LABEL: @tile
func.func @tile(%image: !image, %tile: !tile, %row: index, %column: index) {
  // CHECK: layout.copy_im2col %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>} : !layout.view<bf16, global, (64,14,14,8):(1,64,896,12544)>, !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
  layout.copy_im2col %image[%row, %column], %tile {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%image: !image, %filter: !filter, %result: !result) {
  // CHECK: layout.matmul {{.*}} {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>}
  layout.matmul %image, %filter, %result schedule(#layout.schedule<auto, chip = "sm_90a">)
    {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !filter, !result
  return
}

// The number of images may be known at run time.

// CHECK-LABEL: @images
func.func @images(%image: !layout.view<bf16, global, (64,14,14,?{i32}):(1,64,896,12544)>, %filter: !filter,
                  %result: !layout.view<bf16, global, (?{i32 div=196},32):(32,1)>, %tile: !tile, %row: index, %column: index) {
  // CHECK: layout.copy_im2col {{.*}} : !layout.view<bf16, global, (64,14,14,?):(1,64,896,12544)>
  layout.copy_im2col %image[%row, %column], %tile {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>}
    : !layout.view<bf16, global, (64,14,14,?{i32}):(1,64,896,12544)>, !tile
  // CHECK: layout.matmul {{.*}}(64,14,14,?):(1,64,896,12544)>{{.*}}(?{div=196},32):(32,1)>
  layout.matmul %image, %filter, %result schedule(#layout.schedule<auto, chip = "sm_90a">)
    {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>}
    : !layout.view<bf16, global, (64,14,14,?{i32}):(1,64,896,12544)>, !filter, !layout.view<bf16, global, (?{i32 div=196},32):(32,1)>
  return
}
