// RUN: layout-opt %s --layout-tile-matmul | FileCheck %s

// A function without a matmul stays as it is.

// CHECK-LABEL: func.func @other
// CHECK-NEXT:    arith.constant 1
func.func @other() -> index {
  %0 = arith.constant 1 : index
  return %0 : index
}

// A is K-major: vectors run along K, fragments come by plain ldmatrix. B is N-major: they run along
// N, and ldmatrix transposes. The extents are multiples of the tiles' but K always has a predicate, as
// the copies run ahead of the last tile.

// CHECK-LABEL: gpu.module @gemm
// CHECK:       gpu.func @gemm(
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME:    block = array<i64: 128, 1, 1>, chip = "sm_80", grid = array<i64: 4, 2, 1>
// CHECK-SAME:    problem = {k = 128 : i64, kind = "matmul", m = 512 : i64, n = 256 : i64}
// CHECK:         %[[T:.+]] = gpu.thread_id x
// CHECK:         layout.idx2crd %[[T]], #layout<(32,2,2)>
// CHECK:         layout.zipped_divide %arg0, #layout<(128,32)>
// CHECK:         layout.composition %{{.+}}, #layout<<composition(zipped_divide((128,32):(1,128), (32,32)), <composition(right_inverse(raked_product((32,4):(4,1), (1,8):(0,1))), (128,8):(1,128)), _>), _>>
// CHECK:         layout.identity_tensor : !layout.view<index, coordinate, (512,128):(0,1)>
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<2,3,3> o 0 o
// CHECK:         layout.alloc : !layout.view<bf16, register, (8,4,1):(1,8,32)>
// CHECK:         layout.zipped_divide %arg1, #layout<(128,32)>
// CHECK:         layout.composition %{{.+}}, #layout<<composition(zipped_divide((128,32):(1,128), (128,8)), <composition(right_inverse(raked_product((16,8):(1,16), (8,1):(1,0))), (128,8):(1,128)), _>), _>>
// CHECK:         layout.alloc : !layout.view<bf16, shared, S<3,3,3> o 0 o
// CHECK:         layout.alloc : !layout.view<f32, register, (4,4,8):(1,4,16)>
// CHECK:         layout.copy #layout.atom<cp_async_16> {{.*}} predicate(%{{.+}} < 128
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.for
// CHECK:           nvvm.cp.async.wait.group 1
// CHECK:           gpu.barrier
// CHECK:           layout.copy #layout.atom<ldmatrix_x4>
// CHECK:           layout.copy #layout.atom<ldmatrix_x4_trans>
// CHECK:           layout.mma #layout.atom<mma_m16n8k16_f32_bf16>
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         layout.copy #layout.atom<simt_2>
// CHECK-NOT:     predicate
// CHECK:         gpu.return
func.func @gemm(%a: !layout.view<bf16, global, (512,128):(128,1)>,
                %b: !layout.view<bf16, global, (256,128):(1,256)>,
                %c: !layout.view<f32, global, (512,256):(256,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (512,128):(128,1)>, !layout.view<bf16, global, (256,128):(1,256)>,
      !layout.view<f32, global, (512,256):(256,1)>
  return
}

// Odd pitches leave one element a copy, and ragged extents predicate both modes.

// CHECK-LABEL: gpu.module @ragged
// CHECK:         layout.copy #layout.atom<simt_1> {{.*}} predicate(%{{.+}} < 127 : {{.*}}, %{{.+}} < 65 :
// CHECK:         layout.copy #layout.atom<simt_1> {{.*}} predicate(%{{.+}} < 127 : {{.*}}, %{{.+}} < 129 :
// CHECK:         gpu.return
func.func @ragged(%a: !layout.view<f16, global, (127,65):(65,1)>,
                  %b: !layout.view<f16, global, (129,65):(65,1)>,
                  %c: !layout.view<f16, global, (127,129):(129,1)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 2>)
    : !layout.view<f16, global, (127,65):(65,1)>, !layout.view<f16, global, (129,65):(65,1)>,
      !layout.view<f16, global, (127,129):(129,1)>
  return
}

// The epilogue's operands are partitioned as C is. A number for each row is held once for a row's
// accumulators: two of sixteen; C itself is read before it is written. The facts say what is computed.

