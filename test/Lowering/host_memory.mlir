// Memory that a function allocates and passes to a launch is memory of the device, and so are its end and copies of it; memory that the host
// reads, writes or shares with another function stays the host's.

// RUN: layout-opt %s --layout-to-nvvm | FileCheck %s

!v = !layout.view<f32, global, 64:1>

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @twice(%x: !v, %y: !v) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %a = layout.load %x(%i) : !v
    %b = arith.addf %a, %a : f32
    layout.store %b, %y(%i) : !v
    gpu.return
  }
}

func.func private @foreign(memref<64xf32>)
memref.global "private" constant @weights : memref<64xf32> = dense<1.0>

// CHECK-LABEL: func.func @device(
// CHECK-SAME:    %[[X:.+]]: memref<64xf32>
// CHECK:         %[[OWN:.+]] = gpu.alloc  () : memref<64xf32>
// CHECK:         gpu.memcpy  %[[OWN]], %[[X]] : memref<64xf32>, memref<64xf32>
// CHECK:         %[[RESULT:.+]] = gpu.alloc  () : memref<64xf32>
// CHECK:         gpu.launch_func
// CHECK:         gpu.dealloc  %[[OWN]] : memref<64xf32>
// CHECK:         return %[[RESULT]]
func.func @device(%x: memref<64xf32>) -> memref<64xf32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.alloc() : memref<64xf32>
  memref.copy %x, %own : memref<64xf32> to memref<64xf32>
  %result = memref.alloc() : memref<64xf32>
  %a = memref.memory_space_cast %own : memref<64xf32> to memref<64xf32, 1>
  %b = memref.memory_space_cast %result : memref<64xf32> to memref<64xf32, 1>
  %from = layout.make_view %a : memref<64xf32, 1>
  %to = layout.make_view %b : memref<64xf32, 1>
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%from : !v, %to : !v)
  memref.dealloc %own : memref<64xf32>
  return %result : memref<64xf32>
}

// CHECK-LABEL: func.func @host(
// CHECK-COUNT-2: memref.alloc() : memref<64xf32>
// CHECK-NOT:     gpu.alloc
func.func @host(%f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.alloc() : memref<64xf32>
  func.call @foreign(%own) : (memref<64xf32>) -> ()
  %result = memref.alloc() : memref<64xf32>
  %a = memref.memory_space_cast %own : memref<64xf32> to memref<64xf32, 1>
  %b = memref.memory_space_cast %result : memref<64xf32> to memref<64xf32, 1>
  %from = layout.make_view %a : memref<64xf32, 1>
  %to = layout.make_view %b : memref<64xf32, 1>
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%from : !v, %to : !v)
  %part = memref.subview %result[0] [1] [1] : memref<64xf32> to memref<1xf32, strided<[1]>>
  %first = memref.load %part[%c0] : memref<1xf32, strided<[1]>>
  return %first : f32
}

// A global is no memory that the function allocates.

// CHECK-LABEL: func.func @global(
// CHECK:         memref.get_global @weights
// CHECK:         gpu.launch_func
func.func @global(%y: memref<64xf32, 1>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.get_global @weights : memref<64xf32>
  %a = memref.memory_space_cast %own : memref<64xf32> to memref<64xf32, 1>
  %from = layout.make_view %a : memref<64xf32, 1>
  %to = layout.make_view %y : memref<64xf32, 1>
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%from : !v, %to : !v)
  return
}

}
