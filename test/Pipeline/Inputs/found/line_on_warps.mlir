func.func @gemm(%a: !layout.view<bf16, global, (1,127):(191,1)>, %b: !layout.view<bf16, global, (160,127):(1,168)>, %c: !layout.view<f32, global, (1,160):(160,1)>, %x1: !layout.view<f32, global, (1,160):(1,65)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_80">) epilogue(%c, %x1) {
  ^bb0(%sum: f32, %e0: f32, %e1: f32):
    %s0 = arith.addf %sum, %e0 : f32
    %s1 = arith.addf %s0, %e1 : f32
    %zero = arith.constant 0.0 : f32
    %top = arith.maximumf %s1, %zero : f32
    layout.yield %top : f32
  }
    : !layout.view<bf16, global, (1,127):(191,1)>, !layout.view<bf16, global, (160,127):(1,168)>, !layout.view<f32, global, (1,160):(160,1)>, !layout.view<f32, global, (1,160):(160,1)>, !layout.view<f32, global, (1,160):(1,65)>
  return
}
