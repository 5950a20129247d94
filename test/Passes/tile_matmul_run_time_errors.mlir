// RUN: layout-opt %s --layout-tile-matmul --split-input-file --verify-diagnostics

!a = !layout.view<bf16, global, (?,64):(64,1)>
!b = !layout.view<bf16, global, (64,64):(64,1)>
func.func @parts(%a: !a, %b: !b, %c: !a) {
  // expected-error @+1 {{'layout.matmul' op expected no 'split_k' with sizes that are known at run time, found split_k = 2 with 'm'}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (4,1), stages = 2, split_k = 2, chip = "sm_90a">) : !a, !b, !a
  return
}

// -----

!a = !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
func.func @interleaved(%a: !a, %b: !a, %c: !a) {
  // expected-error @+1 {{'layout.matmul' op expected no 'ping_pong' with sizes that are known at run time, found ping_pong = true with 'm'}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, ping_pong = 2, chip = "sm_90a">) : !a, !a, !a
  return
}

// -----

!a = !layout.view<bf16, global, (?,64):(64,1)>
!b = !layout.view<bf16, global, (64,64):(64,1)>
func.func @several(%a: !a, %b: !b, %c: !a, %d: !a) {
  // expected-error @+1 {{'layout.matmul' op expected static sizes in a function with several matmuls, found 'm' that is known at run time}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !a
  layout.matmul %a, %b, %d schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !a
  return
}

// -----

// Blocks of an extent that is known at run time.

!a = !layout.view<bf16, global, ((8,?),64):((64,512),1)>
!b = !layout.view<bf16, global, (64,64):(64,1)>
!c = !layout.view<bf16, global, (?,64):(64,1)>
func.func @blocks(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a with one extent in each mode that is known at run time, found ((8,?0),64):((64,512),1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// A knows M in one range and C in another.

!a = !layout.view<bf16, global, (?{range=1..64},64):(64,1)>
!b = !layout.view<bf16, global, (64,64):(64,1)>
!c = !layout.view<bf16, global, (?{range=65..128},64):(64,1)>
func.func @separate(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a value of 'm' that all operands allow, found none from 65 to 64 that is a multiple of 1}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// B knows K, which is no multiple of what A's is.

!a = !layout.view<bf16, global, (64,?{div=8}):(72,1)>
!b = !layout.view<bf16, global, (64,60):(64,1)>
!c = !layout.view<bf16, global, (64,64):(64,1)>
func.func @uneven(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected a value of 'k' that all operands allow, found none from 60 to 60 that is a multiple of 8}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// Blocks of 7 rows fit no tile, and would be copied first.

!a = !layout.view<f16, global, ((7,20),64):((64,?),1)>
!b = !layout.view<f16, global, (64,64):(64,1)>
!c = !layout.view<f16, global, (140,64):(64,1)>
func.func @misfit(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected tiles of A that are multiples of its blocks of 7 along mode 0, or within one block, found tiles of 64 of ((7,20),64):((64,a_stride_m1),1); use (140,64):(64,1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !a, !b, !c
  return
}

// -----

// Only warpgroups have clusters; bulk copies do not take rows of 120 bytes.

!a = !layout.view<bf16, global, (?,60):(60,1)>
!b = !layout.view<bf16, global, (256,60):(60,1)>
!c = !layout.view<bf16, global, (?,256):(256,1)>
func.func @not_on_warps(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected operands and a result that TMA can load and store where sizes are known at run time, since the workspace of a copy has a static size, found one that would be copied}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, cluster = (1,2), chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// The steps of a tile are known where blocks share them.

!a = !layout.view<bf16, global, (128,?{div=8}):(?{div=8},1)>
!c = !layout.view<bf16, global, (128,128):(128,1)>
func.func @shared(%a: !a, %b: !a, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'stream_k' with sizes that are known at run time, found stream_k = 3 with 'k'}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, stream_k = 3, chip = "sm_90a">) : !a, !a, !c
  return
}

// -----

// A raster order is a layout of a known number of them.

!a = !layout.view<bf16, global, (?,64):(64,1)>
!b = !layout.view<bf16, global, (128,64):(64,1)>
!c = !layout.view<bf16, global, (?,128):(128,1)>
func.func @order(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{'layout.matmul' op expected no 'raster' with sizes that are known at run time, found raster = "(2,2):(1,2)" with 'm'}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, raster = "(2,2):(1,2)", chip = "sm_90a">) : !a, !b, !c
  return
}
