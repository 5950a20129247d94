// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{[tiled-atom] expected an MMA atom, found ldmatrix_x4}}
#a = #layout.tiled_mma<ldmatrix_x4, (1,1,1)>

// -----

// expected-error @+2 {{[atom] expected the name of an atom, found 'mma_m16n8k16_f32_f61'}}
// expected-note @+1 {{hint: did you mean 'mma_m16n8k16_f32_f16'?}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f61, (1,1,1)>

// -----

// expected-error @+1 {{[tiled-mma] expected an MMA atom, an atom layout and an optional permutation, found 1 of them}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16>

// -----

// expected-error @+1 {{[tiled-mma] expected an atom layout of rank 3, (M,N,K), found (2,2):(1,2)}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2)>

// -----

// expected-error @+1 {{[tiled-mma] expected an atom layout that numbers 0 to 3, found (2,2,1):(1,1,0)}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(1,1,0)>

// -----

// expected-error @+2 {{[tiled-mma] expected a multiple of 32 along M, an atom for each warp of the atom layout, found 48 in 48:1}}
// expected-note @+1 {{hint: 64 is the next}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (48,16,16)>

// -----

// expected-error @+1 {{[tiled-mma] expected a permutation of three modes, as in (32,32,16) or <_, (8,2,2):(1,16,8), _>, found (32,16)}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,16)>

// -----

// expected-error @+1 {{[tiled-mma] expected a permutation of 0 to 15 along N, found 16:2}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <_, 16:2, _>>

// -----

// expected-error @+2 {{[incongruent] expected a stride congruent to the shape (2,2,1), found (2,1)}}
// expected-note @+1 {{hint: (1,2,0) is congruent}}
#a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1)>

// -----

// expected-error @+1 {{[tiled-atom] expected a copy atom, found mma_m16n8k16_f32_f16}}
#a = #layout.tiled_copy<mma_m16n8k16_f32_f16, 32:1, 4:1>

// -----

// expected-error @+2 {{[tiled-atom] expected a copy atom that each thread or warp executes, found bulk_tensor_load}}
// expected-note @+1 {{hint: one thread issues a bulk copy of a whole tile, with layout.copy}}
#a = #layout.tiled_copy<bulk_tensor_load, 32:1, 4:1>

// -----

// expected-error @+1 {{[tiled-copy] expected a copy atom and its threads and values, or an operand of a tiled MMA, found 1 of them}}
#a = #layout.tiled_copy<simt_4>

// -----

// expected-error @+2 {{[threads] expected a layout of threads that numbers 0 to 127, found (16,8):(1,8)}}
// expected-note @+1 {{hint: (16,8):(1,16) does}}
#a = #layout.tiled_copy<simt_4, (16,8):(1,8), (1,4)>

// -----

// expected-error @+2 {{[threads] expected a layout of values that numbers 0 to 3, found (1,4):(0,2)}}
// expected-note @+1 {{hint: (1,4):(0,1) does}}
#a = #layout.tiled_copy<simt_4, (16,8):(8,1), (1,4):(0,2)>

// -----

// expected-error @+1 {{[tiled-copy] expected an operand of a tiled MMA, as in 'a of #layout.tiled_mma<…>', or threads and values, found d of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>}}
#a = #layout.tiled_copy<simt_4, d of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>>

// -----

// expected-error @+1 {{[tiled-mma] expected an atom layout of rank 3, (M,N,K), found (1,1):(0,0)}}
#a = #layout.tiled_copy<simt_4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1)>>

// -----

#mma = #layout.tiled_mma<wgmma_m64n64k16_f32_f16, (1,1,1)>
// expected-error @+1 {{[tiled-copy] expected an operand that the MMA reads from registers, not b, found one in shared memory}}
#a = #layout.tiled_copy<ldmatrix_x4, b of #mma>

// -----

// expected-error @+1 {{[tiled-mma] expected 'a of', 'b of' or 'c of' a #layout.tiled_mma<…>, or a #layout.tiled_copy<…>, found mma_m16n8k16_f32_f16}}
#a = #layout.thread_values<mma_m16n8k16_f32_f16>

// -----

// expected-error @+1 {{[tiled-mma] expected a shape of whole tiles of (16,8), found (7,8)}}
#a = #layout.thread_values<c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>, (7,8)>

// -----

func.func @part(%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [part] expected 'source' or 'target' of a tiled copy, found a}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.partition %v(%t), a of #layout.tiled_copy<simt_1, (16,2):(2,1), (1,4)> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @side(%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [part] expected 'a', 'b' or 'c' of a tiled MMA, found source}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.partition %v(%t), source of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @neither(%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [operand] expected a tiled copy or a tiled MMA, found #layout.atom<simt_1>}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.partition %v(%t), source of #layout.atom<simt_1> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @vectors(%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index) {
  // expected-error @+3 {{'layout.partition' op [tiled-copy] expected a multiple of 8 values of a thread, which cp_async_16 moves at once, found 4}}
  // expected-note @+2 {{in the tiled copy:}}
  // expected-note @+1 {{hint: the value layout sets how many values a thread has}}
  %0 = layout.partition %v(%t), source of #layout.tiled_copy<cp_async_16, (16,2):(2,1), (1,4)> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @atoms(%v: !layout.view<f16, shared, (16,8):(8,1)>, %t: index) {
  // expected-error @+3 {{'layout.partition' op [tiled-copy] expected a multiple of 8 values of a thread, which ldmatrix_x4 moves at once, found 4}}
  // expected-note @+2 {{in the tiled copy:}}
  // expected-note @+1 {{hint: the permutation of the tiled MMA sets how many atoms a thread has in a tile}}
  %0 = layout.partition %v(%t), source of #layout.tiled_copy<ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>> : !layout.view<f16, shared, (16,8):(8,1)>
  return
}

