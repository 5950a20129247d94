// RUN: layout-opt %s --layout-tile-matmul --verify-diagnostics | FileCheck %s

// A matmul with the schedule `auto` takes that of a measured problem, and a remark states the reason.

// 4400x4096x4096 is near 4096x4096x4096: tiles of 128x256, two warpgroups that multiply.
// CHECK-LABEL: gpu.module @hopper
// CHECK:         known_block_size = array<i32: 384, 1, 1>
// CHECK-SAME:    chip = "sm_90a", grid = array<i64: 560, 1, 1>
func.func @hopper(%a: !layout.view<bf16, global, (4400,4096):(4096,1)>,
                  %b: !layout.view<bf16, global, (4096,4096):(4096,1)>,
                  %c: !layout.view<bf16, global, (4400,4096):(4096,1)>) {
  // expected-remark @+1 {{selected schedule <tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">: that of 4096x4096x4096 (the fastest of four tiles; 3 stages are slower; 1.00 of cuBLASLt's speed on NVIDIA H200, 2026-11-21-warpgroups-table/0)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (4400,4096):(4096,1)>, !layout.view<bf16, global, (4096,4096):(4096,1)>,
      !layout.view<bf16, global, (4400,4096):(4096,1)>
  return
}

// No row is near 3072x3072x3072: 256 tiles of 192x192 are two rounds of 132 blocks; 288 of 128x256 are three.
// CHECK-LABEL: gpu.module @rounds
// CHECK:         known_block_size = array<i32: 512, 1, 1>
// CHECK-SAME:    chip = "sm_90a", grid = array<i64: 256, 1, 1>
func.func @rounds(%a: !layout.view<bf16, global, (3072,3072):(3072,1)>,
                  %b: !layout.view<bf16, global, (3072,3072):(3072,1)>,
                  %c: !layout.view<bf16, global, (3072,3072):(3072,1)>) {
  // expected-remark-re @+1 {{selected schedule <tile = (192,192,64), warps = (12,1), stages = 4, chip = "sm_90a">: fastest of {{[0-9]+}} by the cost model}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (3072,3072):(3072,1)>, !layout.view<bf16, global, (3072,3072):(3072,1)>,
      !layout.view<bf16, global, (3072,3072):(3072,1)>
  return
}

// Two levels of accumulation are estimated although a row of one level is here. The accumulators of an instruction of 256 columns would have no
// room beside those of the tile: two of 128 multiply it.
// CHECK-LABEL: gpu.module @two_levels
// CHECK:         known_block_size = array<i32: 384, 1, 1>
// CHECK-SAME:    chip = "sm_90a", grid = array<i64: 512, 1, 1>
// CHECK:         #layout.atom<wgmma_m64n128k32_f32_e4m3>
// CHECK-SAME:    two_level_accumulation
func.func @two_levels(%a: !layout.view<f8E4M3FN, global, (4096,4096):(4096,1)>,
                      %b: !layout.view<f8E4M3FN, global, (4096,4096):(4096,1)>,
                      %c: !layout.view<bf16, global, (4096,4096):(4096,1)>) {
  // expected-remark-re @+1 {{selected schedule <tile = (128,256,128), warps = (8,1), stages = 4, two_level_accumulation = true, chip = "sm_90a">: fastest of {{[0-9]+}} by the cost model}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, two_level_accumulation = true, chip = "sm_90a">)
    : !layout.view<f8E4M3FN, global, (4096,4096):(4096,1)>, !layout.view<f8E4M3FN, global, (4096,4096):(4096,1)>,
      !layout.view<bf16, global, (4096,4096):(4096,1)>
  return
}

// Without a chip it is for sm_80.
// CHECK-LABEL: gpu.module @ampere
// CHECK:         known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME:    chip = "sm_80", grid = array<i64: 2, 128, 1>
func.func @ampere(%a: !layout.view<f16, global, (32,512):(512,1)>,
                  %b: !layout.view<f16, global, (8192,512):(512,1)>,
                  %c: !layout.view<f32, global, (32,8192):(8192,1)>) {
  // expected-remark @+1 {{selected schedule <tile = (16,64,128), warps = (1,4), stages = 6>: that of 16x8192x8192 (as in bf16; 0.99 of cuBLASLt's speed on NVIDIA H200, 2026-11-28-mma-sync/2)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto>)
    : !layout.view<f16, global, (32,512):(512,1)>, !layout.view<f16, global, (8192,512):(512,1)>,
      !layout.view<f32, global, (32,8192):(8192,1)>
  return
}

