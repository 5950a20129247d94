// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file --allow-unregistered-dialect | FileCheck %s --check-prefix=LEAK

// LEAK-NOT: {{[%"# ]}}layout.{{[a-z]}}
// LEAK-NOT: !layout

// Descriptors: the tile's matrix (swizzle of 128 bytes, 1024 bytes from 8 rows to the next), the
// start address in units of 16 bytes, and 32 bytes from one step along K to the next. Without a
// pipeline around it, the product is waited for.

// CHECK-LABEL: gpu.func @wgmma
// CHECK:         %[[START:.+]] = llvm.ptrtoint %{{.+}} : !llvm.ptr<3> to i32
// CHECK:         %[[INSIDE:.+]] = arith.andi %[[START]], %c262143_i32
// CHECK:         %[[UNITS:.+]] = arith.shrui %[[INSIDE]], %c4_i32
// CHECK:         %[[WIDE:.+]] = arith.extui %[[UNITS]] : i32 to i64
// CHECK:         %[[MATRIX:.+]] = arith.constant 4611686293305360384 : i64
// CHECK:         %[[A:.+]] = arith.ori %[[WIDE]], %[[MATRIX]] : i64
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"// registers", "=f,=f,=f,=f,0,1,2,3"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         nvvm.wgmma.mma_async %[[A]], %{{.+}}, %{{.+}}, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
// CHECK:         %[[NEXT:.+]] = arith.addi %[[A]], %{{.+}}
// CHECK:         nvvm.wgmma.mma_async %[[NEXT]],
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"// registers", "=f,=f,=f,=f,0,1,2,3"
gpu.module @m {
  gpu.func @wgmma() kernel {
    %a = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),1,2):((64,1),0,16)>
    %b = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,2):((64,1),0,16)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.mma #layout.atom<wgmma_m64n8k16_f32_f16> %a, %b, %c
      : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),1,2):((64,1),0,16)>,
        !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,2):((64,1),0,16)>,
        !layout.view<f32, register, (4,1,1):(1,4,4)>
    gpu.return
  }
}

// -----

// MN-major tiles: the other orders.

// CHECK-LABEL: gpu.func @mn_major
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
gpu.module @m {
  gpu.func @mn_major() kernel {
    %a = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,1):((1,64),0,0)>
    %b = layout.alloc : !layout.view<bf16, shared, ((8,(8,2)),1,1):((1,(8,64)),0,0)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.mma #layout.atom<wgmma_m64n8k16_f32_bf16> %a, %b, %c
      : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,1):((1,64),0,0)>,
        !layout.view<bf16, shared, ((8,(8,2)),1,1):((1,(8,64)),0,0)>,
        !layout.view<f32, register, (4,1,1):(1,4,4)>
    gpu.return
  }
}

// -----

// A in registers: they are fenced as the accumulators are, and the MMA is waited for.

// CHECK-LABEL: gpu.func @registers
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"// registers", "=r,=r,=r,=r,0,1,2,3"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"// registers", "=f,=f,=f,=f,0,1,2,3"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         llvm.inline_asm {{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0,$1,$2,$3}, {$4,$5,$6,$7}, $8, p, 1, 1, 0; }", "=f,=f,=f,=f,r,r,r,r,l,0,1,2,3"
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:         "// registers", "=f,=f,=f,=f,0,1,2,3"
gpu.module @m {
  gpu.func @registers() kernel {
    %a = layout.alloc : !layout.view<bf16, register, (8,1,1):(1,8,8)>
    %b = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.mma #layout.atom<wgmma_ra_m64n8k16_f32_bf16> %a, %b, %c
      : !layout.view<bf16, register, (8,1,1):(1,8,8)>,
        !layout.view<bf16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>,
        !layout.view<f32, register, (4,1,1):(1,4,4)>
    gpu.return
  }
}

// -----

// Two-level accumulation: from zero on, as the number of blocks is not 0, waited for, and added.

// CHECK-LABEL: gpu.func @two_levels
// CHECK:         %[[BLOCKS:.+]] = gpu.grid_dim x
// CHECK:         %[[NEVER:.+]] = arith.index_castui %[[BLOCKS]]
// CHECK:         llvm.inline_asm {{.*}}"{ .reg .pred p; setp.eq.b32 p, $6, 0; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0,$1,$2,$3}, $4, $5, p, 1, 1; }", "=f,=f,=f,=f,l,l,r,0,1,2,3" %{{.+}}, %{{.+}}, %[[NEVER]],
// CHECK:         nvvm.wgmma.mma_async {{.+}} D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <col>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-4: arith.addf
gpu.module @m {
  gpu.func @two_levels() kernel attributes {layout.kernel = {}} {
    %a = layout.alloc : !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((64,32),1,2):((128,1),0,32)>
    %b = layout.alloc : !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((8,32),1,2):((128,1),0,32)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.mma #layout.atom<wgmma_m64n8k32_f32_e4m3> %a, %b, %c two_level_accumulation
      : !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((64,32),1,2):((128,1),0,32)>,
        !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((8,32),1,2):((128,1),0,32)>,
        !layout.view<f32, register, (4,1,1):(1,4,4)>
    gpu.return
  }
}

