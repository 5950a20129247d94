// Views of registers have no addresses: loops that index them are unrolled, and an index that nothing makes known is named.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: layout-opt %s --layout-lower --remark-format=emitRemark --remarks-filter-missed=layout-lower -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: layout-opt %s --layout-lower --verify-diagnostics -o /dev/null
// RUN: layout-opt %s --layout-to-nvvm -o %t.mlir
// RUN: layout-translate %t.mlir --layout-to-ptx | FileCheck %s --check-prefix=PTX

gpu.module @registers {
  // CHECK-LABEL: gpu.func @known(
  // CHECK:         scf.for
  // CHECK:           scf.for
  // CHECK:           } {llvm.loop_annotation = #[[FULL:.+]]}
  // CHECK:         } {llvm.loop_annotation = #[[FULL]]}
  // PTX-LABEL:   .entry known(
  // PTX-NOT:     local
  // PTX-LABEL:   .entry unknown(
  gpu.func @known(%in: !layout.view<f32, global, 32:1>, %out: !layout.view<f32, global, 32:1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %x = layout.alloc : !layout.view<f32, register, (8,4):(1,8)>
    layout.copy #layout.atom<simt_4> %in, %x : !layout.view<f32, global, 32:1>, !layout.view<f32, register, (8,4):(1,8)>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %k = arith.addi %i, %c1 : index
        %l = arith.remui %k, %c8 : index
        %v = layout.load %x(%l, %j) : !layout.view<f32, register, (8,4):(1,8)>
        %w = arith.mulf %v, %v : f32
        layout.store %w, %x(%i, %j) : !layout.view<f32, register, (8,4):(1,8)>
      }
    }
    layout.copy #layout.atom<simt_4> %x, %out : !layout.view<f32, register, (8,4):(1,8)>, !layout.view<f32, global, 32:1>
    gpu.return
  }

  // REMARK: Reason="expected a register index that is static after loop unrolling, found a result of gpu.thread_id; the registers are in local memory"
  // REMARK-NOT: expected an index
  gpu.func @unknown(%out: !layout.view<f32, global, 32:1>) kernel {
    %t = gpu.thread_id x
    %z = arith.constant 0.0 : f32
    %x = layout.alloc : !layout.view<f32, register, 32:1>
    layout.fill %x, %z : !layout.view<f32, register, 32:1>
    // expected-remark @+1 {{expected a register index that is static after loop unrolling, found a result of gpu.thread_id; the registers are in local memory}}
    %v = layout.load %x(%t) : !layout.view<f32, register, 32:1>
    layout.store %v, %out(%t) : !layout.view<f32, global, 32:1>
    gpu.return
  }
}
