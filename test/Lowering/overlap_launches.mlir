// Kernels that are launched wait by themselves for those before them, in front of the first operation that could reach global memory.

// RUN: layout-opt %s --split-input-file --layout-overlap-launches | FileCheck %s
// RUN: layout-opt %s --split-input-file --layout-overlap-launches --layout-overlap-launches | FileCheck %s

module attributes {gpu.container_module, layout.programs = []} {
  // Shared memory and what threads have of their own is no memory of another kernel; neither are barriers.
  // CHECK-LABEL: gpu.func @scale
  // CHECK-SAME:  layout.kernel = {args = [], block = array<i64: 32, 1, 1>, chip = "sm_90a", grid = array<i64: 4, 1, 1>, waits = true}
  // CHECK:       gpu.thread_id
  // CHECK:       llvm.store %{{.+}}, %{{.+}} : f32, !llvm.ptr
  // CHECK:       scf.if
  // CHECK:         nvvm.mbarrier.init
  // CHECK:       gpu.barrier
  // CHECK-NEXT:  nvvm.griddepcontrol wait
  // CHECK-NEXT:  nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:  llvm.load %{{.+}} : !llvm.ptr<1> -> f32
  // CHECK-NOT:   griddepcontrol
  gpu.module @scale {
    gpu.func @scale(%x: !llvm.ptr<1>, %s: !llvm.ptr<3>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i32
      %one = arith.constant 1.0 : f32
      %own = llvm.alloca %c1 x f32 : (i32) -> !llvm.ptr
      llvm.store %one, %own : f32, !llvm.ptr
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        nvvm.mbarrier.init %s, %c1 : !llvm.ptr<3>, i32
      }
      gpu.barrier
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }

  // A conditional write reaches memory too.
  // CHECK-LABEL: gpu.func @some
  // CHECK:       nvvm.griddepcontrol wait
  // CHECK-NEXT:  nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:  scf.if
  gpu.module @some {
    gpu.func @some(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = [4, 1, 1], block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        llvm.store %one, %x : f32, !llvm.ptr<1>
      }
      gpu.return
    }
  }

  // Many blocks, or a number that is known at run time, launch no dependents: these start when the kernel ends.
  // CHECK-LABEL: gpu.func @many
  // CHECK:       nvvm.griddepcontrol wait
  // CHECK-NOT:   griddepcontrol
  // CHECK-LABEL: gpu.func @sized
  // CHECK:       nvvm.griddepcontrol wait
  // CHECK-NOT:   griddepcontrol
  gpu.module @many {
    gpu.func @many(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = [4096, 1, 1], block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
  gpu.module @sized {
    gpu.func @sized(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = ["m", 1, 1], block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }

  // The kernels around a matmul wait for each other already; the first of them waits for what is before it, and each launches its dependents.
  // CHECK-LABEL: gpu.func @gemm_sum
  // CHECK:       nvvm.griddepcontrol wait
  // CHECK-NEXT:  nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:  llvm.load
  // CHECK-LABEL: gpu.func @gemm(
  // CHECK-SAME:  waits = true
  // CHECK:       nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT:  nvvm.griddepcontrol wait
  // CHECK-NEXT:  llvm.load
  // CHECK-NOT:   griddepcontrol
  gpu.module @gemm {
    gpu.func @gemm_sum(%x: !llvm.ptr<1>) kernel attributes {layout.step = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>}} {
      nvvm.griddepcontrol wait
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @gemm(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = array<i64: 4096, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a", args = [], problem = {}}} {
      nvvm.griddepcontrol launch_dependents
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }

  // Earlier chips have no such instruction, and the kernels of other targets stay as they are.
  // CHECK-LABEL: gpu.func @earlier
  // CHECK-NOT:   griddepcontrol
  // CHECK-NOT:   waits
  gpu.module @earlier {
    gpu.func @earlier(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_80", args = []}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}

// -----

// Where no program launches kernels, those wait that host code launches. Globals say so to the runtime library, which has no manifest.
module attributes {gpu.container_module} {
  // CHECK-LABEL: gpu.module @launched
  // CHECK-NEXT:  llvm.mlir.global external constant @layout_waits_launched(1 : i8) {addr_space = 1 : i32} : i8
  // CHECK-NEXT:  llvm.mlir.global external constant @layout_waits_launched_sum(1 : i8) {addr_space = 1 : i32} : i8
  // CHECK-NEXT:  gpu.func @launched_sum
  // CHECK-NEXT:  nvvm.griddepcontrol wait
  // CHECK:       gpu.func @launched
  // CHECK:       nvvm.griddepcontrol wait
  // CHECK:       gpu.func @foreign
  // CHECK-NOT:   griddepcontrol
  gpu.module @launched {
    gpu.func @launched_sum(%x: !llvm.ptr<1>) kernel attributes {layout.step = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @launched(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @foreign(%x: !llvm.ptr<1>) kernel {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }

  // CHECK-LABEL: gpu.module @kept
  // CHECK-NOT:   griddepcontrol
  // CHECK-NOT:   layout_waits
  gpu.module @kept {
    gpu.func @kept(%x: !llvm.ptr<1>) kernel attributes {
        layout.kernel = {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_90a", args = []}} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      llvm.store %a, %x : f32, !llvm.ptr<1>
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  func.func @host(%x: !llvm.ptr<1>) {
    %one = arith.constant 1 : index
    gpu.launch_func @launched::@foreign blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>)
    gpu.launch_func @launched::@launched blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>)
    gpu.launch_func @launched::@launched_sum blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>)
    return
  }
}
