// RUN: layout-opt %s --layout-normalise-matmul --split-input-file --verify-diagnostics

// A key that cannot be had is refused before anything is written.

!m = !layout.view<bf16, global, (128,128):(128,1)>
func.func @refused(%a: !m, %b: !m, %c: !m) {
  // expected-error @+1 {{expected at most 2 for 'split_k', the tiles along K, found 3}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, split_k = 3, chip = "sm_90a">) : !m, !m, !m
  return
}

// -----

// A workspace of another layout than the copy's.

!a = !layout.view<bf16, global, (200,70):(70,1)>
!w = !layout.view<bf16, global, (200,70):(72,1)>
!c = !layout.view<bf16, global, (200,200):(200,1)>
func.func @workspace(%a: !a, %b: !w, %c: !c) {
  %memory = memref.alloc() {layout.relayout} : memref<14400xbf16>
  %device = memref.memory_space_cast %memory {layout.relayout} : memref<14400xbf16> to memref<14400xbf16, 1>
  %layout = layout.constant #layout<(200,70):(72,1)> : !layout<(200,70):(72,1)> {layout.relayout}
  %copy = layout.make_view %device, %layout {layout.relayout} : memref<14400xbf16, 1>, !layout<(200,70):(72,1)>
  layout.copy #layout.atom<simt_1> %a, %copy {layout.relayout} : !a, !w
  // expected-error @+1 {{expected the relayout copy of a to be (200,70):(128,1), found (200,70):(72,1)}}
  layout.matmul %copy, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 3, mma = wgmma_m64n64k16_f32_bf16, chip = "sm_90a">) : !w, !w, !c
  return
}
