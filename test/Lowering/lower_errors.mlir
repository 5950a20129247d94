// RUN: layout-opt %s --layout-lower --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @matmul(%a: !layout.view<f16, global, (8,8):(8,1)>) {
  // expected-error @+1 {{'layout.matmul' op expected tiled kernels, found layout.matmul; run layout-tile-matmul before layout-lower}}
  layout.matmul %a, %a, %a schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 2>)
    : !layout.view<f16, global, (8,8):(8,1)>, !layout.view<f16, global, (8,8):(8,1)>, !layout.view<f16, global, (8,8):(8,1)>
  return
}

// -----

// Where a part starts, the swizzle may split what becomes one element.

func.func @part(%v: !layout.view<f16, shared, S<1,0,6> o 0 o (16,8):(8,1)>, %i: index) {
  %r = layout.slice %v(%i, _) : !layout.view<f16, shared, S<1,0,6> o 0 o (16,8):(8,1)>
  // expected-error @+1 {{'layout.recast' op expected a slice of a view whose swizzle keeps 2 elements contiguous, found S<1,0,6> o 0 o (8):(1)}}
  %s = layout.recast %r to i32 : !layout.view<f16, shared, S<1,0,6> o 0 o (8):(1)>
  return
}

// -----

// A run-time row of odd pitch leaves no alignment to prove.

gpu.module @m {
  gpu.func @alignment(%v: !layout.view<f16, global, (8,4):(1,9)>) kernel {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f16, shared, (8):(1)>
    %r = layout.slice %v(_, %t) : !layout.view<f16, global, (8,4):(1,9)>
    // expected-error @+1 {{'layout.copy' op expected elements 0..8 of the source to be contiguous from a multiple of 8 for cp_async_16, found "(8):(1)" where run-time offsets are known to be multiples of 9}}
    layout.copy #layout.atom<cp_async_16> %r, %s : !layout.view<f16, global, (8):(1)>, !layout.view<f16, shared, (8):(1)>
    gpu.return
  }
}

// -----

// A predicate that changes within a vector would need a vector cut in two.

gpu.module @m {
  gpu.func @predicate(%v: !layout.view<f16, global, (8,4):(1,8)>) kernel {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f16, shared, (8):(1)>
    %i = layout.identity_tensor : !layout.view<index, coordinate, (8,4):(1,0)>
    %r = layout.slice %v(_, %t) : !layout.view<f16, global, (8,4):(1,8)>
    %g = layout.slice %i(_, %t) : !layout.view<index, coordinate, (8,4):(1,0)>
    // expected-error @+1 {{'layout.copy' op expected a predicate that is the same for each 8 elements of cp_async_16, found (8):(1) below 5}}
    layout.copy #layout.atom<cp_async_16> %r, %s predicate(%g < 5 : !layout.view<index, coordinate, (8):(1)>)
      : !layout.view<f16, global, (8):(1)>, !layout.view<f16, shared, (8):(1)>
    gpu.return
  }
}

// -----

func.func @carried(%v: !layout.view<f32, global, 8:1>) {
  // expected-error @+1 {{'test.use' op expected only layout operations to use a view, found test.use}}
  "test.use"(%v) : (!layout.view<f32, global, 8:1>) -> ()
  return
}

// -----

// Bulk copies are issued by the producer of a pipeline.

gpu.module @m {
  gpu.func @bulk(%a: !layout.view<f16, global, (64,64):(64,1)>) kernel {
    %s = layout.alloc : !layout.view<f16, shared, (64,64):(64,1)>
    // expected-error @+1 {{'layout.copy' op expected a bulk copy in the load of a layout.pipeline or in a layout.transaction, found one outside of both}}
    layout.copy #layout.atom<bulk_tensor_load> %a, %s
      : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, shared, (64,64):(64,1)>
    gpu.return
  }
}

// -----

// The coordinates of a bulk copy must be those of its source.

