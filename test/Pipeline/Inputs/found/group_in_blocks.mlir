func.func @group(%a: !layout.view<bf16, global, (64,64):(64,1)>, %b: !layout.view<bf16, global, (64,64):(64,1)>, %c: !layout.view<bf16, global, (64,64):(64,1)>,
                 %d: !layout.view<bf16, global, (63,(24,3)):(24,(1,1536))>, %e: !layout.view<bf16, global, (62,72):(72,1)>, %f: !layout.view<bf16, global, ((7,9,1),(31,2)):((1,700,6300),(9,300))>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (64,64):(64,1)>, !layout.view<bf16, global, (64,64):(64,1)>, !layout.view<bf16, global, (64,64):(64,1)>
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (63,(24,3)):(24,(1,1536))>, !layout.view<bf16, global, (62,72):(72,1)>, !layout.view<bf16, global, ((7,9,1),(31,2)):((1,700,6300),(9,300))>
  return
}
