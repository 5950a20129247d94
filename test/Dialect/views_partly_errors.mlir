// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @space(%p: !llvm.ptr<4>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [view-space] expected a pointer of the address space 0 (host), 1 (global) or 3 (shared), found !llvm.ptr<4>}}
  %0 = layout.make_view %p, %l of f16 : !llvm.ptr<4>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @base(%p: index, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [operand] expected a view or a pointer of LLVM's dialect, found index}}
  %0 = layout.make_view %p, %l of f16 : index, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @element(%p: !llvm.ptr, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [view-element] expected a type of elements, as in `of f16`, found none}}
  %0 = layout.make_view %p, %l : !llvm.ptr, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @elements(%p: !llvm.ptr, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [view-element] expected elements that are floats, integers or index, found vector<4xf32>}}
  %0 = layout.make_view %p, %l of vector<4xf32> : !llvm.ptr, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @view_and_element(%v: !layout.view<f16, global, 8:1>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [view-element] expected no type of elements, which are those of the view, found f16}}
  %0 = layout.make_view %v, %l of f16 : !layout.view<f16, global, 8:1>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @swizzled(%v: !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [plain-layout] expected a base without a swizzle, found S<3,3,3> o 0 o (8,64):(64,1)}}
  %0 = layout.make_view %v, %l : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @iota_base(%v: !layout.view<index, iota, 8:1>, %l: !layout<(?,8):(1,?)>) {
  // expected-error @+1 {{'layout.make_view' op [view-space] expected a view of memory, found !layout.view<index, iota, 8:1>}}
  %0 = layout.make_view %v, %l : !layout.view<index, iota, 8:1>, !layout<(?,8):(1,?)>
  return
}

// -----

func.func @coordinates(%p: !llvm.ptr, %l: !layout<(4,8):(1@0,1@1)>) {
  // expected-error @+1 {{'layout.make_view' op [kind] expected a layout, found (4,8):(1@0,1@1)}}
  %0 = layout.make_view %p, %l of f16 : !llvm.ptr, !layout<(4,8):(1@0,1@1)>
  return
}

// -----

// expected-error @+1 {{[kind] expected a layout, found (?,8)}}
func.func private @no_layout(!layout.view<f16, global, (?,8)>)

// -----

func.func @alloc() {
  // expected-error @+1 {{'layout.alloc' op [static] expected a view of a layout that is known when compiling, found (?,8):(8,1)}}
  %0 = layout.alloc : !layout.view<f16, shared, (?,8):(8,1)>
  return
}

// -----

func.func @fill(%v: !layout.view<f16, global, (?,8):(8,1)>, %x: f16) {
  // expected-error @+1 {{'layout.fill' op [static] expected a view of a layout that is known when compiling, found (?,8):(8,1)}}
  layout.fill %v, %x : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'layout.iota' op [iota-layout] expected a layout to take the integers of (?,8):(8,1) from, found none}}
  %0 = layout.iota : !layout.view<index, iota, (?,8):(8,1)>
  return
}

// -----

func.func @iota_of(%l: !layout<(?,4):(4,1)>) {
  // expected-error @+1 {{'layout.iota' op [iota-layout] expected a view of the layout (?,4):(4,1), found (?,8):(8,1)}}
  %0 = layout.iota of %l : !layout<(?,4):(4,1)> -> !layout.view<index, iota, (?,8):(8,1)>
  return
}

// -----

func.func @load(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-note @+2 {{(?,_)}}
  // expected-error @+1 {{'layout.load' op [coord-element] expected the coordinate of one element, without '_', found (?,_)}}
  %0 = layout.load %v(%i, _) : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @store(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index, %x: f16) {
  // expected-error @+1 {{'layout.store' op [operand] coordinate: expected one that fits the shape (?0,8), found (0,1,2)}}
  layout.store %x, %v(0, 1, 2) : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @copy(%v: !layout.view<f16, global, (?,8):(8,1)>, %w: !layout.view<f16, shared, (4,8):(8,1)>) {
  // expected-error @+1 {{'layout.copy' op [operand] layout: expected a layout that is known when compiling, found (?,8):(8,1)}}
  layout.copy #layout.atom<simt_1> %v, %w : !layout.view<f16, global, (?,8):(8,1)>, !layout.view<f16, shared, (4,8):(8,1)>
  return
}

// -----

func.func @recast_bits(%v: !layout.view<f16, global, (?,8):(8,1)>) {
  // expected-error @+1 {{'layout.recast' op [view-element] expected a view to be recast to a type, as in `to i32`, found bits}}
  %0 = layout.recast %v, 16 to 32 : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @recast_layout(%l: !layout<(?,8):(8,1)>) {
  // expected-error @+1 {{'layout.recast' op [operand] expected a view, found !layout<(?,8):(8,1)>}}
  %0 = layout.recast %l to i32 : !layout<(?,8):(8,1)>
  return
}

// -----

func.func @recast_index(%v: !layout.view<f16, global, (?,8):(8,1)>) {
  // expected-error @+1 {{'layout.recast' op [view-element] expected elements that are floats or integers, found index}}
  %0 = layout.recast %v to index : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @recast_pitch(%v: !layout.view<f16, global, (?,8):(?,1)>) {
  // expected-error @+2 {{'layout.recast' op [fact-missing] upcast((?0,8):(?1,1), 2): needs "2 divides ?1", which is not known}}
  // expected-note @+1 {{hint: say ?1{div=2}}}
  %0 = layout.recast %v to i32 : !layout.view<f16, global, (?,8):(?,1)>
  return
}

// -----

func.func @partition(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-error @+1 {{'layout.partition' op [coord-rank] expected the number of a thread, as in (%t), found (?,0)}}
  %0 = layout.partition %v(%i, 0), #layout<(4,8):(8,1)> : !layout.view<f16, global, (?,8):(8,1)>
  return
}

// -----

func.func @threads(%v: !layout.view<f16, global, (?,8):(8,1)>, %i: index) {
  // expected-error @+1 {{'layout.partition' op [kind] expected a plain layout of threads, found (4,8)}}
  %0 = layout.partition %v(%i), #layout<(4,8)> : !layout.view<f16, global, (?,8):(8,1)>
  return
}
