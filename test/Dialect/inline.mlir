// RUN: layout-opt %s --inline | FileCheck %s

// Functions on views are inlined.
func.func private @row(%v: !layout.view<f32, global, (8,4):(4,1)>, %i: index) -> f32 {
  %0 = layout.load %v(%i, 0) : !layout.view<f32, global, (8,4):(4,1)>
  return %0 : f32
}

// CHECK-LABEL: @caller
func.func @caller(%v: !layout.view<f32, global, (8,4):(4,1)>, %i: index) -> f32 {
  // CHECK-NEXT: %[[X:.*]] = layout.load
  // CHECK-NEXT: return %[[X]]
  %0 = call @row(%v, %i) : (!layout.view<f32, global, (8,4):(4,1)>, index) -> f32
  return %0 : f32
}
