// RUN: layout-opt %s --layout-tile-matmul --layout-lower --verify-each-layout-pass 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error
// RUN: layout-opt %s --layout-tile-matmul --layout-verify 2>&1 >/dev/null | FileCheck %s --check-prefix=TILED --implicit-check-not=error --implicit-check-not="not analysed"

// Matmuls of rows that are known at run time, for warps and for warpgroups: each pass is proved for rows around those of one
// tile, and what is not proved, at other sizes above all, is reported.

// CHECK: layout-tile-matmul: 2 not proved, {{[0-9]+}} proved; first: @{{warps|warpgroups}} at other sizes than m = 1; m = 63; m = 64; m = 65; m = 193
// CHECK: layout-lower: {{[0-9]+}} not proved, {{[0-9]+}} proved; first: @{{warps|warpgroups}} at other sizes than m = 1; m = 63; m = 64; m = 65; m = 193
// TILED: layout-verify: {{[0-9]+}} not proved, {{[0-9]+}} proved; first: @{{warps|warpgroups}} at other sizes than m = 1; m = 63; m = 64; m = 65; m = 193

// A limit of one row more is refuted, by the element and the thread.

// RUN: layout-opt %s --layout-tile-matmul \
// RUN:   | sed -e 's/predicate(\(%%[0-9]*\) < %%1 : \(.*: !layout.view<f32, register\)/predicate(\1 < %%more : \2/' \
// RUN:     -e 's/^\( *\)%%1 = layout.size.*/&\n\1%%unit = arith.constant 1 : index\n\1%%more = arith.addi %%1, %%unit : index/' \
// RUN:   | not layout-opt --layout-verify 2>&1 >/dev/null | FileCheck %s --check-prefix=WIDENED
// WIDENED: error: layout-verify: expected stores of argument 2 of @warps within (1,72):(72,1), found offset 72, at m = 1
// WIDENED: expected a store of argument 2 within elements 0 to 71, found element {{[0-9]+}} (thread {{[0-9]+}}, block (0,0,0) of @warps), at m = 1

!a = !layout.view<bf16, global, (?,64):(64,1)>
!b = !layout.view<bf16, global, (72,64):(64,1)>
!c = !layout.view<bf16, global, (?,72):(72,1)>
func.func @warps(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !a, !b, !c
  return
}
func.func @warpgroups(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !c
  return
}
