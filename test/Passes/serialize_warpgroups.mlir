// RUN: layout-opt %s --layout-serialize | FileCheck %s

// A pipeline is the loop that it means; a bulk copy goes element by element, and clears what a predicate
// says is not there. The threads after the consumers do not appear.

#facts = {grid = array<i64: 3, 1, 1>, block = array<i64: 256, 1, 1>}

// CHECK-LABEL: func.func @kernel(
// CHECK:         %[[BLOCKS:.+]] = arith.constant 3 : index
// CHECK:         layout.alloc : !layout.view<f32, register, (1,128):(0,1)>
// CHECK:         scf.for %{{.+}} = %c0{{.*}} to %c1
// CHECK:           scf.for %[[BLOCK:.+]] = %c0{{.*}} to %c3
// CHECK:             scf.for %[[TILE:.+]] = %[[BLOCK]] to %c5{{.*}} step %[[BLOCKS]]
// CHECK:               scf.for %{{.+}} = %c0{{.*}} to %c128
// CHECK:                 layout.fill
// CHECK:               scf.for %[[K:.+]] = %c0{{.*}} to %c4
// CHECK:                 %[[STAGE:.+]] = arith.remui %[[K]], %c2
// CHECK:                 layout.slice %{{.+}}(_, %[[K]])
// CHECK:                 layout.slice %{{.+}}(_, %[[STAGE]])
// CHECK:                 scf.for %[[I:.+]] = %c0{{.*}} to %c64
// CHECK:                   %[[ROW:.+]] = layout.load %{{.+}}(%[[I]]) : !layout.view<index, coordinate, (64):(1)>
// CHECK:                   %[[BELOW:.+]] = arith.cmpi slt, %[[ROW]], %c250
// CHECK:                   scf.if %[[BELOW]] {
// CHECK:                     layout.load
// CHECK:                     layout.store
// CHECK:                   } else {
// CHECK:                     layout.store %cst
// CHECK:               scf.for %{{.+}} = %c0{{.*}} to %c128
// CHECK:                 layout.copy #layout.atom<simt_1>
gpu.module @kernel {
  gpu.func @kernel(%v: !layout.view<f32, global, (64,4):(1,64)>, %o: !layout.view<f32, global, 128:1>)
      kernel attributes {layout.kernel = #facts} {
    %t = gpu.thread_id x
    %first = gpu.block_id x
    %blocks = gpu.grid_dim x
    %count = arith.constant 5 : index
    %zero = arith.constant 0.0 : f32
    %r = layout.alloc : !layout.view<f32, register, (1):(0)>
    %s = layout.alloc : !layout.view<f32, shared, (64,2):(1,64)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (64,4):(1,64)>
    layout.pipeline %first to %count by %blocks depth 4 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %v(_, %k) : !layout.view<f32, global, (64,4):(1,64)>
      %row = layout.slice %rows(_, %k) : !layout.view<index, coordinate, (64,4):(1,64)>
      %to = layout.slice %s(_, %stage) : !layout.view<f32, shared, (64,2):(1,64)>
      layout.copy #layout.atom<bulk_tensor_load> %from, %to predicate(%row < 250 : !layout.view<index, coordinate, (64):(1)>)
        : !layout.view<f32, global, (64):(1)>, !layout.view<f32, shared, (64):(1)>
    } prologue {
    ^bb0(%tile: index):
      layout.fill %r, %zero : !layout.view<f32, register, (1):(0)>
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
      %own = layout.zipped_divide %o, #layout<1> : !layout.view<f32, global, 128:1>
      %place = layout.slice %own(_, %t) : !layout.view<f32, global, (1,128):(1,1)>
      layout.copy #layout.atom<simt_1> %r, %place : !layout.view<f32, register, (1):(0)>, !layout.view<f32, global, (1):(1)>
    }
    gpu.return
  }
}

// Tiles of different numbers of steps, and a uniform branch.

// CHECK-LABEL: func.func @steps(
// CHECK:             scf.for %[[TILE:.+]] = %{{.+}} to %c5{{.*}} step
// CHECK:               %[[STEPS:.+]] = arith.minui %[[TILE]], %c4
// CHECK:               scf.for %{{.+}} = %c0{{.*}} to %[[STEPS]] step
// CHECK:                 arith.remui
// CHECK:               %[[FIRST:.+]] = arith.cmpi ult, %[[TILE]], %c4
// CHECK:               scf.if %[[FIRST]] {
// CHECK:                 scf.for %{{.+}} = %c0{{.*}} to %c128
// CHECK:                   layout.copy #layout.atom<simt_1>
gpu.module @steps {
  gpu.func @steps(%o: !layout.view<f32, global, 128:1>) kernel attributes {layout.kernel = #facts} {
    %t = gpu.thread_id x
    %first = gpu.block_id x
    %blocks = gpu.grid_dim x
    %count = arith.constant 5 : index
    %c4 = arith.constant 4 : index
    %r = layout.alloc : !layout.view<f32, register, (1):(0)>
    layout.pipeline %first to %count by %blocks depth 4 stages 2 consumers 128
    steps {
    ^bb0(%tile: index):
      %n = arith.minui %tile, %c4 : index
      layout.yield %n : index
    } load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
      %few = arith.cmpi ult, %tile, %c4 : index
      scf.if %few {
        %own = layout.zipped_divide %o, #layout<1> : !layout.view<f32, global, 128:1>
        %place = layout.slice %own(_, %t) : !layout.view<f32, global, (1,128):(1,1)>
        layout.copy #layout.atom<simt_1> %r, %place : !layout.view<f32, register, (1):(0)>, !layout.view<f32, global, (1):(1)>
      }
    }
    gpu.return
  }
}
