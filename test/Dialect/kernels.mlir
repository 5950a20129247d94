// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// CHECK-LABEL: @copies
func.func @copies(%g: !layout.view<f16, global, 8:1>, %s: !layout.view<f16, shared, 8:1>,
                  %m: !layout.view<index, coordinate, 8:0>, %k: !layout.view<index, coordinate, 8:1>,
                  %r: !layout.view<f32, register, 8:1>) {
  // CHECK: layout.copy #layout.atom<cp_async_16> %{{.*}}, %{{.*}} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  layout.copy #layout.atom<cp_async_16> %g, %s
    : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  // CHECK: layout.copy #layout.atom<cp_async_16> %{{.*}}, %{{.*}} predicate(%{{.*}} < 127 : !layout.view<index, coordinate, 8:0>, %{{.*}} < 65 : !layout.view<index, coordinate, 8:1>) : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  layout.copy #layout.atom<cp_async_16> %g, %s
    predicate(%m < 127 : !layout.view<index, coordinate, 8:0>, %k < 65 : !layout.view<index, coordinate, 8:1>)
    : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  // simt copies convert between floats.
  // CHECK: layout.copy #layout.atom<simt_2> %{{.*}}, %{{.*}} : !layout.view<f32, register, 8:1>, !layout.view<f16, global, 8:1>
  layout.copy #layout.atom<simt_2> %r, %g
    : !layout.view<f32, register, 8:1>, !layout.view<f16, global, 8:1>
  return
}

// CHECK-LABEL: @ldmatrix
func.func @ldmatrix(%s: !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>,
                    %r: !layout.view<f16, register, (8,2):(1,8)>) {
  // CHECK: layout.copy #layout.atom<ldmatrix_x4> %{{.*}}, %{{.*}} : !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>, !layout.view<f16, register, (8,2):(1,8)>
  layout.copy #layout.atom<ldmatrix_x4> %s, %r
    : !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>,
      !layout.view<f16, register, (8,2):(1,8)>
  return
}

// CHECK-LABEL: @mma
func.func @mma(%a: !layout.view<f16, register, (8,2,1):(1,8,16)>,
               %b: !layout.view<f16, register, (4,4,1):(1,4,16)>,
               %c: !layout.view<f32, register, (4,2,4):(1,4,8)>) {
  // CHECK: layout.mma #layout.atom<mma_m16n8k16_f32_f16> %{{.*}}, %{{.*}}, %{{.*}} : !layout.view<f16, register, (8,2,1):(1,8,16)>, !layout.view<f16, register, (4,4,1):(1,4,16)>, !layout.view<f32, register, (4,2,4):(1,4,8)>
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
    : !layout.view<f16, register, (8,2,1):(1,8,16)>,
      !layout.view<f16, register, (4,4,1):(1,4,16)>,
      !layout.view<f32, register, (4,2,4):(1,4,8)>
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: !layout.view<bf16, global, (512,256):(256,1)>,
                  %b: !layout.view<bf16, global, (1024,256):(1,1024)>,
                  %c: !layout.view<f32, global, (512,1024):(1024,1)>) {
  // CHECK: layout.matmul %{{.*}}, %{{.*}}, %{{.*}} schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !layout.view<bf16, global, (512,256):(256,1)>, !layout.view<bf16, global, (1024,256):(1,1024)>, !layout.view<f32, global, (512,1024):(1024,1)>
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (512,256):(256,1)>,
      !layout.view<bf16, global, (1024,256):(1,1024)>,
      !layout.view<f32, global, (512,1024):(1024,1)>
  return
}

// CHECK-LABEL: @bulk
func.func @bulk(%g: !layout.view<f16, global, (64,64):(64,1)>,
                %s: !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>,
                %m: !layout.view<index, coordinate, (64,64):(1,0)>,
                %k: !layout.view<index, coordinate, (64,64):(0,1)>) {
  // CHECK: layout.copy #layout.atom<bulk_tensor_load> %{{.*}}, %{{.*}} predicate(%{{.*}} < 63 : !layout.view<index, coordinate, (64,64):(1,0)>, %{{.*}} < 64 : !layout.view<index, coordinate, (64,64):(0,1)>) : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
  layout.copy #layout.atom<bulk_tensor_load> %g, %s
    predicate(%m < 63 : !layout.view<index, coordinate, (64,64):(1,0)>,
          %k < 64 : !layout.view<index, coordinate, (64,64):(0,1)>)
    : !layout.view<f16, global, (64,64):(64,1)>,
      !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
  return
}

