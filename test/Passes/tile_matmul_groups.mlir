// RUN: layout-opt %s --split-input-file --layout-tile-matmul | FileCheck %s

// Two matmuls in one kernel on warps: a block for each of the 8 tiles of the first and the 6 of the second, in branches. Shared memory
// is that of both; each sees it as its own order of A and B needs it, and has its own copies, steps along K and edges.

// CHECK-LABEL: gpu.module @several
// CHECK:       gpu.func @several(
// CHECK-SAME:    args = [{access = "read", element = "bf16", name = "a0", {{.+}}name = "b0", {{.+}}name = "c0", {{.+}}name = "a1", {{.+}}name = "b1", {{.+}}name = "c1",
// CHECK-SAME:    block = array<i64: 128, 1, 1>, chip = "sm_80", grid = array<i64: 14, 1, 1>
// CHECK-SAME:    problem = {kind = "grouped", problems = [{args = array<i64: 0, 1, 2>, k = 128 : i64, m = 256 : i64, n = 128 : i64}, {args = array<i64: 3, 4, 5>, k = 250 : i64, m = 128 : i64, n = 131 : i64}]}
// CHECK:         %[[BLOCK:.+]] = gpu.block_id x
// CHECK-NOT:     gpu.block_id
// CHECK:         %[[A:.+]] = layout.alloc : !layout.view<bf16, shared, (6144):(1)>
// CHECK:         %[[B:.+]] = layout.alloc : !layout.view<bf16, shared, (6144):(1)>
// CHECK:         %[[OWN:.+]] = arith.cmpi slt, %[[BLOCK]], %c8
// CHECK:         scf.if %[[OWN]] {
// CHECK:           layout.idx2crd %{{.+}}, #layout<(4,2)>
// CHECK:           layout.make_view %[[A]], %{{.+}} : !layout.view<bf16, shared, (6144):(1)>, !layout<S<2,3,3>
// CHECK:           layout.make_view %[[B]], %{{.+}} : !layout.view<bf16, shared, (6144):(1)>, !layout<S<2,3,3>
// CHECK-COUNT-4:   layout.copy #layout.atom<cp_async_16>
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %c4
// CHECK:             gpu.barrier
// CHECK-COUNT-2:     layout.copy #layout.atom<ldmatrix_x4> 
// CHECK:           layout.copy #layout.atom<simt_2> %{{.+}} : !layout.view<f32, register, {{.+}}>, !layout.view<bf16, global
// CHECK:         } else {
// CHECK:           arith.minui %[[BLOCK]], %c13
// CHECK:           arith.maxsi %{{.+}}, %c8
// CHECK:           arith.subi
// CHECK:           layout.idx2crd %{{.+}}, #layout<(2,3)>
// CHECK:           layout.make_view %[[A]], %{{.+}} : !layout.view<bf16, shared, (6144):(1)>, !layout<S<3,3,3>
// CHECK:           layout.make_view %[[B]], %{{.+}} : !layout.view<bf16, shared, (6144):(1)>, !layout<S<2,3,3>
// CHECK:           layout.copy #layout.atom<cp_async_16>
// CHECK:           layout.copy #layout.atom<simt_1>
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %c8
// CHECK:             layout.copy #layout.atom<ldmatrix_x4_trans>
// CHECK:             layout.copy #layout.atom<ldmatrix_x4> 
// CHECK:           layout.copy #layout.atom<simt_1> %{{.+}} predicate(%{{.+}} < 131 : {{.+}}) : !layout.view<f32, register, {{.+}}>, !layout.view<bf16, global
// CHECK-NOT:     scf.if
!a = !layout.view<bf16, global, (256,128):(128,1)>
!b = !layout.view<bf16, global, (128,128):(128,1)>
!c = !layout.view<bf16, global, (256,128):(128,1)>
!d = !layout.view<bf16, global, (128,250):(1,128)>
!e = !layout.view<bf16, global, (131,250):(251,1)>
!f = !layout.view<bf16, global, (128,131):(131,1)>
func.func @several(%a: !a, %b: !b, %c: !c, %d: !d, %e: !e, %f: !f) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>) : !a, !b, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>) : !d, !e, !f
  return
}

// -----

// A batch between single products, with an epilogue: its tiles are numbered matrix by matrix. Threads multiply each for itself.

// CHECK-LABEL: gpu.module @batch
// CHECK:         grid = array<i64: 14, 1, 1>
// CHECK-SAME:    batch = 3 : i64, epilogue = {operands = array<i64: 6>, {{.+}}
// CHECK:         arith.cmpi slt, %{{.+}}, %c1
// CHECK:         scf.if
// CHECK:           layout.idx2crd %{{.+}}, #layout<(1,1)>
// CHECK:         } else {
// CHECK:           arith.cmpi slt, %{{.+}}, %c13
// CHECK:           scf.if
// CHECK:             layout.idx2crd %{{.+}}, #layout<(2,2,3)>
// CHECK:             layout.mma #layout.atom<fma
// CHECK:             arith.maximumf
// CHECK:           } else {
// CHECK:             layout.idx2crd %{{.+}}, #layout<(1,1)>
!s = !layout.view<f32, global, (33,40):(40,1)>
!t = !layout.view<f32, global, (33,33):(33,1)>
!x = !layout.view<f32, global, (72,40,3):(40,1,2880)>
!y = !layout.view<f32, global, (72,72,3):(72,1,5184)>
!z = !layout.view<f32, global, (72,72,3):(0,1,72)>
func.func @batch(%a: !s, %b: !s, %c: !t, %d: !x, %e: !x, %f: !y, %g: !z, %h: !s, %i: !s, %j: !t) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 3, chip = "sm_89">) : !s, !s, !t
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 3, chip = "sm_89">) epilogue(%g) {
  ^bb0(%sum: f32, %bias: f32):
    %biased = arith.addf %sum, %bias : f32
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %biased, %zero : f32
    layout.yield %relu : f32
  } : !x, !x, !y, !z
  layout.matmul %h, %i, %j schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 3, chip = "sm_89">) : !s, !s, !t
  return
}

// -----

// On a chip that has warpgroups, what they cannot multiply: warps do, for all problems.

// CHECK-LABEL: gpu.module @hopper
// CHECK:         block = array<i64: 128, 1, 1>, chip = "sm_90a", grid = array<i64: 3, 1, 1>
// CHECK-NOT:     layout.pipeline
// CHECK:         layout.mma #layout.atom<mma_
!a = !layout.view<f16, global, (64,64):(64,1)>
!b = !layout.view<f16, global, (128,64):(64,1)>
!c = !layout.view<f16, global, (64,128):(128,1)>
func.func @hopper(%a: !a, %b: !a, %c: !a, %d: !a, %e: !b, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, chip = "sm_90a">) : !a, !a, !a
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}
