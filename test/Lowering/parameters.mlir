// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=STATED
// RUN: layout-opt %s --layout-to-nvvm | FileCheck %s
// RUN: layout-opt %s --layout-to-nvvm | layout-opt - --layout-mark-tensor-maps | FileCheck %s
// RUN: layout-opt %s --layout-to-nvvm | layout-translate - --layout-to-ptx --chip sm_90a | FileCheck %s --check-prefix=PTX

// A fact that the type of a layout states of an integer is stated to LLVM, of the parameter that the integer becomes; stated
// again, it is still stated once.

!out = !layout.view<i32, global, 16:1>

gpu.module @kernels {
  // STATED-LABEL: gpu.func @by_number(%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: !llvm.ptr<1>)
  // STATED-SAME:    layout.stated = array<i64: -9223372036854775808, 9223372036854775807, 1, 4096, 1, 4096, 8, 8192, -9223372036854775808, 9223372036854775807>
  // CHECK-LABEL:  llvm.func @by_number
  // CHECK-SAME:     %arg1: i32 {llvm.range = #llvm.constant_range<i32, 1, 4097>}
  // CHECK-SAME:     %arg3: i32 {llvm.range = #llvm.constant_range<i32, 8, 8193>}
  gpu.func @by_number(%a: !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %x = layout.load %a(%t) : !layout.view<i32, global, (?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>
    layout.store %x, %out(0) : !out
    gpu.return
  }

  // A loop over a mode that has an element at least runs: no branch around it.
  // PTX:       .entry sum
  // PTX-NOT:   bra
  // PTX:       $L__BB
  // PTX:       bra
  // PTX-NOT:   bra
  // PTX:       ret;
  gpu.func @sum(%a: !layout.view<i32, global, ?{range=1..4096}:8>, %out: !out) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %n = layout.size %a : !layout.view<i32, global, ?{range=1..4096}:8>
    %n_32 = arith.index_cast %n : index to i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %i_32 = %zero to %n_32 step %one iter_args(%before = %zero) -> i32 : i32 {
      %i = arith.index_cast %i_32 : i32 to index
      %x = layout.load %a(%i) : !layout.view<i32, global, ?{range=1..4096}:8>
      %after = arith.addi %before, %x : i32
      scf.yield %after : i32
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    layout.store %sum, %out(0) : !out
    gpu.return
  }

  // A parameter without a stated fact has none.
  // CHECK-LABEL: llvm.func @plain(%arg0: !llvm.ptr<1>)
  // CHECK-NOT:   layout.stated
  // CHECK:       llvm.return
  gpu.func @plain(%out: !out) kernel {
    %t = gpu.thread_id x
    %t_32 = arith.index_cast %t : index to i32
    layout.store %t_32, %out(0) : !out
    gpu.return
  }

  // An attribute of a view is its pointer's, and of no integer that the view leaves open; what the types state comes to it.
  // STATED-LABEL: gpu.func @stated(%arg0: !llvm.ptr<1> {llvm.align = 4 : i64}, %arg1: i32, %arg2: index {llvm.noundef}, %arg3: !llvm.ptr<1>)
  // CHECK-LABEL:  llvm.func @stated(%arg0: !llvm.ptr<1> {llvm.align = 4 : i64}, %arg1: i32 {llvm.range = #llvm.constant_range<i32, 1, 4097>}, %arg2: i64 {llvm.noundef}, %arg3: !llvm.ptr<1>)
  // PTX:          .entry stated(
  // PTX-NEXT:     .param .u64 .ptr .global .align 4 stated_param_0
  gpu.func @stated(%a: !layout.view<i32, global, (?{range=1..4096},8):(8,1)> {llvm.align = 4 : i64}, %n: index {llvm.noundef}, %out: !out) kernel {
    %x = layout.load %a(%n, 0) : !layout.view<i32, global, (?{range=1..4096},8):(8,1)>
    layout.store %x, %out(0) : !out
    gpu.return
  }
}
