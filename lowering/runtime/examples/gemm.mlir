// C = A * transpose(B), i8 with i32 accumulators.
!a = !layout.view<i8, global, (384,256):(256,1)>
!b = !layout.view<i8, global, (512,256):(256,1)>
!c = !layout.view<i32, global, (384,512):(512,1)>

func.func @gemm(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_80">) : !a, !b, !c
  return
}
