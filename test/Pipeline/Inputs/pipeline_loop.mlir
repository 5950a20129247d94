// A pipeline inside a loop, whose barriers are made again in each round: two blocks compute four tiles in each of three rounds,
// so that tiles of every round are missing, or wrong, where the barriers of one were not made right.

gpu.module @gemm {
  gpu.func @gemm(%arg0: !layout.view<bf16, global, (384,256):(256,1)>, %arg1: !layout.view<bf16, global, (128,256):(256,1)>, %arg2: !layout.view<bf16, global, (384,128):(128,1)>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, layout.kernel = {args = [{access = "read", element = "bf16", name = "a", shape = "(384,256)", stride = "(256,1)"}, {access = "read", element = "bf16", name = "b", shape = "(128,256)", stride = "(256,1)"}, {access = "write", element = "bf16", name = "c", shape = "(384,128)", stride = "(128,1)"}], block = array<i64: 256, 1, 1>, chip = "sm_90a", grid = array<i64: 2, 1, 1>, problem = {k = 256 : i64, kind = "matmul", m = 384 : i64, n = 128 : i64}}} {
    %thread_id_x = gpu.thread_id  x
    %block_id_x = gpu.block_id  x
    %grid_dim_x = gpu.grid_dim  x
    %0:3 = layout.idx2crd %thread_id_x, #layout<(128,1,1)>
    %1 = layout.zipped_divide %arg0, #layout<(64,64)> : !layout.view<bf16, global, (384,256):(256,1)>
    %2 = layout.identity_tensor : !layout.view<index, coordinate, (384,256):(1,0)>
    %3 = layout.identity_tensor : !layout.view<index, coordinate, (384,256):(0,1)>
    %4 = layout.zipped_divide %2, #layout<(64,64)> : !layout.view<index, coordinate, (384,256):(1,0)>
    %5 = layout.zipped_divide %3, #layout<(64,64)> : !layout.view<index, coordinate, (384,256):(0,1)>
    %6 = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
    %7 = layout.composition %6, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <composition(zipped_divide((64,64):(1,64), (64,16)), <(128,(64,16)):(0,(1,64)), _>), _>), _>> : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
    %8 = layout.slice %7((((%0#0, _), _), (%0#1, _)), _) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((((128,(64,16)),(1,4)),(1,1)),(1,3)):((((0,(64,1)),(0,16)),(0,0)),(0,4096))>
    %9 = layout.zipped_divide %arg1, #layout<(64,64)> : !layout.view<bf16, global, (128,256):(256,1)>
    %10 = layout.identity_tensor : !layout.view<index, coordinate, (128,256):(1,0)>
    %11 = layout.identity_tensor : !layout.view<index, coordinate, (128,256):(0,1)>
    %12 = layout.zipped_divide %10, #layout<(64,64)> : !layout.view<index, coordinate, (128,256):(1,0)>
    %13 = layout.zipped_divide %11, #layout<(64,64)> : !layout.view<index, coordinate, (128,256):(0,1)>
    %14 = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
    %15 = layout.composition %14, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <composition(zipped_divide((64,64):(1,64), (64,16)), <(128,(64,16)):(0,(1,64)), _>), _>), _>> : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
    %16 = layout.slice %15((((%0#0, _), _), (%0#2, _)), _) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((((128,(64,16)),(1,4)),(1,1)),(1,3)):((((0,(64,1)),(0,16)),(0,0)),(0,4096))>
    %17 = layout.zipped_divide %arg2, #layout<(64,64)> : !layout.view<bf16, global, (384,128):(128,1)>
    %18 = layout.composition %17, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <zipped_divide((64,64):(1,64), (64,64)), _>), _>> : !layout.view<bf16, global, ((64,64),(6,2)):((128,1),(8192,64))>
    %19 = layout.slice %18(((_, _), (%0#1, %0#2)), _) : !layout.view<bf16, global, ((((64,64),(1,1)),(1,1)),(6,2)):((((128,1),(0,0)),(0,0)),(8192,64))>
    %20 = layout.identity_tensor : !layout.view<index, coordinate, (384,128):(1,0)>
    %21 = layout.identity_tensor : !layout.view<index, coordinate, (384,128):(0,1)>
    %22 = layout.zipped_divide %20, #layout<(64,64)> : !layout.view<index, coordinate, (384,128):(1,0)>
    %23 = layout.composition %22, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <zipped_divide((64,64):(1,64), (64,64)), _>), _>> : !layout.view<index, coordinate, ((64,64),(6,2)):((1,0),(64,0))>
    %24 = layout.slice %23(((_, _), (%0#1, %0#2)), _) : !layout.view<index, coordinate, ((((64,64),(1,1)),(1,1)),(6,2)):((((1,0),(0,0)),(0,0)),(64,0))>
    %25 = layout.zipped_divide %21, #layout<(64,64)> : !layout.view<index, coordinate, (384,128):(0,1)>
    %26 = layout.composition %25, #layout<<composition(zipped_divide((64,64):(1,64), (64,64)), <zipped_divide((64,64):(1,64), (64,64)), _>), _>> : !layout.view<index, coordinate, ((64,64),(6,2)):((0,1),(0,64))>
    %27 = layout.slice %26(((_, _), (%0#1, %0#2)), _) : !layout.view<index, coordinate, ((((64,64),(1,1)),(1,1)),(6,2)):((((0,1),(0,0)),(0,0)),(0,64))>
    %28 = layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,1),(1,1)):(((64,512),(1,0)),(0,0),(0,0))>
    %29:2 = layout.idx2crd %0#0, #layout<(32,4)>
    %30:2 = layout.idx2crd %thread_id_x, #layout<(128,1)>
    %31 = layout.slice %28(_, _, %30#1) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,1),(1,1)):(((64,512),(1,0)),(0,0),(0,0))>
    %32 = layout.composition %28, #layout<<composition(zipped_divide((64,64):(1,64), (16,64)), <composition(composition(zipped_divide((16,64):(1,16), (16,16)), <((4,8),(2,2,2)):((32,1),(16,8,128)), _>), <composition(right_inverse(((4,8),(2,4)):((2,8),(1,64))), (32,8):(8,1)), _>), _>), _, _>> : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,1),(1,1)):(((64,512),(1,0)),(0,0),(0,0))>
    %33 = layout.slice %32((((%29#0, _), _), (%29#1, 0)), _, %30#1) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((((8,(2,2)),(2,4)),(1,4)),(4,1)),(1,1),(1,1)):(((((64,(512,8)),(1,2)),(0,16)),(1024,0)),(0,0),(0,0))>
    %34 = layout.alloc : !layout.view<bf16, register, (32):(1)>
    %35 = arith.index_cast %30#1 : index to i32
    %c1_i32 = arith.constant 1 : i32
    %36 = arith.addi %35, %c1_i32 : i32
    %c128_i32 = arith.constant 128 : i32
    %37 = layout.alloc : !layout.view<f32, register, ((32,1),1,1):((1,32),32,32)>
    %cst = arith.constant 0.000000e+00 : f32
    %38 = layout.constant #layout<(6,2,1):(1,6,6)> : !layout<(6,2,1):(1,6,6)>
    %c12 = arith.constant 12 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    scf.for %round = %c0 to %c3 step %c1 {
      %before = arith.muli %round, %c4 : index
      %first = arith.addi %before, %block_id_x : index
      %last = arith.addi %before, %c4 : index
      layout.pipeline %first to %last by %grid_dim_x depth 4 stages 3 consumers 128 load {
      ^bb0(%arg3: index, %arg4: index, %arg5: index):
        %39 = layout.crd2idx %38(%arg3) : !layout<(6,2,1):(1,6,6)>
        %40:2 = layout.idx2crd %39, #layout<(6,2)>
        %41 = layout.slice %1(_, (%40#0, %arg4)) : !layout.view<bf16, global, ((64,64),(6,4)):((256,1),(16384,64))>
        %42 = layout.slice %6(_, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
        %43 = layout.slice %4(_, (%40#0, %arg4)) : !layout.view<index, coordinate, ((64,64),(6,4)):((1,0),(64,0))>
        %44 = layout.slice %5(_, (%40#0, %arg4)) : !layout.view<index, coordinate, ((64,64),(6,4)):((0,1),(0,64))>
        layout.copy #layout.atom<bulk_tensor_load> %41, %42 predicate(%43 < 384 : !layout.view<index, coordinate, ((64,64)):((1,0))>, %44 < 256 : !layout.view<index, coordinate, ((64,64)):((0,1))>) : !layout.view<bf16, global, ((64,64)):((256,1))>, !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1))):(((64,512),(1,0)))>
        %45 = layout.slice %9(_, (%40#1, %arg4)) : !layout.view<bf16, global, ((64,64),(2,4)):((256,1),(16384,64))>
        %46 = layout.slice %14(_, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,3)):(((64,512),(1,0)),(0,4096))>
        %47 = layout.slice %12(_, (%40#1, %arg4)) : !layout.view<index, coordinate, ((64,64),(2,4)):((1,0),(64,0))>
        %48 = layout.slice %13(_, (%40#1, %arg4)) : !layout.view<index, coordinate, ((64,64),(2,4)):((0,1),(0,64))>
        layout.copy #layout.atom<bulk_tensor_load> %45, %46 predicate(%47 < 128 : !layout.view<index, coordinate, ((64,64)):((1,0))>, %48 < 256 : !layout.view<index, coordinate, ((64,64)):((0,1))>) : !layout.view<bf16, global, ((64,64)):((256,1))>, !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1))):(((64,512),(1,0)))>
      } prologue {
      ^bb0(%arg3: index):
        layout.fill %37, %cst : !layout.view<f32, register, ((32,1),1,1):((1,32),32,32)>
      } mainloop {
      ^bb0(%arg3: index, %arg4: index, %arg5: index):
        %39 = layout.slice %8(_, (_, _), 0, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),(1,4),1,(1,3)):((64,1),(0,16),0,(0,4096))>
        %40 = layout.slice %16(_, (_, _), 0, %arg5) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),(1,4),1,(1,3)):((64,1),(0,16),0,(0,4096))>
        layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %39, %40, %37 : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>, !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>, !layout.view<f32, register, ((32,1),1,1):((1,32),32,32)>
      } epilogue {
      ^bb0(%arg3: index):
        %39 = layout.crd2idx %38(%arg3) : !layout<(6,2,1):(1,6,6)>
        %40:2 = layout.idx2crd %39, #layout<(6,2)>
        %41 = layout.slice %37((_, 0), 0, 0) : !layout.view<f32, register, ((32,1),1,1):((1,32),32,32)>
        layout.copy #layout.atom<simt_2> %41, %34 : !layout.view<f32, register, (32):(1)>, !layout.view<bf16, register, (32):(1)>
        nvvm.cp.async.bulk.wait_group 0 {read}
        nvvm.barrier id = %36 number_of_threads = %c128_i32
        %42 = layout.slice %33(_, _, 0) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((2,4),(1,4),(1,1)):((1,2),(0,16),(0,0))>
        layout.copy #layout.atom<stmatrix_x4> %34, %42 : !layout.view<bf16, register, (32):(1)>, !layout.view<bf16, shared, S<3,3,3> o 0 o ((2,4),(1,4)):((1,2),(0,16))>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %36 number_of_threads = %c128_i32
        %43 = layout.slice %31(_, 0) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1)),(1,1)):(((64,512),(1,0)),(0,0))>
        %44 = layout.slice %19(_, (0, 0), (%40#0, %40#1)) : !layout.view<bf16, global, ((64,64),(1,1),(6,2)):((128,1),(0,0),(8192,64))>
        %45 = layout.slice %24(_, (0, 0), (%40#0, %40#1)) : !layout.view<index, coordinate, ((64,64),(1,1),(6,2)):((1,0),(0,0),(64,0))>
        %46 = layout.slice %27(_, (0, 0), (%40#0, %40#1)) : !layout.view<index, coordinate, ((64,64),(1,1),(6,2)):((0,1),(0,0),(0,64))>
        layout.copy #layout.atom<bulk_tensor_store> %43, %44 predicate(%45 < 384 : !layout.view<index, coordinate, ((64,64)):((1,0))>, %46 < 128 : !layout.view<index, coordinate, ((64,64)):((0,1))>) : !layout.view<bf16, shared, S<3,3,3> o 0 o (((8,8),(64,1))):(((64,512),(1,0)))>, !layout.view<bf16, global, ((64,64)):((128,1))>
        nvvm.cp.async.bulk.commit.group
      }
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }
}
