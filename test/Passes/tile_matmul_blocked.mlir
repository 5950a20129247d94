// RUN: layout-opt %s --layout-tile-matmul --layout-simplify --layout-fold --split-input-file --verify-diagnostics | FileCheck %s
// RUN: layout-opt %s --layout-tile-matmul --split-input-file --remarks-filter=layout-tile-matmul -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// Matrices in blocks: rows of shared memory are as long as the blocks, and swizzled over as many bytes. The rows
// of a tile in a 16-byte interleave are contiguous for each block.

// CHECK-LABEL: gpu.func @blocks
// CHECK:         layout.alloc : !layout.view<bf16, shared, (((8,16),(8,8)),(1,3)):(((8,64),(1,1024)),(0,8192))>
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<2,3,3> o 0 o (((8,16),(32,2)),(1,3)):(((32,256),(1,4096)),(0,8192))>
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<1,3,3> o 0 o {{.+}}>
// CHECK:           layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 200 : {{.+}}, {{.+}} < 96 : {{.+}}) {no_zfill = 0 : i64} : !layout.view<bf16, global, ((128,(8,8))):((8,(1,1600)))>
// CHECK:           layout.mma #layout.atom<wgmma_m64n128k16_f32_bf16> {{.+}} : !layout.view<bf16, shared, ((64,(8,2)),1,4):((8,(1,1024)),0,2048)>, !layout.view<bf16, shared, S<2,3,3> o 0 o ((128,16),1,(2,2)):((32,1),0,(16,4096))>
// CHECK:           layout.copy #layout.atom<stmatrix_x4>
// CHECK:           layout.copy #layout.atom<bulk_tensor_store>
!a = !layout.view<bf16, global, (200,(8,12)):(8,(1,1600))>
!b = !layout.view<bf16, global, (144,(32,3)):(32,(1,4608))>
!c = !layout.view<bf16, global, (200,(16,9)):(16,(1,3200))>
func.func @blocks(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Tiles that do not fit the blocks of an operand: it is copied.

// REMARK: remark: [Missed] copied-operand | Category:layout-tile-matmul | Function=copied | Reason="A is copied before the matmul: expected tiles of A that are multiples of its blocks of 24 along mode 1, or within one block, found tiles of 64 of (200,(24,3)):(24,(1,4800)); use (200,72):(72,1)"
// CHECK-LABEL: gpu.func @copied_copy_a
// CHECK-LABEL: gpu.func @copied(
!a = !layout.view<bf16, global, (200,(24,3)):(24,(1,4800))>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<bf16, global, (200,136):(136,1)>
func.func @copied(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// A 16-byte interleave in a large operand: the copy engine would take longer for its rows than products and a copy.

// REMARK: remark: [Missed] copied-operand | Category:layout-tile-matmul | Function=short | Reason="B is copied before the matmul: expected B with more than 8 contiguous elements per block, since bulk copies of shorter ones take longer than a relayout before the matmul, found (4096,(8,512)):(8,(1,32768))"
// CHECK-LABEL: gpu.func @short_copy_b
// CHECK-LABEL: gpu.func @short(
!a = !layout.view<bf16, global, (4096,4096):(4096,1)>
!b = !layout.view<bf16, global, (4096,(8,512)):(8,(1,32768))>
func.func @short(%a: !a, %b: !b, %c: !a) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">) : !a, !b, !a
  return
}

// -----

// Nor would tiles of the copy: it is of blocks, one by one.

// REMARK: Function=copied_blocks | Reason="A is copied before the matmul: expected tiles of A that are multiples of its blocks of 24 along mode 0
// CHECK-LABEL: gpu.func @copied_blocks_copy_a
// CHECK:         layout.composition %arg0, #layout<(24,24,(9,3)):(216,1,(24,5184))>
// CHECK-LABEL: gpu.func @copied_blocks(
!a = !layout.view<bf16, global, ((24,9),(24,3)):((24,600),(1,5400))>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<bf16, global, (216,136):(136,1)>
func.func @copied_blocks(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Tiles that do not fit the blocks of C: the program writes a workspace, which is copied to C after it.

// CHECK-LABEL: gpu.func @copied_c_copy_c
// CHECK-LABEL: gpu.func @copied_c(
// CHECK:         bulk_tensor_store
!a = !layout.view<bf16, global, (200,72):(72,1)>
!b = !layout.view<bf16, global, (144,72):(72,1)>
!c = !layout.view<bf16, global, (200,(48,3)):(48,(1,9600))>
func.func @copied_c(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = true, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Warps have copies too.

// CHECK-LABEL: gpu.func @warps_copy_a
// CHECK-NOT:     griddepcontrol
// CHECK-LABEL: gpu.func @warps(
// CHECK:         mma_m16n8k16
!a = !layout.view<bf16, global, (200,(24,3)):(24,(1,4800))>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<bf16, global, (200,136):(136,1)>
func.func @warps(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>) : !a, !b, !c
  return
}

// -----

// C of one product in blocks and of the other in rows: each thread stores its own.

// CHECK-LABEL: gpu.func @grouped(
// CHECK-NOT:     bulk_tensor_store
!a = !layout.view<bf16, global, (200,72):(72,1)>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<bf16, global, (200,136):(136,1)>
!d = !layout.view<bf16, global, (200,(8,17)):(8,(1,1600))>
func.func @grouped(%a: !a, %b: !b, %c: !c, %d: !a, %e: !b, %f: !d) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !d
  return
}
