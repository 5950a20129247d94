// A causal convolution of 4 taps along tokens with SiLU: a block copies 35 tokens of 64 channels in vectors by cp.async, although the stride of
// tokens is known at run time, and a thread computes 8 channels of 2 tokens.
!x = !layout.view<bf16, global, (?{range=1..65536},?{div=64 range=64..8192}):(?{div=64 range=64..8192},1)>
!w = !layout.view<bf16, global, (4,?{div=64 range=64..8192}):(?{div=64 range=64..8192},1)>
!b = !layout.view<bf16, global, ?{div=64 range=64..8192}:1>
!tile = !layout.view<bf16, shared, S<3,3,3> o 0 o (48,64):(64,1)>
!taps = !layout.view<bf16, register, (8,1,4):(1,0,8)>
!vector = !layout.view<f32, register, (8,1):(1,0)>
!sum = !layout.view<f32, register, (8,2):(1,8)>
!xw = !layout.view<bf16, register, (8,5):(1,8)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>

gpu.module @kernels {
  gpu.func @causal_conv(%x: !x, %weight: !w, %bias: !b, %out: !x) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, layout.reference = @causal_conv_reference,
                  layout.kernel = {grid = ["ceil_div(channels,64)", "ceil_div(tokens,32)"],
                                   sizes = ["tokens", "channels", "channels", "channels", "channels", "channels",
                                            "tokens", "channels", "channels"],
                                   names = ["x", "weight", "bias", "out"]}} {
    %t = gpu.thread_id x
    %bc = gpu.block_id x
    %bt = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %column = layout.slice %x(_, 0)
    %tokens = layout.size %column
    %first = arith.muli %bt, %c32 : index
    %from_row = arith.subi %first, %c3 : index
    // A block's rows begin at any token: modes that overlap.
    %xs = layout.composition %x, #layout<<(48,65536):(1,1), (64,128):(1,64)>>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, ((48,65536),(64,128)):((1,1),(0,0))>
    %minus = layout.identity_tensor : !layout.view<index, coordinate, ((48,65536),(64,128)):((-1,-1),(0,0))>
    %from = layout.slice %xs((_, %from_row), (_, %bc))
    %ids = layout.slice %rows((_, %from_row), (_, %bc))
    %minus_ids = layout.slice %minus((_, %from_row), (_, %bc))
    %tile = layout.alloc : !tile
    layout.cooperative_copy #copy(%t) %from, %tile predicate(%ids < %tokens, %minus_ids < 1)
    nvvm.cp.async.commit.group
    %lane, %pair = layout.idx2crd %t, #layout<(8,16)>
    %ws = layout.composition %weight, #layout<<_, (8,8,128):(1,8,64)>>
    %bs = layout.composition %bias, #layout<(8,8,128):(1,8,64)>
    %taps = layout.alloc : !taps
    %b = layout.alloc : !vector
    %sum = layout.alloc : !sum
    %window = layout.alloc : !xw
    %b_own = layout.slice %bs(_, %lane, %bc)
    layout.copy #layout.atom<simt_8> %b_own, %b
    scf.for %k = %c0 to %c4 step %c1 {
      %w_own = layout.slice %ws(%k, (_, %lane, %bc))
      %w_to = layout.slice %taps(_, _, %k)
      layout.copy #layout.atom<simt_8> %w_own, %w_to
    }
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %own_rows = arith.muli %pair, %c2 : index
    %tile_v = layout.composition %tile, #layout<<_, (8,8):(1,8)>>
    scf.for %r = %c0 to %c5 step %c1 {
      %row = arith.addi %own_rows, %r : index
      %s = layout.slice %tile_v(%row, (_, %lane))
      %to = layout.slice %window(_, %r)
      layout.copy #layout.atom<simt_8> %s, %to
    }
    layout.map ins(%b) outs(%sum) {
    ^bb0(%be: f32, %old: f32):
      layout.yield %be : f32
    }
    %moved = layout.composition %window, #layout<<_, (4,2):(1,1)>>
    scf.for %k = %c0 to %c4 step %c1 {
      %w_k = layout.slice %taps(_, _, %k)
      %x_k = layout.slice %moved(_, (%k, _))
      layout.map ins(%w_k, %x_k) outs(%sum) {
      ^bb0(%we: bf16, %xe: bf16, %before: f32):
        %we_f = arith.extf %we : bf16 to f32
        %xe_f = arith.extf %xe : bf16 to f32
        %more = math.fma %we_f, %xe_f, %before : f32
        layout.yield %more : f32
      }
    }
    layout.map outs(%sum) {
    ^bb0(%y: f32):
      %one = arith.constant 1.0 : f32
      %minus_y = arith.negf %y : f32
      %e = math.exp %minus_y : f32
      %d = arith.addf %e, %one : f32
      %r = arith.divf %y, %d : f32
      layout.yield %r : f32
    }
    %outs = layout.composition %out, #layout<<_, (8,8,128):(1,8,64)>>
    %out_ids = layout.identity_tensor : !layout.view<index, coordinate, (65536,(8,8,128)):(1,(0,0,0))>
    %base = arith.addi %first, %own_rows : index
    scf.for %r = %c0 to %c2 step %c1 {
      %row = arith.addi %base, %r : index
      %to = layout.slice %outs(%row, (_, %lane, %bc))
      %id = layout.slice %out_ids(%row, (_, %lane, %bc))
      %s = layout.slice %sum(_, %r)
      layout.copy #layout.atom<simt_8> %s, %to predicate(%id < %tokens)
    }
    gpu.return
  }
}

func.func @causal_conv_reference(%x: memref<?x?xbf16>, %weight: memref<4x?xbf16>, %bias: memref<?xbf16>, %out: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %tokens = memref.dim %x, %c0 : memref<?x?xbf16>
  %channels = memref.dim %x, %c1 : memref<?x?xbf16>
  scf.for %t = %c0 to %tokens step %c1 {
    scf.for %c = %c0 to %channels step %c1 {
      %b = memref.load %bias[%c] : memref<?xbf16>
      %b_f = arith.extf %b : bf16 to f32
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %b_f) -> f32 {
        %later = arith.addi %t, %k : index
        %row = arith.subi %later, %c3 : index
        %is = arith.cmpi sge, %row, %c0 : index
        %e = scf.if %is -> f32 {
          %xe = memref.load %x[%row, %c] : memref<?x?xbf16>
          %x_f = arith.extf %xe : bf16 to f32
          scf.yield %x_f : f32
        } else {
          scf.yield %zero : f32
        }
        %we = memref.load %weight[%k, %c] : memref<4x?xbf16>
        %w_f = arith.extf %we : bf16 to f32
        %p = arith.mulf %e, %w_f : f32
        %more = arith.addf %before, %p : f32
        scf.yield %more : f32
      }
      %minus = arith.negf %sum : f32
      %e = math.exp %minus : f32
      %d = arith.addf %e, %one : f32
      %r = arith.divf %sum, %d : f32
      %narrow = arith.truncf %r : f32 to bf16
      memref.store %narrow, %out[%t, %c] : memref<?x?xbf16>
    }
  }
  return
}
