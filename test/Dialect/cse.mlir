// RUN: layout-opt %s --cse | FileCheck %s

// Pure operations are shared; buffers are not, and a store separates loads.
// CHECK-LABEL: @share
func.func @share(%v: !layout.view<f32, global, (8,8):(8,1)>, %i: index, %x: f32) -> (f32, f32) {
  // CHECK-COUNT-1: layout.slice
  // CHECK-NOT: layout.slice
  %0 = layout.slice %v(%i, _) : !layout.view<f32, global, (8,8):(8,1)>
  %1 = layout.slice %v(%i, _) : !layout.view<f32, global, (8,8):(8,1)>
  // CHECK-COUNT-2: layout.alloc
  %a = layout.alloc : !layout.view<f32, register, (8):(1)>
  %b = layout.alloc : !layout.view<f32, register, (8):(1)>
  layout.copy #layout.atom<simt_4> %0, %a : !layout.view<f32, global, (8):(1)>, !layout.view<f32, register, (8):(1)>
  layout.copy #layout.atom<simt_4> %1, %b : !layout.view<f32, global, (8):(1)>, !layout.view<f32, register, (8):(1)>
  // CHECK: layout.load
  %2 = layout.load %a(0) : !layout.view<f32, register, (8):(1)>
  layout.store %x, %a(0) : !layout.view<f32, register, (8):(1)>
  // CHECK: layout.load
  %3 = layout.load %a(0) : !layout.view<f32, register, (8):(1)>
  return %2, %3 : f32, f32
}