// -----

// Fragments of a step with A in registers are loaded while those before are multiplied: %f waits for the first
// of the step before, which leaves that one's second; %g for that one, which leaves the first of this step. Both
// are left when the stage before is released.

// CHECK-LABEL: gpu.func @fragments
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:             nvvm.ldmatrix
// CHECK:             "// registers", "=r,=r,=r,=r,0,1,2,3"
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK:             wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, {$4,$5,$6,$7}, $8, p, 1, 1, 0; }
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:             nvvm.ldmatrix
// CHECK:             wgmma.mma_async.sync.aligned.m64n8k16
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 2
// CHECK:             nvvm.bar.warp.sync
// CHECK:             nvvm.mbarrier.arrive
// CHECK:           } {llvm.loop_annotation = #{{.+}}}
// CHECK-COUNT-1:   nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NOT:       nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:           nvvm.mbarrier.arrive
gpu.module @m {
  gpu.func @fragments() kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (32,8,2):(64,1,8)>
    %b = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1,2):((64,1),0,0,16)>
    %f = layout.alloc : !layout.view<f16, register, (8,1,1):(1,8,8)>
    %g = layout.alloc : !layout.view<f16, register, (8,1,1):(1,8,8)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.pipeline %c0 to %c1 by %c1 depth 4 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      %a0 = layout.slice %a(%t, _, 0) : !layout.view<f16, shared, S<3,3,3> o 0 o (32,8,2):(64,1,8)>
      %b0 = layout.slice %b(_, _, _, 0) : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1,2):((64,1),0,0,16)>
      layout.copy #layout.atom<ldmatrix_x4> %a0, %f
        : !layout.view<f16, shared, S<3,3,3> o 0 o (8):(1)>, !layout.view<f16, register, (8,1,1):(1,8,8)>
      layout.mma #layout.atom<wgmma_ra_m64n8k16_f32_f16> %f, %b0, %c
        : !layout.view<f16, register, (8,1,1):(1,8,8)>,
          !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>, !layout.view<f32, register, (4,1,1):(1,4,4)>
      %a1 = layout.slice %a(%t, _, 1) : !layout.view<f16, shared, S<3,3,3> o 0 o (32,8,2):(64,1,8)>
      %b1 = layout.slice %b(_, _, _, 1) : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1,2):((64,1),0,0,16)>
      layout.copy #layout.atom<ldmatrix_x4> %a1, %g
        : !layout.view<f16, shared, S<3,3,3> o 0 o (8):(1)>, !layout.view<f16, register, (8,1,1):(1,8,8)>
      layout.mma #layout.atom<wgmma_ra_m64n8k16_f32_f16> %g, %b1, %c
        : !layout.view<f16, register, (8,1,1):(1,8,8)>,
          !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>, !layout.view<f32, register, (4,1,1):(1,4,4)>
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Fragments that a branch of the step loads: their product is waited for at once, and the step releases its own
// stage.

// CHECK-LABEL: gpu.func @fragments_of_a_branch
// CHECK:           scf.for
// CHECK-NOT:         nvvm.wgmma.wait.group.sync.aligned
// CHECK:             scf.if
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NOT:         arith.subi
// CHECK:             nvvm.mbarrier.arrive
// CHECK-NOT:       nvvm.mbarrier.arrive
// CHECK:         } else {
gpu.module @m {
  gpu.func @fragments_of_a_branch() kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f16
    %b = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>
    %f = layout.alloc : !layout.view<f16, register, (8,1,1):(1,8,8)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,1):(1,4,4)>
    layout.pipeline %c0 to %c1 by %c1 depth 4 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        layout.fill %f, %zero : !layout.view<f16, register, (8,1,1):(1,8,8)>
      }
      layout.mma #layout.atom<wgmma_ra_m64n8k16_f32_f16> %f, %b, %c
        : !layout.view<f16, register, (8,1,1):(1,8,8)>,
          !layout.view<f16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>, !layout.view<f32, register, (4,1,1):(1,4,4)>
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// In a pipeline, two tiles of accumulators alternate under two-level accumulation: one is added while the other is multiplied. Nothing is
// in flight after the step, which releases its own stage.

