!c = !layout.view<bf16, global, (70,(56,2)):(504,(1,57))>
func.func @gemm(%a: !layout.view<bf16, global, (70,64):(64,1)>, %b: !layout.view<bf16, global, (112,64):(64,1)>, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,48,64), warps = (4,1), stages = 3, chip = "sm_90a">) epilogue(%c) {
  ^bb0(%sum: f32, %e1: f32):
    %s1 = arith.addf %sum, %e1 : f32
    layout.yield %s1 : f32
  }
    : !layout.view<bf16, global, (70,64):(64,1)>, !layout.view<bf16, global, (112,64):(64,1)>, !c, !c
  return
}
