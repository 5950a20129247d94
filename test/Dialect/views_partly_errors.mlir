// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @space(%p: !llvm.ptr<4>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [view-space] expected a pointer of the address space 0 (host), 1 (global) or 3 (shared), found !llvm.ptr<4>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %p, %l of f16 : !llvm.ptr<4>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @base(%p: index, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [operand] expected a view, a memref or a pointer of LLVM's dialect, found index}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %p, %l of f16 : index, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @no_layout(%p: !llvm.ptr) {
  // expected-error @+1 {{'layout.make_view' op [operand] expected a layout, which only a memref has of its own, found none}}
  %0 = layout.make_view %p of f16 : !llvm.ptr
  return
}

// -----

func.func @memref_strides(%m: memref<8xf16, affine_map<(i) -> (i mod 4)>>) {
  // expected-error @+3 {{'layout.make_view' op [memref-strides] expected a memref whose dimensions have strides, found memref<8xf16, affine_map<(d0) -> (d0 mod 4)>>}}
  // expected-note @+2 {{hint: use memref.reinterpret_cast to give it strides}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %m : memref<8xf16, affine_map<(i) -> (i mod 4)>>
  return
}

// -----

func.func @memref_empty(%m: memref<0x4xf16>) {
  // expected-error @+2 {{'layout.make_view' op [extent] expected extents of at least 1, found 0 in (0,4)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %m : memref<0x4xf16>
  return
}

// -----

func.func @memref_rank(%m: memref<*xf16>) {
  // expected-error @+2 {{'layout.make_view' op [operand] expected a memref with a rank, found memref<*xf16>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %m : memref<*xf16>
  return
}

// -----

// All errors are reported at once.
func.func @memref_all(%m: memref<8xvector<4xf16>, affine_map<(i) -> (i mod 4)>>) {
  // expected-error @+6 {{'layout.make_view' op [view-element] expected no element type, since the memref has one, found f16}}
  // expected-error @+5 {{'layout.make_view' op [view-element] expected elements that are floats, integers or index, found vector<4xf16>}}
  // expected-error @+4 {{'layout.make_view' op [memref-strides] expected a memref whose dimensions have strides, found memref<8xvector<4xf16>, affine_map<(d0) -> (d0 mod 4)>>}}
  // expected-note @+3 {{hint: use memref.reinterpret_cast to give it strides}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %m of f16 : memref<8xvector<4xf16>, affine_map<(i) -> (i mod 4)>>
  return
}

// -----

func.func @memref_space(%m: memref<8xf16, 2>) {
  // expected-error @+2 {{'layout.make_view' op [view-space] expected a memref in the memory space 0 (host), 1 (global), 3 (shared) or 5 (register), or in one of #gpu.address_space, found 2}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %m : memref<8xf16, 2>
  return
}

// -----

