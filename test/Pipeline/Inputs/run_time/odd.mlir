func.func @odd(
    %a: !layout.view<bf16, global, (?,?1):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1):(?1,1)>,
    %c: !layout.view<f32, global, (?,?1):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">)
    : !layout.view<bf16, global, (?,?1):(?1,1)>, !layout.view<bf16, global, (?,?1):(?1,1)>,
    !layout.view<f32, global, (?,?1):(?1,1)>
  return
}

func.func @f64(
    %a: !layout.view<f64, global, (?,?1):(?1,1)>,
    %b: !layout.view<f64, global, (?,?1):(?1,1)>,
    %c: !layout.view<f64, global, (?,?1):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 2, chip = "sm_80">)
    : !layout.view<f64, global, (?,?1):(?1,1)>, !layout.view<f64, global, (?,?1):(?1,1)>,
    !layout.view<f64, global, (?,?1):(?1,1)>
  return
}
