// RUN: layout-opt %s --layout-lower --layout-kernels-to-nvvm --layout-mark-tensor-maps --split-input-file --verify-diagnostics | FileCheck %s

// Tensor maps are after a kernel's arguments, and in front of the memory of its blocks and threads.

// CHECK-LABEL: llvm.func @memory_of_blocks(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %arg1, %{{.+}}, box[%{{.+}}, %{{.+}}]
gpu.module @m {
  gpu.func @memory_of_blocks(%a: !layout.view<f16, global, (16,64):(64,1)>) workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) private(%p: memref<4xi32, #gpu.address_space<private>>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>}} {
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    layout.pipeline %c0 to %c1 by %c1 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>, %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>)
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
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

// -----

// A kernel without a manifest takes them by value too.

// CHECK-LABEL: llvm.func @without_facts(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME:    layout.tensor_maps = [{arg = 0 : i64, box = array<i64: 64, 16>, element = "f16", extents = array<i64: 64, 16>, strides = array<i64: 2, 128>, swizzle = 128 : i64}]
gpu.module @m {
  gpu.func @without_facts(%a: !layout.view<f16, global, (16,64):(64,1)>) kernel {
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    layout.pipeline %c0 to %c1 by %c1 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>, %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>)
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
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

// -----

// Functions that kernels call have no parameters that its callers do not know.

gpu.module @m {
  gpu.func @callee(%a: !layout.view<f16, global, (16,64):(64,1)>) {
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(1,0)>
    %columns = layout.identity_tensor : !layout.view<index, coordinate, (16,64):(0,1)>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    layout.pipeline %c0 to %c1 by %c1 depth 1 stages 1 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      // expected-error @+1 {{expected a bulk tensor copy in a kernel, which takes a tensor map after its arguments, found one in @callee, a function that kernels call}}
      layout.copy #layout.atom<bulk_tensor_load> %a, %s
        predicate(%rows < 16 : !layout.view<index, coordinate, (16,64):(1,0)>, %columns < 64 : !layout.view<index, coordinate, (16,64):(0,1)>)
        : !layout.view<f16, global, (16,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (16,64):(64,1)>
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
