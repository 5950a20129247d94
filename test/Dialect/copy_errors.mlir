// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @atom(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-atom] expected a copy atom, found mma_m16n8k16_f32_f16}}
  // expected-note @+1 {{in the atom:}}
  layout.copy #layout.atom<mma_m16n8k16_f32_f16> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @keyword(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+1 {{custom op 'layout.copy' expected an atom, such as #layout.atom<simt_1>, found 'cp_async_16'}}
  layout.copy cp_async_16 %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @text(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+1 {{custom op 'layout.copy' expected an atom, such as #layout.atom<simt_1>, found "cp_async_16"}}
  layout.copy "cp_async_16" %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @none(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+1 {{custom op 'layout.copy' expected an atom, such as #layout.atom<simt_1>, found none}}
  layout.copy %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @spaces(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in global and a target in shared memory for cp_async_16, found global and register}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, register, 8:1>
  return
}

// -----

func.func @spaces(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in shared memory and a target in registers for ldmatrix_x4, found global and register}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<ldmatrix_x4> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, register, 8:1>
  return
}

// -----

func.func @spaces(%a: !layout.view<index, register, 8:1>, %b: !layout.view<index, coordinate, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-spaces] expected a target in memory or registers for simt_1, found register and coordinate}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<simt_1> %a, %b : !layout.view<index, register, 8:1>, !layout.view<index, coordinate, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<bf16, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-elements] expected equal element types for cp_async_16, which does not convert, found f16 and bf16}}
  // expected-note @+2 {{hint: simt_1 converts between floats}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<bf16, shared, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<i8, global, 8:1>, %b: !layout.view<i32, shared, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-elements] expected equal element types, two floats, a float and i8, i32 to i8, or i2 or i4 to a float or i8, found i8 and i32}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<simt_1> %a, %b : !layout.view<i8, global, 8:1>, !layout.view<i32, shared, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<f32, global, 8:1>, %b: !layout.view<i8, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-elements] expected equal element types for cp_async_4, which does not convert, found f32 and i8}}
  // expected-note @+2 {{hint: simt_1 converts between them}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<cp_async_4> %a, %b : !layout.view<f32, global, 8:1>, !layout.view<i8, shared, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<i16, shared, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-elements] expected equal element types, two floats, a float and i8, i32 to i8, or i2 or i4 to a float or i8, found f16 and i16}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<simt_1> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<i16, shared, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<f32, shared, 8:1>, %b: !layout.view<f32, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-width] expected an element type that ldmatrix_x4_trans can move, found f32 of 4 bytes}}
  // expected-note @+2 {{hint: simt_8 moves 8 elements at once}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<ldmatrix_x4_trans> %a, %b : !layout.view<f32, shared, 8:1>, !layout.view<f32, register, 8:1>
  return
}

// -----

func.func @elements(%a: !layout.view<f64, global, 8:1>, %b: !layout.view<f64, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-width] expected an element type that cp_async_4 can move, found f64 of 8 bytes}}
  // expected-note @+2 {{hint: cp_async_16 moves 2 elements at once}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<cp_async_4> %a, %b : !layout.view<f64, global, 8:1>, !layout.view<f64, shared, 8:1>
  return
}

// -----

func.func @sizes(%a: !layout.view<f16, global, 16:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-size] expected source and target of one size, found 16 and 8}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, 16:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @sizes(%a: !layout.view<f16, global, 12:1>, %b: !layout.view<f16, shared, 12:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-multiple] expected a size that is a multiple of 8, the elements that cp_async_16 moves at once, found 12}}
  // expected-note @+2 {{hint: cp_async_8 moves 4 elements at once}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, 12:1>, !layout.view<f16, shared, 12:1>
  return
}

// -----

// Both sides lie in memory, and both are reported.
func.func @runs(%a: !layout.view<f16, global, (4,4):(4,1)>, %b: !layout.view<f16, shared, 16:2>) {
  // expected-error @+5 {{'layout.copy' op [copy-contiguous] expected each 8 elements that cp_async_16 moves at once to be contiguous in the source, found (4,4):(4,1)}}
  // expected-note @+4 {{(4,4):(4,1)}}
  // expected-note @+3 {{hint: simt_1 moves one element at once}}
  // expected-error @+2 {{'layout.copy' op [copy-contiguous] expected each 8 elements that cp_async_16 moves at once to be contiguous in the target, found 16:2}}
  // expected-note @+1 {{16:2}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, (4,4):(4,1)>, !layout.view<f16, shared, 16:2>
  return
}

// -----

// The swizzle keeps runs of 4 only.
func.func @runs(%a: !layout.view<f16, global, 64:1>, %b: !layout.view<f16, shared, S<3,2,3> o 0 o 64:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-contiguous] expected each 8 elements that cp_async_16 moves at once to be contiguous in the target, found S<3,2,3> o 0 o 64:1}}
  // expected-note @+2 {{S<3,2,3> o 0 o 64:1}}
  // expected-note @+1 {{hint: cp_async_8 moves 4 elements at once}}
  layout.copy #layout.atom<cp_async_16> %a, %b : !layout.view<f16, global, 64:1>, !layout.view<f16, shared, S<3,2,3> o 0 o 64:1>
  return
}

