// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{'layout.slice' op expected a coordinate of 2 modes for the shape (4,2), found (_,_,?) of 3}}
  %0 = layout.slice %v(_, _, %i) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{'layout.slice' op expected an integer coordinate for the shape 2, found (_,?)}}
  %0 = layout.slice %v(_, (_, %i)) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+1 {{'layout.slice' op expected a coordinate below 2 for the mode 2, found 2}}
  %0 = layout.slice %v(_, 2) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+1 {{'layout.slice' op expected a coordinate below 4 for the mode 4, found -1}}
  %0 = layout.slice %v(-1, _) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{'layout.slice' op expected a coordinate with at least one '_', found (?,1): layout.load reads a single element, layout.crd2idx gives its offset}}
  %0 = layout.slice %v(%i, 1) : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{custom op 'layout.slice' expected '_', an integer, an index value or '(' in a coordinate}}
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
  // expected-error @+2 {{'layout.slice' op expected 1 index operands for the coordinate (_,?), found 0}}
  // expected-error @+1 {{'layout.slice' op failed to infer returned types}}
  %0 = "layout.slice"(%v) <{coord = "(_,?)"}> : (!layout.view<f16, global, (4,2):(1,4)>) -> !layout.view<f16, global, (4):(1)>
  return
}

// -----

func.func @slice(%v: !layout.view<f16, global, (4,2):(1,4)>) {
  // expected-error @+2 {{'layout.slice' op expected '_', '?', an integer or '(' in a coordinate, found 'x' (at byte 3)}}
  // expected-error @+1 {{'layout.slice' op failed to infer returned types}}
  %0 = "layout.slice"(%v) <{coord = "(_,x)"}> : (!layout.view<f16, global, (4,2):(1,4)>) -> !layout.view<f16, global, (4):(1)>
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
  // expected-error @+1 {{'layout.load' op expected the coordinate of one element, without '_', found (?,_)}}
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
  // expected-error @+1 {{'layout.store' op expected the coordinate of one element, without '_', found (?,_)}}
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

// Every violation is told.
func.func @store(%v: !layout.view<index, iota, (4,2):(1,4)>, %i: index) {
  // expected-error @+2 {{'layout.store' op expected a view of memory or registers to write to, found an iota view, whose elements are fixed}}
  // expected-error @+1 {{'layout.store' op expected a coordinate below 2 for the mode 2, found 5}}
  layout.store %i, %v(%i, 5) : !layout.view<index, iota, (4,2):(1,4)>
  return
}

// -----

func.func @fill(%v: !layout.view<index, iota, (4,2):(1,4)>, %i: index) {
  // expected-error @+1 {{'layout.fill' op expected a view of memory or registers to write to, found an iota view, whose elements are fixed}}
  layout.fill %v, %i : !layout.view<index, iota, (4,2):(1,4)>
  return
}

// -----

func.func @alloc() {
  // expected-error @+1 {{'layout.alloc' op expected the space shared or register, found global}}
  %0 = layout.alloc : !layout.view<f16, global, (4,2):(1,4)>
  return
}

// -----

func.func @alloc() {
  // expected-error @+1 {{'layout.alloc' op expected a layout without negative strides, found (4,2):(-1,4)}}
  %0 = layout.alloc : !layout.view<f16, shared, (4,2):(-1,4)>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'layout.iota' op expected the space iota, found register}}
  %0 = layout.iota : !layout.view<index, register, (4,2):(1,4)>
  return
}
