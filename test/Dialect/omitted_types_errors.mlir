// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @further_on(%i: index) {
  // expected-error @+1 {{custom op 'layout.slice' expected ': TYPE' after the operation for %v, found none; no value of this name is defined above}}
  %0 = layout.slice %v(%i, _)
  %v = layout.alloc : !layout.view<f16, shared, (8,8):(8,1)>
  return
}

// -----

func.func @two(%v: !layout.view<f16, shared, (8,8):(8,1)>) {
  // expected-error @+1 {{custom op 'layout.slice' reference to invalid result number}}
  %0 = layout.slice %v#1(0, _)
  return
}

// -----

// Errors of the type that follows are reported as for one that is written.
func.func @of_another_kind(%x: f32) {
  // expected-error @+2 {{'layout.slice' op [operand] expected a layout, a tuple or a view, found f32}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.slice %x(0, _)
  return
}

// -----

// A value that was used before with a type has that type.
func.func @used_before(%i: index) {
  cf.br ^two
^one:
  // expected-note @+1 {{previously used here with type '!layout.view<f16, shared, (8,4):(4,1)>'}}
  %0 = layout.slice %v(%i, _) : !layout.view<f16, shared, (8,4):(4,1)>
  %1 = layout.slice %v(%i, _)
  return
^two:
  // expected-error @+1 {{definition of SSA value '%v#0' has type '!layout.view<f16, shared, (8,8):(8,1)>'}}
  %v = layout.alloc : !layout.view<f16, shared, (8,8):(8,1)>
  cf.br ^one
}

// -----

func.func @fill(%x: f32, %l: !layout<8:1>) {
  // expected-error @+1 {{custom op 'layout.fill' invalid kind of type specified: expected layout.view, but found 'f32'}}
  layout.fill %x, %x
  return
}

// -----

func.func @store(%x: f32, %l: !layout<8:1>) {
  // expected-error @+1 {{custom op 'layout.store' invalid kind of type specified: expected layout.view, but found '!layout<8:1>'}}
  layout.store %x, %l(0)
  return
}

// -----

func.func @copy(%x: f32, %l: !layout<8:1>) {
  // expected-error @+1 {{custom op 'layout.copy' invalid kind of type specified: expected layout.view, but found '!layout<8:1>'}}
  layout.copy #layout.atom<simt_1> %l, %l
  return
}

// -----

func.func @products(%x: f32, %l: !layout<8:1>) {
  // expected-error @+1 {{custom op 'layout.mma' invalid kind of type specified: expected layout.view, but found 'f32'}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %x, %x, %l
  return
}

// -----

func.func @map(%x: f32, %v: !layout.view<f32, register, 8:1>) {
  // expected-error @+1 {{custom op 'layout.map' invalid kind of type specified: expected layout.view, but found 'f32'}}
  layout.map ins(%x) outs(%v) {
  ^bb0(%a: f32, %old: f32):
    layout.yield %a
  }
  return
}

// -----

func.func @reduce(%x: f32, %v: !layout.view<f32, register, 8:1>) {
  // expected-error @+1 {{custom op 'layout.reduce' invalid kind of type specified: expected layout.view, but found 'f32'}}
  layout.reduce add %v into %x along [0]
  return
}

// -----

func.func @matmul(%v: !layout.view<bf16, global, (8,8):(8,1)>, %x: f32) {
  // expected-error @+1 {{custom op 'layout.matmul' invalid kind of type specified: expected layout.view, but found 'f32'}}
  layout.matmul %v, %v, %v dual %x schedule(#layout.schedule<auto, chip = "sm_90a">)
  return
}
