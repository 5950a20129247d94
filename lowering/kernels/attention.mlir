// FlashAttention-2 forward on `mma.sync`, not causal, head dimension 64, 32 heads of 4096: a block has 64 queries of a head, four warps of 16.
// q, k, v, o: (sequence, 64, heads), bf16. o = softmax(q k^T / 8) v.
// Four warps have 16 queries each, of 16 keys or columns of v at a time, which is what an `ldmatrix` of four matrices brings.
#mma = #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1), (64,16,16)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load_a = #layout.tiled_copy<ldmatrix_x4, a of #mma>
#load_b = #layout.tiled_copy<ldmatrix_x4, b of #mma>
#load_v = #layout.tiled_copy<ldmatrix_x4_trans, b of #mma>
#full = #llvm.loop_annotation<unroll = <full = true>>
#once = #llvm.loop_annotation<unroll = <disable = true>>
!t = !layout.view<bf16, global, (4096,64,32):(64,1,262144)>
!kv = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,2):(64,1,4096)>
gpu.module @attention {
  gpu.func @attention(%q: !t, %k: !t, %v: !t, %o: !t) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
        layout.kernel = {grid = array<i64: 64, 32, 1>, block = array<i64: 128, 1, 1>, chip = "sm_80",
          args = [{name = "q", element = "bf16", shape = "(4096,64,32)", stride = "(64,1,262144)", access = "read"},
                  {name = "k", element = "bf16", shape = "(4096,64,32)", stride = "(64,1,262144)", access = "read"},
                  {name = "v", element = "bf16", shape = "(4096,64,32)", stride = "(64,1,262144)", access = "read"},
                  {name = "o", element = "bf16", shape = "(4096,64,32)", stride = "(64,1,262144)", access = "write"}]}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %head = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %last = arith.constant 63 : index
    %tiles = arith.constant 64 : index
    %w32 = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    // log2(e) / sqrt(64)
    %scale = arith.constant 0.18033688 : f32
    %sq = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    %sk = layout.alloc : !kv
    %sv = layout.alloc : !kv
    %fq = layout.partition_fragment a of #mma, (64,64)
    %fk = layout.partition_fragment b of #mma, (64,64)
    %fv = layout.partition_fragment b of #mma, (64,64)
    %p = layout.partition_fragment a of #mma, (64,64)
    %s = layout.partition_fragment c of #mma, (64,64)
    %acc = layout.partition_fragment c of #mma, (64,64)
    %m = layout.alloc : !layout.view<f32, register, 2:1>
    %l = layout.alloc : !layout.view<f32, register, 2:1>
    %al = layout.alloc : !layout.view<f32, register, 1:1>
    %nm = layout.alloc : !layout.view<f32, register, 1:1>
    %mx = layout.alloc : !layout.view<f32, register, 1:1>
    // What the thread copies of the head's tiles.
    %q0 = layout.slice %q(_, _, %head)
    %k0 = layout.slice %k(_, _, %head)
    %v0 = layout.slice %v(_, _, %head)
    %q1 = layout.local_tile %q0(%bm, 0), #layout<(64,64)>
    %k1 = layout.local_tile %k0(_, 0), #layout<(64,64)>
    %v1 = layout.local_tile %v0(_, 0), #layout<(64,64)>
    %qg = layout.partition %q1(%t), source of #copy
    %kg = layout.partition %k1(%t), source of #copy
    %vg = layout.partition %v1(%t), source of #copy
    %qw = layout.partition %sq(%t), target of #copy
    %kw = layout.partition %sk(%t), target of #copy
    %vw = layout.partition %sv(%t), target of #copy
    // What it loads for the tensor core: v is read as (columns, keys).
    %vt = layout.select %sv, [1, 0, 2]
    %qf = layout.partition %sq(%t), source of #load_a
    %kf = layout.partition %sk(%t), source of #load_b
    %vf = layout.partition %vt(%t), source of #load_v
    %lq = layout.retile %fq, #load_a
    %lk = layout.retile %fk, #load_b
    %lv = layout.retile %fv, #load_v
    // The accumulators by row: 16 columns of each of 2 rows.
    %s2 = layout.composition %s, #layout<((2,8),2):((1,4),2)>
    %acc2 = layout.composition %acc, #layout<((2,8),2):((1,4),2)>
    layout.fill %acc, %zero
    layout.fill %l, %zero
    layout.fill %m, %ninf
    layout.copy #layout.atom<cp_async_16> %qg, %qw
      %gka = layout.slice %kg(_, _, _, %c0)
      %ska = layout.slice %kw(_, _, _, 0)
      layout.copy #layout.atom<cp_async_16> %gka, %ska
      %gva = layout.slice %vg(_, _, _, %c0)
      %sva = layout.slice %vw(_, _, _, 0)
      layout.copy #layout.atom<cp_async_16> %gva, %sva
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    layout.copy #layout.atom<ldmatrix_x4> %qf, %lq
    scf.for %j = %c0 to %tiles step %c1 {
      nvvm.cp.async.wait.group 0
      gpu.barrier
      %st = arith.remui %j, %c2 : index
      %next0 = arith.addi %j, %c1 : index
      %next = arith.minui %next0, %last : index
      %sn = arith.remui %next0, %c2 : index
      %gkb = layout.slice %kg(_, _, _, %next)
      %skb = layout.slice %kw(_, _, _, %sn)
      layout.copy #layout.atom<cp_async_16> %gkb, %skb
      %gvb = layout.slice %vg(_, _, _, %next)
      %svb = layout.slice %vw(_, _, _, %sn)
      layout.copy #layout.atom<cp_async_16> %gvb, %svb
      nvvm.cp.async.commit.group
      layout.fill %s, %zero
      %kf1 = layout.slice %kf(_, _, _, %st)
      layout.copy #layout.atom<ldmatrix_x4> %kf1, %lk
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %fq, %fk, %s
      scf.for %r = %c0 to %c2 step %c1 {
        %m0 = layout.load %m(%r)
        layout.store %m0, %mx(0)
        scf.for %i = %c0 to %c16 step %c1 {
          %x = layout.load %s2(%i, %r)
          %a = layout.load %mx(0)
          %b = arith.maximumf %a, %x : f32
          layout.store %b, %mx(0)
        } {llvm.loop_annotation = #full}
        %mxa = layout.load %mx(0)
        %qo1 = arith.constant 1 : i32
        %qs1, %qp1 = gpu.shuffle xor %mxa, %qo1, %w32 : f32
        %qr1 = arith.maximumf %mxa, %qs1 : f32
        %qo2 = arith.constant 2 : i32
        %qs2, %qp2 = gpu.shuffle xor %qr1, %qo2, %w32 : f32
        %qr2 = arith.maximumf %qr1, %qs2 : f32
        %mo = layout.load %m(%r)
        layout.store %qr2, %m(%r)
        %d0 = arith.subf %mo, %qr2 : f32
        %d1 = arith.mulf %d0, %scale : f32
        %alpha = math.exp2 %d1 fastmath<afn> : f32
        %msc = arith.mulf %qr2, %scale : f32
        %nmsc = arith.negf %msc : f32
        layout.store %alpha, %al(0)
        layout.store %nmsc, %nm(0)
        %l0 = layout.load %l(%r)
        %l1 = arith.mulf %l0, %alpha : f32
        layout.store %l1, %l(%r)
        scf.for %i = %c0 to %c16 step %c1 {
          %x = layout.load %s2(%i, %r)
          %nm1 = layout.load %nm(0)
          %al1 = layout.load %al(0)
          %y = math.fma %x, %scale, %nm1 : f32
          %e = math.exp2 %y fastmath<afn> : f32
          layout.store %e, %s2(%i, %r)
          %a = layout.load %l(%r)
          %b = arith.addf %a, %e : f32
          layout.store %b, %l(%r)
          %z = layout.load %acc2(%i, %r)
          %z1 = arith.mulf %z, %al1 : f32
          layout.store %z1, %acc2(%i, %r)
        } {llvm.loop_annotation = #full}
      } {llvm.loop_annotation = #full}
      layout.copy #layout.atom<simt_2> %s, %p
      %vf1 = layout.slice %vf(_, _, _, %st)
      layout.copy #layout.atom<ldmatrix_x4_trans> %vf1, %lv
      layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %p, %fv, %acc
    } {llvm.loop_annotation = #once}
    nvvm.cp.async.wait.group 0
    scf.for %r = %c0 to %c2 step %c1 {
        %la = layout.load %l(%r)
        %qo3 = arith.constant 1 : i32
        %qs3, %qp3 = gpu.shuffle xor %la, %qo3, %w32 : f32
        %qr3 = arith.addf %la, %qs3 : f32
        %qo4 = arith.constant 2 : i32
        %qs4, %qp4 = gpu.shuffle xor %qr3, %qo4, %w32 : f32
        %qr4 = arith.addf %qr3, %qs4 : f32
        %inv0 = arith.divf %one, %qr4 : f32
        layout.store %inv0, %al(0)
        scf.for %i = %c0 to %c16 step %c1 {
          %z = layout.load %acc2(%i, %r)
          %inv = layout.load %al(0)
          %z1 = arith.mulf %z, %inv : f32
          layout.store %z1, %acc2(%i, %r)
        } {llvm.loop_annotation = #full}
    } {llvm.loop_annotation = #full}
    %o0 = layout.slice %o(_, _, %head)
    %o1 = layout.local_tile %o0(%bm, 0), #layout<(64,64)>
    %og = layout.partition %o1(%t), c of #mma
    layout.copy #layout.atom<simt_2> %acc, %og
    gpu.return
  }
}
