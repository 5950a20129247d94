// The layouts of shared buffers are chosen by the bank conflicts of their accesses; a remark states the remaining ones.

// RUN: layout-opt %s --layout-tile-matmul --split-input-file --remarks-filter=layout-tile-matmul -o %t 2>&1 | FileCheck %s
// RUN: layout-opt %s --layout-tile-matmul --split-input-file -o - | FileCheck %s --check-prefix=BUFFER

// CHECK: remark: [Passed] bank-conflicts | Category:layout-tile-matmul | Function=free | Reason="extra wavefronts of shared memory for a tile: A none, B none, C none"
!v = !layout.view<bf16, global, (256,256):(256,1)>
func.func @free(%a: !v, %b: !v, %c: !v) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

// Results of 32 bits: the copy engine has one swizzle for rows of 128 bytes.

// CHECK: remark: [Missed] bank-conflicts | Category:layout-tile-matmul | Function=sums | Reason="extra wavefronts of shared memory for a tile: A none, B none, C 64 beside 64"
!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<f32, global, (256,256):(256,1)>
func.func @sums(%a: !v, %b: !v, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

// Threads that gather columns: not the usual swizzle of 16-byte units, which would have conflicts.

// CHECK: remark: [Passed] bank-conflicts | Category:layout-tile-matmul | Function=gathered | Reason="extra wavefronts of shared memory for a tile: A none, B none, C none"
// BUFFER-LABEL: gpu.func @gathered
// BUFFER-COUNT-2: layout.alloc : !layout.view<f32, shared, S<2,3,2> o 0 o
!v = !layout.view<f32, global, (256,256):(1,256)>
!c = !layout.view<f32, global, (256,256):(256,1)>
func.func @gathered(%a: !v, %b: !v, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,16), warps = (2,2), stages = 3, mma = mma_m16n8k8_f32_tf32>) : !v, !v, !c
  return
}

// -----

// Four warps along M are a warpgroup where the chip has them; a remark states why they are not.

// CHECK: remark: [Missed] mainloop | Category:layout-tile-matmul | Function=wide | Reason="warps multiply, since warpgroups cannot: expected a tile whose accumulators leave a thread 26 of its 255 registers, found 256 accumulators in (128,256) of 1 warpgroups"
// CHECK: remark: [Passed] bank-conflicts | Category:layout-tile-matmul | Function=wide
!v = !layout.view<bf16, global, (256,256):(256,1)>
func.func @wide(%a: !v, %b: !v, %c: !v) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,32), warps = (4,1), stages = 2, chip = "sm_90a">) : !v, !v, !v
  return
}