// CHECK-LABEL: gpu.func @alternating_accumulators
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2:     setp.eq.b32 p, $9, 0; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0,$1,$2,$3}, {$4,$5,$6,$7}, $8, p, 1, 1; }
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-4:     arith.addf
// CHECK:             "// registers", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK:             setp.eq.b32
// CHECK:             nvvm.wgmma.commit.group.sync.aligned
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-4:     arith.addf
// CHECK:             nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-4:     arith.addf
// CHECK-NOT:         arith.subi
// CHECK:             nvvm.mbarrier.arrive
// CHECK-NOT:       nvvm.mbarrier.arrive
// CHECK:         } else {
gpu.module @m {
  gpu.func @alternating_accumulators() kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = layout.alloc : !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((8,32),3,1):((128,1),1024,0)>
    %f = layout.alloc : !layout.view<f8E4M3FN, register, (16,1,1):(1,16,16)>
    %c = layout.alloc : !layout.view<f32, register, (4,1,3):(1,4,4)>
    layout.pipeline %c0 to %c1 by %c1 depth 4 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      layout.mma #layout.atom<wgmma_ra_m64n8k32_f32_e4m3> %f, %b, %c two_level_accumulation
        : !layout.view<f8E4M3FN, register, (16,1,1):(1,16,16)>,
          !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((8,32),3,1):((128,1),1024,0)>,
          !layout.view<f32, register, (4,1,3):(1,4,4)>
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// A pipeline: barriers, a warpgroup that loads in one thread, warpgroups that multiply; the tensor
// map becomes a parameter, is described, and is fetched while barriers are made.

// CHECK-LABEL: gpu.func @pipeline
// CHECK-SAME:    (%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr)
// CHECK-SAME:    shared_bytes = 17408 : i64, tensor_maps = [{arg = 0 : i64, box = array<i64: 64, 64>, element = "f16", extents = array<i64: 256, 500>, strides = array<i64: 2, 512>, swizzle = 128 : i64}]
// CHECK:         nvvm.prefetch tensormap in_param_space, %arg1 : !llvm.ptr
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           nvvm.setmaxregister increase 232
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK:               nvvm.mbarrier.arrive
// CHECK:         } else {
// CHECK:           nvvm.setmaxregister decrease 40
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               nvvm.mbarrier.try_wait.parity
// CHECK:               nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c8192_i32
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %{{.+}}, box[%{{.+}}, %{{.+}}]
gpu.module @m {
  gpu.func @pipeline(%a: !layout.view<f16, global, (512,256):(256,1)>) kernel
      attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %tiles = layout.zipped_divide %a, #layout<(64,64)> : !layout.view<f16, global, (512,256):(256,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (512,256):(1,0)>
    %row_tiles = layout.zipped_divide %rows, #layout<(64,64)> : !layout.view<index, coordinate, (512,256):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (512,256):(0,1)>
    %column_tiles = layout.zipped_divide %columns, #layout<(64,64)> : !layout.view<index, coordinate, (512,256):(0,1)>
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64),2):((64,1),4096)>
    layout.pipeline %c0 to %c8 by %c1 depth 4 stages 2 consumers 256
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %tiles(_, (%tile, %k)) : !layout.view<f16, global, ((64,64),(8,4)):((256,1),(16384,64))>
      %row = layout.slice %row_tiles(_, (%tile, %k)) : !layout.view<index, coordinate, ((64,64),(8,4)):((1,0),(64,0))>
      %column = layout.slice %column_tiles(_, (%tile, %k)) : !layout.view<index, coordinate, ((64,64),(8,4)):((0,1),(0,64))>
      %to = layout.slice %s(_, %stage) : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64),2):((64,1),4096)>
      layout.copy #layout.atom<bulk_tensor_load> %from, %to
        predicate(%row < 500 : !layout.view<index, coordinate, ((64,64)):((1,0))>,
              %column < 256 : !layout.view<index, coordinate, ((64,64)):((0,1))>)
        : !layout.view<f16, global, ((64,64)):((256,1))>,
          !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64)):((64,1))>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Evict-first loads carry an L2 cache hint, alone and for a cluster.

