// RUN: layout-opt %s --split-input-file --verify-diagnostics

!f = !layout.view<f16, register, (8,4):(1,8)>
func.func @no_tile(%a: !f, %b: !f, %t: index) {
  // expected-error @+3 {{'layout.cooperative_copy' op [copy-spaces] expected at least one side in global or shared memory, found two fragments}}
  // expected-note @+2 {{hint: layout.copy copies from registers to registers}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %a, %b : !f, !f
  return
}

// -----

!g = !layout.view<f16, global, (60,64):(64,1)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
func.func @part_of_a_tile(%g: !g, %s: !s, %t: index) {
  // expected-error @+2 {{'layout.cooperative_copy' op [cooperative-tile] expected a source with static extents that are multiples of the tiled copy's tile (16,64), found (60,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s
  return
}

// -----

!g = !layout.view<f16, global, (?,64):(64,1)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
func.func @not_known(%g: !g, %s: !s, %t: index) {
  // expected-error @+2 {{'layout.cooperative_copy' op [cooperative-tile] expected a source with static extents that are multiples of the tiled copy's tile (16,64), found (?,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s
  return
}

// -----

!g = !layout.view<f16, global, (64,64):(64,1)>
!s = !layout.view<f16, shared, (32,128):(128,1)>
func.func @other_extents(%g: !g, %s: !s, %t: index) {
  // expected-error @+2 {{'layout.cooperative_copy' op [cooperative-tile] expected a target with the other side's extents (64,64), found (32,128):(128,1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s
  return
}

// -----

!g = !layout.view<f16, global, (64,64):(64,1)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
!rows = !layout.view<index, coordinate, (32,64):(1,0)>
func.func @other_predicate(%g: !g, %s: !s, %rows: !rows, %t: index) {
  // expected-error @+2 {{'layout.cooperative_copy' op [cooperative-tile] expected a predicate 0 with the other side's extents (64,64), found (32,64):(1,0)}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s predicate(%rows < 3 : !rows) : !g, !s
  return
}

// -----

!g = !layout.view<f16, global, (64,64):(1,64)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
func.func @not_in_a_row(%g: !g, %s: !s, %t: index) {
  // expected-error @+3 {{'layout.cooperative_copy' op [copy-contiguous] expected each 8 elements that cp_async_16 moves at once to be contiguous in the source, found ((8,1),4,1):((64,0),16,0)}}
  // expected-note @+2 {{hint: simt_1 moves one element at once}}
  // expected-note @+1 {{in the layout of the source:}}
  layout.cooperative_copy #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s
  return
}

// -----

!g = !layout.view<f16, global, (64,64):(64,1)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
func.func @other_spaces(%g: !g, %s: !s, %t: index) {
  // expected-error @+3 {{'layout.cooperative_copy' op [copy-spaces] expected a source in global and a target in shared memory for cp_async_16, found shared and global}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.cooperative_copy #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>(%t) %s, %g : !s, !g
  return
}

// -----

#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
!f = !layout.view<f16, register, (4,2):(1,4)>
func.func @another_fragment(%s: !s, %f: !f, %t: index) {
  // expected-error @+2 {{'layout.cooperative_copy' op [fragment] expected a fragment of 8 values, then modes of any and any atoms, found (4,2)}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.cooperative_copy #layout.tiled_copy<ldmatrix_x4, a of #mma>(%t) %s, %f : !s, !f
  return
}

// -----

#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
func.func @more_fragments(%s: !s, %t: index) {
  %f = layout.partition_fragment a of #mma, (32,64)
  // expected-error @+2 {{'layout.cooperative_copy' op [copy-size] expected source and target of one size, found 64 and 32}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.cooperative_copy #layout.tiled_copy<ldmatrix_x4, a of #mma>(%t) %s, %f : !s, !layout.view<f16, register, ((2,2,2),1,4):((1,2,4),0,8)>
  return
}

// -----

!g = !layout.view<f16, global, (16,8):(8,1)>
!s = !layout.view<f16, shared, (16,8):(8,1)>
func.func @part_of_a_vector(%g: !g, %s: !s, %t: index) {
  // expected-error @+3 {{'layout.cooperative_copy' op [tiled-copy] expected a multiple of 8 values of a thread, which cp_async_16 moves at once, found 4}}
  // expected-note @+2 {{hint: the value layout sets how many values a thread has}}
  // expected-note @+1 {{in the tiled copy:}}
  layout.cooperative_copy #layout.tiled_copy<cp_async_16, (16,2):(2,1), (1,4)>(%t) %g, %s : !g, !s
  return
}

// -----

// The loads of a transaction are bulk loads.
!g = !layout.view<f16, global, (64,64):(64,1)>
!s = !layout.view<f16, shared, (64,64):(64,1)>
gpu.module @m {
  gpu.func @transaction(%g: !g) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !s
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 1:1>
    // expected-error @+1 {{'layout.transaction' op [transaction] expected bulk loads only in a transaction, found simt_8}}
    layout.transaction %full(%c0) {
      layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s
    }
    gpu.return
  }
}
