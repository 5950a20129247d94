// RUN: layout-opt %s --buffer-deallocation-pipeline | FileCheck %s --check-prefix=OWNED

// A buffer without an owner is freed once, after its last view.

// OWNED-LABEL: func.func @owned(
// OWNED:         layout.load
// OWNED:         memref.dealloc
// OWNED-NEXT:    return
func.func @owned(%i: index) -> f32 {
  %m = memref.alloc() : memref<64xf32>
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%m : memref<64xf32>)
  %v = layout.make_view %m : memref<64xf32>
  %x = layout.load %v(%i) : !layout.view<f32, host, 64:1>
  return %x : f32
}