// CHECK-LABEL: gpu.func @epilogue(
// CHECK-SAME:    access = "read_write", element = "f16", name = "c"
// CHECK-SAME:    access = "read", element = "f32", name = "e0", shape = "(64,64)", stride = "(1,0)"
// CHECK-SAME:    epilogue = {operands = array<i64: 3, 2>, result = 5 : i64, steps = [{inputs = array<i64: 0, 1>, op = "arith.mulf"}, {detail = "5e-1", inputs = array<i64>, op = "arith.constant"}, {inputs = array<i64: 2, 4, 3>, op = "math.fma"}]}
// CHECK:         %[[ROWS:.+]] = layout.alloc : !layout.view<f32, register, (2):(1)>
// CHECK-NEXT:    layout.copy #layout.atom<simt_1> %{{.+}}, %[[ROWS]]
// CHECK:         %[[OLD:.+]] = layout.alloc : !layout.view<f32, register, (16):(1)>
// CHECK-NEXT:    layout.copy #layout.atom<simt_2> %{{.+}}, %[[OLD]]
// CHECK:         %[[HALF:.+]] = arith.constant 5.0
// CHECK:         %[[SUM:.+]] = layout.load %[[SUMS:.+]](2) : !layout.view<f32, register, (4,4):(1,8)>
// CHECK-NEXT:    %[[ROW:.+]] = layout.load %[[ROWS]](1)
// CHECK-NEXT:    %[[WAS:.+]] = layout.load %[[OLD]](2)
// CHECK-NEXT:    %[[SCALED:.+]] = arith.mulf %[[SUM]], %[[ROW]]
// CHECK-NEXT:    %[[ALL:.+]] = math.fma %[[WAS]], %[[HALF]], %[[SCALED]]
// CHECK-NEXT:    layout.store %[[ALL]], %[[SUMS]](2)
// CHECK:         layout.copy #layout.atom<simt_2> %[[SUMS]]
func.func @epilogue(%a: !layout.view<f16, global, (64,32):(32,1)>,
                    %b: !layout.view<f16, global, (64,32):(32,1)>,
                    %c: !layout.view<f16, global, (64,64):(64,1)>,
                    %scale: !layout.view<f32, global, (64,64):(1,0)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
      epilogue(%scale, %c) {
  ^bb0(%sum: f32, %row: f32, %old: f32):
    %0 = arith.mulf %sum, %row : f32
    %half = arith.constant 0.5 : f32
    %1 = math.fma %old, %half, %0 : f32
    layout.yield %1 : f32
  } : !layout.view<f16, global, (64,32):(32,1)>, !layout.view<f16, global, (64,32):(32,1)>,
      !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f32, global, (64,64):(1,0)>,
      !layout.view<f16, global, (64,64):(64,1)>
  return
}

// -----

// Products of a batch have blocks of their own along x, and are tiled as one is.

// CHECK-LABEL: gpu.func @batched
// CHECK-SAME:    grid = array<i64: 6, 2, 1>
// CHECK:         %[[BLOCK:.+]]:2 = layout.idx2crd %block_id_x, #layout<(2,3)>
// CHECK-NEXT:    layout.slice %arg0(_, _, %[[BLOCK]]#1) : !layout.view<f16, global, (128,64,3):(64,1,8192)>
// CHECK-NEXT:    layout.slice %arg1(_, _, %[[BLOCK]]#1) : !layout.view<f16, global, (128,64,3):(192,1,64)>
// CHECK-NEXT:    layout.slice %arg2(_, _, %[[BLOCK]]#1) : !layout.view<f32, global, (128,128,3):(128,1,16384)>
// CHECK:         layout.copy #layout.atom<cp_async_16>
func.func @batched(%a: !layout.view<f16, global, (128,64,3):(64,1,8192)>,
                   %b: !layout.view<f16, global, (128,64,3):(192,1,64)>,
                   %c: !layout.view<f32, global, (128,128,3):(128,1,16384)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
    : !layout.view<f16, global, (128,64,3):(64,1,8192)>, !layout.view<f16, global, (128,64,3):(192,1,64)>,
      !layout.view<f32, global, (128,128,3):(128,1,16384)>
  return
}

// Where a second product would begin does not matter to the vectors of a batch of one.

// CHECK-LABEL: gpu.func @single
// CHECK:         layout.slice %arg0(_, _, 0) : !layout.view<f16, global, (128,64,1):(64,1,8191)>
// CHECK:         layout.copy #layout.atom<cp_async_16>
func.func @single(%a: !layout.view<f16, global, (128,64,1):(64,1,8191)>,
                  %b: !layout.view<f16, global, (128,64,1):(64,1,0)>,
                  %c: !layout.view<f32, global, (128,128,1):(128,1,3)>) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>)
    : !layout.view<f16, global, (128,64,1):(64,1,8191)>, !layout.view<f16, global, (128,64,1):(64,1,0)>,
      !layout.view<f32, global, (128,128,1):(128,1,3)>
  return
}
