// Equality of known layouts is proved, whatever kinds they are of, or refuted.
// RUN: layout-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @kinds
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[FALSE:.*]] = arith.constant false
// CHECK:         return %[[TRUE]], %[[TRUE]], %[[FALSE]], %[[TRUE]], %[[FALSE]] :
func.func @kinds() -> (i1, i1, i1, i1, i1) {
  %plain = layout.constant #layout<(4,2):(1,4)> : !layout<(4,2):(1,4)>
  %one = layout.constant #layout<8:1> : !layout<8:1>
  %0 = layout.equal %plain, %one : !layout<(4,2):(1,4)>, !layout<8:1>
  // A swizzle that touches no bit of the image is nothing.
  %above = layout.constant #layout<S<1,3,1> o 0 o 8:1> : !layout<S<1,3,1> o 0 o 8:1>
  %1 = layout.equal %one, %above : !layout<8:1>, !layout<S<1,3,1> o 0 o 8:1>
  %within = layout.constant #layout<S<1,1,1> o 0 o 8:1> : !layout<S<1,1,1> o 0 o 8:1>
  %2 = layout.equal %one, %within : !layout<8:1>, !layout<S<1,1,1> o 0 o 8:1>
  // Into coordinates.
  %rows = layout.constant #layout<(2,2):(1@0,2@0)> : !layout<(2,2):(1@0,2@0)>
  %row = layout.constant #layout<4:1@0> : !layout<4:1@0>
  %3 = layout.equal %rows, %row : !layout<(2,2):(1@0,2@0)>, !layout<4:1@0>
  %other = layout.constant #layout<4:2@0> : !layout<4:2@0>
  %4 = layout.equal %other, %row : !layout<4:2@0>, !layout<4:1@0>
  return %0, %1, %2, %3, %4 : i1, i1, i1, i1, i1
}

// -----

// More elements than anyone would compare one by one.

// CHECK-LABEL: func.func @large
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK-DAG:     %[[FALSE:.*]] = arith.constant false
// CHECK:         return %[[TRUE]], %[[FALSE]] :
func.func @large() -> (i1, i1) {
  %a = layout.constant #layout<S<3,4,3> o 0 o (1048576,4096):(1,1048576)> : !layout<S<3,4,3> o 0 o (1048576,4096):(1,1048576)>
  %b = layout.constant #layout<S<3,4,3> o 0 o (4096,1048576):(1,4096)> : !layout<S<3,4,3> o 0 o (4096,1048576):(1,4096)>
  %0 = layout.equal %a, %b : !layout<S<3,4,3> o 0 o (1048576,4096):(1,1048576)>, !layout<S<3,4,3> o 0 o (4096,1048576):(1,4096)>
  %c = layout.constant #layout<S<3,5,3> o 0 o (4096,1048576):(1,4096)> : !layout<S<3,5,3> o 0 o (4096,1048576):(1,4096)>
  %1 = layout.equal %a, %c : !layout<S<3,4,3> o 0 o (1048576,4096):(1,1048576)>, !layout<S<3,5,3> o 0 o (4096,1048576):(1,4096)>
  return %0, %1 : i1, i1
}
