// RUN: layout-opt %s --layout-tile-matmul --split-input-file --verify-diagnostics

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @tile_m(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected tile M to be a positive multiple of 32 (warps along M times the atom's M), found 120}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (120,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @tile_n(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected tile N to be a positive multiple of 32 (warps along N times twice the atom's N), found 24}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,24,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @tile_k(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected tile K to be a positive multiple of 16 (the atom's K), found 24}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,24), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @stages(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected at least 2 stages, found 1}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 1>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @shared_memory(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected at most 166912 bytes of shared memory on sm_80, found 196608 for 4 stages of (256+128)x64 elements}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (256,128,64), warps = (2,2), stages = 4>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @threads(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected at most 32 warps (1024 threads) in a block, found 8 x 8}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (256,256,32), warps = (8,8), stages = 2>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @copy_passes(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a tile that is a multiple of 512 threads times 8-element vectors, found (16,16) with 16 contiguous elements}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (16,256,16), warps = (1,16), stages = 2>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @chip(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a chip from sm_80 on that this pass knows, found sm_75}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 2, chip = "sm_75">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @atom(%a: !v, %b: !v, %c: !v) {
  // expected-error @+3 {{'layout.matmul' op [matmul-element] expected a and b of bf16 for the schedule's mma_m16n8k16_f32_bf16, found f16}}
  // expected-note @+2 {{hint: mma_m16n8k16_f32_f16 takes f16}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 2, mma = mma_m16n8k16_f32_bf16>) : !v, !v, !v
  return
}

// -----

// Warpgroups that a schedule names are refused where they cannot be had.

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @warpgroup(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a multiple of 4 warps along M, the warps of a warpgroup, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (2,2), stages = 3, mma = wgmma_m64n64k16_f32_f16, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @chip(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected the chip sm_90a for the atom wgmma_m64n128k16_f32_f16, found sm_100a}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, mma = wgmma_m64n128k16_f32_f16, chip = "sm_100a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @warpgroup_tile(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected tile M to be a positive multiple of 128 (warpgroups along M times the atom's M), found 192}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (192,128,64), warps = (8,1), stages = 3, mma = wgmma_m64n128k16_f32_f16, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @warpgroup_stages(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected at most 232448 bytes of shared memory on sm_90a, found 246784 for 5 stages of (128+256)x64 elements and their barriers}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 5, mma = wgmma_m64n256k16_f32_f16, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @no_warpgroups(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'cluster' in a schedule without warpgroups, which have a multiple of 4 warps along M, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, cluster = (2,1)>) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @cluster(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected at most 8 blocks in a cluster, found (4,4)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, cluster = (4,4), chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

// Two blocks would compute the one tile along N, and both store it.
func.func @cluster_of_one_tile(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a cluster of no more blocks along N than C has tiles there, 1, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,256,64), warps = (4,1), stages = 3, cluster = (2,2), chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @split_k(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected at most 4 for 'split_k', the tiles along K, found 5}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 5, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @raster(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a raster that maps onto each of 16 tiles once, found (4,4):(1,1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, raster = "(4,4):(1,1)", chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @epilogue_stages_divide(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected 'epilogue_stages' to divide the 3 subtiles of a warpgroup's tile, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,192,64), warps = (8,1), stages = 3, epilogue_stages = 2, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(256,1)>

func.func @epilogue_stages_fit(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected at most 34816 bytes of shared memory for the epilogue, beside the mainloop's stages, found 65536 for 4 epilogue stages of 2 warpgroups}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, epilogue_stages = 4, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,256):(257,1)>

func.func @epilogue_stages_rows(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected C with elements of 8, 16 or 32 bits, rows that bulk copies take, and tiles of a multiple of 16 columns for 'epilogue_stages', found C (256,256):(257,1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, epilogue_stages = 1, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @ping_pong(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected at most 7 consumer warpgroups besides the producer warpgroup, found 8}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,64,64), warps = (8,1), stages = 3, ping_pong = 4, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @ping_pong_of_warps(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected no 'ping_pong' in a schedule without warpgroups, which have a multiple of 4 warps along M, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, ping_pong = true>) : !v, !v, !v
  return
}

// -----

!a = !layout.view<f8E4M3FN, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>

func.func @fragments(%a: !a, %b: !a, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a tile whose accumulators and fragments of A leave a thread 24 of its 232 registers, found 192 accumulators and 32 registers of A in (128,256,256) of 2 warpgroups}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,256), warps = (8,1), stages = 2, mma = wgmma_ra_m64n128k32_f32_e4m3, two_level_accumulation = true, chip = "sm_90a">) : !a, !a, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @accumulators(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a tile whose accumulators leave a thread 26 of its 128 registers, found 128 accumulators in (192,256) of 3 warpgroups}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (192,256,64), warps = (12,1), stages = 3, cluster = (2,1), chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (64,64):(64,1)>

func.func @epilogue_space(%a: !v, %b: !v, %c: !v, %x: !layout.view<f32, host, (64,64):(0,1)>) {
  // expected-error @+1 {{'layout.matmul' op expected operands in global memory, found !layout.view<f32, host, (64,64):(0,1)>}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue(%x) {
  ^bb0(%sum: f32, %e: f32):
    layout.yield %e : f32
  } : !v, !v, !v, !layout.view<f32, host, (64,64):(0,1)>
  return
}

// -----

!v = !layout.view<f16, global, (256,256,3):(256,1,65536)>

func.func @raster_of_a_batch(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected a raster that maps onto each of 12 tiles once, found (2,2):(1,2)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (8,1), stages = 3, raster = "(2,2):(1,2)", chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<f32, global, (256,256):(256,1)>
func.func @stream_k_alone(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'cluster' in a schedule with 'stream_k', found cluster = (2,1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 3, cluster = (2,1), chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<f32, global, (256,256):(256,1)>
func.func @stream_k_blocks(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected blocks for 'stream_k' that are no more than the tiles along K of all tiles of C, and these at most 1073741824, found 65 and 64}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, stream_k = 65, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f64, global, (256,256):(256,1)>
func.func @stream_k_warps(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected accumulators of f32 for 'stream_k', found accumulators of f64}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 3, stream_k = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<i8, global, (256,256):(256,1)>
!c = !layout.view<i32, global, (256,256):(256,1)>
func.func @stream_k_sums(%a: !v, %b: !v, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected accumulators of f32 for 'stream_k', found accumulators of i32}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,128), warps = (4,1), stages = 3, stream_k = 3, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_split_k(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'split_k' where a function has several matmuls, found split_k = 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, chip = "sm_90a">) : !v, !v, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_schedules(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !v, !v, !c
  // expected-error @+1 {{'layout.matmul' op expected one schedule for all matmuls of a function, found <tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a"> and <tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">}}
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_order(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  // expected-error @+1 {{'layout.matmul' op expected C of each matmul of a function to be no operand of another, found A of matmul 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !v, !v, !c
  layout.matmul %c, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
!t = !layout.view<bf16, global, (256,256):(1,256)>
func.func @group_modes(%a: !v, %b: !v, %c: !c, %d: !v, %e: !t, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !v, !v, !c
  // expected-error @+1 {{'layout.matmul' op expected B of all matmuls of a function contiguous along one mode, and in blocks alike, found (256,256):(256,1) and (256,256):(1,256)}}
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, chip = "sm_90a">) : !v, !t, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
!k = !layout.view<bf16, global, (256,128):(128,1)>
func.func @group_ping_pong(%a: !v, %b: !v, %c: !c, %d: !k, %e: !k, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = true, chip = "sm_90a">) : !v, !v, !c
  // expected-error @+1 {{'layout.matmul' op expected equal numbers of K tiles for all matmuls of a function with 'ping_pong', found 4 and 2}}
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, ping_pong = true, chip = "sm_90a">) : !k, !k, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_warps(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'ping_pong' in a schedule without warpgroups, which have a multiple of 4 warps along M, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, ping_pong = true>) : !v, !v, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, ping_pong = true>) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_warps_split_k(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'split_k' where a function has several matmuls, found split_k = 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, split_k = 2>) : !v, !v, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, split_k = 2>) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_warps_schedules(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !v, !v, !c
  // expected-error @+1 {{'layout.matmul' op expected one schedule for all matmuls of a function, found <tile = (128,128,32), warps = (2,2), stages = 3> and <tile = (64,64,32), warps = (2,2), stages = 3>}}
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3>) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
!c = !layout.view<bf16, global, (256,256):(256,1)>
func.func @group_warps_atom(%a: !v, %b: !v, %c: !c, %d: !v, %e: !v, %f: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a multiple of 4 warps along M, the warps of a warpgroup, found 2}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,64), warps = (2,2), stages = 3, mma = wgmma_m64n128k16_f32_bf16, chip = "sm_90a">) : !v, !v, !c
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (128,128,64), warps = (2,2), stages = 3, mma = wgmma_m64n128k16_f32_bf16, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
func.func @within_elements(%a: !v {llvm.align = 1 : i64}, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected operands at multiples of the 2 bytes of their elements, found one with llvm.align = 1}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>
func.func @unused(%a: !v, %b: !v, %more: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected every argument of the function to be an operand of a matmul, found argument 2, which is none}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @epilogue_stages_of_partial_sums(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected no 'epilogue_stages' in a schedule with 'split_k', whose partial results each thread stores from registers, found epilogue_stages = 1}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 2, epilogue_stages = 1, chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

// The rows of 16 elements that a block of C has are other ones in shared memory.

!v = !layout.view<f16, global, (256,256):(256,1)>
!c = !layout.view<f16, global, (256,(16,16)):(16,(1,4096))>

func.func @epilogue_stages_of_several(%a: !v, %b: !v, %c: !v, %d: !v, %e: !v, %f: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, epilogue_stages = 1, chip = "sm_90a">) : !v, !v, !v
  // expected-error @+1 {{'layout.matmul' op expected C of all matmuls of a function with the same row layout for 'epilogue_stages', found (256,256):(256,1) and (256,(16,16)):(16,(1,4096))}}
  layout.matmul %d, %e, %f schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, epilogue_stages = 1, chip = "sm_90a">) : !v, !v, !c
  return
}

