// RUN: layout-opt %s --split-input-file --verify-diagnostics

func.func @numbers(%i: index) {
  // expected-error @+6 {{'layout.pipeline' op [pipeline-count] expected depth of at least 1, found 0}}
  // expected-error @+5 {{'layout.pipeline' op [pipeline-count] expected stages of at least 1, found -1}}
  // expected-error @+4 {{'layout.pipeline' op [pipeline-consumers] expected consumers to be a multiple of 128, the threads of a warpgroup, found 96}}
  // expected-note @+3 {{hint: 128 is the nearest}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: 1 is the least}}
  layout.pipeline %i to %i by %i depth 0 stages -1 consumers 96
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @many(%i: index) {
  // expected-error @+5 {{'layout.pipeline' op [pipeline-count] expected at most 1024 stages, found 1025}}
  // expected-error @+4 {{'layout.pipeline' op [pipeline-consumers] expected at most 896 consumer threads besides the producer warpgroup, found 1024}}
  // expected-note @+3 {{in the attributes:}}
  // expected-note @+2 {{hint: 1024 is the nearest}}
  // expected-note @+1 {{hint: 896 is the nearest}}
  layout.pipeline %i to %i by %i depth 1 stages 1025 consumers 1024
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @arguments(%i: index) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-region] expected load to have 3 arguments of type index, found 2}}
  // expected-error @+2 {{'layout.pipeline' op [pipeline-region] expected prologue to have 1 arguments of type index, found 1, not all of that type}}
  // expected-error @+1 {{'layout.pipeline' op [pipeline-region] expected epilogue to have 1 arguments of type index, found 0}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 128
  load {
  ^bb0(%tile: index, %k: index):
  } prologue {
  ^bb0(%tile: i32):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
    %c = arith.constant 0 : i32
  }
  return
}

// -----

func.func @copies(%i: index, %g: !layout.view<f16, global, 8:1>, %s: !layout.view<f16, shared, 8:1>) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-copies] expected bulk copies only in load, found cp_async_16}}
  // expected-error @+2 {{'layout.pipeline' op [pipeline-copies] expected no bulk copies in mainloop, found bulk_tensor_load}}
  // expected-note @+1 {{in the atom:}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 128
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
    layout.copy #layout.atom<cp_async_16> %g, %s : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
    layout.copy #layout.atom<bulk_tensor_load> %g, %s : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @cluster(%i: index) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-cluster] expected a cluster of 1 to 8 blocks, found (4,4)}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: (4,2) is the nearest}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 128 attributes {cluster = array<i64: 4, 4>}
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @cluster_rank(%i: index) {
  // expected-error @+2 {{'layout.pipeline' op [pipeline-cluster] expected a cluster of 2 extents, found 1}}
  // expected-note @+1 {{in the attributes:}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 128 attributes {cluster = array<i64: 4>}
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @ping_pong(%i: index) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-ping-pong] expected at least one consumer group, of a multiple of 128 of the 256 consumers each, found 3 consumer groups}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: 2 is the nearest}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 256 attributes {ping_pong = 3 : i64}
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @no_consumer_groups(%i: index) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-ping-pong] expected at least one consumer group, of a multiple of 128 of the 256 consumers each, found 0 consumer groups}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: 1 is the nearest}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 256 attributes {ping_pong = 0 : i64}
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_of_consumer_groups(%i: index) {
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected one consumer group in a pipeline with a steps region, found 2 consumer groups}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256 attributes {ping_pong = 2 : i64}
  steps {
  ^bb0(%tile: index):
    layout.yield %tile : index
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_arguments(%i: index) {
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected steps to have 1 argument of type index, found 2}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  steps {
  ^bb0(%tile: index, %k: index):
    layout.yield %tile : index
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_end(%i: index) {
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected steps to end with layout.yield of an index, found arith.addi}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  steps {
  ^bb0(%tile: index):
    %n = arith.addi %tile, %tile : index
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_of_nothing(%i: index) {
  // The yield is verified after the pipeline, which may not count on an operand.
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected steps to end with layout.yield of an index, found layout.yield}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  steps {
  ^bb0(%tile: index):
    "layout.yield"() : () -> ()
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_of_floats(%i: index) {
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected steps to end with layout.yield of an index, found layout.yield}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  steps {
  ^bb0(%tile: index):
    %x = arith.constant 1.0 : f32
    layout.yield %x : f32
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

func.func @steps_hold(%i: index) {
  // expected-error @+1 {{'layout.pipeline' op [pipeline-steps] expected operations of arith in steps, found index.add}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  steps {
  ^bb0(%tile: index):
    %n = index.add %tile, %i
    layout.yield %n : index
  } load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

// The warpgroup that loads executes no region but its own, and one thread of it: no barrier of all is met.

func.func @barriers(%i: index) {
  // expected-error @+4 {{'layout.pipeline' op [pipeline-barrier] expected no block-wide barrier in load, which the producer warpgroup does not execute, found nvvm.barrier0}}
  // expected-note @+3 {{hint: use nvvm.barrier with an id and the number of consumer threads}}
  // expected-error @+2 {{'layout.pipeline' op [pipeline-barrier] expected no block-wide barrier in mainloop, which the producer warpgroup does not execute, found gpu.barrier}}
  // expected-error @+1 {{'layout.pipeline' op [pipeline-barrier] expected no block-wide barrier in epilogue, which the producer warpgroup does not execute, found nvvm.cluster.arrive}}
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
    nvvm.barrier0
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
    %c = arith.cmpi ult, %k, %tile : index
    scf.if %c {
      gpu.barrier
    }
  } epilogue {
  ^bb0(%tile: index):
    nvvm.cluster.arrive
  }
  return
}

// -----

// A barrier of the consumers alone is right.

func.func @own_barrier(%i: index) {
  %id = arith.constant 1 : i32
  %consumers = arith.constant 256 : i32
  layout.pipeline %i to %i by %i depth 4 stages 1 consumers 256
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
    nvvm.barrier id = %id number_of_threads = %consumers
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}

// -----

// A step's stage is released when the next step's MMAs are in flight: with one stage the next one would never be loaded.
!t = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
!acc = !layout.view<f32, register, ((32,1),1,1):((1,32),32,32)>
func.func @released_late(%i: index, %a: !t, %b: !t, %c: !acc) {
  // expected-error @+3 {{'layout.pipeline' op [pipeline-count] expected at least 2 stages where the mainloop leaves MMAs in flight, since a stage is released a step later, found 1}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: 2 is the least}}
  layout.pipeline %i to %i by %i depth 1 stages 1 consumers 128
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } prologue {
  ^bb0(%tile: index):
  } mainloop {
  ^bb0(%tile: index, %k: index, %stage: index):
    layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %b, %c : !t, !t, !acc
  } epilogue {
  ^bb0(%tile: index):
  }
  return
}
