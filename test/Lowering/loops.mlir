// RUN: layout-translate %s --pipeline --layout-to-llvmir | FileCheck %s
// RUN: layout-translate %s --pipeline --layout-to-ptx | FileCheck %s --check-prefix=PTX

// A loop's annotation reaches LLVM: it is not unrolled, and a pragma keeps ptxas from it.

// CHECK-LABEL: define ptx_kernel void @sum(
// CHECK-COUNT-1: load i32
// CHECK-NOT:   load i32
// CHECK:       !{!"llvm.loop.unroll.disable"}

// PTX-LABEL:   .entry sum(
// PTX:         .pragma "nounroll"
// PTX-COUNT-1: ld.global
// PTX-NOT:     ld.global

#once = #llvm.loop_annotation<unroll = <disable = true>>

gpu.module @kernels {
  gpu.func @sum(%a: !layout.view<i32, global, (1024,64):(64,1)>, %n: i32, %out: !layout.view<i32, global, 1:1>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %k_32 = %zero to %n step %one iter_args(%before = %zero) -> i32 : i32 {
      %k = arith.index_cast %k_32 : i32 to index
      %x = layout.load %a(%t, %k) : !layout.view<i32, global, (1024,64):(64,1)>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #once}
    layout.store %sum, %out(0) : !layout.view<i32, global, 1:1>
    gpu.return
  }
}
