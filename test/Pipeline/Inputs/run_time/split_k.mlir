// Slices of K of a matmul whose rows are known at run time, and are several tiles.

!a = !layout.view<bf16, global, (?{range=1..300},512):(512,1)>
!b = !layout.view<bf16, global, (128,512):(512,1)>
!c = !layout.view<bf16, global, (?{range=1..300},128):(128,1)>
func.func @rows(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 4, chip = "sm_90a">) : !a, !b, !c
  return
}
func.func @swapped(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,40,64), warps = (4,1), stages = 3, split_k = 3, swap_ab = true, chip = "sm_90a">) : !a, !b, !c
  return
}
func.func @warps(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, split_k = 3, chip = "sm_80">) : !a, !b, !c
  return
}
func.func @clusters(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, cluster = (2,1), chip = "sm_90a">) : !a, !b, !c
  return
}
