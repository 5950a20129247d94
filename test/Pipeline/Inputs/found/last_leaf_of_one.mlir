!a = !layout.view<i8, global, ((66,1),56):((1,3696),66)>
!b = !layout.view<i8, global, (140,56):(56,1)>
!c = !layout.view<bf16, global, ((66,1),(28,5)):((209,13858),(1,29))>
func.func @gemm(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) epilogue(%c) {
  ^bb0(%s: f32, %v: f32):
    %t = arith.subf %s, %v : f32
    layout.yield %t : f32
  } : !a, !b, !c, !c
  return
}
