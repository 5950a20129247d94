// SwiGLU, element by element: out(i) = silu(gate(i)) * up(i), silu(g) = g / (1 + exp(-g)), bf16.
//
// The number of blocks of 4096 elements is known at run time. The modes of a block are (8 neighbours, 256 threads, 2 vectors):
// a thread has four loads of 16 bytes, all in flight at once.

!v = !layout.view<bf16, global, ((8,256,2),?{range=1..262144}):((1,8,2048),4096)>
!own = !layout.view<bf16, global, (8,2):(1,2048)>
!x = !layout.view<f32, register, (8,2):(1,8)>
gpu.module @swiglu {
  gpu.func @swiglu(%gate: !v, %up: !v, %out: !v) kernel attributes {known_block_size = array<i32: 256, 1, 1>,
      layout.reference = @swiglu_reference, layout.kernel = {grid = ["blocks"], sizes = ["blocks", "blocks", "blocks"], names = ["gate", "up", "out"], chip = "sm_90a"}} {
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %g = layout.alloc : !x
    %u = layout.alloc : !x
    %gate_own = layout.slice %gate((_, %t, _), %i) : !v
    layout.copy #layout.atom<simt_8> %gate_own, %g : !own, !x
    %up_own = layout.slice %up((_, %t, _), %i) : !v
    layout.copy #layout.atom<simt_8> %up_own, %u : !own, !x
    layout.map ins(%u : !x) outs(%g : !x) {
    ^bb0(%b: f32, %a: f32):
      %one = arith.constant 1.0 : f32
      %minus = arith.negf %a : f32
      %e = math.exp %minus fastmath<afn> : f32
      %d = arith.addf %e, %one : f32
      %silu = arith.divf %a, %d fastmath<arcp> : f32
      %r = arith.mulf %silu, %b : f32
      layout.yield %r : f32
    }
    %out_own = layout.slice %out((_, %t, _), %i) : !v
    layout.copy #layout.atom<simt_8> %g, %out_own : !x, !own
    gpu.return
  }
}

func.func @swiglu_reference(%gate: memref<4096x?xbf16>, %up: memref<4096x?xbf16>, %out: memref<4096x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %each = arith.constant 4096 : index
  %one = arith.constant 1.0 : f32
  %blocks = memref.dim %gate, %c1 : memref<4096x?xbf16>
  scf.for %i = %c0 to %each step %c1 {
    scf.for %j = %c0 to %blocks step %c1 {
      %a16 = memref.load %gate[%i, %j] : memref<4096x?xbf16>
      %b16 = memref.load %up[%i, %j] : memref<4096x?xbf16>
      %a = arith.extf %a16 : bf16 to f32
      %b = arith.extf %b16 : bf16 to f32
      %minus = arith.negf %a : f32
      %e = math.exp %minus : f32
      %d = arith.addf %e, %one : f32
      %silu = arith.divf %a, %d : f32
      %r = arith.mulf %silu, %b : f32
      %y = arith.truncf %r : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<4096x?xbf16>
    }
  }
  return
}
