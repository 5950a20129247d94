// RUN: layout-opt %s --layout-lower | FileCheck %s

// A kernel's block has the memory of its blocks and threads after the arguments; they are none of them.

gpu.module @kernels {
  // CHECK:      gpu.func @shift(%arg0: !llvm.ptr<1>, %arg1: index)
  // CHECK-SAME:   workgroup(%[[W:.+]] : memref<64xi32, #gpu.address_space<workgroup>>)
  // CHECK-SAME:   private(%{{.+}} : memref<1xi32, #gpu.address_space<private>>)
  gpu.func @shift(%v: !layout.view<i32, global, (64):(1)>, %by: index)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>)
      private(%p: memref<1xi32, #gpu.address_space<private>>) kernel {
    %t = gpu.thread_id x
    // CHECK: %[[X:.+]] = llvm.load
    // CHECK: memref.store %[[X]], %[[W]]
    %x = layout.load %v(%t) : !layout.view<i32, global, (64):(1)>
    memref.store %x, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %w[%by] : memref<64xi32, #gpu.address_space<workgroup>>
    layout.store %y, %v(%t) : !layout.view<i32, global, (64):(1)>
    gpu.return
  }
}
