// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// A tile copied by a tiled copy, each thread its part.

#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#store = #layout.tiled_copy<simt_2, c of #mma>
!g = !layout.view<f16, global, (64,64):(512,1)>
!s = !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
!f = !layout.view<f16, register, ((2,2,2),2,4):((1,2,4),8,16)>
!rows = !layout.view<index, coordinate, (64,64):(1,0)>

// CHECK-LABEL: @to_shared
// CANON-LABEL: @to_shared
func.func @to_shared(%g: !g, %s: !s, %t: index) {
  // CHECK: layout.cooperative_copy #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8):(0,1)>(%arg2) %arg0, %arg1 : !layout.view<f16, global, (64,64):(512,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
  // CANON: %[[FROM:.+]] = layout.slice %{{.+}}((%arg2, _), (_, _))
  // CANON: %[[TO:.+]] = layout.slice %{{.+}}((%arg2, _), (_, _))
  // CANON: layout.copy #layout.atom<cp_async_16> %[[FROM]], %[[TO]] : !layout.view<f16, global, ((8,1),4,1):((1,0),8192,0)>, !layout.view<f16, shared, S<3,3,3> o 0 o ((8,1),4,1):((1,0),1024,0)>
  layout.cooperative_copy #copy(%t) %g, %s : !g, !s
  return
}

// Predicates are parts of the source, and a limit may be known at run time.
// CHECK-LABEL: @ragged
// CANON-LABEL: @ragged
func.func @ragged(%g: !g, %s: !s, %t: index, %limit: index) {
  %rows = layout.identity_tensor : !rows
  // CHECK: layout.cooperative_copy #layout.tiled_copy<{{.+}}>(%arg2) %arg0, %arg1 predicate(%[[ROWS:.+]] < %arg3 : !layout.view<index, coordinate, (64,64):(1,0)>, %[[ROWS]] < 63 : !layout.view<index, coordinate, (64,64):(1,0)>)
  // CANON: layout.copy #layout.atom<cp_async_16> %{{.+}}, %{{.+}} predicate(%{{.+}} < %arg3 : !layout.view<index, coordinate, ((8,1),4,1):((0,0),16,0)>, %{{.+}} < 63 :
  layout.cooperative_copy #copy(%t) %g, %s predicate(%rows < %limit : !rows, %rows < 63 : !rows) : !g, !s
  return
}

// Fragments are the thread's already: their registers are retiled.
// CHECK-LABEL: @fragments
// CANON-LABEL: @fragments
func.func @fragments(%s: !s, %o: !g, %t: index) {
  %f = layout.partition_fragment a of #mma, (64,64)
  // CHECK: layout.cooperative_copy #layout.tiled_copy<ldmatrix_x4, a of #layout.tiled_mma<{{.+}}>>(%arg2) %arg0, %[[F:.+]] : !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>, !layout.view<f16, register,
  // CANON: layout.copy #layout.atom<ldmatrix_x4> %{{.+}}, %{{.+}} : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,1),2,4):((1,0),2048,16)>, !layout.view<f16, register, ((8,1),2,4):((1,0),8,16)>
  layout.cooperative_copy #load(%t) %s, %f
  %acc = layout.partition_fragment c of #mma, (64,64)
  // CHECK: layout.cooperative_copy #layout.tiled_copy<simt_2, c of
  // CANON: layout.copy #layout.atom<simt_2> %{{.+}}, %{{.+}} : !layout.view<f32, register, {{.+}}>, !layout.view<f16, global,
  layout.cooperative_copy #store(%t) %acc, %o
  return
}
