// RUN: layout-translate %s --pipeline --layout-to-ptx --manifest %t.json -o %t.ptx && FileCheck %s --input-file %t.ptx
// RUN: layout-translate %s --pipeline --run-on-cpu | FileCheck %s --check-prefix=CPU

// One or two steps along K each wait for all of their MMAs, and four stay a loop: where a wait for all groups but one and the wait
// for the last are in one block, ptxas reads accumulators before the last group has added to them.

// CHECK-LABEL: .entry two(
// CHECK-NOT:   wgmma.wait_group.sync.aligned 1;
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK-NOT:   wgmma.wait_group.sync.aligned 1;
// CHECK-LABEL: .entry one(
// CHECK-NOT:   wgmma.wait_group.sync.aligned 1;
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK-LABEL: .entry four(
// CHECK:       .pragma "nounroll";
// CHECK:       wgmma.wait_group.sync.aligned 1;
// CHECK:       bra
// CHECK:       wgmma.wait_group.sync.aligned 0;
// CHECK:       cvt.rn.f16.f32
// CPU-COUNT-3: : right

func.func @two(%a: !layout.view<bf16, global, (122,504):(504,1)>, %b: !layout.view<bf16, global, (96,504):(504,1)>, %c: !layout.view<f16, global, (122,96):(1,186)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,256), warps = (4,1), stages = 5, chip = "sm_90a">)
    : !layout.view<bf16, global, (122,504):(504,1)>, !layout.view<bf16, global, (96,504):(504,1)>, !layout.view<f16, global, (122,96):(1,186)>
  return
}

func.func @one(%a: !layout.view<bf16, global, (122,200):(200,1)>, %b: !layout.view<bf16, global, (96,200):(200,1)>, %c: !layout.view<f16, global, (122,96):(1,186)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,256), warps = (4,1), stages = 5, chip = "sm_90a">)
    : !layout.view<bf16, global, (122,200):(200,1)>, !layout.view<bf16, global, (96,200):(200,1)>, !layout.view<f16, global, (122,96):(1,186)>
  return
}

func.func @four(%a: !layout.view<bf16, global, (122,1000):(1000,1)>, %b: !layout.view<bf16, global, (96,1000):(1000,1)>, %c: !layout.view<f16, global, (122,96):(1,186)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,16,256), warps = (4,1), stages = 5, chip = "sm_90a">)
    : !layout.view<bf16, global, (122,1000):(1000,1)>, !layout.view<bf16, global, (96,1000):(1000,1)>, !layout.view<f16, global, (122,96):(1,186)>
  return
}
