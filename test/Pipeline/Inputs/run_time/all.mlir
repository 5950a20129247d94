func.func @warps(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">)
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
  return
}

func.func @f32(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<f32, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<f32, global, (?,?1{div=8}):(?1,1)>
  return
}

func.func @swapped(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,64), warps = (4,1), stages = 2, swap_ab = true, chip = "sm_90a">)
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
  return
}

func.func @clusters(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, cluster = (2,1), chip = "sm_90a">)
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
  return
}

func.func @b_along_n(
    %a: !layout.view<bf16, global, (?0,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?0{div=8},?1{div=8}):(1,?0)>,
    %c: !layout.view<bf16, global, (?0,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">)
    : !layout.view<bf16, global, (?0,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?0{div=8},?1{div=8}):(1,?0)>,
    !layout.view<bf16, global, (?0,?1{div=8}):(?1,1)>
  return
}

func.func @epilogue(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %e0: !layout.view<bf16, global, (?,?1):(0,1)>,
    %e1: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) epilogue(%e0, %e1) {
  ^bb0(%s: f32, %x: f32, %y: f32):
    %t = arith.addf %s, %x : f32
    %u = arith.addf %t, %y : f32
    layout.yield %u : f32
  }
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1):(0,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
  return
}

func.func @epilogue_of_warps(
    %a: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %b: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %c: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    %e0: !layout.view<bf16, global, (?,?1):(0,1)>,
    %e1: !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) epilogue(%e0, %e1) {
  ^bb0(%s: f32, %x: f32, %y: f32):
    %t = arith.addf %s, %x : f32
    %u = arith.addf %t, %y : f32
    layout.yield %u : f32
  }
    : !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>, !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>,
    !layout.view<bf16, global, (?,?1):(0,1)>,
    !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
  return
}