// CHECK-LABEL: @wgmma
func.func @wgmma(%a: !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),2,4):((64,1),4096,16)>,
                 %b: !layout.view<f16, shared, S<3,3,3> o 0 o ((24,16),1,4):((64,1),0,16)>,
                 %c: !layout.view<f32, register, (12,2,1):(1,12,0)>) {
  // CHECK: layout.mma #layout.atom<wgmma_m64n24k16_f32_f16> %{{.*}}, %{{.*}}, %{{.*}} : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),2,4):((64,1),4096,16)>, !layout.view<f16, shared, S<3,3,3> o 0 o ((24,16),1,4):((64,1),0,16)>, !layout.view<f32, register, (12,2,1):(1,12,0)>
  layout.mma #layout.atom<wgmma_m64n24k16_f32_f16> %a, %b, %c
    : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),2,4):((64,1),4096,16)>,
      !layout.view<f16, shared, S<3,3,3> o 0 o ((24,16),1,4):((64,1),0,16)>,
      !layout.view<f32, register, (12,2,1):(1,12,0)>
  return
}

// CHECK-LABEL: @pipeline
func.func @pipeline(%first: index, %count: index, %stride: index,
                    %sums: !layout.view<f32, register, 4:1>, %zero: f32) {
  // CHECK: layout.pipeline %{{.*}} to %{{.*}} by %{{.*}} depth 8 stages 3 consumers 256 load {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
  // CHECK-NEXT: } prologue {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT: layout.fill
  // CHECK-NEXT: } mainloop {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
  // CHECK-NEXT: } epilogue {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT: }
  layout.pipeline %first to %count by %stride depth 8 stages 3 consumers 256
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
    layout.fill %sums, %zero : !layout.view<f32, register, 4:1>
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// The regions' names before version 0.1 are read.
// CHECK-LABEL: @ping_pong
func.func @ping_pong(%first: index, %count: index, %stride: index) {
  // CHECK: layout.pipeline %{{.*}} to %{{.*}} by %{{.*}} depth 8 stages 3 consumers 256 attributes {ping_pong = 2 : i64} load {
  // CHECK: } prologue {
  // CHECK: } mainloop {
  // CHECK: } epilogue {
  layout.pipeline %first to %count by %stride depth 8 stages 3 consumers 256 attributes {ping_pong = 2 : i64}
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } start {
  ^bb0(%tile: index):
  } step {
  ^bb0(%tile: index, %k: index, %stage: index):
  } finish {
  ^bb0(%tile: index):
  }
  return
}

