// Reductions of a warp are shuffles, of words of 32 bits, and one instruction for words that are integers where the chip has it; square roots and their reciprocals are the chip's own where that is
// allowed, and rounded to nearest where it is not.

// RUN: layout-opt %s --layout-lower | FileCheck %s
// RUN: sed '/^gpu.module @old/,$d' %s > %t.own.mlir
// RUN: layout-opt %t.own.mlir --layout-to-nvvm -o %t.mlir
// RUN: layout-translate %t.mlir --layout-to-ptx | FileCheck %s --check-prefix=PTX

gpu.module @reduce {
  // CHECK-LABEL: gpu.func @all(
  // CHECK-NOT:     gpu.subgroup_reduce
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}}, %{{.+}}, %{{.+}} : f32
  // CHECK:         arith.maximumf
  // CHECK-COUNT-2: gpu.shuffle xor %{{.+}}, %{{.+}}, %{{.+}} : i32
  // CHECK:         arith.truncf
  // PTX-LABEL:   .entry all(
  // PTX-COUNT-5: shfl.sync.bfly.b32
  // PTX:         rsqrt.approx.f32
  // PTX:         sqrt.rn.f32
  // PTX:         {{div.rn|rcp.rn}}.f32
  gpu.func @all(%out: !layout.view<f32, global, 64:1>, %x: f32, %h: f16, %y: f64, %b: i8) kernel {
    %t = gpu.thread_id x
    %0 = gpu.subgroup_reduce maximumf %x : (f32) -> f32
    %1 = gpu.subgroup_reduce add %h cluster(size = 4, stride = 2) : (f16) -> f16
    %2 = gpu.subgroup_reduce add %y : (f64) -> f64
    %3 = gpu.subgroup_reduce minui %b uniform : (i8) -> i8
    %4 = arith.extf %1 : f16 to f32
    %5 = arith.truncf %2 : f64 to f32
    %6 = arith.uitofp %3 : i8 to f32
    %7 = arith.addf %0, %4 : f32
    %8 = arith.addf %5, %6 : f32
    %9 = arith.addf %7, %8 : f32
    %10 = math.rsqrt %9 fastmath<afn> : f32
    %11 = math.rsqrt %10 : f32
    layout.store %11, %out(%t) : !layout.view<f32, global, 64:1>
    func.call @helper(%out, %11) : (!layout.view<f32, global, 64:1>, f32) -> ()
    gpu.return
  }
  // Functions that kernels call, too.
  // CHECK-LABEL: func.func private @helper(
  // CHECK-COUNT-5: gpu.shuffle xor
  func.func private @helper(%out: !layout.view<f32, global, 64:1>, %x: f32) {
    %c0 = arith.constant 0 : index
    %0 = gpu.subgroup_reduce add %x : (f32) -> f32
    layout.store %0, %out(%c0) : !layout.view<f32, global, 64:1>
    return
  }
}

// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=REDUX
// REDUX-LABEL: gpu.func @words(
// REDUX:         nvvm.redux.sync add %{{.+}}, %{{.+}} : i32 -> i32
// REDUX:         nvvm.redux.sync umax
// REDUX:         nvvm.redux.sync xor
// REDUX-COUNT-3: gpu.shuffle xor
// REDUX-NOT:     gpu.shuffle
// PTX-LABEL:   .entry words(
// PTX:         redux.sync.add.s32
// PTX:         redux.sync.max.u32
// PTX:         redux.sync.xor.b32
gpu.module @words {
  gpu.func @words(%out: !layout.view<i32, global, 64:1>, %x: i32) kernel {
    %t = gpu.thread_id x
    %0 = gpu.subgroup_reduce add %x : (i32) -> i32
    %1 = gpu.subgroup_reduce maxui %0 : (i32) -> i32
    %2 = gpu.subgroup_reduce xor %1 : (i32) -> i32
    // A part of a warp.
    %3 = gpu.subgroup_reduce add %2 cluster(size = 8) : (i32) -> i32
    layout.store %3, %out(%t) : !layout.view<i32, global, 64:1>
    gpu.return
  }
}

// Upstream's own target, sm_75, has none.
// REDUX-LABEL: gpu.func @old(
// REDUX-COUNT-5: gpu.shuffle xor
gpu.module @old [#nvvm.target] {
  gpu.func @old(%out: !layout.view<i32, global, 64:1>, %x: i32) kernel {
    %t = gpu.thread_id x
    %0 = gpu.subgroup_reduce add %x : (i32) -> i32
    layout.store %0, %out(%t) : !layout.view<i32, global, 64:1>
    gpu.return
  }
}
