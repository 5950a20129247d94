// Host code prepares the launches of a block ahead of the first, so that gpu-async-region puts them on one stream.

// RUN: layout-opt %s --layout-overlap-launches | FileCheck %s
// RUN: layout-opt %s --layout-overlap-launches --layout-overlap-launches | FileCheck %s
// RUN: layout-opt %s --layout-overlap-launches | mlir-opt --pass-pipeline='builtin.module(func.func(gpu-async-region))' | FileCheck %s --check-prefix=STREAM

module attributes {gpu.container_module} {
  llvm.mlir.global private constant @facts("{}\00")
  func.func private @layout_prepare_launch(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
  func.func private @other()
  gpu.module @kernels {
    gpu.func @kernel(%x: !llvm.ptr<1>, %n: i64) kernel {
      gpu.return
    }
  }

  // The second launch is in a workspace that is allocated before, too; the third comes after a call, which the host waits for.
  // CHECK-LABEL: func.func @three
  // CHECK:       call @layout_prepare_launch
  // CHECK:       gpu.alloc
  // CHECK:       call @layout_prepare_launch
  // CHECK:       gpu.launch_func
  // CHECK-NEXT:  gpu.launch_func
  // CHECK-NEXT:  call @other
  // CHECK:       call @layout_prepare_launch
  // CHECK:       gpu.launch_func
  // STREAM-LABEL: func.func @three
  // STREAM:       %[[FIRST:.+]] = gpu.launch_func async
  // STREAM-NEXT:  gpu.launch_func async [%[[FIRST]]]
  func.func @three(%x: !llvm.ptr<1>) {
    %one = arith.constant 1 : index
    %n = arith.constant 1 : i64
    %c1 = arith.constant 1 : i32
    %p0 = llvm.alloca %c1 x !llvm.array<1 x i64> : (i32) -> !llvm.ptr
    %g0 = llvm.alloca %c1 x !llvm.array<3 x i64> : (i32) -> !llvm.ptr
    %p1 = llvm.alloca %c1 x !llvm.array<1 x i64> : (i32) -> !llvm.ptr
    %g1 = llvm.alloca %c1 x !llvm.array<3 x i64> : (i32) -> !llvm.ptr
    %p2 = llvm.alloca %c1 x !llvm.array<1 x i64> : (i32) -> !llvm.ptr
    %g2 = llvm.alloca %c1 x !llvm.array<3 x i64> : (i32) -> !llvm.ptr
    %facts = llvm.mlir.addressof @facts : !llvm.ptr
    %a0 = llvm.ptrtoint %x : !llvm.ptr<1> to i64
    llvm.store %a0, %p0 : i64, !llvm.ptr
    call @layout_prepare_launch(%facts, %p0, %n, %p0, %n, %g0, %g0) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    %b0 = llvm.load %g0 : !llvm.ptr -> i64
    gpu.launch_func @kernels::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>, %b0 : i64)
    %w = gpu.alloc () : memref<8xf32>
    %i = memref.extract_aligned_pointer_as_index %w : memref<8xf32> -> index
    %a1 = arith.index_cast %i : index to i64
    llvm.store %a1, %p1 : i64, !llvm.ptr
    call @layout_prepare_launch(%facts, %p1, %n, %p1, %n, %g1, %g1) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    %b1 = llvm.load %g1 : !llvm.ptr -> i64
    gpu.launch_func @kernels::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>, %b1 : i64)
    call @other() : () -> ()
    llvm.store %a0, %p2 : i64, !llvm.ptr
    call @layout_prepare_launch(%facts, %p2, %n, %p2, %n, %g2, %g2) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    %b2 = llvm.load %g2 : !llvm.ptr -> i64
    gpu.launch_func @kernels::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>, %b2 : i64)
    return
  }

  // Memory that two launches share, that the host writes otherwise, or that is allocated after other memory is freed, stays where it is.
  // CHECK-LABEL: func.func @shared
  // CHECK:       call @layout_prepare_launch
  // CHECK:       gpu.launch_func
  // CHECK:       llvm.store
  // CHECK:       call @layout_prepare_launch
  // CHECK:       gpu.launch_func
  // CHECK:       gpu.dealloc
  // CHECK:       gpu.alloc
  func.func @shared(%x: !llvm.ptr<1>, %y: i64, %v: memref<8xf32>) {
    %one = arith.constant 1 : index
    %n = arith.constant 1 : i64
    %c1 = arith.constant 1 : i32
    %p0 = llvm.alloca %c1 x !llvm.array<2 x i64> : (i32) -> !llvm.ptr
    %g0 = llvm.alloca %c1 x !llvm.array<3 x i64> : (i32) -> !llvm.ptr
    %q0 = llvm.getelementptr %p0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %facts = llvm.mlir.addressof @facts : !llvm.ptr
    llvm.store %y, %q0 : i64, !llvm.ptr
    call @layout_prepare_launch(%facts, %p0, %n, %p0, %n, %g0, %g0) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    gpu.launch_func @kernels::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>, %y : i64)
    llvm.store %n, %q0 : i64, !llvm.ptr
    call @layout_prepare_launch(%facts, %p0, %n, %p0, %n, %g0, %g0) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    gpu.launch_func @kernels::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : !llvm.ptr<1>, %y : i64)
    gpu.dealloc %v : memref<8xf32>
    %w = gpu.alloc () : memref<8xf32>
    gpu.dealloc %w : memref<8xf32>
    return
  }
}
