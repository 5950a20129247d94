func.func @parts(
    %a: !layout.view<bf16, global, (?{range=1..64},256):(256,1)>,
    %b: !layout.view<bf16, global, (72,256):(256,1)>,
    %c: !layout.view<bf16, global, (?{range=1..64},72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, split_k = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?{range=1..64},256):(256,1)>, !layout.view<bf16, global, (72,256):(256,1)>,
    !layout.view<bf16, global, (?{range=1..64},72):(72,1)>
  return
}

func.func @swapped(
    %a: !layout.view<bf16, global, (?{range=1..16},256):(256,1)>,
    %b: !layout.view<bf16, global, (72,256):(256,1)>,
    %c: !layout.view<bf16, global, (?{range=1..16},72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,64), warps = (4,1), stages = 2, split_k = 4, swap_ab = true, chip = "sm_90a">)
    : !layout.view<bf16, global, (?{range=1..16},256):(256,1)>, !layout.view<bf16, global, (72,256):(256,1)>,
    !layout.view<bf16, global, (?{range=1..16},72):(72,1)>
  return
}