// -----

!v = !layout.view<f16, global, (256,256):(256,1)>

func.func @cluster_of_warps(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected no 'cluster' in a schedule without warpgroups, whose atoms are those of wgmma, found mma_m16n8k16_f32_f16}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, mma = mma_m16n8k16_f32_f16, cluster = (2,1), chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!v = !layout.view<bf16, global, (256,256):(256,1)>

func.func @columns_of_wgmma(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected tile N over warps along N to be a multiple of 8 from 8 to 256 for wgmma of bf16, found 100}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,100,64), warps = (4,1), stages = 3, cluster = (2,1), chip = "sm_90a">) : !v, !v, !v
  return
}

// -----

!i = !layout.view<i8, global, (256,256):(256,1)>
!c = !layout.view<i32, global, (256,256):(256,1)>

func.func @columns_of_integers(%a: !i, %b: !i, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected tile N over warps along N to be a multiple of 8 below 32 or of 16 up to 256 for wgmma of i8, found 40}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,40,128), warps = (4,1), stages = 3, cluster = (2,1), chip = "sm_90a">) : !i, !i, !c
  return
}

// -----

!v = !layout.view<f32, global, (256,256):(256,1)>

func.func @type_of_wgmma(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op expected operands of a type that wgmma multiplies exactly, found f32; 'mma' names an atom that rounds to tf32}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,64,32), warps = (4,1), stages = 3, cluster = (2,1), chip = "sm_90a">) : !v, !v, !v
  return
}