// CHECK-LABEL: @steps
func.func @steps(%first: index, %count: index, %stride: index) {
  // CHECK: layout.pipeline %{{.*}} to %{{.*}} by %{{.*}} depth 8 stages 3 consumers 256 steps {
  // CHECK-NEXT: ^bb0(%[[TILE:.*]]: index):
  // CHECK-NEXT: %[[N:.*]] = arith.minui %[[TILE]], %{{.*}} : index
  // CHECK-NEXT: layout.yield %[[N]] : index
  // CHECK-NEXT: } load {
  layout.pipeline %first to %count by %stride depth 8 stages 3 consumers 256
  steps {
  ^bb0(%tile: index):
    %n = arith.minui %tile, %stride : index
    layout.yield %n : index
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// CHECK-LABEL: @stores
func.func @stores(%r: !layout.view<f16, register, (8,2):(1,8)>,
                  %s: !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>,
                  %t: !layout.view<f16, shared, (8,8):(8,1)>,
                  %g: !layout.view<f16, global, (8,8):(64,1)>) {
  // CHECK: layout.copy #layout.atom<stmatrix_x4> %{{.*}}, %{{.*}} : !layout.view<f16, register, (8,2):(1,8)>, !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>
  layout.copy #layout.atom<stmatrix_x4> %r, %s
    : !layout.view<f16, register, (8,2):(1,8)>,
      !layout.view<f16, shared, S<3,3,3> o 0 o (8,2):(1,512)>
  // CHECK: layout.copy #layout.atom<bulk_tensor_store> %{{.*}}, %{{.*}} : !layout.view<f16, shared, (8,8):(8,1)>, !layout.view<f16, global, (8,8):(64,1)>
  layout.copy #layout.atom<bulk_tensor_store> %t, %g
    : !layout.view<f16, shared, (8,8):(8,1)>, !layout.view<f16, global, (8,8):(64,1)>
  return
}

// An epilogue keeps to itself: what it computes stays in it.
// CHECK-LABEL: @epilogue
// CHECK: layout.matmul %arg0, %arg1, %arg2 schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
// CHECK: arith.constant 0.0
// CHECK: layout.yield %{{.*}} : f32
// CHECK-NEXT: } : !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,64):(64,1)>
// CHECK: epilogue(%arg3, %arg2) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: } : !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f32, global, (64,64):(0,1)>, !layout.view<f16, global, (64,64):(64,1)>
func.func @epilogue(%a: !layout.view<f16, global, (64,32):(32,1)>,
                    %b: !layout.view<f16, global, (64,32):(32,1)>,
                    %c: !layout.view<f16, global, (64,64):(64,1)>,
                    %bias: !layout.view<f32, global, (64,64):(0,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
      epilogue {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %sum, %zero : f32
    layout.yield %relu : f32
  } : !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,32):(32,1)>,
      !layout.view<f16, global, (64,64):(64,1)>
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
      epilogue(%bias, %c) {
  ^bb0(%sum: f32, %bias_n: f32, %old: f32):
    %new = arith.addf %sum, %bias_n : f32
    %all = arith.addf %new, %old : f32
    layout.yield %all : f32
  } : !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,32):(32,1)>,
      !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f32, global, (64,64):(0,1)>,
      !layout.view<f16, global, (64,64):(64,1)>
  return
}

// A second B gives the epilogue a second sum, followed by the elements of its operands.
// CHECK-LABEL: @dual
// CHECK: layout.matmul %arg0, %arg1, %arg2 dual %arg3 schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%arg4) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: } : !layout.view<bf16, global, (64,32):(32,1)>, !layout.view<bf16, global, (96,32):(32,1)>, !layout.view<bf16, global, (64,96):(96,1)> dual !layout.view<bf16, global, (96,32):(1,96)>, !layout.view<f32, global, (64,96):(0,1)>
func.func @dual(%a: !layout.view<bf16, global, (64,32):(32,1)>,
                %b: !layout.view<bf16, global, (96,32):(32,1)>,
                %c: !layout.view<bf16, global, (64,96):(96,1)>,
                %up: !layout.view<bf16, global, (96,32):(1,96)>,
                %bias: !layout.view<f32, global, (64,96):(0,1)>) {
  layout.matmul %a, %b, %c dual %up schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%bias) {
  ^bb0(%g: f32, %u: f32, %bias_n: f32):
    %biased = arith.addf %u, %bias_n : f32
    %gated = arith.mulf %g, %biased : f32
    layout.yield %gated : f32
  } : !layout.view<bf16, global, (64,32):(32,1)>, !layout.view<bf16, global, (96,32):(32,1)>,
      !layout.view<bf16, global, (64,96):(96,1)> dual !layout.view<bf16, global, (96,32):(1,96)>,
      !layout.view<f32, global, (64,96):(0,1)>
  return
}

// CHECK-LABEL: @under_way
func.func @under_way(%a: !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>,
                     %b: !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>,
                     %c: !layout.view<f32, register, (32,1,1):(1,0,0)>) {
  // CHECK: layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %{{.*}}, %{{.*}}, %{{.*}} overwrite async : !layout.view
  layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %b, %c overwrite async
  // CHECK: layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %{{.*}}, %{{.*}}, %{{.*}} async : !layout.view
  layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %b, %c async
  // CHECK: layout.wait_mma %{{.*}} pending 0 : !layout.view<f32, register, (32,1,1):(1,0,0)>
  layout.wait_mma %c pending 0
  return
}

gpu.module @barriers {
  // CHECK-LABEL: @barriers
  gpu.func @barriers(%g: !layout.view<i8, global, 4096:1>, %i: index) kernel {
    // CHECK: %[[FULL:.*]] = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %s = layout.alloc : !layout.view<i8, shared, 4096:1>
    // CHECK: layout.transaction %[[FULL]](%{{.*}}) : !layout.view<i64, shared, 2:1> {
    // CHECK-NEXT: layout.copy #layout.atom<bulk_load>
    // CHECK-NEXT: }
    layout.transaction %full(%i) {
      layout.copy #layout.atom<bulk_load> %g, %s
    }
    // CHECK: layout.wait %{{.*}}, %[[FULL]](%{{.*}}) : !layout.view<i64, shared, 2:1>
    layout.wait %i, %full(%i)
    // CHECK: layout.arrive %[[FULL]](1) : !layout.view<i64, shared, 2:1>
    layout.arrive %full(1)
    gpu.return
  }
}
