// RUN: layout-opt %s --layout-normalise-matmul --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-normalise-matmul --split-input-file -o %t
// RUN: layout-opt %t --layout-normalise-matmul --split-input-file | diff %t -
// RUN: layout-opt %s --layout-tile-matmul --split-input-file -o %t.tiled
// RUN: layout-opt %t --layout-tile-matmul --split-input-file | diff %t.tiled -
// RUN: layout-opt %s --layout-normalise-matmul --split-input-file --remarks-filter=layout-tile-matmul -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Operands that the mainloop takes as they are stay; the schedule names the atom.

// CHECK-LABEL: func.func @taken
// CHECK-NEXT:    layout.matmul %arg0, %arg1, %arg2 schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, mma = wgmma_m64n64k16_f32_bf16, chip = "sm_90a">) :
// CHECK-NEXT:    return
!m = !layout.view<bf16, global, (128,128):(128,1)>
func.func @taken(%a: !m, %b: !m, %c: !m) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !m, !m, !m
  return
}

// -----

// Swapped operands; C is seen transposed.

// CHECK-LABEL: func.func @swapped
// CHECK-NEXT:    %[[C:.+]] = layout.select %arg2, [1, 0] {layout.relayout}
// CHECK-NEXT:    %[[E:.+]] = layout.select %arg3, [1, 0] {layout.relayout}
// CHECK-NEXT:    layout.matmul %arg1, %arg0, %[[C]] schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, mma = {{[^,]+}}, chip = "sm_90a">) epilogue(%[[E]])
// CHECK:         {layout.swapped} : !layout.view<bf16, global, (96,64):(64,1)>, !layout.view<bf16, global, (128,64):(64,1)>, !layout.view<bf16, global, (96,128):(1,96)>, !layout.view<f32, global, (96,128):(1,0)>
!a = !layout.view<bf16, global, (128,64):(64,1)>
!b = !layout.view<bf16, global, (96,64):(64,1)>
!c = !layout.view<bf16, global, (128,96):(96,1)>
!e = !layout.view<f32, global, (128,96):(0,1)>
func.func @swapped(%a: !a, %b: !b, %c: !c, %e: !e) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true, chip = "sm_90a">) epilogue(%e) {
  ^bb0(%sum: f32, %bias: f32):
    %both = arith.addf %sum, %bias : f32
    layout.yield %both : f32
  } : !a, !b, !c, !e
  return
}

// -----

// Bulk copies do not take A, whose blocks tiles do not fit: it is copied.

// REMARK: Function=copied | Reason="A is copied before the matmul: expected tiles of A that are multiples of its blocks of 24
// CHECK-LABEL: func.func @copied
// CHECK-NEXT:    %[[MEMORY:.+]] = memref.alloc() {alignment = 16 : i64, layout.relayout} : memref<25544xbf16>
// CHECK-NEXT:    %[[DEVICE:.+]] = memref.memory_space_cast %[[MEMORY]]
// CHECK-NEXT:    %[[LAYOUT:.+]] = layout.constant #layout<(200,72):(128,1)>
// CHECK-NEXT:    %[[A:.+]] = layout.make_view %[[DEVICE]], %[[LAYOUT]]
// CHECK-NEXT:    layout.copy #layout.atom<simt_1> %arg0, %[[A]] {layout.relayout}
// CHECK-NEXT:    layout.matmul %[[A]], %arg1, %arg2
// CHECK-NEXT:    memref.dealloc %[[MEMORY]] {layout.relayout}
!a = !layout.view<bf16, global, (200,(24,3)):(24,(1,4800))>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<bf16, global, (200,136):(136,1)>
func.func @copied(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// C and an operand of the epilogue in blocks that no tile fits, transposed; C is copied after the matmul.

// CHECK-LABEL: func.func @copy_after
// CHECK-DAG:     %[[C:.+]] = layout.select %arg2, [1, 0]
// CHECK-DAG:     %[[OLD:.+]] = layout.select %arg2, [1, 0]
// CHECK:         %[[E:.+]] = layout.make_view
// CHECK-NEXT:    layout.copy #layout.atom<simt_1> %{{.+}}, %[[E]] {layout.relayout}
// CHECK:         %[[SUMS:.+]] = layout.make_view
// CHECK-NEXT:    layout.matmul %arg1, %arg0, %[[SUMS]] {{.+}} epilogue(%[[E]])
// CHECK:         layout.copy #layout.atom<simt_1> %[[SUMS]], %{{.+}} {layout.relayout} : !layout.view<f32, global, (136,210):(1,160)>, !layout.view<f32, global, (136,(7,30)):(1,(136,1000))>
// CHECK-COUNT-2: memref.dealloc
!a = !layout.view<bf16, global, (210,72):(72,1)>
!b = !layout.view<bf16, global, (136,72):(72,1)>
!c = !layout.view<f32, global, ((7,30),136):((136,1000),1)>
func.func @copy_after(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true, chip = "sm_90a">) epilogue(%c) {
  ^bb0(%sum: f32, %old: f32):
    %both = arith.addf %sum, %old : f32
    layout.yield %both : f32
  } : !a, !b, !c, !c
  return
}

// -----

// A function that does other things has the copies where the matmul is, and launches a kernel for each.

// CHECK-LABEL: func.func @around
// CHECK:         scf.for
// CHECK:           layout.copy #layout.atom<simt_1> %arg0, %{{.+}} {layout.relayout}
// CHECK:           layout.matmul
// CHECK-COUNT-2:   memref.dealloc
// CHECK:         }
!a = !layout.view<bf16, global, (200,70):(70,1)>
!c = !layout.view<bf16, global, (200,200):(200,1)>
func.func @around(%a: !a, %c: !c, %times: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %times step %one {
    layout.matmul %a, %a, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, mma = wgmma_m64n64k16_f32_bf16, chip = "sm_90a">) : !a, !a, !c
  }
  return
}

// -----

// The compiler's choice. Warps take A as it is, whose elements have stride 2.

// CHECK-LABEL: func.func @chosen
// CHECK-NEXT:    layout.matmul %arg0, %arg1, %arg2 schedule(#layout.schedule<tile = {{.+}}, mma = mma_m16n8k16_f32_bf16>)
!a = !layout.view<bf16, global, (128,64):(128,2)>
!b = !layout.view<bf16, global, (96,64):(64,1)>
!c = !layout.view<bf16, global, (128,96):(96,1)>
func.func @chosen(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c
  return
}
