// C = A B of bf16, for the time of a call: three tensor maps. B has its coordinates as (n, k), so that a launch passes on its transpose.
!a = !layout.view<bf16, global, (512,512):(512,1)>
!b = !layout.view<bf16, global, (512,512):(1,512)>
func.func @matmul(%a: !a, %b: !b, %c: !a) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !a
  return
}
