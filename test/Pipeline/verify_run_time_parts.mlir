// RUN: layout-opt %s --layout-tile-matmul --layout-lower --verify-each-layout-pass 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error

// The bytes that a step of a pipeline loads are not known where a copy of it is not followed: a warning states this, and nothing is refuted.

// CHECK: layout-lower: {{[0-9]+}} not proved, {{[0-9]+}} proved; first: a copy (the limit of predicate 0 is dynamic) in @parts_sum
!a = !layout.view<bf16, global, (?{range=1..64},256):(256,1)>
!b = !layout.view<bf16, global, (72,256):(256,1)>
!c = !layout.view<bf16, global, (?{range=1..64},72):(72,1)>
func.func @parts(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, split_k = 2, chip = "sm_90a">) : !a, !b, !c
  return
}
