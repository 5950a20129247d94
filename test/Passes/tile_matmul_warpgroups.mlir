// Warpgroups: by four warps along M on a chip that has them. K-major operands (A row-major) are
// copied in one box, MN-major ones have the swizzle's atoms follow each other along K.

// RUN: layout-opt %s --layout-tile-matmul --layout-simplify --layout-fold --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @tn
// CHECK-SAME:    block = array<i64: 384, 1, 1>, chip = "sm_90a", grid = array<i64: 32, 1, 1>, grid_limit = "multiprocessors"
// CHECK:         %[[THREAD:.+]]:3 = layout.idx2crd %thread_id_x, #layout<(128,2,1)>
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,16),(64,1)),(1,4)):(((64,512),(1,0)),(0,8192))>
// CHECK:         %[[ORDER:.+]] = layout.constant #layout<(8,4,1):(1,8,8)>
// CHECK:         layout.pipeline %block_id_x to %c32 by %grid_dim_x depth 8 stages 4 consumers 256 load {
// CHECK:           %[[NUMBER:.+]] = layout.crd2idx %[[ORDER]](%{{.+}})
// CHECK:           layout.idx2crd %[[NUMBER]], #layout<(8,4)>
// CHECK:           layout.copy #layout.atom<bulk_tensor_load> %{{.+}}, %{{.+}} predicate(%{{.+}} < 1024 : {{.+}}, %{{.+}} < 512 : {{.+}}) : !layout.view<bf16, global, ((128,64)):((512,1))>
// CHECK:           layout.copy #layout.atom<bulk_tensor_load>
// CHECK:         } prologue {
// CHECK:           layout.fill
// CHECK:         } mainloop {
// CHECK:           layout.mma #layout.atom<wgmma_m64n256k16_f32_bf16> {{.+}} : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>, !layout.view<bf16, shared, S<3,3,3> o 0 o ((256,16),1,4):((64,1),0,16)>, !layout.view<f32, register, ((16,8),1,1):((1,16),128,128)>
// CHECK:         } epilogue {
// C of 32 bits in rows too, 32 columns at a time, by each thread its own.
// CHECK:           layout.copy #layout.atom<simt_2> {{.+}} : !layout.view<f32, register, (16):(1)>, !layout.view<f32, shared, S<3,2,3> o 0 o {{.+}}>
// CHECK:           layout.copy #layout.atom<bulk_tensor_store> {{.+}} : {{.+}}, !layout.view<f32, global, ((64,32)):((1024,1))>
!a = !layout.view<bf16, global, (1024,512):(512,1)>
!b = !layout.view<bf16, global, (1024,512):(512,1)>
!c = !layout.view<f32, global, (1024,1024):(1024,1)>
func.func @tn(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// CHECK-LABEL: gpu.func @nt
// CHECK:         layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (((64,2),(8,8)),(1,4)):(((1,4096),(64,512)),(0,8192))>
// CHECK:         layout.mma #layout.atom<wgmma_m64n256k16_f32_f16> {{.+}} : !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),1,4):((1,64),0,1024)>, !layout.view<f16, shared, S<3,3,3> o 0 o (((64,4),16),1,4):(((1,4096),64),0,1024)>
// C of 16 bits in rows is put together in shared memory, 64 columns at a time, in two buffers.
// CHECK:         } epilogue {
// CHECK:           layout.copy #layout.atom<simt_2> %{{.+}}, %[[HELD:.+]] : !layout.view<f32, register, (32):(1)>, !layout.view<f16, register, (32):(1)>
// CHECK:           nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:           nvvm.barrier id = %[[NUMBER:.+]] number_of_threads = %c128_i32
// CHECK:           layout.copy #layout.atom<stmatrix_x4> %[[HELD]], %{{.+}} : !layout.view<f16, register, (32):(1)>, !layout.view<f16, shared, S<3,3,3> o 0 o ((2,4),(1,4)):((1,2),(0,16))>
// CHECK:           nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:           nvvm.barrier id = %[[NUMBER]]
// CHECK:           layout.copy #layout.atom<bulk_tensor_store> {{.+}} predicate(%{{.+}} < 1024 : {{.+}}, %{{.+}} < 1024 : {{.+}}) : {{.+}}, !layout.view<f16, global, ((64,64)):((1024,1))>
// CHECK:           nvvm.cp.async.bulk.commit.group
// CHECK-COUNT-3:   layout.copy #layout.atom<bulk_tensor_store>
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
!a = !layout.view<f16, global, (1024,512):(1,1024)>
!b = !layout.view<f16, global, (1024,512):(1,1024)>
!c = !layout.view<f16, global, (1024,1024):(1024,1)>
func.func @nt(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Two consumer groups of a warpgroup each, which have buffers and a barrier of their own, and the same share of the
// tiles that they take alternately.

// CHECK-LABEL: gpu.func @ping_pong
// CHECK-SAME:    block = array<i64: 384, 1, 1>
// CHECK:         layout.idx2crd %thread_id_x, #layout<(128,1,1,2)>
// CHECK:         layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,2),(1,2)):(((64,512),(1,0)),(0,4096),(0,8192))>
// CHECK:         layout.pipeline %block_id_x to %c{{[0-9]+}} by %grid_dim_x depth 8 stages 4 consumers 256 attributes {ping_pong = 2 : i64} load {
// CHECK:           layout.mma #layout.atom<wgmma_m64n192k16_f32_f16> {{.+}} : {{.+}}, !layout.view<f32, register, ((32,3),2,1):((1,32),96,192)>
!a = !layout.view<f16, global, (1024,512):(512,1)>
!b = !layout.view<f16, global, (768,512):(512,1)>
!c = !layout.view<f16, global, (1024,768):(768,1)>
func.func @ping_pong(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,192,64), warps = (4,1), stages = 4, ping_pong = true, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// An operand that bulk copies cannot take is copied first, by a kernel of its own, with the widest
// vectors that its alignment proves, to rows of whole cache lines. The matmul may be launched while it runs.

// CHECK-LABEL: gpu.func @odd_copy_a(
// CHECK-SAME:    %[[A:.+]]: !layout.view<f16, global, (130,129):(129,1)>, %{{.+}}: !layout.view<f16, global, (64,129):(136,1)>, %{{.+}}: !layout.view<f16, global, (130,64):(64,1)>, %[[W:.+]]: !layout.view<f16, global, (130,129):(192,1)>)
// CHECK-SAME:    layout.step = {block = array<i64: 256, 1, 1>, grid = array<i64: 17, 1, 1>}
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK:         %[[HELD:.+]] = layout.alloc : !layout.view<f16, register, (16):(1)>
// CHECK:         layout.copy #layout.atom<simt_1> %{{.+}}, %[[HELD]] predicate(%{{.+}} < 130 : {{.+}}, %{{.+}} < 129 : {{.+}})
// CHECK:         layout.copy #layout.atom<simt_1> %[[HELD]], %{{.+}} predicate(%{{.+}} < 130 : {{.+}}, %{{.+}} < 129 : {{.+}})
// CHECK-LABEL: gpu.func @odd(
// CHECK-SAME:    before = [{block = array<i64: 256, 1, 1>, grid = array<i64: 17, 1, 1>, name = "odd_copy_a"}]
// CHECK-SAME:    dependent_launch = true
// CHECK-SAME:    workspaces = [{access = "write", element = "f16", name = "a_copy", shape = "(130,129)", stride = "(192,1)"}]
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK:         layout.zipped_divide %arg3, #layout<(64,64)>
// CHECK:         layout.pipeline
!a = !layout.view<f16, global, (130,129):(129,1)>
!b = !layout.view<f16, global, (64,129):(136,1)>
!c = !layout.view<f16, global, (130,64):(64,1)>
func.func @odd(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// An operand of half a L2 cache of which each tile is read by at most four at once streams through it: its lines leave
// before those of others. Here B; where five tiles read it, it does not.

// CHECK-LABEL: gpu.func @evict_first
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 128 : {{.+}}) :
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 8192 : {{.+}}) {evict_first} :
// CHECK-LABEL: gpu.func @evict_first_swapped
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 8192 : {{.+}}) {evict_first} :
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 128 : {{.+}}) :
// CHECK-LABEL: gpu.func @evict_first_cluster
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 192 : {{.+}}) :
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> {{.+}} predicate({{.+}} < 8192 : {{.+}}) {evict_first, multicast = 0 : i64} :
// CHECK-LABEL: gpu.func @not_evict_first
// CHECK-NOT:     evict_first}
!a = !layout.view<f16, global, (128,4096):(4096,1)>
!a3 = !layout.view<f16, global, (192,4096):(4096,1)>
!b = !layout.view<f16, global, (8192,4096):(4096,1)>
!c = !layout.view<f16, global, (128,8192):(8192,1)>
!c3 = !layout.view<f16, global, (192,8192):(8192,1)>
!a5 = !layout.view<f16, global, (320,4096):(4096,1)>
!c5 = !layout.view<f16, global, (320,8192):(8192,1)>
func.func @evict_first(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}
func.func @evict_first_swapped(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, swap_ab = true, chip = "sm_90a">) : !a, !b, !c
  return
}
func.func @evict_first_cluster(%a: !a3, %b: !b, %c: !c3) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, cluster = (2,1), chip = "sm_90a">) : !a3, !b, !c3
  return
}
func.func @not_evict_first(%a: !a5, %b: !b, %c: !c5) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, chip = "sm_90a">) : !a5, !b, !c5
  return
}

