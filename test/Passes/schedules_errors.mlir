// RUN: layout-opt %s --layout-tile-matmul --verify-diagnostics

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @old_chip(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a chip from sm_80 on that this pass knows, found sm_70}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (2,2), stages = 2, chip = "sm_70">) : !v, !v, !v
  return
}