// CHECK-LABEL: gpu.func @evict_first
// CHECK:         %[[FIRST:.+]] = arith.constant 1364590687093260288 : i64
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}} l2_cache_hint = %[[FIRST]] :
// CHECK:         llvm.inline_asm {{.+}} "{{.+}}.multicast::cluster.L2::cache_hint [$0], [$1, {$4, $5}], [$2], $3, $6;", "r,l,r,h,r,r,l,~{memory}"
gpu.module @m {
  gpu.func @evict_first(%a: !layout.view<f16, global, (16,64):(64,1)>) kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128 attributes {cluster = array<i64: 2, 1>}
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>,
              %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>) {evict_first}
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>,
              %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>) {multicast = 0 : i64, evict_first}
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Two consumer groups: a third kind of barrier, for their turns; each takes every second tile, from its own on.

// CHECK-LABEL: gpu.func @ping_pong
// CHECK-COUNT-6: nvvm.mbarrier.init
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:         %[[GROUP:.+]] = arith.divui %{{.+}}, %c128
// CHECK:         %[[OFFSET:.+]] = arith.muli %{{.+}}, %[[GROUP]]
// CHECK:         %[[FIRST:.+]] = arith.addi %{{.+}}, %[[OFFSET]]
// CHECK:         %[[STEP:.+]] = arith.muli %{{.+}}, %c2
// CHECK:         scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %[[STEP]]
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           scf.for
// CHECK:             nvvm.mbarrier.try_wait.parity
// CHECK:             nvvm.mbarrier.arrive
// CHECK:           nvvm.mbarrier.arrive
// CHECK:         nvvm.setmaxregister decrease 40
gpu.module @m {
  gpu.func @ping_pong() kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    layout.pipeline %c0 to %c8 by %c1 depth 4 stages 2 consumers 256 attributes {ping_pong = 2 : i64}
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// A store from registers through shared memory: stmatrix by every warp, the copy engine by one
// thread of the warpgroup.

// CHECK-LABEL: gpu.func @store
// CHECK-SAME:    (%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr)
// CHECK-SAME:    tensor_maps = [{arg = 0 : i64, box = array<i64: 16, 16>, element = "f16", extents = array<i64: 64, 60>, strides = array<i64: 2, 128>, swizzle = 32 : i64}]
// CHECK:         nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK:         %[[OWN:.+]] = arith.andi %{{.+}}, %c127
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[OWN]], %c0
// CHECK:         scf.if %[[FIRST]] {
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %arg1, %{{.+}}, box[%{{.+}}, %{{.+}}]
gpu.module @m {
  gpu.func @store(%c: !layout.view<f16, global, (64,64):(64,1)>) kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %r = layout.alloc : !layout.view<f16, register, (8):(1)>
    %s = layout.alloc : !layout.view<f16, shared, S<1,3,3> o 0 o (16,16):(16,1)>
    %rows = layout.composition %s, #layout<composition((16,16):(1,16), ((16,2),8):((1,128),16))> : !layout.view<f16, shared, S<1,3,3> o 0 o (16,16):(16,1)>
    %own = layout.slice %rows((%t, _)) : !layout.view<f16, shared, S<1,3,3> o 0 o ((16,2),8):((16,8),1)>
    layout.copy #layout.atom<stmatrix_x4> %r, %own
      : !layout.view<f16, register, (8):(1)>, !layout.view<f16, shared, S<1,3,3> o 0 o (8):(1)>
    %tiles = layout.zipped_divide %c, #layout<(16,16)> : !layout.view<f16, global, (64,64):(64,1)>
    %tile = layout.slice %tiles(_, (%c0, %c0)) : !layout.view<f16, global, ((16,16),(4,4)):((64,1),(1024,16))>
    %i = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(1,0)>
    %i_tiles = layout.zipped_divide %i, #layout<(16,16)> : !layout.view<index, coordinate, (64,64):(1,0)>
    %i_tile = layout.slice %i_tiles(_, (%c0, %c0)) : !layout.view<index, coordinate, ((16,16),(4,4)):((1,0),(16,0))>
    %j = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(0,1)>
    %j_tiles = layout.zipped_divide %j, #layout<(16,16)> : !layout.view<index, coordinate, (64,64):(0,1)>
    %j_tile = layout.slice %j_tiles(_, (%c0, %c0)) : !layout.view<index, coordinate, ((16,16),(4,4)):((0,1),(0,16))>
    layout.copy #layout.atom<bulk_tensor_store> %s, %tile
      predicate(%i_tile < 60 : !layout.view<index, coordinate, ((16,16)):((1,0))>,
            %j_tile < 64 : !layout.view<index, coordinate, ((16,16)):((0,1))>)
      : !layout.view<f16, shared, S<1,3,3> o 0 o (16,16):(16,1)>, !layout.view<f16, global, ((16,16)):((64,1))>
    gpu.return
  }
}

