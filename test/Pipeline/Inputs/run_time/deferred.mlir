!a = !layout.view<bf16, global, (?,?):(?{div=8},1)>
!b = !layout.view<bf16, global, (?,?):(?{div=8},1)>
!c = !layout.view<bf16, global, (?,?{div=8}):(?{div=8},1)>
func.func @gemm(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}
