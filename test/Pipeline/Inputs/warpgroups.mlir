func.func @gemm(%a: !layout.view<bf16, global, (128,128):(128,1)>, %b: !layout.view<bf16, global, (64,128):(128,1)>, %c: !layout.view<bf16, global, (128,64):(64,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">)
    : !layout.view<bf16, global, (128,128):(128,1)>, !layout.view<bf16, global, (64,128):(128,1)>, !layout.view<bf16, global, (128,64):(64,1)>
  return
}
