// C = A · Bᵀ, bf16 with f32 accumulators, any M, N and K (a multiple of 8), warp-specialised by hand: one thread loads by TMA into a ring of three stages,
// and a warpgroup multiplies by `wgmma`.
//
// The two blocks of a cluster have tiles of C below each other, and so read one tile of B: each loads half of it, and multicasts it to both. A stage is
// free once the warps of both blocks have read it, which each of them says to both.
#mma = #layout.tiled_mma<wgmma_m64n128k16_f32_bf16, (1,1,1)>
#store = #layout.tiled_copy<simt_1, c of #mma>
!ab = !layout.view<bf16, global, (?{range=1..65536},?{div=8 range=8..65536}):(?{div=8 range=8..65536},1)>
!c = !layout.view<f32, global, (?{range=1..65536},?{range=1..65536}):(?{range=1..65536},1)>
!sa = !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64,3):(64,1,4096)>
!sb = !layout.view<bf16, shared, S<3,3,3> o 0 o (128,64,3):(64,1,8192)>
!bars = !layout.view<i64, shared, 3:1>
!ids0 = !layout.view<index, coordinate, (65536,65536):(1,0)>
!ids1 = !layout.view<index, coordinate, (65536,65536):(0,1)>

gpu.module @kernels {
  gpu.func @cluster_gemm(%a: !ab, %b: !ab, %c: !c) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>, layout.reference = @cluster_gemm_reference,
                  layout.kernel = {grid = ["2*ceil_div(m,128)", "ceil_div(n,128)"], cluster = 2, chip = "sm_90a",
                                   sizes = ["m", "k", "k", "n", "k", "k", "m", "n", "n"], names = ["a", "b", "c"]}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %bn = gpu.block_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %stages = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %consumers = arith.constant 128 : index
    %blocks = arith.constant 2 : i32
    %lanes = arith.constant 32 : i32
    %all_lanes = arith.constant -1 : i32
    %zero = arith.constant 0.0 : f32
    %rows_of_a = layout.slice %a(_, 0)
    %row_of_a = layout.slice %a(0, _)
    %rows_of_b = layout.slice %b(_, 0)
    %m = layout.size %rows_of_a
    %k = layout.size %row_of_a
    %n = layout.size %rows_of_b
    %steps = arith.ceildivui %k, %c64 : index
    %ids0 = layout.identity_tensor : !ids0
    %ids1 = layout.identity_tensor : !ids1
    %sa = layout.alloc : !sa
    %sb = layout.alloc : !sb
    // A stage is full when its bytes are there, and empty when the four warps of both blocks have read it.
    %full = layout.barriers arrivals 1 : !bars
    %empty = layout.barriers arrivals 8 : !bars
    // Blocks signal to each other's barriers: these are made first.
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %consumes = arith.cmpi ult, %t, %consumers : index
    scf.if %consumes {
      %thread = arith.index_cast %t : index to i32
      %lane = arith.remui %thread, %lanes : i32
      %signals = arith.cmpi ult, %lane, %blocks : i32
      %pa = layout.partition %sa(%c0), a of #mma
      %pb = layout.partition %sb(%c0), b of #mma
      %acc = layout.partition_fragment c of #mma, (64,128)
      layout.fill %acc, %zero
      scf.for %j = %c0 to %steps step %c1 {
        %stage = arith.remui %j, %stages : index
        %round = arith.divui %j, %stages : index
        %a_j = layout.slice %pa(_, _, _, %stage)
        %b_j = layout.slice %pb(_, _, _, %stage)
        layout.wait %round, %full(%stage)
        layout.mma #layout.atom<wgmma_m64n128k16_f32_bf16> %a_j, %b_j, %acc
        // Once all lanes of a warp are done, the first ones signal to one block each.
        nvvm.bar.warp.sync %all_lanes : i32
        %own = layout.slice %empty(%stage)
        scf.if %signals {
          %here = layout.pointer %own -> !llvm.ptr<3>
          %there = nvvm.mapa %here, %lane : !llvm.ptr<3> -> !llvm.ptr<7>
          nvvm.mbarrier.arrive %there : !llvm.ptr<7>
        }
      }
      %tile = layout.local_tile %c(%bm, %bn), #layout<(64,128)>
      %rows = layout.local_tile %ids0(%bm, %bn), #layout<(64,128)>
      %columns = layout.local_tile %ids1(%bm, %bn), #layout<(64,128)>
      layout.cooperative_copy #store(%t) %acc, %tile predicate(%rows < %m, %columns < %n)
    } else {
      %produces = arith.cmpi eq, %t, %consumers : index
      scf.if %produces {
        scf.for %j = %c0 to %steps step %c1 {
          %stage = arith.remui %j, %stages : index
          %round = arith.divui %j, %stages : index
          %round_before = arith.subi %round, %c1 : index
          %from_a = layout.local_tile %a(%bm, %j), #layout<(64,64)>
          %a0 = layout.local_tile %ids0(%bm, %j), #layout<(64,64)>
          %a1 = layout.local_tile %ids1(%bm, %j), #layout<(64,64)>
          %from_b = layout.local_tile %b(%bn, %j), #layout<(128,64)>
          %b0 = layout.local_tile %ids0(%bn, %j), #layout<(128,64)>
          %b1 = layout.local_tile %ids1(%bn, %j), #layout<(128,64)>
          %to_a = layout.slice %sa(_, _, %stage)
          %to_b = layout.slice %sb(_, _, %stage)
          layout.wait %round_before, %empty(%stage)
          layout.transaction %full(%stage) {
            layout.copy #layout.atom<bulk_tensor_load> %from_a, %to_a predicate(%a0 < %m, %a1 < %k)
            layout.copy #layout.atom<bulk_tensor_load> %from_b, %to_b predicate(%b0 < %n, %b1 < %k) {multicast = 0 : i64}
          }
        }
      }
    }
    // No block ends while the other one signals to it, or loads for it.
    nvvm.cluster.arrive
    nvvm.cluster.wait
    gpu.return
  }
}

func.func @cluster_gemm_reference(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %more = math.fma %xf, %yf, %sum : f32
    linalg.yield %more : f32
  }
  return
}
