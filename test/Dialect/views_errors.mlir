// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+3 {{'layout.slice' op [coord-rank] expected a coordinate of 2 modes for the shape (4,2), found (_,_,?) of 3}}
  // expected-note @+2 {{(_,_,?)}}
  // expected-note @+1 {{hint: (_,_) has as many}}
  %0 = layout.slice %v(_, _, %i) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+3 {{'layout.slice' op [coord-rank] expected an integer coordinate for the shape 2, found (_,?)}}
  // expected-note @+2 {{(_,(_,?))}}
  // expected-note @+1 {{hint: _ is one}}
  %0 = layout.slice %v(_, (_, %i)) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [coord-bounds] expected a coordinate below 2 for the mode 2, found 2}}
  // expected-note @+2 {{(_,2)}}
  // expected-note @+1 {{hint: 1 is the nearest}}
  %0 = layout.slice %v(_, 2) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [coord-bounds] expected a coordinate below 4 for the mode 4, found -1}}
  // expected-note @+2 {{(-1,_)}}
  // expected-note @+1 {{hint: 0 is the nearest}}
  %0 = layout.slice %v(-1, _) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{custom op 'layout.slice' expected '_', an integer, an index value or '(' in a coordinate, found '*'}}
  %0 = layout.slice %v(%i, *) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{expected ')'}}
  %0 = layout.slice %v(%i _) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [coord-operands] expected 1 index operands for the coordinate (_,?), found 0}}
  // expected-error @+2 {{'layout.slice' op failed to infer returned types}}
  // expected-note @+1 {{in the coordinate:}}
  %0 = "layout.slice"(%v) <{coord = "(_,?)"}> : (!layout.view<f16, global, (4,2):(1,4)>) -> !layout.view<f16, global, (4):(1)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [syntax] expected '_', '?', an integer or '(' in a coordinate, found 'x'}}
  // expected-note @+2 {{(_,x)}}
  // expected-error @+1 {{'layout.slice' op failed to infer returned types}}
  %0 = "layout.slice"(%v) <{coord = "(_,x)"}> : (!layout.view<f16, global, (4,2):(1,4)>) -> !layout.view<f16, global, (4):(1)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+3 {{'layout.slice' op [syntax] expected '_', '?', an integer or '(' in a coordinate, found the end}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-error @+1 {{'layout.slice' op failed to infer returned types}}
  %0 = "layout.slice"(%v) <{coord = ""}> : (!layout.view<f16, global, (4,2):(1,4)>) -> !layout.view<f16, global, (4):(1)>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: i32) {
  // expected-error @+1 {{use of value '%i' expects different type than prior uses: 'index' vs 'i32'}}
  %0 = layout.slice %v(_, %i) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @load(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+3 {{'layout.load' op [coord-element] expected the coordinate of one element, without '_', found (?,_)}}
  // expected-note @+2 {{(?,_)}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  %0 = layout.load %v(%i, _) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @load(%l: !layout<(4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{custom op 'layout.load' invalid kind of type specified: expected layout.view, but found '!layout<(4,2):(1,4)>'}}
  %0 = layout.load %l(%i, 0) : !layout<(4,2):(1,4)>
  return
}

// -----

func.func @store(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index, %x: f16) {
  // expected-error @+3 {{'layout.store' op [coord-element] expected the coordinate of one element, without '_', found (?,_)}}
  // expected-note @+2 {{(?,_)}}
  // expected-note @+1 {{hint: layout.slice keeps the modes of a '_'}}
  layout.store %x, %v(%i, _) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @store(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index, %x: f32) {
  // expected-error @+1 {{use of value '%x' expects different type than prior uses: 'f16' vs 'f32'}}
  layout.store %x, %v(%i, 0) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @store(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index, %x: f32) {
  // expected-error @+1 {{'layout.store' op failed to verify that the value has the view's element type}}
  "layout.store"(%x, %v, %i) <{coord = "(?,0)"}> : (f32, !layout.view<f16, global, (4,2):(1,4)>, index) -> ()
  return
}

// -----

// Every violation is reported.
func.func @store(%v: !layout.view<index, coordinate, (4,2):(1,4)>, %i: index) {
  // expected-error @+5 {{'layout.store' op [writable] expected a view of memory or registers to write to, found an identity tensor, whose elements are fixed}}
  // expected-error @+4 {{'layout.store' op [coord-bounds] expected a coordinate below 2 for the mode 2, found 5}}
  // expected-note @+3 {{(?,5)}}
  // expected-note @+2 {{hint: 1 is the nearest}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.store %i, %v(%i, 5) : !layout.view<index, coordinate, (4,2):(1,4)>
  return
}

// -----

func.func @fill(%v: !layout.view<index, coordinate, (4,2):(1,4)>, %i: index) {
  // expected-error @+2 {{'layout.fill' op [writable] expected a view of memory or registers to write to, found an identity tensor, whose elements are fixed}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.fill %v, %i : !layout.view<index, coordinate, (4,2):(1,4)>
  return
}

// -----

func.func @alloc() {
  // expected-error @+2 {{'layout.alloc' op [alloc-space] expected the space shared or register, found global}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.alloc : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @alloc() {
  // expected-error @+3 {{'layout.alloc' op [alloc-stride] expected a layout without negative strides, found (4,2):(-1,4)}}
  // expected-note @+2 {{(4,2):(-1,4)}}
  // expected-note @+1 {{hint: 1 reaches as many elements}}
  %0 = layout.alloc : !layout.view<f16, shared, (4,2):(-1,4)>
  return
}

// -----

func.func @identity_tensor() {
  // expected-error @+2 {{'layout.identity_tensor' op [identity-tensor-space] expected the space coordinate, found register}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.identity_tensor : !layout.view<index, register, (4,2):(1,4)>
  return
}

// -----

!v = !layout.view<f32, global, 8:1>
func.func @atomic_kind(%v: !v, %x: f32) {
  // expected-error @+3 {{'layout.atomic' op [atomic-kind] expected one of add, max, min, maxnum, minnum, maxu, minu, and, or, xor, exchange, found maxi}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: did you mean 'max'?}}
  layout.atomic maxi %x, %v(0) relaxed : !v
  return
}

// -----

!v = !layout.view<f32, global, 8:1>
func.func @atomic_fits(%v: !v, %x: f32) {
  // expected-error @+2 {{'layout.atomic' op [atomic-kind] expected a kind that fits elements of f32, found xor}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.atomic xor %x, %v(0) relaxed : !v
  return
}

// -----

!v = !layout.view<bf16, global, 8:1>
func.func @atomic_halves(%v: !v, %x: bf16) {
  // expected-error @+2 {{'layout.atomic' op [atomic-kind] expected a kind that fits elements of bf16, found max}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.atomic max %x, %v(0) relaxed : !v
  return
}

// -----

!v = !layout.view<i16, global, 8:1>
func.func @atomic_elements(%v: !v, %x: i16) {
  // expected-error @+2 {{'layout.atomic' op [atomic-kind] expected elements of one of f32, f64, f16, bf16, i32, i64, found i16}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.atomic add %x, %v(0) relaxed : !v
  return
}

// -----

!v = !layout.view<f32, global, 8:1>
func.func @atomic_order(%v: !v, %x: f32) {
  // expected-error @+3 {{'layout.atomic' op [atomic-order] expected one of relaxed, acquire, release, acq_rel, found relax}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: did you mean 'relaxed'?}}
  layout.atomic add %x, %v(0) relax : !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @atomic_space(%v: !v, %x: f32) {
  // expected-error @+2 {{'layout.atomic' op [atomic-space] expected a view of memory that threads share, found register}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.atomic add %x, %v(0) relaxed : !v
  return
}

// -----

func.func @pointer_space(%v: !layout.view<f32, register, 8:1>) {
  // expected-error @+2 {{'layout.pointer' op [view-space] expected a view of host, global or shared memory, found register}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.pointer %v : !layout.view<f32, register, 8:1> -> !llvm.ptr
  return
}

// -----

func.func @pointer_elements(%v: !layout.view<i4, global, 8:1>) {
  // expected-error @+2 {{'layout.pointer' op [view-element] expected elements of whole bytes, found i4}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.pointer %v : !layout.view<i4, global, 8:1> -> !llvm.ptr<1>
  return
}

// -----

func.func @pointer_type(%v: !layout.view<f32, global, 8:1>) {
  // expected-error @+2 {{'layout.pointer' op [operand] expected a pointer of type !llvm.ptr<1> or !llvm.ptr, found !llvm.ptr<3>}}
  // expected-note @+1 {{in the result's type:}}
  %0 = layout.pointer %v : !layout.view<f32, global, 8:1> -> !llvm.ptr<3>
  return
}

// -----

// expected-error @+1 {{expected one of global, shared, register, host and coordinate, found '4'; a view type is written !layout.view<f32, global, (4,8):(8,1)>}}
func.func private @f(!layout.view<f32, 4:1>)
