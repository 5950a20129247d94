// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// CHECK-LABEL: @layouts(
// CHECK-SAME: !layout<((2,2),3):((24,2),8)>
// CHECK-SAME: !layout<S<3,3,3> o 0 o (8,64):(64,1)>
func.func private @layouts(!layout<((2,2),3):((24,2),8)>, !layout<S<3,3,3> o 0 o (8,64):(64,1)>)

// A call in a type is evaluated when it is read, so equal layouts are equal types.
// CHECK-LABEL: @evaluated(
// CHECK-SAME: !layout<12:1>, !layout<12:1>
func.func private @evaluated(!layout<coalesce((2,(1,6)):(1,(6,2)))>, !layout<12:1>)

// CHECK-LABEL: @views(
// CHECK-SAME: !layout.view<f16, global, (128,64):(64,1)>
// CHECK-SAME: !layout.view<bf16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
// CHECK-SAME: !layout.view<f32, register, (4,2):(1,4)>
// CHECK-SAME: !layout.view<i8, host, 16:1>
// CHECK-SAME: !layout.view<index, coordinate, (128,64):(1,0)>
func.func private @views(
  !layout.view<f16, global, (128,64):(64,1)>,
  !layout.view<bf16, shared, S<3,3,3> o 0 o (8,64):(64,1)>,
  !layout.view<f32, register, make_layout(4:1, 2:4)>,
  !layout.view<i8, host, 16:1>,
  !layout.view<index, coordinate, (128,64):(1,0)>)
