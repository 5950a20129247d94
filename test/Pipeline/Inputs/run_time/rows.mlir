func.func @warpgroups(
    %a: !layout.view<bf16, global, (?,64):(64,1)>,
    %b: !layout.view<bf16, global, (72,64):(64,1)>,
    %c: !layout.view<bf16, global, (?,72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,64):(64,1)>, !layout.view<bf16, global, (72,64):(64,1)>,
    !layout.view<bf16, global, (?,72):(72,1)>
  return
}

func.func @warps(
    %a: !layout.view<bf16, global, (?,64):(64,1)>,
    %b: !layout.view<bf16, global, (72,64):(64,1)>,
    %c: !layout.view<bf16, global, (?,72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">)
    : !layout.view<bf16, global, (?,64):(64,1)>, !layout.view<bf16, global, (72,64):(64,1)>,
    !layout.view<bf16, global, (?,72):(72,1)>
  return
}

func.func @swapped(
    %a: !layout.view<bf16, global, (?,64):(64,1)>,
    %b: !layout.view<bf16, global, (72,64):(64,1)>,
    %c: !layout.view<bf16, global, (?,72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,64), warps = (4,1), stages = 2, swap_ab = true, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,64):(64,1)>, !layout.view<bf16, global, (72,64):(64,1)>,
    !layout.view<bf16, global, (?,72):(72,1)>
  return
}

func.func @ping_pong(
    %a: !layout.view<bf16, global, (?,128):(128,1)>,
    %b: !layout.view<bf16, global, (72,128):(128,1)>,
    %c: !layout.view<bf16, global, (?,72):(72,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, ping_pong = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,128):(128,1)>, !layout.view<bf16, global, (72,128):(128,1)>,
    !layout.view<bf16, global, (?,72):(72,1)>
  return
}

func.func @family(
    %a: !layout.view<bf16, global, (?{range=1..4096},64):(64,1)>,
    %b: !layout.view<bf16, global, (256,64):(64,1)>,
    %c: !layout.view<bf16, global, (?{range=1..4096},256):(256,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (?{range=1..4096},64):(64,1)>, !layout.view<bf16, global, (256,64):(64,1)>,
    !layout.view<bf16, global, (?{range=1..4096},256):(256,1)>
  return
}
