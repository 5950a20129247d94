// Maps of fragments on the CPU: thread t has elements 4 t to 4 t + 3 of 32, converts them, adds the number of each, keeps
// what is below a limit, and stores.

// RUN: layout-opt %s --layout-to-host | mlir-runner -e main --entry-point-result=void --shared-libs=%llvm_prefix/lib/libmlir_runner_utils.so,%llvm_prefix/lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: layout-opt %s --verify-each-layout-pass --layout-expand-fragments -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED --allow-empty

// PROVED-NOT: error
// PROVED-NOT: warning

// CHECK: 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 192, 195, 198, 201, 204, 207, 210, 213, 216, 219, 222, 225, 228, 231, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 270, 273, 276, 279, 282, 285, 288, 291, 294, 297, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

!in = !layout.view<f16, global, 128:1>
!out = !layout.view<f32, global, 128:1>
module attributes {gpu.container_module} {
  gpu.module @maps {
    gpu.func @kernel(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = "sm_80",
          args = [{name = "in", element = "f16", shape = "128", stride = "1", access = "read"},
                  {name = "out", element = "f32", shape = "128", stride = "1", access = "write"}]}} {
      %t = gpu.thread_id x
      %limit = arith.constant 100 : index
      %zero = arith.constant 0.0 : f32
      %x = layout.alloc : !layout.view<f16, register, 4:1>
      %y = layout.alloc : !layout.view<f32, register, (2,2):(1,2)>
      %n = layout.identity_tensor : !layout.view<index, coordinate, 128:1>
      %gt = layout.composition %in, #layout<(4,32):(1,4)> : !in
      %g = layout.slice %gt(_, %t) : !layout.view<f16, global, (4,32):(1,4)>
      %ht = layout.composition %out, #layout<(4,32):(1,4)> : !out
      %h = layout.slice %ht(_, %t) : !layout.view<f32, global, (4,32):(1,4)>
      %nt = layout.composition %n, #layout<(4,32):(1,4)> : !layout.view<index, coordinate, 128:1>
      %own = layout.slice %nt(_, %t) : !layout.view<index, coordinate, (4,32):(1,4)>
      layout.copy #layout.atom<simt_4> %g, %x : !layout.view<f16, global, (4):(1)>, !layout.view<f16, register, 4:1>
      layout.map ins(%x, %own : !layout.view<f16, register, 4:1>, !layout.view<index, coordinate, (4):(1)>)
                 outs(%y : !layout.view<f32, register, (2,2):(1,2)>) {
      ^bb0(%e: f16, %i: index, %old: f32):
        %wide = arith.extf %e : f16 to f32
        %w = arith.index_cast %i : index to i32
        %f = arith.sitofp %w : i32 to f32
        %sum = arith.addf %wide, %f : f32
        %is = arith.cmpi slt, %i, %limit : index
        %r = arith.select %is, %sum, %zero : f32
        layout.yield %r : f32
      }
      layout.copy #layout.atom<simt_4> %y, %h : !layout.view<f32, register, (2,2):(1,2)>, !layout.view<f32, global, (4):(1)>
      gpu.return
    }
  }
  func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : memref<128xf16, 1>
    %out = memref.alloc() : memref<128xf32, 1>
    scf.for %i = %c0 to %c128 step %c1 {
      %w = arith.index_cast %i : index to i32
      %f = arith.sitofp %w : i32 to f16
      %two = arith.constant 2.0 : f16
      %e = arith.mulf %f, %two : f16
      memref.store %e, %in[%i] : memref<128xf16, 1>
    }
    %x = layout.make_view %in : memref<128xf16, 1>
    %y = layout.make_view %out : memref<128xf32, 1>
    gpu.launch_func @maps::@kernel blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%x : !in, %y : !out)
    %plain = memref.memory_space_cast %out : memref<128xf32, 1> to memref<128xf32>
    %all = memref.cast %plain : memref<128xf32> to memref<*xf32>
    call @printMemrefF32(%all) : (memref<*xf32>) -> ()
    return
  }
}