// A schedule that is given stays: no remark.
// CHECK-LABEL: gpu.module @given
// CHECK:         chip = "sm_80", grid = array<i64: 4, 128, 1>
func.func @given(%a: !layout.view<f16, global, (256,64):(64,1)>,
                 %b: !layout.view<f16, global, (8192,64):(64,1)>,
                 %c: !layout.view<f32, global, (256,8192):(8192,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
    : !layout.view<f16, global, (256,64):(64,1)>, !layout.view<f16, global, (8192,64):(64,1)>,
      !layout.view<f32, global, (256,8192):(8192,1)>
  return
}

// A batch is like one product of as many tiles.
// CHECK-LABEL: gpu.module @batched
// CHECK:         known_block_size = array<i32: 384, 1, 1>
func.func @batched(%a: !layout.view<bf16, global, (512,4096,8):(4096,1,2097152)>,
                   %b: !layout.view<bf16, global, (4096,4096,8):(4096,1,0)>,
                   %c: !layout.view<bf16, global, (512,4096,8):(4096,1,2097152)>) {
  // expected-remark-re @+1 {{selected schedule <tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">: that of 4096x4096x4096 ({{.+}})}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (512,4096,8):(4096,1,2097152)>, !layout.view<bf16, global, (4096,4096,8):(4096,1,0)>,
      !layout.view<bf16, global, (512,4096,8):(4096,1,2097152)>
  return
}

// Several matmuls get the schedule with which the busiest block has the least work: 112 tiles of 128x256 are one round, 224 of 128x128 two.
// CHECK-LABEL: gpu.module @several
// CHECK:         known_block_size = array<i32: 384, 1, 1>
func.func @several(%a: !layout.view<bf16, global, (512,4096):(4096,1)>, %b: !layout.view<bf16, global, (4096,4096):(4096,1)>,
                   %c: !layout.view<bf16, global, (512,4096):(4096,1)>, %x: !layout.view<bf16, global, (300,4096):(4096,1)>,
                   %y: !layout.view<bf16, global, (4096,4096):(4096,1)>, %z: !layout.view<bf16, global, (300,4096):(4096,1)>) {
  // expected-remark-re @+1 {{selected schedule <tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">: that of {{[0-9x]+}}, with which the busiest block has the least work for 2 problems}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (512,4096):(4096,1)>, !layout.view<bf16, global, (4096,4096):(4096,1)>,
      !layout.view<bf16, global, (512,4096):(4096,1)>
  layout.matmul %x, %y, %z schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (300,4096):(4096,1)>, !layout.view<bf16, global, (4096,4096):(4096,1)>,
      !layout.view<bf16, global, (300,4096):(4096,1)>
  return
}

// Warps take several, too: on a chip without rows of its own those of sm_80, and where no row is of the elements the usual schedule.
// CHECK-LABEL: gpu.module @several_on_warps
// CHECK:         known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME:    chip = "sm_89", grid = array<i64: 23, 1, 1>
func.func @several_on_warps(%a: !layout.view<f16, global, (200,72):(72,1)>, %b: !layout.view<f16, global, (136,72):(72,1)>,
                            %c: !layout.view<f16, global, (200,136):(136,1)>, %x: !layout.view<f16, global, (40,64):(64,1)>,
                            %y: !layout.view<f16, global, (56,64):(64,1)>, %z: !layout.view<f16, global, (40,56):(56,1)>) {
  // expected-remark-re @+1 {{selected schedule <tile = (32,64,64), warps = (1,2), stages = 6, chip = "sm_89">: that of {{[0-9x]+}}, with which the busiest block has the least work for 2 problems}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_89">)
    : !layout.view<f16, global, (200,72):(72,1)>, !layout.view<f16, global, (136,72):(72,1)>, !layout.view<f16, global, (200,136):(136,1)>
  layout.matmul %x, %y, %z schedule(#layout.schedule<auto, chip = "sm_89">)
    : !layout.view<f16, global, (40,64):(64,1)>, !layout.view<f16, global, (56,64):(64,1)>, !layout.view<f16, global, (40,56):(56,1)>
  return
}

// CHECK-LABEL: gpu.module @several_unknown
// CHECK:         known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME:    chip = "sm_80", grid = array<i64: 13, 1, 1>
func.func @several_unknown(%a: !layout.view<f64, global, (200,72):(72,1)>, %b: !layout.view<f64, global, (136,72):(72,1)>,
                           %c: !layout.view<f64, global, (200,136):(136,1)>, %x: !layout.view<f64, global, (40,64):(64,1)>,
                           %y: !layout.view<f64, global, (56,64):(64,1)>, %z: !layout.view<f64, global, (40,56):(56,1)>) {
  // expected-remark @+1 {{selected schedule <tile = (64,64,16), warps = (2,2), stages = 3>: none was measured for its elements and chip}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto>)
    : !layout.view<f64, global, (200,72):(72,1)>, !layout.view<f64, global, (136,72):(72,1)>, !layout.view<f64, global, (200,136):(136,1)>
  layout.matmul %x, %y, %z schedule(#layout.schedule<auto>)
    : !layout.view<f64, global, (40,64):(64,1)>, !layout.view<f64, global, (56,64):(64,1)>, !layout.view<f64, global, (40,56):(56,1)>
  return
}

// A batch that is far from all rows is estimated: scores of a decode step, whose tiles hold few rows of A and have no padding along K.
// CHECK-LABEL: gpu.module @scores
func.func @scores(%a: !layout.view<bf16, global, (4,128,64):(128,1,512)>, %b: !layout.view<bf16, global, (2048,128,64):(128,1,262144)>,
                  %c: !layout.view<bf16, global, (4,2048,64):(2048,1,8192)>) {
  // expected-remark-re @+1 {{selected schedule <tile = ({{64|128|256}},8,{{64|128}}), {{.*}}swap_ab = true, chip = "sm_90a">: fastest of {{[0-9]+}} by the cost model}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">)
    : !layout.view<bf16, global, (4,128,64):(128,1,512)>, !layout.view<bf16, global, (2048,128,64):(128,1,262144)>, !layout.view<bf16, global, (4,2048,64):(2048,1,8192)>
  return
}
