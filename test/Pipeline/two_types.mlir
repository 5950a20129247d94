// Matmuls of several element types, or for several chips, in one function: each run of those that are alike has a schedule,
// and a kernel, of its own.

// RUN: layout-opt %s --split-input-file --layout-tile-matmul 2>&1 | FileCheck %s
// RUN: split-file %s %t
// RUN: layout-translate %t/auto.mlir --pipeline --run-on-cpu | FileCheck %s --check-prefix=CPU
// RUN: layout-translate %t/auto.mlir --pipeline --layout-to-ptx --manifest %t/auto.json -o %t/auto.ptx
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/auto.json

// CPU: two_kernel: 72x40x64 on the CPU: {{.*}} 0 stray bytes: right
// CPU: two_kernel_1: 24x40x32 on the CPU: {{.*}} 0 stray bytes: right
// MANIFEST: "name": "two_kernel",
// MANIFEST: "chip": "sm_80",
// MANIFEST: "name": "two_kernel_1",
// MANIFEST: "chip": "sm_80",

//--- auto.mlir
!a = !layout.view<bf16, global, (72,64):(64,1)>
!b = !layout.view<bf16, global, (40,64):(64,1)>
!c = !layout.view<bf16, global, (72,40):(40,1)>
!x = !layout.view<f64, global, (24,32):(32,1)>
!y = !layout.view<f64, global, (40,32):(32,1)>
!z = !layout.view<f64, global, (24,40):(40,1)>
// CHECK:       remark: {{.*}}selected schedule <
// CHECK:       remark: {{.*}}selected schedule <
// CHECK:       gpu.module @two_kernel {
// CHECK:         layout.mma #layout.atom<mma_m16n8k16_f32_bf16>
// CHECK:       gpu.module @two_kernel_1 {
// CHECK:         layout.mma #layout.atom<{{.*}}f64>
// CHECK-NOT:   func.func
func.func @two(%a: !a, %b: !b, %c: !c, %x: !x, %y: !y, %z: !z) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_80">) : !a, !b, !c
  layout.matmul %x, %y, %z schedule(#layout.schedule<auto, chip = "sm_80">) : !x, !y, !z
  return
}

//--- chips.mlir
// -----

!a = !layout.view<bf16, global, (72,64):(64,1)>
!b = !layout.view<bf16, global, (40,64):(64,1)>
!c = !layout.view<bf16, global, (72,40):(40,1)>
// CHECK:       gpu.module @chips_kernel {
// CHECK:         chip = "sm_80"
// CHECK:       gpu.module @chips_kernel_1 {
// CHECK:         chip = "sm_90a"
// CHECK-NOT:   func.func
func.func @chips(%a: !a, %b: !b, %c: !c, %d: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_80">) : !a, !b, !c
  layout.matmul %a, %b, %d schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !c
  return
}
