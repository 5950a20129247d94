// RUN: layout-opt %s --layout-lower | FileCheck %s

// The lowering is proved, and so is the kernel: no barrier waits for bytes that do not come, and nothing reads what was not loaded but for
// the rows that the copy leaves.

// RUN: layout-opt %s --layout-lower --verify-each-layout-pass 2>&1 >/dev/null | FileCheck %s --check-prefix=PROVED --allow-empty
// RUN: layout-opt %s --layout-lower --layout-verify 2>&1 >/dev/null | FileCheck %s --check-prefix=PROVED --allow-empty
// PROVED-NOT: {{.}}

// Bytes too many are refuted.

// RUN: layout-opt %s --layout-lower | sed 's/arith.constant 3584 : i32/arith.constant 3456 : i32/' \
// RUN:   | not layout-opt --layout-verify 2>&1 >/dev/null | FileCheck %s --check-prefix=FEWER
// FEWER: error: {{.*}}layout-verify: expected phase 0 of the barrier at byte 8192 of shared memory to end, found 0 arrivals and 128 bytes missing

// `no_zfill`: the tile after the last whole one is loaded by a tensor map of its own, whose box ends with the matrix. The barrier counts the
// bytes of whole tiles, so that those that do not come are completed.

// CHECK-LABEL: gpu.func @last_of_two(
// CHECK-SAME:    %[[LAST:[a-z0-9]+]]: !llvm.ptr, %[[WHOLE:[a-z0-9]+]]: !llvm.ptr)
// CHECK-SAME:    tensor_maps = [{{{[^}]*}} box = array<i64: 64, 36>, {{[^}]*}}}, {{{[^}]*}} box = array<i64: 64, 64>, {{[^}]*}}}]
// CHECK:         %[[BEFORE:.+]] = arith.constant 63 : i32
// CHECK:         %[[IS_LAST:.+]] = arith.cmpi slt, %[[BEFORE]], %{{.+}} : i32
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK:         scf.if %[[IS_LAST]] {
// CHECK:           nvvm.mbarrier.complete_tx %{{.+}}, %[[MISSING:.+]] : !llvm.ptr<3>, i32
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[LAST]],
// CHECK:         } else {
// CHECK-NOT:       complete_tx
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[WHOLE]],
// CHECK:         }
!a = !layout.view<f16, global, (100,64):(64,1)>
!tile = !layout.view<f16, global, ((64,64)):((64,1))>
!rows = !layout.view<index, coordinate, ((64,64)):((1,0))>
!columns = !layout.view<index, coordinate, ((64,64)):((0,1))>
!s = !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
gpu.module @m {
  gpu.func @last_of_two(%a: !a) kernel attributes {layout.kernel = {grid = array<i64: 2, 1, 1>, block = array<i64: 256, 1, 1>}} {
    %s = layout.alloc : !s
    %at = gpu.block_id x
    %tiles = layout.zipped_divide %a, #layout<(64,64)> : !a
    %tile = layout.slice %tiles(_, (%at, 0))
    %r = layout.identity_tensor : !layout.view<index, coordinate, (100,64):(1,0)>
    %rs = layout.zipped_divide %r, #layout<(64,64)> : !layout.view<index, coordinate, (100,64):(1,0)>
    %rows = layout.slice %rs(_, (%at, 0))
    %c = layout.identity_tensor : !layout.view<index, coordinate, (100,64):(0,1)>
    %cs = layout.zipped_divide %c, #layout<(64,64)> : !layout.view<index, coordinate, (100,64):(0,1)>
    %columns = layout.slice %cs(_, (%at, 0))
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    layout.pipeline %c0 to %c1 by %c1 depth 1 stages 1 consumers 128
    load {
    ^bb0(%i: index, %k: index, %stage: index):
      layout.copy #layout.atom<bulk_tensor_load> %tile, %s predicate(%rows < 100 : !rows, %columns < 64 : !columns) {no_zfill = 0 : i64}
        : !tile, !s
    } prologue {
    ^bb0(%i: index):
    } mainloop {
    ^bb0(%i: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%i: index):
    }
    gpu.return
  }
}
