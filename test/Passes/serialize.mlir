// RUN: layout-opt %s --layout-serialize | FileCheck %s

// Threads become a loop around each piece between barriers; a warp's multiply-accumulate becomes
// loops over the atom's tile; a collective copy goes through a buffer of the warp.

#facts = {grid = array<i64: 3, 2, 1>, block = array<i64: 64, 1, 1>}

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    !layout.view<f32, global, (1,64,6):(0,6,1)>
// CHECK-SAME:    layout.kernel = 
// CHECK:         layout.alloc : !layout.view<f32, register, (1,64):(1,1)>
// CHECK:         scf.for %[[Y:.+]] = %c0{{.*}} to %c2
// CHECK:           scf.for %[[X:.+]] = %c0{{.*}} to %c3
// CHECK:             scf.for %[[T:.+]] = %c0{{.*}} to %c64
// CHECK:               layout.slice %arg0(_, %[[T]], %[[X]])
// CHECK:               layout.copy #layout.atom<simt_1>
// CHECK:             }
// CHECK-NOT:         gpu.barrier
// CHECK:             scf.for %[[U:.+]] = %c0{{.*}} to %c64
// CHECK:               layout.slice %arg0(_, %[[U]], %[[X]])
// CHECK:               layout.copy #layout.atom<simt_1>
// CHECK-NOT:     gpu.module
gpu.module @kernel {
  gpu.func @kernel(%v: !layout.view<f32, global, (1,64,6):(0,6,1)>) kernel
      attributes {layout.kernel = #facts} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %r = layout.alloc : !layout.view<f32, register, (1):(1)>
    %g = layout.slice %v(_, %t, %b) : !layout.view<f32, global, (1,64,6):(0,6,1)>
    layout.copy #layout.atom<simt_1> %g, %r : !layout.view<f32, global, (1):(0)>, !layout.view<f32, register, (1):(1)>
    gpu.barrier
    layout.copy #layout.atom<simt_1> %r, %g : !layout.view<f32, register, (1):(1)>, !layout.view<f32, global, (1):(0)>
    gpu.return
  }
}

// A uniform loop stays unsigned: from 127 to 133.
// CHECK-LABEL: func.func @unsigned
// CHECK:         scf.for unsigned
gpu.module @unsigned_module {
  gpu.func @unsigned(%v: !layout.view<f32, global, 32:1>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>}} {
    %t = gpu.thread_id x
    %from = arith.constant 127 : i8
    %to = arith.constant -123 : i8
    %step = arith.constant 3 : i8
    scf.for unsigned %i = %from to %to step %step : i8 {
      layout.store %f, %v(%t) : !layout.view<f32, global, 32:1>
      gpu.barrier
    }
    gpu.return
  }
}

// An element that all threads load alike is a coordinate where it is used.
// CHECK-LABEL: func.func @loaded
// CHECK:         scf.for %[[T:.*]] =
// CHECK:           %[[AT:.*]] = layout.load %arg0(0)
// CHECK:           %[[I:.*]] = arith.index_cast %[[AT]] : i32 to index
// CHECK:           layout.store %arg2, %arg1(%{{.*}}, %[[I]])
gpu.module @loaded_module {
  gpu.func @loaded(%at: !layout.view<i32, global, 1:0>, %v: !layout.view<f32, global, (32,8):(8,1)>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>}} {
    %t = gpu.thread_id x
    %place = layout.load %at(0) : !layout.view<i32, global, 1:0>
    %i = arith.index_cast %place : i32 to index
    layout.store %f, %v(%t, %i) : !layout.view<f32, global, (32,8):(8,1)>
    gpu.return
  }
}

// CHECK-LABEL: func.func @plain
func.func @plain() {
  return
}

// A branch by the thread may hold loops, whose bounds are the thread's.
// CHECK-LABEL: func.func @looped
// CHECK:         scf.for %[[T:.*]] = %{{.*}} to %c32
// CHECK:           %[[IS:.*]] = arith.cmpi ult, %[[T]],
// CHECK:           scf.if %[[IS]] {
// CHECK:             scf.for %[[I:.*]] = %{{.*}} to %[[T]] step
// CHECK:               layout.store %arg1, %arg0(%[[T]], %[[I]])
gpu.module @looped_module {
  gpu.func @looped(%v: !layout.view<f32, global, (32,32):(32,1)>, %f: f32) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>}} {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %some = arith.constant 20 : index
    %is = arith.cmpi ult, %t, %some : index
    scf.if %is {
      scf.for %i = %zero to %t step %one {
        layout.store %f, %v(%t, %i) : !layout.view<f32, global, (32,32):(32,1)>
      }
    }
    gpu.return
  }
}