// -----

// A from registers: bulk copies bring it to shared memory, and each warp loads a step along K at a time, of up to four,
// which are multiplied one after the other.

// CHECK-LABEL: gpu.func @held(
// CHECK:         %[[LANE:.+]]:2 = layout.idx2crd %{{.+}}#0, #layout<(32,4)>
// CHECK:         %[[A:.+]] = layout.slice %{{.+}}(((((%[[LANE]]#0, _), %[[LANE]]#1), _), (%{{.+}}#1, _)), _)
// CHECK:         %[[F:.+]] = layout.alloc : !layout.view<bf16, register, (8,2,1):(1,8,16)>
// CHECK-COUNT-3: layout.alloc : !layout.view<bf16, register, (8,2,1):(1,8,16)>
// CHECK-NOT:     layout.alloc
// CHECK:         } mainloop {
// CHECK:           %[[OWN:.+]] = layout.slice %[[A]](_, (_, 0), _, %{{.+}})
// CHECK:           layout.copy #layout.atom<ldmatrix_x4> %[[OWN]], %[[F]] :
// CHECK:           layout.mma #layout.atom<wgmma_ra_m64n128k16_f32_bf16> %[[F]], {{.+}} : {{.+}}, !layout.view<bf16, shared, S<2,3,3> o 0 o ((128,16),1,1):((32,1),0,0)>, {{.+}}
// CHECK-COUNT-4:   layout.mma
// CHECK-NOT:       layout.copy {{.+}} %[[F]] :
// CHECK:           layout.mma
// CHECK:         } epilogue {
// tf32 along M, which no copy of matrices transposes: each thread loads what it multiplies. No copy of A comes before.
// CHECK-LABEL: gpu.func @held_gathered(
// CHECK-NOT:     workspaces
// CHECK:         layout.alloc : !layout.view<tf32, shared, S<3,2,3> o 0 o (((32,4),
// CHECK:         layout.alloc : !layout.view<tf32, shared, S<3,2,3> o 0 o (((8,32),
// CHECK:           layout.copy #layout.atom<simt_1> %{{.+}}, %{{.+}} : !layout.view<tf32, shared, {{.+}}>, !layout.view<tf32, register, (4,1,1):(1,4,4)>
// Two-level accumulation takes all steps of a stage.
// CHECK-LABEL: gpu.func @held_two_level_accumulation(
// CHECK:         } mainloop {
// CHECK:           layout.copy #layout.atom<ldmatrix_x4> %{{.+}}, %[[F:.+]] : {{.+}}, !layout.view<f8E4M3FN, register, (16,1,4):(1,16,16)>
// CHECK:           layout.mma #layout.atom<wgmma_ra_m64n64k32_f32_e4m3> %[[F]], {{.+}} two_level_accumulation :
// CHECK-NOT:       layout.mma
// CHECK:         } epilogue {
!a = !layout.view<bf16, global, (1024,512):(512,1)>
!b = !layout.view<bf16, global, (1024,512):(512,1)>
!c = !layout.view<f32, global, (1024,1024):(1024,1)>
func.func @held(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,96), warps = (4,1), stages = 3, mma = wgmma_ra_m64n128k16_f32_bf16, chip = "sm_90a">) : !a, !b, !c
  return
}
!at = !layout.view<f32, global, (1024,512):(1,1024)>
!bt = !layout.view<f32, global, (1024,512):(512,1)>
func.func @held_gathered(%a: !at, %b: !bt, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,32), warps = (8,1), stages = 4, mma = wgmma_ra_m64n256k8_f32_tf32, chip = "sm_90a">) : !at, !bt, !c
  return
}
!a8 = !layout.view<f8E4M3FN, global, (1024,512):(512,1)>
!c8 = !layout.view<bf16, global, (1024,1024):(1024,1)>
func.func @held_two_level_accumulation(%a: !a8, %b: !a8, %c: !c8) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,128), warps = (8,1), stages = 4, mma = wgmma_ra_m64n64k32_f32_e4m3, two_level_accumulation = true, chip = "sm_90a">) : !a8, !a8, !c8
  return
}

