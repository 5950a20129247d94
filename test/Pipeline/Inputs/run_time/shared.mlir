// Blocks that share the steps of however many tiles there are; at few rows there are fewer steps than blocks.

!a = !layout.view<bf16, global, (?,192):(192,1)>
!b = !layout.view<bf16, global, (72,192):(192,1)>
!c = !layout.view<bf16, global, (?,72):(72,1)>
!e = !layout.view<f32, global, (?,72):(0,1)>

func.func @warpgroups(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,40,64), warps = (4,1), stages = 2, stream_k = 7, chip = "sm_90a">) : !a, !b, !c
  return
}

func.func @swapped(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,64), warps = (4,1), stages = 2, stream_k = 5, swap_ab = true, chip = "sm_90a">) : !a, !b, !c
  return
}

func.func @warps(%a: !a, %b: !b, %c: !c, %e: !e) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (32,32,32), warps = (1,2), stages = 2, stream_k = 11>) epilogue(%e) {
  ^bb0(%sum: f32, %bias: f32):
    %both = arith.addf %sum, %bias : f32
    layout.yield %both : f32
  } : !a, !b, !c, !e
  return
}
