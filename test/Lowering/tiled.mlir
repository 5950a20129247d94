// RUN: layout-opt %s --layout-lower | FileCheck %s

// Registers like a part of a matrix whose rows lie apart by a number that is known at run time.

// CHECK-LABEL: func.func @like
// CHECK-NOT:     layout.
func.func @like(%v: !layout.view<f32, global, (16,8):(?{div=4},1)>, %t: index) {
  %g = layout.partition %v(%t), source of #layout.tiled_copy<simt_4, (16,2):(2,1), (1,4)>
      : !layout.view<f32, global, (16,8):(?{div=4},1)>
  %r = layout.make_fragment_like %g : !layout.view<f32, global, ((4,1),1,1):((1,0),0,0)>
  layout.copy #layout.atom<simt_4> %g, %r
      : !layout.view<f32, global, ((4,1),1,1):((1,0),0,0)>, !layout.view<f32, register, ((4,1),1,1):((1,0),0,0)>
  return
}
