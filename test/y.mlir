func.func @gemm(%a: !layout.view<bf16, global, (1,64):(1,1)>, %b: !layout.view<bf16, global, (48,64):(1,48)>, %c: !layout.view<bf16, global, (1,48):(48,1)>) {
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (64,48,64), warps = (4,1), stages = 3, chip = "sm_90a">)
    : !layout.view<bf16, global, (1,64):(1,1)>, !layout.view<bf16, global, (48,64):(1,48)>, !layout.view<bf16, global, (1,48):(48,1)>
  return
}