// -----

// Registers need not be contiguous.
func.func @registers(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, register, 8:2>) {
  layout.copy #layout.atom<simt_8> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, register, 8:2>
  return
}

// -----

func.func @predicates(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, coordinate, 4:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-predicate-size] expected predicate 0 to have the source's size 8, found 4}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.copy #layout.atom<cp_async_16> %a, %b predicate(%g < 3 : !layout.view<index, coordinate, 4:1>) : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @predicates(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, register, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-predicate-space] expected predicate 0 to be a view of an identity tensor, found register}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.copy #layout.atom<cp_async_16> %a, %b predicate(%g < 3 : !layout.view<index, register, 8:1>) : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @predicates(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, coordinate, 8:1>) {
  // expected-error @+2 {{'layout.copy' op [copy-predicate-limits] expected one limit for each predicate, found 2 limits for 1 predicates}}
  // expected-note @+1 {{in the attributes:}}
  "layout.copy"(%a, %b, %g) <{atom = #layout.atom<cp_async_16>, limits = array<i64: 1, 2>}> : (!layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>, !layout.view<index, coordinate, 8:1>) -> ()
  return
}

// -----

func.func @bulk(%a: !layout.view<f16, shared, 8:1>, %b: !layout.view<f16, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in global and a target in shared memory for bulk_tensor_load, found shared and register}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<bulk_tensor_load> %a, %b : !layout.view<f16, shared, 8:1>, !layout.view<f16, register, 8:1>
  return
}

// -----

func.func @stores(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in registers and a target in shared memory for stmatrix_x4, found global and register}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<stmatrix_x4> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, register, 8:1>
  return
}

// -----

func.func @bulk_store(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, register, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in shared memory and a target in global memory for bulk_tensor_store, found global and register}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy #layout.atom<bulk_tensor_store> %a, %b : !layout.view<f16, global, 8:1>, !layout.view<f16, register, 8:1>
  return
}

// -----

func.func @multicast(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-multicast] expected multicast on bulk_tensor_load only, found it on cp_async_16}}
  // expected-note @+2 {{hint: without multicast each block copies for itself}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy #layout.atom<cp_async_16> %a, %b {multicast = 0 : i64} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @multicast(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-multicast] expected multicast along mode 0 or 1, found 2}}
  // expected-note @+2 {{hint: 1 is the nearest}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy #layout.atom<bulk_tensor_load> %a, %b {multicast = 2 : i64} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @evict_first(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-evict-first] expected evict_first on bulk_tensor_load or a simt copy from global memory, found it on cp_async_16 from global memory}}
  // expected-note @+2 {{hint: without evict_first its lines have the default eviction priority}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy #layout.atom<cp_async_16> %a, %b {evict_first} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @whole(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, coordinate, 8:0>) {
  // expected-error @+3 {{'layout.copy' op [copy-whole] expected no predicates for bulk_load, which moves all of its bytes, found 1}}
  // expected-note @+2 {{hint: bulk_tensor_load and bulk_tensor_store have predicates}}
  // expected-note @+1 {{in the atom:}}
  layout.copy #layout.atom<bulk_load> %a, %b predicate(%g < 3 : !layout.view<index, coordinate, 8:0>) : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @bulk_spaces(%a: !layout.view<f16, shared, 8:1>, %b: !layout.view<f16, shared, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-spaces] expected a source in shared memory and a target in global memory for bulk_store, found shared and shared}}
  // expected-note @+2 {{hint: simt_1 copies between any spaces}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy #layout.atom<bulk_store> %a, %b : !layout.view<f16, shared, 8:1>, !layout.view<f16, shared, 8:1>
  return
}

// -----

func.func @bulk_rows(%a: !layout.view<f16, global, (4,4):(1,8)>, %b: !layout.view<f16, shared, 16:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-contiguous] expected each 8 elements that bulk_load moves at once to be contiguous in the source, found (4,4):(1,8)}}
  // expected-note @+2 {{in the layout of the source:}}
  // expected-note @+1 {{hint: simt_4 moves 4 elements at once}}
  layout.copy #layout.atom<bulk_load> %a, %b : !layout.view<f16, global, (4,4):(1,8)>, !layout.view<f16, shared, 16:1>
  return
}

// -----

func.func @copy_no_zfill(%a: !layout.view<f16, global, 8:1>, %b: !layout.view<f16, shared, 8:1>, %g: !layout.view<index, coordinate, 8:1>) {
  // expected-error @+3 {{'layout.copy' op [copy-no-zfill] expected no_zfill on bulk_tensor_load with predicates only, found it on cp_async_16 with 1}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: without no_zfill elements beyond the limits are zero}}
  layout.copy #layout.atom<cp_async_16> %a, %b predicate(%g < 3 : !layout.view<index, coordinate, 8:1>) {no_zfill = 0 : i64} : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  return
}
