!a = !layout.view<bf16, global, (128,64):(64,1)>
!c = !layout.view<f32, global, (128,128):(128,1)>
func.func @linear(%a: !a, %b: !a, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) : !a, !a, !c
  return
}
func.func @main(%a: memref<128x64xbf16, 1>, %c: memref<128x128xf32, 1>) {
  %0 = layout.make_view %a : memref<128x64xbf16, 1>
  %1 = layout.make_view %c : memref<128x128xf32, 1>
  call @linear(%0, %0, %1) : (!a, !a, !c) -> ()
  return
}
