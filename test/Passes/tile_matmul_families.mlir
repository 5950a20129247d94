// Families of kernels for matmuls of sizes that are known at run time, outside of functions that are one matmul.

// RUN: layout-opt %s --layout-tile-matmul --split-input-file | FileCheck %s

// In a function that does other things, a family is a choice between its launches, by the size that its view has; kernels and families have names of
// their own. A kernel that covers several ranges is launched for each of these.

// CHECK:       gpu.func @chosen_kernel_up_to_16(
// CHECK-SAME:    family = {most = {m = 16 : i64}, name = "chosen_kernel", number = 0 : i64}
// CHECK:       gpu.func @chosen_kernel_up_to_1280(
// CHECK-SAME:    family = {before = [{most = {m = 640 : i64}, number = 3 : i64}], most = {m = 1280 : i64}, name = "chosen_kernel", number = 6 : i64}
// CHECK:       gpu.func @chosen_kernel_beyond(
// CHECK-SAME:    family = {before = [{most = {m = 1024 : i64}, number = 5 : i64}], most = {}, name = "chosen_kernel", number = 8 : i64}
// CHECK:       gpu.func @chosen_kernel_1_up_to_16(
// CHECK-SAME:    family = {most = {m = 16 : i64}, name = "chosen_kernel_1", number = 0 : i64}
// CHECK-NOT:   gpu.func @{{.*}}up_to_640
// CHECK-LABEL: func.func @chosen(
// CHECK:         %[[ROWS:.+]] = layout.slice %arg0(_, 0)
// CHECK:         %[[M:.+]] = layout.size %[[ROWS]]
// CHECK:         %[[MOST:.+]] = arith.constant 16 : index
// CHECK:         %[[FEW:.+]] = arith.cmpi ule, %[[M]], %[[MOST]]
// CHECK:         scf.if %[[FEW]] {
// CHECK:           gpu.launch_func @chosen_kernel_up_to_16::@chosen_kernel_up_to_16
// CHECK:         } else {
// CHECK:           arith.constant 640 : index
// CHECK:           gpu.launch_func @chosen_kernel_up_to_1280::@chosen_kernel_up_to_1280
// CHECK:           arith.constant 1024 : index
// CHECK:           gpu.launch_func @chosen_kernel_beyond::@chosen_kernel_beyond
// CHECK:           arith.constant 1280 : index
// CHECK:           gpu.launch_func @chosen_kernel_up_to_1280::@chosen_kernel_up_to_1280
// CHECK:           arith.constant 1536 : index
// CHECK:           } else {
// CHECK:             gpu.launch_func @chosen_kernel_beyond::@chosen_kernel_beyond
// CHECK:         scf.if
// CHECK:           gpu.launch_func @chosen_kernel_1_up_to_16::@chosen_kernel_1_up_to_16
// CHECK:         return
!a = !layout.view<bf16, global, (?,4096):(4096,1)>
!b = !layout.view<bf16, global, (4096,4096):(4096,1)>
!d = !layout.view<f32, global, (?,4096):(4096,1)>
func.func @chosen(%a: !a, %b: !b, %c: !a, %d: !d) attributes {layout.host} {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !a
  layout.matmul %c, %b, %d schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !d
  return
}

// -----

// A function that makes views for one matmul is one, and so a family.

// CHECK:       gpu.func @viewed_0({{.*}}family = {most = {m = 16 : i64}, name = "viewed", number = 0 : i64}
// CHECK:       gpu.func @viewed_1(
// CHECK-NOT:   func.func @viewed
!a = !layout.view<bf16, global, (?,4096):(4096,1)>
!b = !layout.view<bf16, global, (4096,4096):(4096,1)>
func.func @viewed(%a: !a, %w: memref<4096x4096xbf16, 1>, %c: !a) {
  %l = layout.constant #layout<(4096,4096):(4096,1)> : !layout<(4096,4096):(4096,1)>
  %b = layout.make_view %w, %l : memref<4096x4096xbf16, 1>, !layout<(4096,4096):(4096,1)>
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !a
  return
}