// -----

// C of 8 bits: converted to registers of its type, two at a time, and written to rows of 128 bytes, or of as many columns as an instruction's are a
// multiple of. Sums of integers are saturated as they are.

// CHECK-LABEL: gpu.func @narrow(
// CHECK:           layout.copy #layout.atom<simt_2> {{.+}} : !layout.view<f32, register, (64):(1)>, !layout.view<f8E4M3FN, register, (64):(1)>
// CHECK:           layout.copy #layout.atom<simt_2> {{.+}} : !layout.view<f8E4M3FN, register, (64):(1)>, !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o {{.+}}>
// CHECK:           layout.copy #layout.atom<bulk_tensor_store> {{.+}} : {{.+}}, !layout.view<f8E4M3FN, global, ((64,128)):((1024,1))>

// CHECK-LABEL: gpu.func @integers(
// CHECK:           layout.copy #layout.atom<simt_2> {{.+}} : !layout.view<i32, register, (32):(1)>, !layout.view<i8, register, (32):(1)>
// CHECK:           layout.copy #layout.atom<bulk_tensor_store> {{.+}} : {{.+}}, !layout.view<i8, global, ((64,64)):((1024,1))>

// Rows that the copy engine does not take: two bytes at once where rows begin at even places.

// CHECK-LABEL: gpu.func @pairs(
// CHECK:           layout.copy #layout.atom<simt_2> {{.+}} : !layout.view<f32, register, {{.+}}>, !layout.view<f8E5M2, global, {{.+}}>
!a8 = !layout.view<f8E4M3FN, global, (1024,512):(512,1)>
!c8 = !layout.view<f8E4M3FN, global, (1024,1024):(1024,1)>
func.func @narrow(%a: !a8, %b: !a8, %c: !c8) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,128), warps = (8,1), stages = 4, chip = "sm_90a">) : !a8, !a8, !c8
  return
}
!ai = !layout.view<i8, global, (1024,512):(512,1)>
!ci = !layout.view<i8, global, (1024,1024):(1024,1)>
func.func @integers(%a: !ai, %b: !ai, %c: !ci) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,192,128), warps = (8,1), stages = 4, chip = "sm_90a">) : !ai, !ai, !ci
  return
}
!cp = !layout.view<f8E5M2, global, (1024,1024):(1026,1)>
func.func @pairs(%a: !a8, %b: !a8, %c: !cp) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,128), warps = (8,1), stages = 4, chip = "sm_90a">) : !a8, !a8, !cp
  return
}

