// RUN: layout-opt %s --layout-fold | FileCheck %s
// RUN: layout-opt %s --layout-fold --layout-fold -o %t.twice
// RUN: layout-opt %s --layout-fold -o %t.once
// RUN: diff %t.once %t.twice
// RUN: env LAYOUT_LOG=info layout-opt %s --layout-fold -o %t 2>&1 | FileCheck %s --check-prefix=STATISTICS

// STATISTICS: layout-fold evaluated=2

// CHECK-LABEL: func.func @fold
// CHECK:         layout.constant #layout<((2,2),3):((24,2),8)>
// CHECK:         layout.composition %arg0, #layout<<(2,3):(3,1), _>>
// CHECK:         layout.composition %arg0, #layout<<3:1, _>>
func.func @fold(%v: !layout.view<f32, global, (6,8):(8,1)>) {
  %0 = layout.constant #layout<composition((6,2):(8,2), (4,3):(3,1))> : !layout<((2,2),3):((24,2),8)>
  %1 = layout.composition %v, #layout<<flatten((2,3):(3,1)), _>> : !layout.view<f32, global, (6,8):(8,1)>
  %2 = layout.composition %v, #layout<<3:1, _>> : !layout.view<f32, global, (6,8):(8,1)>
  return
}
