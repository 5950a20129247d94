// A stock mlir-opt reads the lowered layout.print of the host, also before an operation with a result.

// RUN: layout-opt %s --layout-lower | mlir-opt | FileCheck %s

// CHECK-LABEL: func @print
// CHECK: vector.print str "("
// CHECK: vector.print %{{.*}} : i64 punctuation <no_punctuation>
// CHECK: vector.print str ",4)"
// CHECK-NEXT: vector.print str "\0A"
// CHECK-NEXT: arith.addi
func.func @print(%t: !layout.tuple<(?,4)>, %i: i32) -> i32 {
  layout.print %t : !layout.tuple<(?,4)>
  %x = arith.addi %i, %i : i32
  return %x : i32
}
