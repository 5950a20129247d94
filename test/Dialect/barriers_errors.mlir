// RUN: layout-opt %s --split-input-file --verify-diagnostics

!b = !layout.view<i64, shared, 2:1>
func.func @place() {
  // expected-error @+5 {{'layout.barriers' op [barrier-arrivals] expected 1 to 1048575 arrivals, found 0}}
  // expected-note @+4 {{in the attributes:}}
  // expected-note @+3 {{hint: 1 is the nearest}}
  // expected-error @+2 {{'layout.barriers' op [barrier-place] expected the operation in the body of a kernel, where barriers are initialised once, found func.func}}
  // expected-note @+1 {{hint: move it to the body of the kernel; its regions can use the barriers}}
  %b = layout.barriers arrivals 0 : !b
  return
}

// -----

gpu.module @views {
  gpu.func @views() kernel {
    // expected-error @+3 {{'layout.barriers' op [barrier-view] expected a view of i64 in shared memory, as layout.barriers makes it, found global}}
    // expected-note @+2 {{in the result's type:}}
    // expected-error @+1 {{'layout.barriers' op [barrier-view] expected a view of i64 in shared memory, as layout.barriers makes it, found i32}}
    %b = layout.barriers arrivals 1 : !layout.view<i32, global, 2:1>
    gpu.return
  }
}

// -----

gpu.module @alike {
  gpu.func @alike() kernel {
    // expected-error @+1 {{'layout.barriers' op [barrier-view] expected a plain injective layout of 1 to 1024 barriers, found 2:0}}
    %c = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:0>
    gpu.return
  }
}

// -----

gpu.module @many {
  gpu.func @many() kernel {
    // expected-error @+4 {{'layout.barriers' op [barrier-arrivals] expected 1 to 1048575 arrivals, found 1048576}}
    // expected-note @+3 {{in the attributes:}}
    // expected-note @+2 {{hint: 1048575 is the nearest}}
    // expected-error @+1 {{'layout.barriers' op [barrier-view] expected a plain injective layout of 1 to 1024 barriers, found 1025:1}}
    %d = layout.barriers arrivals 1048576 : !layout.view<i64, shared, 1025:1>
    gpu.return
  }
}

// -----

gpu.module @swizzled {
  gpu.func @swizzled() kernel {
    // expected-error @+2 {{'layout.barriers' op [barrier-view] expected a plain injective layout of 1 to 1024 barriers, found S<1,0,1> o 0 o 4:1}}
    // expected-note @+1 {{in the result's type:}}
    %e = layout.barriers arrivals 1 : !layout.view<i64, shared, S<1,0,1> o 0 o 4:1>
    gpu.return
  }
}

// -----

!b = !layout.view<i64, shared, 2:1>
gpu.module @looped {
  gpu.func @looped(%n: index) kernel {
    scf.for %i = %n to %n step %n {
      // expected-error @+3 {{'layout.barriers' op [barrier-place] expected the operation in the body of a kernel, where barriers are initialised once, found scf.for}}
      // expected-note @+2 {{in the attributes:}}
      // expected-note @+1 {{hint: move it to the body of the kernel; its regions can use the barriers}}
      %e = layout.barriers arrivals 1 : !b
    }
    gpu.return
  }
}

// -----

func.func @arrive_space(%v: !layout.view<i64, global, 2:1>) {
  // expected-error @+2 {{'layout.arrive' op [barrier-view] expected a view of i64 in shared memory, as layout.barriers makes it, found global}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.arrive %v(0)
  return
}

// -----

func.func @wait_element(%v: !layout.view<i32, shared, 2:1>, %n: index) {
  // expected-error @+2 {{'layout.wait' op [barrier-view] expected a view of i64 in shared memory, as layout.barriers makes it, found i32}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.wait %n, %v(0)
  return
}

// -----

func.func @wait_coordinate(%v: !layout.view<i64, shared, 2:1>, %n: index) {
  // expected-error @+3 {{'layout.wait' op [coord-bounds] expected a coordinate below 2 for the mode 2, found 2}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-note @+1 {{hint: 1 is the nearest}}
  layout.wait %n, %v(2)
  return
}

// -----

func.func @transaction_of_nothing(%v: !layout.view<i64, shared, 2:1>) {
  // expected-error @+2 {{'layout.transaction' op [transaction] expected bulk loads in a transaction, found none}}
  // expected-note @+1 {{in the attributes:}}
  layout.transaction %v(0) {
  }
  return
}

// -----

func.func @transaction_of_threads(%v: !layout.view<i64, shared, 2:1>, %g: !layout.view<f32, global, 4:1>,
                                  %s: !layout.view<f32, shared, 4:1>) {
  // expected-error @+2 {{'layout.transaction' op [transaction] expected bulk loads only in a transaction, found simt_4}}
  // expected-note @+1 {{in the atom:}}
  layout.transaction %v(0) {
    layout.copy #layout.atom<simt_4> %g, %s
  }
  return
}

// -----

func.func @pending(%c: !layout.view<f32, shared, 32:1>) {
  // expected-error @+5 {{'layout.wait_mma' op [mma-groups] expected 0 to 7 groups in flight, found 8}}
  // expected-note @+4 {{in the attributes:}}
  // expected-note @+3 {{hint: 7 is the nearest}}
  // expected-error @+2 {{'layout.wait_mma' op [mma-groups] expected an accumulator in registers, found shared}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.wait_mma %c pending 8
  return
}

// -----

func.func @swizzled_sums(%c: !layout.view<f32, register, S<1,0,1> o 0 o 4:1>) {
  // expected-error @+2 {{'layout.wait_mma' op [plain-layout] expected an accumulator with a plain layout, found S<1,0,1> o 0 o 4:1}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.wait_mma %c pending 0
  return
}

// -----

func.func @of_a_warp(%a: !layout.view<f16, register, (8,1,1):(1,0,0)>, %b: !layout.view<f16, register, (4,1,1):(1,0,0)>,
                     %c: !layout.view<f32, register, (4,1,1):(1,0,0)>) {
  // expected-error @+3 {{'layout.mma' op [mma-atom] expected an atom of warpgroups for 'overwrite', found mma_m16n8k16_f32_f16}}
  // expected-note @+2 {{in the atom:}}
  // expected-error @+1 {{'layout.mma' op [mma-atom] expected an atom of warpgroups for 'async', found mma_m16n8k16_f32_f16}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c overwrite async
  return
}

// -----

func.func @two_levels(%a: !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>,
                    %c: !layout.view<f32, register, (32,1,1):(1,0,0)>) {
  // expected-error @+2 {{'layout.mma' op [mma-groups] expected 'two_level_accumulation' without 'overwrite', found both}}
  // expected-note @+1 {{in the atom:}}
  layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %a, %c two_level_accumulation overwrite
  return
}

// -----

func.func @in_a_pipeline(%i: index, %c: !layout.view<f32, register, (32,1,1):(1,0,0)>,
                         %a: !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>) {
  layout.pipeline %i to %i by %i depth 2 stages 2 consumers 128
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
    // expected-error @+1 {{'layout.mma' op [barrier-place] expected the operation outside of layout.pipeline, which has its own barriers and waits, found one around it}}
    layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %a, %c async
    layout.wait_mma %c pending 0
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}
