// Pieces of a tile are stored beside the steps of the block's next tile: blocks of 132 multiprocessors have several tiles of
// these. The result of each pass is proved, and the kernels are right on the CPU: rows that end inside of a tile, columns in
// narrow pieces, 32 bits, swapped operands, C along columns, clusters, and more pieces than steps have turns for.

// RUN: layout-opt %s --layout-tile-matmul --layout-simplify --layout-fold --layout-lower --verify-each-layout-pass -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=PROVED
// RUN: layout-opt %s --layout-tile-matmul -o - | FileCheck %s
// RUN: layout-translate %s --pipeline --run-on-cpu | FileCheck %s --check-prefix=RAN

// The CPU runs as many blocks as the device, so that a store of the tile after instead of the one before is seen.
// RUN: layout-opt %s --layout-tile-matmul -o %t.tiled.mlir
// RUN: %python %S/Inputs/replace_text.py 'arith.subi %arg3, %grid_dim_x' 'arith.addi %arg3, %grid_dim_x' %t.tiled.mlir %t.other.mlir
// RUN: not layout-translate %t.other.mlir --pipeline --run-on-cpu > %t.output 2>&1
// RUN: FileCheck %s --check-prefix=OTHER --input-file %t.output
// OTHER-COUNT-7: : WRONG

// PROVED-NOT: {{warning|error}}
// RAN-COUNT-7: : right

// A turn is the second step's, where a tile was before, and steps without turns take one branch; after the block's last tile the piece is
// stored at once.
// CHECK-LABEL: gpu.func @rows
// CHECK:       } mainloop {
// CHECK:         %[[BEFORE:.+]] = arith.subi %{{.+}}, %grid_dim_x
// CHECK:         %[[FOLLOWS:.+]] = arith.cmpi slt, %{{.+}}, %[[BEFORE]]
// CHECK:         %[[EARLY:.+]] = arith.cmpi slt, %{{.+}}, %c2
// CHECK-NEXT:    scf.if %[[EARLY]] {
// CHECK:           %[[TURN:.+]] = arith.cmpi eq
// CHECK-NEXT:      %[[HERE:.+]] = arith.andi %[[FOLLOWS]], %[[TURN]]
// CHECK-NEXT:      scf.if %[[HERE]] {
// CHECK:           layout.copy #layout.atom<stmatrix_x4>
// CHECK:           layout.copy #layout.atom<bulk_tensor_store>
// CHECK:         layout.mma
// CHECK:       } epilogue {
// CHECK:         layout.copy #layout.atom<simt_2>
// CHECK-NEXT:    scf.if
// CHECK:           layout.copy #layout.atom<bulk_tensor_store>

func.func @rows(%a: !layout.view<bf16, global, (840,136):(1,840)>, %b: !layout.view<bf16, global, (1200,136):(1,1200)>, %c: !layout.view<bf16, global, (840,1200):(1200,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !layout.view<bf16, global, (840,136):(1,840)>, !layout.view<bf16, global, (1200,136):(1,1200)>, !layout.view<bf16, global, (840,1200):(1200,1)>
  return
}
func.func @narrow(%a: !layout.view<bf16, global, (840,392):(392,1)>, %b: !layout.view<bf16, global, (1200,392):(392,1)>, %c: !layout.view<bf16, global, (840,1200):(1200,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,80,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !layout.view<bf16, global, (840,392):(392,1)>, !layout.view<bf16, global, (1200,392):(392,1)>, !layout.view<bf16, global, (840,1200):(1200,1)>
  return
}
func.func @single(%a: !layout.view<bf16, global, (840,264):(264,1)>, %b: !layout.view<bf16, global, (1200,264):(264,1)>, %c: !layout.view<f32, global, (840,1200):(1200,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !layout.view<bf16, global, (840,264):(264,1)>, !layout.view<bf16, global, (1200,264):(264,1)>, !layout.view<f32, global, (840,1200):(1200,1)>
  return
}
func.func @swapped(%a: !layout.view<bf16, global, (840,136):(136,1)>, %b: !layout.view<bf16, global, (800,136):(136,1)>, %c: !layout.view<bf16, global, (840,800):(800,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, swap_ab = true, chip = "sm_90a">) : !layout.view<bf16, global, (840,136):(136,1)>, !layout.view<bf16, global, (800,136):(136,1)>, !layout.view<bf16, global, (840,800):(800,1)>
  return
}
func.func @columns(%a: !layout.view<bf16, global, (840,264):(264,1)>, %b: !layout.view<bf16, global, (1200,264):(264,1)>, %c: !layout.view<bf16, global, (840,1200):(1,840)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,64,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !layout.view<bf16, global, (840,264):(264,1)>, !layout.view<bf16, global, (1200,264):(264,1)>, !layout.view<bf16, global, (840,1200):(1,840)>
  return
}
func.func @cluster(%a: !layout.view<bf16, global, (840,264):(264,1)>, %b: !layout.view<bf16, global, (1600,264):(264,1)>, %c: !layout.view<bf16, global, (840,1600):(1600,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,64,64), warps = (8,1), stages = 3, cluster = (2,1), chip = "sm_90a">) : !layout.view<bf16, global, (840,264):(264,1)>, !layout.view<bf16, global, (1600,264):(264,1)>, !layout.view<bf16, global, (840,1600):(1600,1)>
  return
}
func.func @few(%a: !layout.view<bf16, global, (840,128):(128,1)>, %b: !layout.view<bf16, global, (2400,128):(128,1)>, %c: !layout.view<bf16, global, (840,2400):(2400,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, chip = "sm_90a">) : !layout.view<bf16, global, (840,128):(128,1)>, !layout.view<bf16, global, (2400,128):(128,1)>, !layout.view<bf16, global, (840,2400):(2400,1)>
  return
}
