// Tiles of warps whose rows are no power of two, of operands that are contiguous along M and N.

!at = !layout.view<bf16, global, (288,160):(1,288)>
!bt = !layout.view<bf16, global, (192,160):(1,192)>
!c = !layout.view<bf16, global, (288,192):(192,1)>

func.func @m48(%a: !at, %b: !bt, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (96,64,32), warps = (2,2), stages = 3, chip = "sm_80">) : !at, !bt, !c
  return
}

func.func @m48_n48(%a: !at, %b: !bt, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (96,96,32), warps = (2,2), stages = 3, chip = "sm_80">) : !at, !bt, !c
  return
}

func.func @m80(%a: !at, %b: !bt, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (160,96,32), warps = (2,2), stages = 3, chip = "sm_80">) : !at, !bt, !c
  return
}
