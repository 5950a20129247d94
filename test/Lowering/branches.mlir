// RUN: layout-opt %s --layout-lower | FileCheck %s

// Registers of which no thread has both are one stack slot: else LLVM, which makes one of what ends both branches, would not know which of
// two is meant, and leave both in memory. Registers that a thread may use together stay two slots, and so do registers of another size.

!g = !layout.view<f32, global, (128,4):(4,1)>
!r = !layout.view<f32, register, (4):(1)>
!s = !layout.view<f32, register, (2):(1)>
gpu.module @module {
  // CHECK-LABEL: gpu.func @branches(
  // CHECK-COUNT-3: llvm.alloca
  // CHECK-NOT:     llvm.alloca
  // CHECK:         gpu.return
  gpu.func @branches(%g: !g, %which: i1, %other: i1) kernel {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %row = layout.slice %g(%t, _) : !g
    scf.if %which {
      %a = layout.alloc : !r
      layout.fill %a, %zero : !r
      scf.if %other {
        // Beside the one around.
        %b = layout.alloc : !r
        layout.fill %b, %one : !r
        layout.copy #layout.atom<simt_4> %b, %row : !r, !layout.view<f32, global, (4):(1)>
      } else {
        layout.copy #layout.atom<simt_4> %a, %row : !r, !layout.view<f32, global, (4):(1)>
      }
    } else {
      scf.if %other {
        %a = layout.alloc : !r
        layout.fill %a, %one : !r
        layout.copy #layout.atom<simt_4> %a, %row : !r, !layout.view<f32, global, (4):(1)>
      } else {
        // Another size.
        %a = layout.alloc : !s
        layout.fill %a, %one : !s
        %half = layout.composition %row, #layout<2:1> : !layout.view<f32, global, (4):(1)>
        layout.copy #layout.atom<simt_2> %a, %half : !s, !layout.view<f32, global, 2:1>
      }
    }
    gpu.return
  }
}
