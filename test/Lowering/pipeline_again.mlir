// A pipeline that is executed again gives its barriers back first: all threads have left it, and the thread that made the
// barriers invalidates them, before they are made again. One that is executed once does not.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-opt %s --layout-lower --verify-each-layout-pass -o /dev/null 2>&1 | count 0

gpu.module @again {
  // CHECK-LABEL: gpu.func @loop(
  // CHECK:         scf.for
  // CHECK:           nvvm.mbarrier.init
  // CHECK:           gpu.barrier
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %[[ZERO]] : index
  // CHECK-NEXT:      scf.if %[[FIRST]] {
  // CHECK-COUNT-4:     nvvm.mbarrier.inval
  // CHECK-NOT:         nvvm.mbarrier.inval
  // CHECK:         gpu.return
  gpu.func @loop(%i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %z = %c0 to %c2 step %c1 {
      layout.pipeline %i to %c2 by %c1 depth 1 stages 2 consumers 128
      load {
      ^bb0(%tile: index, %k: index, %stage: index):
      } prologue {
      ^bb0(%tile: index):
      } mainloop {
      ^bb0(%tile: index, %k: index, %stage: index):
      } epilogue {
      ^bb0(%tile: index):
      }
    }
    gpu.return
  }

  // A loop whose rounds another one counts.
  // CHECK-LABEL: gpu.func @nested(
  // CHECK-COUNT-4: nvvm.mbarrier.inval
  gpu.func @nested() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %z = %c1 to %c4 step %c1 {
      scf.for %y = %c0 to %z step %c1 {
        layout.pipeline %c0 to %z by %c1 depth 1 stages 2 consumers 128
        load {
        ^bb0(%tile: index, %k: index, %stage: index):
        } prologue {
        ^bb0(%tile: index):
        } mainloop {
        ^bb0(%tile: index, %k: index, %stage: index):
        } epilogue {
        ^bb0(%tile: index):
        }
      }
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @blocks(
  // CHECK:         nvvm.mbarrier.inval
  gpu.func @blocks(%i: index, %b: i1) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    cf.br ^next
  ^next:
    layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    cf.cond_br %b, ^next, ^end
  ^end:
    gpu.return
  }

  // CHECK-LABEL: gpu.func @once(
  // CHECK-NOT:     nvvm.mbarrier.inval
  gpu.func @once(%i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}