// -----

func.func @elements(%v: !layout.view<f64, shared, (16,16):(16,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [copy-width] expected an element type that ldmatrix_x4 can move, found elements of 8 bytes}}
  // expected-note @+1 {{in the tiled copy:}}
  %0 = layout.partition %v(%t), source of #layout.tiled_copy<ldmatrix_x4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>> : !layout.view<f64, shared, (16,16):(16,1)>
  return
}

// -----

func.func @no_elements(%l: !layout<(16,16):(16,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [tiled-copy] expected elements of a view for ldmatrix_x4, found a layout or coordinates}}
  // expected-note @+1 {{in the tiled copy:}}
  %0 = layout.partition %l(%t), source of #layout.tiled_copy<ldmatrix_x4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>> : !layout<(16,16):(16,1)>
  return
}

// -----

func.func @warps(%v: !layout.view<f16, shared, (16,8):(8,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [tiled-copy] expected whole warps for ldmatrix_x4, found 16 threads}}
  // expected-note @+1 {{in the tiled copy:}}
  %0 = layout.partition %v(%t), source of #layout.tiled_copy<ldmatrix_x4, (16,1):(1,16), (1,8)> : !layout.view<f16, shared, (16,8):(8,1)>
  return
}

// -----

func.func @number(%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index) {
  // expected-error @+2 {{'layout.partition' op [coord-rank] expected the number of a thread, as in (%t), found (?,0)}}
  // expected-note @+1 {{in the coordinate:}}
  %0 = layout.partition %v(%t, 0), c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @beyond(%v: !layout.view<f16, global, (16,8):(8,1)>) {
  // expected-error @+3 {{'layout.partition' op [coord-bounds] expected a coordinate below 32 for the mode (4,8), found 32}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-note @+1 {{hint: 31 is the nearest}}
  %0 = layout.partition %v(32), c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)> : !layout.view<f16, global, (16,8):(8,1)>
  return
}

// -----

func.func @extents() {
  // expected-error @+2 {{'layout.partition_fragment' op [fragment] expected two extents of c, multiples of the tile's (32,16), found (32,24)}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.partition_fragment c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>, (32,24)
  return
}

// -----

func.func @rank() {
  // expected-error @+2 {{'layout.partition_fragment' op [fragment] expected two extents of c, multiples of the tile's (32,16), found (32)}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.partition_fragment c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>, (32)
  return
}

// -----

func.func @shared() {
  // expected-error @+2 {{'layout.partition_fragment' op [fragment] expected an operand that wgmma_m64n64k16_f32_f16 has in registers, found b, which it reads from shared memory}}
  // expected-note @+1 {{hint: layout.mma takes the layout.partition of the view of shared memory}}
  %0 = layout.partition_fragment b of #layout.tiled_mma<wgmma_m64n64k16_f32_f16, (1,1,1)>, (64,16)
  return
}

// -----

func.func @wrong_part() {
  // expected-error @+3 {{'layout.partition_fragment' op [part] expected 'a', 'b' or 'c' of a tiled MMA, found d}}
  // expected-note @+2 {{in the attributes:}}
  // expected-error @+1 {{'layout.partition_fragment' op failed to infer returned types}}
  %0 = "layout.partition_fragment"() {tiled = #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1)>, part = "d", extents = array<i64: 16, 8>} : () -> !layout.view<f32, register, ((2,2),1,1):((1,2),0,0)>
  return
}

// -----

func.func @fragment(%v: !layout.view<f16, register, (4,2):(1,4)>) {
  // expected-error @+2 {{'layout.retile' op [fragment] expected a fragment of 8 values, then modes of any and any atoms, found (4,2)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.retile %v, #layout.tiled_copy<simt_1, (16,2):(2,1), (1,8)> : !layout.view<f16, register, (4,2):(1,4)>
  return
}

// -----

func.func @atoms_of_fragment(%v: !layout.view<f16, register, ((2,2),3,1):((1,2),4,0)>) {
  // expected-error @+2 {{'layout.retile' op [fragment] expected a fragment of 4 values, then modes of a multiple of 2 and any atoms, found ((2,2),3,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.retile %v, #layout.tiled_copy<ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (1,1,1), (16,16,16)>> : !layout.view<f16, register, ((2,2),3,1):((1,2),4,0)>
  return
}

// -----

func.func @like(%v: !layout.view<f16, global, (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.make_fragment_like' op [fragment] expected a view of a known shape, found (?,8):(8,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_fragment_like %v : !layout.view<f16, global, (?,8):(8,1)>
  return
}