func.func @element(%p: !llvm.ptr, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [view-element] expected an element type, as in `of f16`, found none}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %p, %l : !llvm.ptr, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @elements(%p: !llvm.ptr, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [view-element] expected elements that are floats, integers or index, found vector<4xf32>}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.make_view %p, %l of vector<4xf32> : !llvm.ptr, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @view_and_element(%v: !layout.view<f16, global, 8:1>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [view-element] expected no element type, since the view has one, found f16}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.make_view %v, %l of f16 : !layout.view<f16, global, 8:1>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @swizzled(%v: !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [plain-layout] expected a base without a swizzle, found S<3,3,3> o 0 o (8,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %v, %l : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @identity_tensor_base(%v: !layout.view<index, coordinate, 8:1>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+2 {{'layout.make_view' op [view-space] expected a view of memory, found !layout.view<index, coordinate, 8:1>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %v, %l : !layout.view<index, coordinate, 8:1>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @coordinates(%p: !llvm.ptr, %l: !layout<(4,8):(1@0,1@1)>) {
  // expected-error @+2 {{'layout.make_view' op [kind] expected a layout, found (4,8):(1@0,1@1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.make_view %p, %l of f16 : !llvm.ptr, !layout<(4,8):(1@0,1@1)>
  return
}

// -----

// expected-error @+1 {{[kind] expected a layout, found (?,8)}}
func.func private @no_layout(!layout.view<f16, global, (?,8)>)

// -----

func.func @alloc() {
  // expected-error @+2 {{'layout.alloc' op [static] expected a view with a static layout, found (?,8):(8,1)}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.alloc : !layout.view<f16, shared, (?,8):(8,1)>
  return
}

// -----

func.func @fill(%v: !layout.view<index, coordinate, (?,8):(8,1)>, %x: index) {
  // expected-error @+2 {{'layout.fill' op [writable] expected a view of memory or registers to write to, found an identity tensor, whose elements are fixed}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.fill %v, %x : !layout.view<index, coordinate, (?,8):(8,1)>
  return
}

// -----

func.func @identity_tensor() {
  // expected-error @+2 {{'layout.identity_tensor' op [identity-tensor-layout] expected a layout to take the integers of (?,8):(8,1) from, found none}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.identity_tensor : !layout.view<index, coordinate, (?,8):(8,1)>
  return
}

// -----

func.func @identity_tensor_of(%l: !layout<(?,4):(4,1)>) {
  // expected-error @+2 {{'layout.identity_tensor' op [identity-tensor-layout] expected a view of the layout (?,4):(4,1), found (?,8):(8,1)}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.identity_tensor of %l : !layout<(?,4):(4,1)> -> !layout.view<index, coordinate, (?,8):(8,1)>
  return
}

// -----

func.func @load(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-note @+3 {{(?,_)}}
  // expected-error @+2 {{'layout.load' op [coord-element] expected the coordinate of one element, without '_', found (?,_)}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  %0 = layout.load %v(%i, _) : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @store(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index, %x: f16) {
  // expected-error @+3 {{'layout.store' op [coord-rank] expected a coordinate of 2 modes for the shape (?0,8), found (0,1,2) of 3}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-note @+1 {{hint: (0,1) has as many}}
  layout.store %x, %v(0, 1, 2) : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

// All errors are reported at once.
func.func @copy(%v: !layout.view<f16, global, (?,8):(8,1)>, %w: !layout.view<f16, shared, (4,16):(16,1)>,
                %g: !layout.view<index, coordinate, 32:1>) {
  // expected-error @+7 {{'layout.copy' op [copy-partly] expected simt_1 or a bulk tensor copy for a partly static layout, found cp_async_16}}
  // expected-note @+6 {{hint: simt_1 moves one element at once, others views of static size}}
  // expected-error @+5 {{'layout.copy' op [copy-modes] expected the target to have the modes of (?,8):(8,1), one by one, found (4,16):(16,1)}}
  // expected-error @+4 {{'layout.copy' op [copy-modes] expected predicate 0 to have the modes of (?,8):(8,1), one by one, found 32:1}}
  // expected-note @+3 {{in the atom:}}
  // expected-note @+2 {{in the type of operand 1:}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.copy #layout.atom<cp_async_16> %v, %w predicate(%g < 3 : !layout.view<index, coordinate, 32:1>) : !layout.view<f16, global, (?,8):(8,1)>, !layout.view<f16, shared, (4,16):(16,1)>
  return
}

// -----

// Vectors of a view whose strides are dynamic must be contiguous.
func.func @vectors(%v: !layout.view<f16, global, (8,4):(?,1)>, %w: !layout.view<f16, shared, (8,4):(1,8)>) {
  // expected-error @+3 {{'layout.copy' op [copy-contiguous] expected each 8 elements that cp_async_16 moves at once to be contiguous in the source, found (8,4):(?,1)}}
  // expected-note @+2 {{in the layout of the source:}}
  // expected-note @+1 {{hint: simt_1 moves one element at once}}
  layout.copy #layout.atom<cp_async_16> %v, %w : !layout.view<f16, global, (8,4):(?,1)>, !layout.view<f16, shared, (8,4):(1,8)>
  return
}

// -----

// A coordinate that is out of range and has a `_`.
func.func @element(%v: !layout.view<f16, global, (4,8,2):(8,1,32)>) {
  // expected-error @+7 {{'layout.load' op [coord-bounds] expected a coordinate below 4 for the mode 4, found 9}}
  // expected-note @+6 {{(9,_,2)}}
  // expected-note @+5 {{hint: 3 is the nearest}}
  // expected-error @+4 {{'layout.load' op [coord-bounds] expected a coordinate below 2 for the mode 2, found 2}}
  // expected-note @+3 {{hint: 1 is the nearest}}
  // expected-error @+2 {{'layout.load' op [coord-element] expected the coordinate of one element, without '_', found (9,_,2)}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  %0 = layout.load %v(9, _, 2) : !layout.view<f16, global, (4,8,2):(8,1,32)>
  return
}

// -----

func.func @recast_bits(%v: !layout.view<f16, global, (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.recast' op [view-element] expected an element type as the target of a view's recast, as in `to i32`, found bits}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v, 16 to 32 : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @recast_layout(%l: !layout<(?,8):(8,1)>) {
  // expected-error @+2 {{'layout.recast' op [operand] expected a view, found !layout<(?,8):(8,1)>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %l to i32 : !layout<(?,8):(8,1)>
  return
}

// -----

func.func @recast_index(%v: !layout.view<f16, global, (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.recast' op [view-element] expected elements that are floats or integers, found index}}
  // expected-note @+1 {{in the attributes:}}
  %0 = layout.recast %v to index : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @recast_pitch(%v: !layout.view<f16, global, (?,8):(?,1)>) {
  // expected-error @+3 {{'layout.recast' op [fact-missing] upcast((?0,8):(?1,1), 2): needs "2 divides ?1", which is not known}}
  // expected-note @+2 {{hint: add the fact ?1{div=2}}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i32 : !layout.view<f16, global, (?,8):(?,1)>
  return
}

// -----

func.func @partition(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-error @+2 {{'layout.partition' op [coord-rank] expected the number of a thread, as in (%t), found (?,0)}}
  // expected-note @+1 {{in the coordinate:}}
  %0 = layout.partition %v(%i, 0), #layout<(4,8):(8,1)> : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @threads(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-error @+2 {{'layout.partition' op [kind] expected a plain layout of threads, found (4,8)}}
  // expected-note @+1 {{in the term:}}
  %0 = layout.partition %v(%i), #layout<(4,8)> : !layout.view<f16, global, (?,8):(8,1)>
  return
}
// -----

// Parts of elements lengthen one mode: with two that could grow, the view would reach past its memory.

func.func @recast_two_modes(%v: !layout.view<i32, host, (4,2):(-1,1)>) {
  // expected-error @+3 {{'layout.recast' op [recast] downcast((4,2):(-1,1), 4): expected one mode of stride 1 or -1, whose extent the factor multiplies, found 2 in (-1,1)}}
  // expected-note @+2 {{hint: recast a slice that keeps one mode of stride 1}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<i32, host, (4,2):(-1,1)>
  return
}

// -----

func.func @recast_overlapping(%v: !layout.view<f32, host, (?,2):(1,1)>) {
  // expected-error @+3 {{'layout.recast' op [recast] downcast((?0,2):(1,1), 2): expected one mode of stride 1 or -1, whose extent the factor multiplies, found 2 in (1,1)}}
  // expected-note @+2 {{hint: recast a slice that keeps one mode of stride 1}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to f16 : !layout.view<f32, host, (?,2):(1,1)>
  return
}

// -----

func.func @recast_backwards(%v: !layout.view<i32, host, (4,1):(-1,1)>) {
  // expected-error @+3 {{'layout.recast' op [recast] downcast((4,1):(-1,1), 4): expected a mode of stride 1, since the narrow elements of a wide one ascend, found -1}}
  // expected-note @+2 {{hint: recast a slice that keeps one mode of stride 1}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<i32, host, (4,1):(-1,1)>
  return
}

// -----

func.func @recast_no_unit(%v: !layout.view<i32, host, (4,2):(4,2)>) {
  // expected-error @+3 {{'layout.recast' op [recast] downcast((4,2):(4,2), 4): expected a mode of stride 1, found (4,2)}}
  // expected-note @+2 {{hint: recast a slice that keeps one mode of stride 1}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<i32, host, (4,2):(4,2)>
  return
}

// -----

func.func @recast_unknown_pitch(%v: !layout.view<i32, host, (4,8):(?,1)>) {
  // expected-error @+3 {{'layout.recast' op [fact-missing] downcast((4,8):(?0,1), 4): needs "?0 != 1", which is not known}}
  // expected-note @+2 {{hint: add the fact ?0{range=2..}}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<i32, host, (4,8):(?,1)>
  return
}

// -----

func.func @recast_half_filled(%v: !layout.view<f16, host, 3:1>) {
  // expected-error @+3 {{'layout.recast' op [recast] upcast(3:1, 2): expected contiguous modes that fill each wide element, found 3 in a row}}
  // expected-note @+2 {{hint: recast a slice whose contiguous elements fill whole elements of the wider type}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i32 : !layout.view<f16, host, 3:1>
  return
}

// -----

func.func @recast_gaps(%v: !layout.view<f16, host, (4,8):(1,8)>) {
  // expected-error @+3 {{'layout.recast' op [recast] upcast((4,8):(1,8), 8): expected contiguous modes that fill each wide element, found 4 in a row}}
  // expected-note @+2 {{hint: recast a slice whose contiguous elements fill whole elements of the wider type}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i128 : !layout.view<f16, host, (4,8):(1,8)>
  return
}

// -----

func.func @recast_not_in_a_row(%v: !layout.view<i8, host, (2,2):(1,4)>) {
  // expected-error @+3 {{'layout.recast' op [recast] upcast((2,2):(1,4), 8): expected contiguous modes that fill each wide element, found stride 4 after 2 in a row}}
  // expected-note @+2 {{hint: recast a slice whose contiguous elements fill whole elements of the wider type}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i64 : !layout.view<i8, host, (2,2):(1,4)>
  return
}

// -----

func.func @recast_extent(%v: !layout.view<f16, host, (?):(1)>) {
  // expected-error @+3 {{'layout.recast' op [fact-missing] upcast((?0):(1), 2): needs "2 divides ?0", which is not known}}
  // expected-note @+2 {{hint: add the fact ?0{div=2}}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i32 : !layout.view<f16, host, (?):(1)>
  return
}

// -----

func.func @recast_under_swizzle(%v: !layout.view<i32, shared, S<1,2,2> o 0 o (2,8):(1,1)>) {
  // expected-error @+3 {{'layout.recast' op [recast] downcast((2,8):(1,1), 2): expected one mode of stride 1 or -1, whose extent the factor multiplies, found 2 in (1,1)}}
  // expected-note @+2 {{hint: recast a slice that keeps one mode of stride 1}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i16 : !layout.view<i32, shared, S<1,2,2> o 0 o (2,8):(1,1)>
  return
}

// -----

func.func @recast_under_layout(%v: !layout.view<i32, shared, (4,8):(8,1) o 2 o (8):(1)>) {
  // expected-error @+1 {{'layout.recast' op [recast] upcast((4,8):(8,1) o 2 o (8):(1), 2): expected a swizzle as the outer layout, or an outer layout that keeps wide elements contiguous, found the layout (4,8):(8,1)}}
  %0 = layout.recast %v to i64 : !layout.view<i32, shared, (4,8):(8,1) o 2 o (8):(1)>
  return
}

// -----

// An i24 lies in four bytes.

func.func @recast_three_bytes(%v: !layout.view<i24, host, 8:1>) {
  // expected-error @+2 {{'layout.recast' op [view-element] expected elements whose bits are a power of two, as they lie in memory, found i24}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<i24, host, 8:1>
  return
}

// -----

func.func @recast_numbers(%v: !layout.view<index, coordinate, 8:1>) {
  // expected-error @+2 {{'layout.recast' op [view-element] expected elements that are floats or integers, found index}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.recast %v to i8 : !layout.view<index, coordinate, 8:1>
  return
}