// -----

// Tiles of their own steps: producer and consumers compute how many, and carry those of the tiles before.

// CHECK-LABEL: gpu.func @steps
// CHECK:         scf.for %[[TILE:.+]] = %c0{{.*}} to %c8{{.*}} step %c1{{.*}} iter_args(%[[BEFORE:.+]] = %c4_i32
// CHECK:           %[[SHORT:.+]] = arith.cmpi ult, %[[TILE]], %c2
// CHECK:           %[[STEPS:.+]] = arith.select %[[SHORT]], %c1, %c4
// CHECK:           %[[FIRST:.+]] = arith.remui %{{.+}}, %c2
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %[[STEPS]] step %{{.+}} iter_args(%[[STAGE:.+]] = %[[FIRST]], %[[PARITY:.+]] = %{{.+}}) -> (i32, i32) {
// CHECK:             nvvm.mbarrier.try_wait.parity %{{.+}}, %[[PARITY]]
// CHECK:             nvvm.mbarrier.arrive
// CHECK:             %[[LAST:.+]] = arith.cmpi eq, %[[STAGE]], %c1
// CHECK:             %[[MORE:.+]] = arith.addi %[[STAGE]], %c1
// CHECK:             %[[STAGE_NEXT:.+]] = arith.select %[[LAST]], %c0{{.*}}, %[[MORE]]
// CHECK:             %[[TURNS:.+]] = arith.extui %[[LAST]]
// CHECK:             %[[PARITY_NEXT:.+]] = arith.xori %[[PARITY]], %[[TURNS]]
// CHECK:             scf.yield %[[STAGE_NEXT]], %[[PARITY_NEXT]]
// CHECK:           %[[MORE:.+]] = arith.index_cast %[[STEPS]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[BEFORE]], %[[MORE]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         scf.for %[[TILE:.+]] = %c0{{.*}} to %c8{{.*}} step %c1{{.*}} iter_args(%[[BEFORE:.+]] = %c4_i32
// CHECK:           %[[SHORT:.+]] = arith.cmpi ult, %[[TILE]], %c2
// CHECK:           %[[STEPS:.+]] = arith.select %[[SHORT]], %c1, %c4
// CHECK:           scf.for %{{.+}} = %c0{{.*}} to %[[STEPS]] step
// CHECK:             nvvm.cp.async.bulk.tensor
// CHECK:           %[[MORE:.+]] = arith.index_cast %[[STEPS]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[BEFORE]], %[[MORE]]
// CHECK:           scf.yield %[[NEXT]]
gpu.module @m {
  gpu.func @steps(%a: !layout.view<f16, global, (512,256):(256,1)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %tiles = layout.zipped_divide %a, #layout<(64,64)> : !layout.view<f16, global, (512,256):(256,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (512,256):(1,0)>
    %row_tiles = layout.zipped_divide %rows, #layout<(64,64)> : !layout.view<index, coordinate, (512,256):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (512,256):(0,1)>
    %column_tiles = layout.zipped_divide %columns, #layout<(64,64)> : !layout.view<index, coordinate, (512,256):(0,1)>
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64),2):((64,1),4096)>
    layout.pipeline %c0 to %c8 by %c1 depth 4 stages 2 consumers 128
    steps {
    ^bb0(%tile: index):
      %short = arith.cmpi ult, %tile, %c2 : index
      %n = arith.select %short, %c1, %c4 : index
      layout.yield %n : index
    } load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %tiles(_, (%tile, %k)) : !layout.view<f16, global, ((64,64),(8,4)):((256,1),(16384,64))>
      %row = layout.slice %row_tiles(_, (%tile, %k)) : !layout.view<index, coordinate, ((64,64),(8,4)):((1,0),(64,0))>
      %column = layout.slice %column_tiles(_, (%tile, %k)) : !layout.view<index, coordinate, ((64,64),(8,4)):((0,1),(0,64))>
      %to = layout.slice %s(_, %stage) : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64),2):((64,1),4096)>
      layout.copy #layout.atom<bulk_tensor_load> %from, %to
        predicate(%row < 500 : !layout.view<index, coordinate, ((64,64)):((1,0))>,
              %column < 256 : !layout.view<index, coordinate, ((64,64)):((0,1))>)
        : !layout.view<f16, global, ((64,64)):((256,1))>,
          !layout.view<f16, shared, S<3,3,3> o 0 o ((64,64)):((64,1))>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}
