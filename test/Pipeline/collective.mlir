// RUN: layout-translate %s --pipeline --layout-to-ptx --chip sm_90a | FileCheck %s

// A wait for MMAs is executed by whole warps: between the branch in which a lane passes its consumer group's turn on and the
// one in which it releases the last stage, the wait occurs once, and not on both sides of a branch. With one on each
// side, the kernel never ended.

// CHECK:     wgmma.wait_group.sync.aligned 0;
// CHECK-NOT: wgmma.wait_group.sync.aligned 0;
func.func @gemm(%a: !layout.view<bf16, global, (128,8192):(8192,1)>, %b: !layout.view<bf16, global, (1024,8192):(8192,1)>,
                %c: !layout.view<bf16, global, (128,1024):(1024,1)>) {
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (64,8,256), warps = (4,1), stages = 4, ping_pong = true, chip = "sm_90a">)
    : !layout.view<bf16, global, (128,8192):(8192,1)>, !layout.view<bf16, global, (1024,8192):(8192,1)>,
      !layout.view<bf16, global, (128,1024):(1024,1)>
  return
}