// -----

// Two warps along M are no warpgroup: the way that every chip knows.

// CHECK-LABEL: gpu.func @warps
// CHECK-NOT:     layout.pipeline
// CHECK:         layout.mma #layout.atom<mma_m16n8k16_f32_f16>
!a = !layout.view<f16, global, (128,128):(128,1)>
func.func @warps(%a: !a, %b: !a, %c: !a) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, chip = "sm_90a">) : !a, !a, !a
  return
}

// -----

// A batch: one more mode of every operand, and of the raster order, product by product; one left side for all of
// it is copied without a coordinate of the batch in its tensor map, which the lowering leaves out.

// CHECK-LABEL: gpu.func @batched
// CHECK-SAME:    grid = array<i64: 48, 1, 1>, grid_limit = "multiprocessors", problem = {batch = 3 : i64, k = 256 : i64, kind = "matmul", m = 512 : i64, n = 1024 : i64}
// CHECK:         %[[ORDER:.+]] = layout.constant #layout<((4,4,1),3):((1,4,4),16)>
// CHECK:         layout.pipeline %block_id_x to %c48 by %grid_dim_x depth 4 stages 4 consumers 256 load {
// CHECK:           %[[NUMBER:.+]] = layout.crd2idx %[[ORDER]](%{{.+}})
// CHECK:           %[[TILE:.+]]:3 = layout.idx2crd %[[NUMBER]], #layout<(4,4,3)>
// CHECK:           layout.slice %{{.+}}(_, (%[[TILE]]#0, %{{.+}}, %[[TILE]]#2)) : !layout.view<bf16, global, ((128,64,1),(4,4,3)):((256,1,0),(32768,64,0))>
// CHECK:           layout.copy #layout.atom<bulk_tensor_load> %{{.+}}, %{{.+}} predicate(%{{.+}} < 512 : {{.+}}, %{{.+}} < 256 : {{.+}}, %{{.+}} < 3 : {{.+}})
!a = !layout.view<bf16, global, (512,256,3):(256,1,0)>
!b = !layout.view<bf16, global, (1024,256,3):(256,1,262144)>
!c = !layout.view<bf16, global, (512,1024,3):(1024,1,524288)>
func.func @batched(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Each operand is taken as its own alignment allows: A as it is, B, whose rows are 2 bytes from where they should be, copied element by element,
// and C stored by each thread.

// CHECK-LABEL: gpu.module @unaligned_b
// CHECK-NOT:   @unaligned_b_copy_a
// CHECK:       gpu.func @unaligned_b_copy_b
// CHECK:         layout.copy #layout.atom<simt_1>
// CHECK:       gpu.func @unaligned_b(
// CHECK-SAME:    workspaces = [{access = "write", element = "f16", name = "b_copy", shape = "(136,64)", stride = "(64,1)"}]
// CHECK:         layout.pipeline
// CHECK:           layout.copy #layout.atom<bulk_tensor_load> {{.+}} : !layout.view<f16, global, ((64,64)):((64,1))>
// CHECK:           layout.copy #layout.atom<simt_1> {{.+}} !layout.view<f32, register,
!a = !layout.view<f16, global, (128,64):(64,1)>
!b = !layout.view<f16, global, (136,64):(65,1)>
!c = !layout.view<f16, global, (128,136):(137,1)>
func.func @unaligned_b(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Stream-K divides all tiles along K evenly: a block's tiles are those that its range meets, each with the steps that are in it; what is not
// all of a tile goes to a workspace of two tiles for each block, which another kernel sums up.

// CHECK-LABEL: gpu.module @shares
// CHECK:       gpu.func @shares_sum(%arg0: {{.+}}, %arg1: {{.+}}, %arg2: {{.+}}, %arg3: !layout.view<f32, global, (640,64):(64,1)>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.step = {block = array<i64: 128, 1, 1>, grid = array<i64: 8, 4, 1>}}
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK:         arith.cmpi ult
// CHECK:         arith.cmpi ule
// CHECK:         scf.if
// CHECK:           layout.copy #layout.atom<simt_4> %{{.+}} : !layout.view<f32, global
// CHECK:           layout.copy #layout.atom<simt_4> %{{.+}} : !layout.view<f32, global
// CHECK-COUNT-4:   arith.addf
// CHECK:           layout.copy #layout.atom<simt_4> {{.+}}bf16, global
// CHECK:       gpu.func @shares(
// CHECK-SAME:    after = [{block = array<i64: 128, 1, 1>, grid = array<i64: 8, 4, 1>, name = "shares_sum"}]
// CHECK-SAME:    dependent_launch = true
// CHECK-SAME:    grid = array<i64: 5, 1, 1>
// CHECK-NOT:     grid_limit
// CHECK-SAME:    workspaces = [{access = "write", element = "f32", name = "sums", shape = "(640,64)", stride = "(64,1)"}]
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK:         layout.pipeline %{{.+}} to %{{.+}} by %c1{{.*}} depth 4 stages 3 consumers 128 steps {
// CHECK:           arith.maxui
// CHECK:           arith.minui
// CHECK:           layout.yield %{{.+}} : index
// CHECK:         } load {
// CHECK:         } epilogue {
// CHECK:           scf.if
// CHECK:             layout.copy #layout.atom<bulk_tensor_store>
// CHECK:           } else {
// CHECK:             layout.copy #layout.atom<simt_2> %{{.+}} : !layout.view<f32, register, {{.+}}>, !layout.view<f32, global
!v = !layout.view<bf16, global, (256,256):(256,1)>
func.func @shares(%a: !v, %b: !v, %c: !v) {
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 5, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

// Two products of one kernel: one raster order, of which the first eight are the first's, with two steps; branches by the product, stages
// for both. The second's B has rows that bulk copies cannot take, and is copied first.

// CHECK-LABEL: gpu.module @several
// CHECK:       gpu.func @several_copy_b1(
// CHECK:       gpu.func @several(
// CHECK-SAME:    args = [{access = "read", element = "bf16", name = "a0", {{.+}}name = "b0", {{.+}}name = "c0", {{.+}}name = "a1", {{.+}}name = "b1", {{.+}}name = "c1",
// CHECK-SAME:    grid = array<i64: 14, 1, 1>
// CHECK-SAME:    problem = {kind = "grouped", problems = [{args = array<i64: 0, 1, 2>, k = 128 : i64, m = 256 : i64, n = 128 : i64}, {args = array<i64: 3, 4, 5>, k = 250 : i64, m = 128 : i64, n = 192 : i64}]}
// CHECK:         layout.alloc : !layout.view<bf16, shared
// CHECK:         layout.alloc : !layout.view<bf16, shared
// CHECK:         layout.pipeline %block_id_x to %c14{{.*}} by %grid_dim_x depth 4 stages 3 consumers 128 steps {
// CHECK-NEXT:    ^bb0(%[[TILE:.+]]: index):
// CHECK:           %[[OWN:.+]] = arith.cmpi slt, %[[TILE]], %c8
// CHECK:           arith.select %[[OWN]], %c2{{.*}}, %c4
// CHECK:         } load {
// CHECK:           scf.if
// CHECK-COUNT-2:     layout.copy #layout.atom<bulk_tensor_load>
// CHECK:           } else {
// CHECK-COUNT-2:     layout.copy #layout.atom<bulk_tensor_load>
// CHECK:         } epilogue {
// CHECK:           scf.if
// CHECK:             layout.copy #layout.atom<bulk_tensor_store>
// CHECK:           } else {
// CHECK:             layout.copy #layout.atom<bulk_tensor_store>
!a = !layout.view<bf16, global, (256,128):(128,1)>
!b = !layout.view<bf16, global, (128,128):(128,1)>
!c = !layout.view<bf16, global, (256,128):(128,1)>
!d = !layout.view<bf16, global, (128,250):(256,1)>
!e = !layout.view<bf16, global, (192,250):(250,1)>
!f = !layout.view<bf16, global, (128,192):(192,1)>
func.func @several(%a: !a, %b: !b, %c: !c, %d: !d, %e: !e, %f: !f) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !a, !b, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !d, !e, !f
  return
}
