// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-simplify{evaluate=false})' | FileCheck %s

// Rules alone: each holds for all operands that its left side takes, or has a condition.

// A tuple of tilers gathers blocks and repetitions.
// CHECK-LABEL: @tuple_as_tiler
// CHECK: #layout<zipped_product((4,4):(1,4), (1,2))>
func.func @tuple_as_tiler() -> !layout<((4,4),(1,2)):((1,4),(0,1))> {
  %0 = layout.constant #layout<zipped_product((4,4):(1,4), (1,2))> : !layout<((4,4),(1,2)):((1,4),(0,1))>
  return %0 : !layout<((4,4),(1,2)):((1,4),(0,1))>
}

// A swizzle that moves no bit goes with the call, and stays in a literal.
// CHECK-LABEL: @literal_under_identity
// CHECK: #layout<recast(S<0,4,4> o 0 o (16,4):(4,1), 16, 16)>
func.func @literal_under_identity() {
  %0 = layout.constant #layout<recast(S<0,4,4> o 0 o (16,4):(4,1), 16, 16)> : !layout<(16,4):(4,1)>
  return
}

// CHECK-LABEL: @recast_to_same
// CHECK: layout.constant #layout<S<1,0,4> o 0 o (16,4):(4,1)>
func.func @recast_to_same() {
  %0 = layout.constant #layout<recast(S<1,0,4> o 0 o (16,4):(4,1), 16, 16)> : !layout<S<1,0,4> o 0 o (16,4):(4,1)>
  return
}
