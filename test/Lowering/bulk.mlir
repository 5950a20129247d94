// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-opt %s --layout-lower --verify-each-layout-pass -o /dev/null
// RUN: layout-opt %s --layout-serialize | FileCheck %s --check-prefix=HOST

// Bulk copies of bytes, without a tensor map: four rows, of 256 bytes each, of a tile whose rows lie
// apart, then the whole of it at once, since its place in shared memory and its place in %y are both in
// a row. Each element is scaled in between.

// CHECK-LABEL: gpu.func @scale
// CHECK-SAME:    (%[[X:.+]]: !llvm.ptr<1>, %[[Y:.+]]: !llvm.ptr<1>)
// CHECK-NOT:     tensor_maps
// CHECK:         nvvm.barrier id
// CHECK:         %[[ALL:.+]] = arith.constant 1024 : i32
// CHECK:         nvvm.cp.async.bulk.global.shared.cta %{{.+}}, %{{.+}}, %[[ALL]]
// CHECK:         nvvm.mbarrier.arrive.expect_tx %[[FULL:[0-9]+]], %c1024_i32
// CHECK-COUNT-4: nvvm.cp.async.bulk.shared.cluster.global %{{.+}}, %{{.+}}, %[[FULL]], %c256_i32
// CHECK-NOT:     cp.async.bulk.shared

// HOST-LABEL: func.func @scale
// HOST:         scf.for %{{.+}} to %c256
// HOST:           layout.load
// HOST:           layout.store
gpu.module @bulk {
  gpu.func @scale(%x: !layout.view<f32, global, ((64,4),8):((1,96),512)>, %y: !layout.view<f32, global, (256,8):(1,256)>) kernel
      attributes {layout.kernel = {grid = array<i64: 2, 1, 1>, block = array<i64: 256, 1, 1>}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %tiles = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %two = arith.constant 2.0 : f32
    %barrier = arith.constant 1 : i32
    %threads = arith.constant 128 : i32
    %in = layout.alloc : !layout.view<f32, shared, ((64,4),2):((1,64),256)>
    %out = layout.alloc : !layout.view<f32, shared, (256):(1)>
    %own = layout.composition %out, #layout<(128,2):(1,128)> : !layout.view<f32, shared, (256):(1)>
    layout.pipeline %block to %tiles by %blocks depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %x(_, %tile) : !layout.view<f32, global, ((64,4),8):((1,96),512)>
      %to = layout.slice %in(_, %stage) : !layout.view<f32, shared, ((64,4),2):((1,64),256)>
      layout.copy #layout.atom<bulk_load> %from, %to
        : !layout.view<f32, global, ((64,4)):((1,96))>, !layout.view<f32, shared, ((64,4)):((1,64))>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      nvvm.cp.async.bulk.wait_group 0 {read}
      nvvm.barrier id = %barrier number_of_threads = %threads
      %staged = layout.slice %in(_, %stage) : !layout.view<f32, shared, ((64,4),2):((1,64),256)>
      %flat = layout.composition %staged, #layout<(128,2):(1,128)> : !layout.view<f32, shared, ((64,4)):((1,64))>
      %one = arith.constant 1 : index
      %a = layout.load %flat(%t, %c0) : !layout.view<f32, shared, (128,2):(1,128)>
      %b = layout.load %flat(%t, %one) : !layout.view<f32, shared, (128,2):(1,128)>
      %aa = arith.mulf %a, %two : f32
      %bb = arith.mulf %b, %two : f32
      layout.store %aa, %own(%t, %c0) : !layout.view<f32, shared, (128,2):(1,128)>
      layout.store %bb, %own(%t, %one) : !layout.view<f32, shared, (128,2):(1,128)>
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.barrier id = %barrier number_of_threads = %threads
      %whole = layout.slice %y(_, %tile) : !layout.view<f32, global, (256,8):(1,256)>
      layout.copy #layout.atom<bulk_store> %out, %whole : !layout.view<f32, shared, (256):(1)>, !layout.view<f32, global, (256):(1)>
      nvvm.cp.async.bulk.commit.group
    } epilogue {
    ^bb0(%tile: index):
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }
}
