func.func @warpgroups(
    %a: !layout.view<bf16, global, (?,64,?1):(64,1,?2{div=8})>,
    %b: !layout.view<bf16, global, (72,64,?):(64,1,4608)>,
    %c: !layout.view<bf16, global, (?,72,?1):(72,1,?2{div=8})>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,64,?1):(64,1,?2{div=8})>, !layout.view<bf16, global, (72,64,?):(64,1,4608)>,
    !layout.view<bf16, global, (?,72,?1):(72,1,?2{div=8})>
  return
}

func.func @warps(
    %a: !layout.view<bf16, global, (?,64,?1):(64,1,?2{div=8})>,
    %b: !layout.view<bf16, global, (72,64,?):(64,1,4608)>,
    %c: !layout.view<bf16, global, (?,72,?1):(72,1,?2{div=8})>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">)
    : !layout.view<bf16, global, (?,64,?1):(64,1,?2{div=8})>, !layout.view<bf16, global, (72,64,?):(64,1,4608)>,
    !layout.view<bf16, global, (?,72,?1):(72,1,?2{div=8})>
  return
}
