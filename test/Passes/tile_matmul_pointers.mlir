// RUN: layout-opt %s --layout-tile-matmul | FileCheck %s

// `llvm.align` states the alignment of an operand's memory, and narrows its copies, no other's.

!v = !layout.view<bf16, global, (256,256):(256,1)>

// Without warpgroups: cp.async moves 4, 8 or 16 bytes.
// CHECK-LABEL: gpu.func @warps(%arg0: !layout.view<{{.*}}> {llvm.align = 8 : i64}, %arg1: !layout.view<{{.*}}> {llvm.align = 2 : i64}, %arg2: !layout.view<{{.*}}> {llvm.align = 2 : i64})
// CHECK-SAME:    {access = "read", alignment = 8 : i64, element = "bf16", name = "a"
// CHECK-DAG:     layout.copy #layout.atom<cp_async_8>
// CHECK-DAG:     layout.copy #layout.atom<simt_1>
// CHECK-NOT:     simt_2
// CHECK:         gpu.return
func.func @warps(%a: !v {llvm.align = 8 : i64}, %b: !v {llvm.align = 2 : i64}, %c: !v {llvm.align = 2 : i64}) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// Bulk copies require 16 bytes: A is copied first, two elements at once; B is not; C is stored from registers.
// CHECK-LABEL: gpu.func @warpgroups_copy_a(
// CHECK:         layout.copy #layout.atom<simt_2>
// CHECK:         gpu.return
// CHECK-NOT:   gpu.func @warpgroups_copy_b(
// CHECK-LABEL: gpu.func @warpgroups(
// CHECK-COUNT-2: layout.copy #layout.atom<bulk_tensor_load>
// CHECK:         layout.copy #layout.atom<simt_2>
// CHECK-NOT:     bulk_tensor_store
// CHECK:         gpu.return
func.func @warpgroups(%a: !v {llvm.align = 4 : i64}, %b: !v {llvm.align = 256 : i64}, %c: !v {llvm.align = 8 : i64}) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !v, !v, !v
  return
}