gpu.module @m {
  gpu.func @coordinates(%a: !layout.view<f16, global, (64,64):(64,1)>) kernel {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, (64,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (64,64):(1,0)>
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{'layout.copy' op expected predicate 1 of a bulk copy to be the coordinate along mode 1 of the matrix (64,64):(64,1), partitioned alike, found a slice of (64,64):(1,0)}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 64 : !layout.view<index, coordinate, (64,64):(1,0)>,
              %rows < 64 : !layout.view<index, coordinate, (64,64):(1,0)>)
        : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, shared, (64,64):(64,1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Conditions of the copy engine: which fails.

gpu.module @m {
  gpu.func @stride(%a: !layout.view<f16, global, (64,63):(63,1)>) kernel {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, (64,63):(63,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (64,63):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (64,63):(0,1)>
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{'layout.copy' op expected rows in shared memory that are a multiple of 16 bytes, found 126 in (64,63):(63,1)}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 64 : !layout.view<index, coordinate, (64,63):(1,0)>,
              %columns < 63 : !layout.view<index, coordinate, (64,63):(0,1)>)
        : !layout.view<f16, global, (64,63):(63,1)>, !layout.view<f16, shared, (64,63):(63,1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Blocks of a cluster share whole boxes, or a box where the swizzle starts again.

gpu.module @m {
  gpu.func @shared_box(%a: !layout.view<f16, global, (8,64):(64,1)>) kernel {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (8,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (8,64):(0,1)>
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128 attributes {cluster = array<i64: 2, 1>}
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{'layout.copy' op expected a multiple of 2 boxes, or one of a multiple of 16 rows, for 2 blocks of a cluster to share, found 1 of 8 rows}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 8 : !layout.view<index, coordinate, (8,64):(1,0)>,
              %columns < 64 : !layout.view<index, coordinate, (8,64):(0,1)>) {multicast = 0 : i64}
        : !layout.view<f16, global, (8,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// A column of a tile under a swizzle begins within a run of it, and a function that takes it would copy no vectors.

!tile = !layout.view<f32, shared, S<2,3,3> o 0 o (64,32):(32,1)>
!column = !layout.view<f32, shared, S<2,3,3> o 0 o (64):(32)>
gpu.module @m {
  gpu.func @calls(%number: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = layout.alloc : !tile
    %own = layout.slice %s(_, %number) : !tile
    // expected-error @+1 {{expected the part of S<2,3,3> o 0 o (64):(32) that a function takes to begin at a multiple of 8 elements, which the swizzle keeps in a row, found a start that is not known to}}
    func.call @fill(%own) : (!column) -> ()
    gpu.return
  }
  func.func private @fill(%own: !column) {
    return
  }
}

// -----

// A load for all blocks of a cluster, in a kernel without one.

gpu.module @m {
  gpu.func @no_cluster(%a: !layout.view<f16, global, (16,64):(64,1)>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 1:1>
    layout.transaction %full(0) {
      // expected-error @+1 {{'layout.copy' op expected a multicast load in a kernel with a cluster, found none; cluster in layout.kernel states its blocks}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>,
              %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>) {multicast = 0 : i64}
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    }
    gpu.return
  }
}

// -----

func.func @cast(%i: index) -> index {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op expected (i32, i32) as the run-time values of !layout<(?,8):(?,1)>, found (index)}}
  %l = builtin.unrealized_conversion_cast %i : index to !layout<(?,8):(?,1)>
  %n = layout.size %l : !layout<(?,8):(?,1)>
  return %n : index
}

// -----

func.func @large_fill(%v: !layout.view<f32, global, 65537:1>, %x: f32) {
  // expected-error @+1 {{'layout.fill' op expected at most 65536 elements to expand, found 65537}}
  layout.fill %v, %x : !layout.view<f32, global, 65537:1>
  return
}

// -----

func.func @large_copy(%v: !layout.view<f32, global, 65537:1>, %w: !layout.view<f32, global, 65537:1>) {
  // expected-error @+1 {{'layout.copy' op expected at most 65536 elements to expand, found 65537}}
  layout.copy #layout.atom<simt_1> %v, %w
    : !layout.view<f32, global, 65537:1>, !layout.view<f32, global, 65537:1>
  return
}

// -----

// The barrier of a stage waits for one number of bytes.
gpu.module @m {
  gpu.func @branches(%a: !layout.view<f16, global, (16,64):(64,1)>) kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    // expected-error @+1 {{'layout.pipeline' op expected branches of a pipeline's load that copy equal numbers of bytes, found 2048 and 0}}
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %first = arith.cmpi eq, %tile, %c0 : index
      scf.if %first {
        layout.copy #layout.atom<bulk_tensor_load> %a, %s
          predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>,
                %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>)
          : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
      }
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @loops(%a: !layout.view<f16, global, (16,64):(64,1)>) kernel attributes {layout.kernel = {}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    // expected-error @+1 {{'layout.pipeline' op expected the bulk copies of a step in no region but those of scf.if, found some in scf.for}}
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      scf.for %i = %c0 to %c1 step %c1 {
        layout.copy #layout.atom<bulk_tensor_load> %a, %s
          predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>,
                %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>)
          : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
      }
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// A tile that begins inside a row of the swizzle, in the step of a pipeline: a failure there is reported at its place.

!c = !layout.view<f32, register, (16,1,2):(1,16,16)>
gpu.module @m {
  gpu.func @inside_a_row() kernel {
    %c0 = arith.constant 0 : index
    %a = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
    %b = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o ((32,16),2,4):((1,64),32,1024)>
    %c = layout.alloc : !c
    layout.pipeline %c0 to %c0 by %c0 depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{'layout.mma' op expected tile (1,0) to start in the first row of the swizzle of 128 bytes, found offset 64 in S<3,3,3> o 0 o ((32,16),2,4):((1,64),32,1024)}}
      layout.mma #layout.atom<wgmma_m64n32k16_f32_bf16> %a, %b, %c
        : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>,
          !layout.view<bf16, shared, S<3,3,3> o 0 o ((32,16),2,4):((1,64),32,1024)>, !c
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// By way of f32 a float of 64 bits would be rounded twice.

func.func @twice(%s: !layout.view<f64, host, 1:1>, %t: !layout.view<f8E4M3FN, host, 1:1>) {
  // expected-error @+1 {{'layout.copy' op expected floats of at most 32 bits to convert to f8E4M3FN, found f64}}
  layout.copy #layout.atom<simt_1> %s, %t : !layout.view<f64, host, 1:1>, !layout.view<f8E4M3FN, host, 1:1>
  return
}

// -----

// The copy engine rounds to tf32; threads do not.

func.func @rounds(%s: !layout.view<f32, host, 1:1>, %t: !layout.view<tf32, host, 1:1>) {
  // expected-error @+1 {{'layout.copy' op expected equal element types for tf32, to which threads do not round as the copy engine does, found f32}}
  layout.copy #layout.atom<simt_1> %s, %t : !layout.view<f32, host, 1:1>, !layout.view<tf32, host, 1:1>
  return
}

// -----

// A thread that writes half a byte would race with one that writes the other half.

func.func @half_a_byte(%v: !layout.view<i8, global, (64,32):(32,1)>, %x: i4) {
  %w = layout.recast %v to i4 : !layout.view<i8, global, (64,32):(32,1)>
  %c = arith.constant 3 : index
  // expected-error @+1 {{'layout.store' op expected a store of whole bytes in global memory, found one of a single i4; another thread may write the rest of its byte: collect the elements in registers, and copy 2 or more of them at once}}
  layout.store %x, %w(%c, %c) : !layout.view<i4, global, (64,64):(64,1)>
  return
}

// -----

func.func @half_a_byte_of_a_copy(%r: !layout.view<i4, global, 64:1>, %v: !layout.view<i4, shared, 64:1>) {
  // expected-error @+1 {{'layout.copy' op expected a store of whole bytes in shared memory, found one of a single i4; another thread may write the rest of its byte: collect the elements in registers, and copy 2 or more of them at once}}
  layout.copy #layout.atom<simt_1> %r, %v : !layout.view<i4, global, 64:1>, !layout.view<i4, shared, 64:1>
  return
}

// -----

func.func @odd_start(%v: !layout.view<i4, global, (64,64):(63,1)>, %i: index) -> i8 {
  %w = layout.slice %v(%i, _) : !layout.view<i4, global, (64,64):(63,1)>
  // expected-error @+1 {{'layout.recast' op expected i4 from the first of the 2 in a byte on, found element 0 where run-time offsets are known to be multiples of 63}}
  %b = layout.recast %w to i8 : !layout.view<i4, global, (64):(1)>
  %c = arith.constant 3 : index
  %x = layout.load %b(%c) : !layout.view<i8, global, (32):(1)>
  return %x : i8
}

// -----

func.func @unsigned_element(%v: !layout.view<ui4, global, 64:1>) -> ui4 {
  %c = arith.constant 3 : index
  // expected-error @+1 {{'layout.load' op expected single elements of a signless type, found ui4; arith.extui takes i4, and layout.copy converts ui4}}
  %x = layout.load %v(%c) : !layout.view<ui4, global, 64:1>
  return %x : ui4
}

// -----

// expected-error @+1 {{'func.func' op expected elements of whole bytes in memory or registers, found i1}}
func.func @bits_of_an_argument(%v: !layout.view<i1, global, 64:1>) {
  return
}

// -----

func.func @bits_of_a_memref(%m: memref<64xf4E2M1FN>) {
  // expected-error @+1 {{'layout.make_view' op expected elements of whole bytes in memory or registers, found f4E2M1FN}}
  %v = layout.make_view %m : memref<64xf4E2M1FN>
  return
}

// -----

// Upstream gives each i4 of a memref a byte of its own.

func.func @numbers_of_a_memref(%m: memref<64xi4>) {
  // expected-error @+1 {{'layout.make_view' op expected elements of whole bytes in memory or registers, found i4}}
  %v = layout.make_view %m : memref<64xi4>
  return
}

// -----

gpu.module @bits {
  gpu.func @bits_of_registers() kernel {
    // expected-error @+1 {{'layout.alloc' op expected elements of whole bytes in memory or registers, found i1}}
    %r = layout.alloc : !layout.view<i1, register, 8:1>
    gpu.return
  }
}

// -----

gpu.module @reduce {
  gpu.func @clusters(%x: f32) kernel {
    // expected-error @+1 {{'gpu.subgroup_reduce' op expected a cluster within the 32 lanes of a warp, its size and stride powers of 2, found 32 lanes with stride 2}}
    %0 = gpu.subgroup_reduce add %x cluster(size = 32, stride = 2) : (f32) -> f32
    gpu.return
  }
}

// -----

// Not all threads execute a step, nor what it calls.

gpu.module @step {
  gpu.func @calls(%i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{'func.call' op expected a call of a function without a block-wide barrier, since the producer warpgroup does not execute the pipeline's other regions, found gpu.barrier in @meets}}
      func.call @outer() : () -> ()
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
  func.func private @outer() {
    call @meets() : () -> ()
    return
  }
  func.func private @meets() {
    gpu.barrier
    return
  }
}

// -----

// The copy engine puts a box at multiples of 128 bytes: not a stage of 48 bytes past another one.

gpu.module @m {
  gpu.func @place(%a: !layout.view<f16, global, (3,8):(8,1)>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = layout.alloc : !layout.view<f16, shared, ((3,8),2):((8,1),24)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (3,8):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (3,8):(0,1)>
    layout.pipeline %c0 to %c1 by %c1 depth 2 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %to = layout.slice %s(_, %stage) : !layout.view<f16, shared, ((3,8),2):((8,1),24)>
      // expected-error @+1 {{'layout.copy' op expected boxes of a bulk copy that are aligned to 128 bytes in shared memory, found an alignment of 48 bytes in ((3,8)):((8,1))}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %to
        predicate(%rows < 3 : !layout.view<index, coordinate, (3,8):(1,0)>,
              %columns < 8 : !layout.view<index, coordinate, (3,8):(0,1)>)
        : !layout.view<f16, global, (3,8):(8,1)>, !layout.view<f16, shared, ((3,8)):((8,1))>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// Rows of ldmatrix, and bulk copies of bytes, are at multiples of 16 bytes.

gpu.module @m {
  gpu.func @rows(%i: index) kernel {
    %s = layout.alloc : !layout.view<bf16, shared, (8,64):(1,12)>
    %r = layout.alloc : !layout.view<bf16, register, 8:1>
    %row = layout.slice %s(_, %i) : !layout.view<bf16, shared, (8,64):(1,12)>
    // expected-error @+1 {{'layout.copy' op expected elements 0..8 of the source to be contiguous from a multiple of 8 for ldmatrix_x4, found "(8):(1)" where run-time offsets are known to be multiples of 12}}
    layout.copy #layout.atom<ldmatrix_x4> %row, %r : !layout.view<bf16, shared, (8):(1)>, !layout.view<bf16, register, 8:1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @bytes(%a: !layout.view<f32, global, (8,64):(1,10)>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = layout.alloc : !layout.view<f32, shared, (8,2):(1,8)>
    layout.pipeline %c0 to %c1 by %c1 depth 2 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %a(_, %k) : !layout.view<f32, global, (8,64):(1,10)>
      %to = layout.slice %s(_, %stage) : !layout.view<f32, shared, (8,2):(1,8)>
      // expected-error @+1 {{'layout.copy' op expected elements 0..4 of the source to be contiguous from a multiple of 4 for bulk_load, found "(8):(1)" where run-time offsets are known to be multiples of 10}}
      layout.copy #layout.atom<bulk_load> %from, %to : !layout.view<f32, global, (8):(1)>, !layout.view<f32, shared, (8):(1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}

// -----

// A dynamic extent is written as the type has it.

gpu.module @m {
  gpu.func @coordinates_of_dynamic(%a: !layout.view<f16, global, (?{range=1..65536},64):(64,1)>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %s = layout.alloc : !layout.view<f16, shared, (64,64):(64,1)>
    %all = layout.identity_tensor : !layout.view<index, coordinate, (65536,64):(1,0)>
    %rows = layout.local_tile %all(%c0, %c0), #layout<(64,64)>
    %from = layout.local_tile %a(%c0, %c0), #layout<(64,64)>
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 1:1>
    layout.transaction %full(0) {
      // expected-error @+1 {{'layout.copy' op expected predicate 1 of a bulk copy to be the coordinate along mode 1 of the matrix (?0,64):(64,1), partitioned alike, found a slice of (65536,64):(1,0)}}
      layout.copy #layout.atom<bulk_tensor_load> %from, %s predicate(%rows < %n, %rows < 64)
    }
    gpu.return
  }
}

// -----

// A launch knows the shared memory of layout.alloc.

gpu.module @m {
  gpu.func @dynamic_shared(%a: !layout.view<f32, global, 128:1>) kernel {
    // expected-error @+1 {{'gpu.dynamic_shared_memory' op expected layout.alloc for the shared memory of a kernel, found gpu.dynamic_shared_memory}}
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The lanes that exchange are there.

gpu.module @m {
  gpu.func @part_of_a_warp(%x: i32) -> i32 attributes {known_block_size = array<i32: 48, 1, 1>} {
    // expected-error @+1 {{'gpu.subgroup_reduce' op expected a block of a multiple of 32 threads, whose values the reduction combines, found 48}}
    %y = gpu.subgroup_reduce add %x : (i32) -> i32
    gpu.return %y : i32
  }
  gpu.func @clusters(%x: i32) -> i32 attributes {known_block_size = array<i32: 48, 1, 1>} {
    %y = gpu.subgroup_reduce add %x cluster(size = 16) : (i32) -> i32
    gpu.return %y : i32
  }
}

// -----

// A stride without a divisor does not align vectors.

gpu.module @m {
  gpu.func @vectors(%v: !layout.view<f16, global, (8,4):(1,?)>) kernel {
    %w = layout.alloc : !layout.view<f16, shared, (8,4):(1,8)>
    // expected-error @+1 {{'layout.copy' op expected elements 0..8 of the source to be contiguous from a multiple of 8 for cp_async_16, found "(8):(1)" where run-time offsets are known to be multiples of 1}}
    layout.copy #layout.atom<cp_async_16> %v, %w
    gpu.return
  }
}

// -----

// Upstream has no place in shared memory for an allocation of its own.

gpu.module @m {
  func.func private @called() {
    // expected-error @+1 {{'memref.alloc' op expected layout.alloc for the shared memory of a kernel, found memref.alloc of memref<64xf32, #gpu.address_space<workgroup>>}}
    %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    return
  }
  gpu.func @upstream_shared() kernel {
    // expected-error @+1 {{'memref.alloca' op expected layout.alloc for the shared memory of a kernel, found memref.alloca of memref<64xf32, 3>}}
    %s = memref.alloca() : memref<64xf32, 3>
    %v = layout.make_view %s : memref<64xf32, 3>
    %own = memref.alloca() : memref<4xf32, 5>
    gpu.return
  }
}

// -----

// A constant outside of registers meets nothing.

gpu.module @m {
  gpu.func @past_registers(%x: f32) kernel {
    %r = layout.alloc : !layout.view<f32, register, 4:1>
    %c3 = arith.constant 3 : index
    layout.store %x, %r(%c3)
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'layout.store' op expected a coordinate from 0 to 3 for the mode 4 of !layout.view<f32, register, 4:1>, found 4}}
    layout.store %x, %r(%c4)
    gpu.return
  }
  gpu.func @before_registers() kernel {
    %r = layout.alloc : !layout.view<f32, register, (2,4):(4,1)>
    %c1 = arith.constant 1 : index
    %negative = arith.constant -1 : index
    // expected-error @+1 {{'layout.load' op expected a coordinate from 0 to 3 for the mode 4 of !layout.view<f32, register, (2,4):(4,1)>, found -1}}
    %x = layout.load %r(%c1, %negative)
    gpu.return
  }
  gpu.func @slice_past_registers() kernel {
    %r = layout.alloc : !layout.view<f32, register, (2,4):(4,1)>
    %c2 = arith.constant 2 : index
    // expected-error @+1 {{'layout.slice' op expected a coordinate from 0 to 1 for the mode 2 of !layout.view<f32, register, (2,4):(4,1)>, found 2}}
    %s = layout.slice %r(%c2, _)
    gpu.return
  }
}

// -----

// A name that is no chip's.

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op expected a chip such as sm_80, sm_89, sm_90a, sm_100a, sm_120a in layout.kernel, found gfx90a}}
  gpu.func @of_another_vendor(%x: f32) kernel attributes {layout.kernel = {chip = "gfx90a"}} {
    %r = layout.alloc : !layout.view<f32, register, 4:1>
    layout.fill %r, %x
    gpu.return
  }
}
