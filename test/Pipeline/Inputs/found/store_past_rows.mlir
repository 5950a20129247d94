// The program of a matmul, 70x41x64 into rows of 44, as layout-tile-matmul wrote it before it kept bulk stores to rows of whole granules.
module {
  gpu.module @gemm {
    gpu.func @gemm(%arg0: !layout.view<bf16, global, (70,64):(64,1)>, %arg1: !layout.view<bf16, global, (41,64):(64,1)>, %arg2: !layout.view<f32, global, (70,41):(44,1)>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, layout.kernel = {args = [{access = "read", element = "bf16", name = "a", shape = "(70,64)", stride = "(64,1)"}, {access = "read", element = "bf16", name = "b", shape = "(41,64)", stride = "(64,1)"}, {access = "write", element = "f32", name = "c", shape = "(70,41)", stride = "(44,1)"}], block = array<i64: 256, 1, 1>, chip = "sm_90a", grid = array<i64: 6, 1, 1>, grid_limit = "multiprocessors", problem = {k = 64 : i64, kind = "matmul", m = 70 : i64, n = 41 : i64}}} {
      %thread_id_x = gpu.thread_id  x
      %block_id_x = gpu.block_id  x
      %grid_dim_x = gpu.grid_dim  x
      %0:3 = layout.idx2crd %thread_id_x, #layout<(128,1,1)>
      %1 = layout.zipped_divide %arg0, #layout<(64,64)> : !layout.view<bf16, global, (70,64):(64,1)>
      %2 = layout.identity_tensor : !layout.view<index, coordinate, (70,64):(1,0)>
      %3 = layout.identity_tensor : !layout.view<index, coordinate, (70,64):(0,1)>
      %4 = layout.zipped_divide %2, #layout<(64,64)> : !layout.view<index, coordinate, (70,64):(1,0)>
      %5 = layout.zipped_divide %3, #layout<(64,64)> : !layout.view<index, coordinate, (70,64):(0,1)>
      %6 = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
      %7 = layout.composition %6, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <composition(zipped_divide((64,64):(1,64), (64,16)), <(128,(64,16)):(0,(1,64)), _>), _>), _>> : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
      %8 = layout.slice %7((((%0#0, _), _), (%0#1, _)), _) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((((128,(64,16)),(1,4)),(1,1)),(1,3)):((((0,(64,1)),(0,16)),(0,0)),(0,4096))>
      %9 = layout.zipped_divide %arg1, #layout<(16,64)> : !layout.view<bf16, global, (41,64):(64,1)>
      %10 = layout.identity_tensor : !layout.view<index, coordinate, (41,64):(1,0)>
      %11 = layout.identity_tensor : !layout.view<index, coordinate, (41,64):(0,1)>
      %12 = layout.zipped_divide %10, #layout<(16,64)> : !layout.view<index, coordinate, (41,64):(1,0)>
      %13 = layout.zipped_divide %11, #layout<(16,64)> : !layout.view<index, coordinate, (41,64):(0,1)>
      %14 = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,2),(64,1)),(1,3)):(((64,512),(1,0)),(0,1024))>
      %15 = layout.composition %14, #layout<<composition(zipped_divide((16,64):(1,16), (16,64)), <composition(zipped_divide((16,64):(1,16), (16,16)), <(128,(16,16)):(0,(1,16)), _>), _>), _>> : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,2),(64,1)),(1,3)):(((64,512),(1,0)),(0,1024))>
      %16 = layout.slice %15((((%0#0, _), _), (%0#2, _)), _) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((((128,(16,16)),(1,4)),(1,1)),(1,3)):((((0,(64,1)),(0,16)),(0,0)),(0,1024))>
      %17 = layout.zipped_divide %arg2, #layout<(64,16)> : !layout.view<f32, global, (70,41):(44,1)>
      %18 = layout.composition %17, #layout<<composition(zipped_divide((64,16):(1,64), (64,16)), <zipped_divide((64,16):(1,64), (64,16)), _>), _>> : !layout.view<f32, global, ((64,16),(2,3)):((44,1),(2816,16))>
      %19 = layout.slice %18(((_, _), (%0#1, %0#2)), _) : !layout.view<f32, global, ((((64,16),(1,1)),(1,1)),(2,3)):((((44,1),(0,0)),(0,0)),(2816,16))>
      %20 = layout.identity_tensor : !layout.view<index, coordinate, (70,41):(1,0)>
      %21 = layout.identity_tensor : !layout.view<index, coordinate, (70,41):(0,1)>
      %22 = layout.zipped_divide %20, #layout<(64,16)> : !layout.view<index, coordinate, (70,41):(1,0)>
      %23 = layout.composition %22, #layout<<composition(zipped_divide((64,16):(1,64), (64,16)), <zipped_divide((64,16):(1,64), (64,16)), _>), _>> : !layout.view<index, coordinate, ((64,16),(2,3)):((1,0),(64,0))>
      %24 = layout.slice %23(((_, _), (%0#1, %0#2)), _) : !layout.view<index, coordinate, ((((64,16),(1,1)),(1,1)),(2,3)):((((1,0),(0,0)),(0,0)),(64,0))>
      %25 = layout.zipped_divide %21, #layout<(64,16)> : !layout.view<index, coordinate, (70,41):(0,1)>
      %26 = layout.composition %25, #layout<<composition(zipped_divide((64,16):(1,64), (64,16)), <zipped_divide((64,16):(1,64), (64,16)), _>), _>> : !layout.view<index, coordinate, ((64,16),(2,3)):((0,1),(0,16))>
      %27 = layout.slice %26(((_, _), (%0#1, %0#2)), _) : !layout.view<index, coordinate, ((((64,16),(1,1)),(1,1)),(2,3)):((((0,1),(0,0)),(0,0)),(0,16))>
      %28 = layout.alloc : !layout.view<f32, shared, S<2,2,3> o 0 o (((8,8),(16,1)),(1,1),(1,1)):(((16,128),(1,0)),(0,0),(0,0))>
      %29:2 = layout.idx2crd %0#0, #layout<(32,4)>
      %30:2 = layout.idx2crd %thread_id_x, #layout<(128,1)>
      %31 = layout.slice %28(_, _, %30#1) : !layout.view<f32, shared, S<2,2,3> o 0 o (((8,8),(16,1)),(1,1),(1,1)):(((16,128),(1,0)),(0,0),(0,0))>
      %32 = layout.composition %28, #layout<<composition(zipped_divide((64,16):(1,64), (16,16)), <composition(zipped_divide((16,16):(1,16), (16,16)), <((4,8),(2,2,2)):((32,1),(16,8,128)), _>), _>), _, _>> : !layout.view<f32, shared, S<2,2,3> o 0 o (((8,8),(16,1)),(1,1),(1,1)):(((16,128),(1,0)),(0,0),(0,0))>
      %33 = layout.slice %32((((%29#0, _), _), (%29#1, 0)), _, %30#1) : !layout.view<f32, shared, S<2,2,3> o 0 o (((((4,8),(2,2,2)),(1,1)),(4,1)),(1,1),(1,1)):(((((2,16),(1,128,8)),(0,0)),(256,0)),(0,0),(0,0))>
      %34 = layout.alloc : !layout.view<f32, register, (8):(1)>
      %35 = arith.index_cast %30#1 : index to i32
      %c1_i32 = arith.constant 1 : i32
      %36 = arith.addi %35, %c1_i32 : i32
      %c128_i32 = arith.constant 128 : i32
      %37 = layout.alloc : !layout.view<f32, register, ((8,1),1,1):((1,8),8,8)>
      %cst = arith.constant 0.000000e+00 : f32
      %38 = layout.constant #layout<(2,3,1):(1,2,2)> : !layout<(2,3,1):(1,2,2)>
      %c6 = arith.constant 6 : index
      layout.pipeline %block_id_x to %c6 by %grid_dim_x depth 1 stages 3 consumers 128 load {
      ^bb0(%arg3: index, %arg4: index, %arg5: index):
        %39 = layout.crd2idx %38(%arg3) : !layout<(2,3,1):(1,2,2)>
        %40:2 = layout.idx2crd %39, #layout<(2,3)>
        %41 = layout.slice %1(_, (%40#0, %arg4)) : !layout.view<bf16, global, ((64,64),(2,1)):((64,1),(4096,0))>
        %42 = layout.slice %6(_, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
        %43 = layout.slice %4(_, (%40#0, %arg4)) : !layout.view<index, coordinate, ((64,64),(2,1)):((1,0),(64,0))>
        %44 = layout.slice %5(_, (%40#0, %arg4)) : !layout.view<index, coordinate, ((64,64),(2,1)):((0,1),(0,0))>
        layout.copy #layout.atom<bulk_tensor_load> %41, %42 predicate(%43 < 70 : !layout.view<index, coordinate, ((64,64)):((1,0))>, %44 < 64 : !layout.view<index, coordinate, ((64,64)):((0,1))>) : !layout.view<bf16, global, ((64,64)):((64,1))>, !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1))):(((64,512),(1,0)))>
        %45 = layout.slice %9(_, (%40#1, %arg4)) : !layout.view<bf16, global, ((16,64),(3,1)):((64,1),(1024,0))>
        %46 = layout.slice %14(_, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,2),(64,1)),(1,3)):(((64,512),(1,0)),(0,1024))>
        %47 = layout.slice %12(_, (%40#1, %arg4)) : !layout.view<index, coordinate, ((16,64),(3,1)):((1,0),(16,0))>
        %48 = layout.slice %13(_, (%40#1, %arg4)) : !layout.view<index, coordinate, ((16,64),(3,1)):((0,1),(0,0))>
        layout.copy #layout.atom<bulk_tensor_load> %45, %46 predicate(%47 < 41 : !layout.view<index, coordinate, ((16,64)):((1,0))>, %48 < 64 : !layout.view<index, coordinate, ((16,64)):((0,1))>) : !layout.view<bf16, global, ((16,64)):((64,1))>, !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,2),(64,1))):(((64,512),(1,0)))>
      } prologue {
      ^bb0(%arg3: index):
        layout.fill %37, %cst : !layout.view<f32, register, ((8,1),1,1):((1,8),8,8)>
      } mainloop {
      ^bb0(%arg3: index, %arg4: index, %arg5: index):
        %39 = layout.slice %8(_, (_, _), 0, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),(1,4),1,(1,3)):((64,1),(0,16),0,(0,4096))>
        %40 = layout.slice %16(_, (_, _), 0, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((16,16),(1,4),1,(1,3)):((64,1),(0,16),0,(0,1024))>
        layout.mma #layout.atom<wgmma_m64n16k16_f32_bf16> %39, %40, %37 : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>, !layout.view<bf16, shared, S<3,3,3> o 0 o ((16,16),1,4):((64,1),0,16)>, !layout.view<f32, register, ((8,1),1,1):((1,8),8,8)>
      } epilogue {
      ^bb0(%arg3: index):
        %39 = layout.crd2idx %38(%arg3) : !layout<(2,3,1):(1,2,2)>
        %40:2 = layout.idx2crd %39, #layout<(2,3)>
        %41 = layout.slice %37((_, 0), 0, 0) : !layout.view<f32, register, ((8,1),1,1):((1,8),8,8)>
        layout.copy #layout.atom<simt_2> %41, %34 : !layout.view<f32, register, (8):(1)>, !layout.view<f32, register, (8):(1)>
        nvvm.cp.async.bulk.wait_group 0 {read}
        nvvm.barrier id = %36 number_of_threads = %c128_i32
        %42 = layout.slice %33(_, _, 0) : !layout.view<f32, shared, S<2,2,3> o 0 o ((2,2,2),(1,1),(1,1)):((1,128,8),(0,0),(0,0))>
        layout.copy #layout.atom<simt_2> %34, %42 : !layout.view<f32, register, (8):(1)>, !layout.view<f32, shared, S<2,2,3> o 0 o ((2,2,2),(1,1)):((1,128,8),(0,0))>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %36 number_of_threads = %c128_i32
        %43 = layout.slice %31(_, 0) : !layout.view<f32, shared, S<2,2,3> o 0 o (((8,8),(16,1)),(1,1)):(((16,128),(1,0)),(0,0))>
        %44 = layout.slice %19(_, (0, 0), (%40#0, %40#1)) : !layout.view<f32, global, ((64,16),(1,1),(2,3)):((44,1),(0,0),(2816,16))>
        %45 = layout.slice %24(_, (0, 0), (%40#0, %40#1)) : !layout.view<index, coordinate, ((64,16),(1,1),(2,3)):((1,0),(0,0),(64,0))>
        %46 = layout.slice %27(_, (0, 0), (%40#0, %40#1)) : !layout.view<index, coordinate, ((64,16),(1,1),(2,3)):((0,1),(0,0),(0,16))>
        layout.copy #layout.atom<bulk_tensor_store> %43, %44 predicate(%45 < 70 : !layout.view<index, coordinate, ((64,16)):((1,0))>, %46 < 41 : !layout.view<index, coordinate, ((64,16)):((0,1))>) : !layout.view<f32, shared, S<2,2,3> o 0 o (((8,8),(16,1))):(((16,128),(1,0)))>, !layout.view<f32, global, ((64,16)):((44,1))>
        nvvm.cp.async.bulk.commit.group
      }
      nvvm.cp.async.bulk.wait_group 0 {read}
      gpu.return
    }
  }
}

