// Cross entropy of rows of logits, forward and backward: loss(i) = log(sum over j of exp(x(i,j))) - x(i,label(i)), and the derivative
// dx(i,j) = exp(x(i,j)) / sum - (1 if j is the label, else 0).
//
// A block of 256 threads computes a row of any multiple of 8 logits. The first loop has the greatest logit so far and the sum of
// exponentials relative to it in each thread (online softmax); two reductions combine the threads, and the second loop reads the row again.
!logits = !layout.view<bf16, global, (?{range=1..65536},?{div=8 range=8..262144}):(?{div=8 range=8..262144},1)>
!labels = !layout.view<i32, global, ?{range=1..65536}:1>
!losses = !layout.view<f32, global, ?{range=1..65536}:1>
!fragment = !layout.view<f32, register, 8:1>
!one = !layout.view<f32, register, 1:0>
#threads = #layout<(256,1):(1,0)>
gpu.module @kernels {
  gpu.func @cross_entropy(%x: !logits, %label: !labels, %loss: !losses, %dx: !logits) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, layout.reference = @cross_entropy_reference,
                  layout.kernel = {grid = ["rows"], sizes = ["rows", "vocab", "vocab", "rows", "rows", "rows", "vocab", "vocab"],
                                   names = ["x", "label", "loss", "dx"], values = {label = [0, "vocab-1"]}, chip = "sm_80"}} {
    %thread = gpu.thread_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // A thread without a vector of the row keeps this finite number.
    %least = arith.constant -3.0e38 : f32
    %line = layout.slice %x(0, _)
    %vocab = layout.size %line
    %vectors = arith.divui %vocab, %c8 : index
    %x_vectors = layout.composition %x, #layout<<_, (8,32768):(1,8)>>
    %dx_vectors = layout.composition %dx, #layout<<_, (8,32768):(1,8)>>
    %p = layout.alloc : !fragment
    %own_max = layout.alloc : !one
    %reduced = layout.alloc : !one
    %own_sum = layout.alloc : !one
    %found:2 = scf.for %v = %thread to %vectors step %c256 iter_args(%max = %least, %sum = %zero) -> (f32, f32) {
      %own = layout.slice %x_vectors(%row, (_, %v))
      layout.copy #layout.atom<simt_8> %own, %p
      layout.reduce max %p into %reduced along [0]
      %here = layout.load %reduced(0)
      %new = arith.maximumf %max, %here : f32
      %d = arith.subf %max, %new : f32
      %scale = math.exp %d : f32
      layout.map outs(%p) { ^bb0(%a: f32):
        %b = arith.subf %a, %new : f32
        %c = math.exp %b : f32
        layout.yield %c : f32 }
      layout.reduce add %p into %reduced along [0]
      %some = layout.load %reduced(0)
      %scaled = arith.mulf %sum, %scale : f32
      %more = arith.addf %scaled, %some : f32
      scf.yield %new, %more : f32, f32
    }
    layout.store %found#0, %own_max(0)
    layout.reduce max %own_max into %reduced along [0] threads(#threads)
    %max = layout.load %reduced(0)
    %d = arith.subf %found#0, %max : f32
    %scale = math.exp %d : f32
    %mine = arith.mulf %found#1, %scale : f32
    layout.store %mine, %own_sum(0)
    layout.reduce add %own_sum into %own_sum along [0] threads(#threads)
    %sum = layout.load %own_sum(0)
    %label_i = layout.load %label(%row)
    %lab = arith.index_cast %label_i : i32 to index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %right = layout.load %x(%row, %lab)
      %r = arith.extf %right : bf16 to f32
      %log = math.log %sum : f32
      %lse = arith.addf %log, %max : f32
      %lo = arith.subf %lse, %r : f32
      layout.store %lo, %loss(%row)
    }
    %inv = arith.divf %one, %sum : f32
    %ids = layout.identity_tensor : !layout.view<index, coordinate, (8,32768):(1,8)>
    scf.for %v = %thread to %vectors step %c256 {
      %own = layout.slice %x_vectors(%row, (_, %v))
      layout.copy #layout.atom<simt_8> %own, %p
      %id = layout.slice %ids(_, %v)
      layout.map ins(%id) outs(%p) { ^bb0(%j: index, %a: f32):
        %b = arith.subf %a, %max : f32
        %c = math.exp %b : f32
        %q = arith.mulf %c, %inv : f32
        %is = arith.cmpi eq, %j, %lab : index
        %less = arith.subf %q, %one : f32
        %g = arith.select %is, %less, %q : f32
        layout.yield %g : f32 }
      %to = layout.slice %dx_vectors(%row, (_, %v))
      layout.copy #layout.atom<simt_8> %p, %to
    }
    gpu.return
  }
}
func.func @cross_entropy_reference(%x: memref<?x?xbf16>, %label: memref<?xi32>, %loss: memref<?xf32>, %dx: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16>
  %n = memref.dim %x, %c1 : memref<?x?xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    %max = scf.for %j = %c0 to %n step %c1 iter_args(%b = %least) -> f32 {
      %e = memref.load %x[%i, %j] : memref<?x?xbf16>
      %w = arith.extf %e : bf16 to f32
      %m = arith.maximumf %b, %w : f32
      scf.yield %m : f32
    }
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%b = %zero) -> f32 {
      %e = memref.load %x[%i, %j] : memref<?x?xbf16>
      %w = arith.extf %e : bf16 to f32
      %d = arith.subf %w, %max : f32
      %p = math.exp %d : f32
      %m = arith.addf %b, %p : f32
      scf.yield %m : f32
    }
    %li = memref.load %label[%i] : memref<?xi32>
    %lab = arith.index_cast %li : i32 to index
    %right = memref.load %x[%i, %lab] : memref<?x?xbf16>
    %r = arith.extf %right : bf16 to f32
    %log = math.log %sum : f32
    %lse = arith.addf %log, %max : f32
    %lo = arith.subf %lse, %r : f32
    memref.store %lo, %loss[%i] : memref<?xf32>
    scf.for %j = %c0 to %n step %c1 {
      %e = memref.load %x[%i, %j] : memref<?x?xbf16>
      %w = arith.extf %e : bf16 to f32
      %d = arith.subf %w, %max : f32
      %p = math.exp %d : f32
      %q = arith.divf %p, %sum : f32
      %is = arith.cmpi eq, %j, %lab : index
      %less = arith.subf %q, %one : f32
      %g = arith.select %is, %less, %q : f32
      %g16 = arith.truncf %g : f32 to bf16
      memref.store %g16, %dx[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}
