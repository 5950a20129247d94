// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER

// Coordinate layouts are taken apart and put together like others, and their strides are tuples.

// CHECK-LABEL: @strides(
// CHECK-SAME: !layout.tuple<(1@0,(?{div=8}@0@1,0))>
// LOWER-LABEL: @strides(
// LOWER-SAME: i32
func.func @strides(%l: !layout<(?,8):(?{div=2}@0,1@1)>, %s: !layout.tuple<(?{range=1..},8)>,
                   %t: !layout.tuple<( 1@0 , ( ?7{div=8}@0@1 , 0 ) )>, %m: i32) -> (i1, index, index) {
  // CHECK: %[[S:.+]] = layout.stride %{{.+}} : !layout<(?,8):(?{div=2}@0,1@1)>
  %0 = layout.stride %l : !layout<(?,8):(?{div=2}@0,1@1)>
  // CHECK: %[[G:.+]] = layout.get %[[S]], [0] : !layout.tuple<(?{div=2}@0,1@1)>
  %1 = layout.get %0, [0] : !layout.tuple<(?{div=2}@0,1@1)>
  // CHECK: layout.append %[[S]], %[[G]] : !layout.tuple<(?{div=2}@0,1@1)>, !layout.tuple<?{div=2}@0>
  %2 = layout.append %0, %1 : !layout.tuple<(?{div=2}@0,1@1)>, !layout.tuple<?{div=2}@0>
  // CHECK: layout.make_tuple(%[[G]], 0) : !layout.tuple<?{div=2}@0>
  %3 = layout.make_tuple(%1, 0) : !layout.tuple<?{div=2}@0>
  // CHECK: layout.make_layout %{{.+}}, %[[S]] : !layout.tuple<(?{range=1..},8)>, !layout.tuple<(?{div=2}@0,1@1)>
  %4 = layout.make_layout %s, %0 : !layout.tuple<(?{range=1..},8)>, !layout.tuple<(?{div=2}@0,1@1)>
  // CHECK: layout.make %{{.+}} : (i32) -> !layout.tuple<(?@0,1@1)>
  %5 = layout.make %m : (i32) -> !layout.tuple<(?@0,1@1)>
  // CHECK: layout.equal %[[S]], %{{.+}} : !layout.tuple<(?{div=2}@0,1@1)>, !layout.tuple<(?@0,1@1)>
  // LOWER: arith.cmpi eq
  %6 = layout.equal %0, %5 : !layout.tuple<(?{div=2}@0,1@1)>, !layout.tuple<(?@0,1@1)>
  // CHECK: layout.leaves %[[S]] : !layout.tuple<(?{div=2}@0,1@1)>
  %7:2 = layout.leaves %0 : !layout.tuple<(?{div=2}@0,1@1)>
  // CHECK: layout.print %[[S]] : !layout.tuple<(?{div=2}@0,1@1)>
  // LOWER: vector.print str "@0,1@1)
  layout.print %0 : !layout.tuple<(?{div=2}@0,1@1)>
  return %6, %7#0, %7#1 : i1, index, index
}

// CANON-LABEL: @known(
// CANON-DAG: layout.constant #layout<(1@0,128@1)> : !layout.tuple<(1@0,128@1)>
// CANON-DAG: layout.constant #layout<(4,(2,8)):(1@0,(4@0,1@1))>
// CANON-DAG: arith.constant true
// CANON-DAG: arith.constant false
func.func @known(%l: !layout<(8,4):(1@0,128@1)>, %m: !layout<(4,2,8):(1@0,4@0,1@1)>)
    -> (!layout.tuple<(1@0,128@1)>, !layout<(4,(2,8)):(1@0,(4@0,1@1))>, i1, i1) {
  %0 = layout.stride %l : !layout<(8,4):(1@0,128@1)>
  %1 = layout.group %m, 1 to 3 : !layout<(4,2,8):(1@0,4@0,1@1)>
  %2 = layout.equal %0, #layout<(1@0,128@1)> : !layout.tuple<(1@0,128@1)>
  %3 = layout.equal %0, #layout<(1@0,128@0)> : !layout.tuple<(1@0,128@1)>
  return %0, %1, %2, %3 : !layout.tuple<(1@0,128@1)>, !layout<(4,(2,8)):(1@0,(4@0,1@1))>, i1, i1
}

// CHECK-LABEL: @modes(
func.func @modes(%l: !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>, %m: !layout<?:1@0>) {
  // CHECK: %[[G:.+]] = layout.get %{{.+}}, [1] : !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>
  %0 = layout.get %l, [1] : !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>
  // CHECK: %[[F:.+]] = layout.flatten %{{.+}} : !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>
  %1 = layout.flatten %l : !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>
  // CHECK: layout.select %[[F]], [2, 0] : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  %2 = layout.select %1, [2, 0] : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  // CHECK: layout.take %[[F]], 1 to 3 : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  %3 = layout.take %1, 1 to 3 : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  // CHECK: layout.append %[[F]], %{{.+}} : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>, !layout<?:1@0>
  %4 = layout.append %1, %m : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>, !layout<?:1@0>
  // CHECK: layout.make_layout %{{.+}}, %{{.+}} : !layout<?:1@0>, !layout<?:1@0>
  %5 = layout.make_layout %m, %m : !layout<?:1@0>, !layout<?:1@0>
  // CHECK: layout.zip %{{.+}}, %{{.+}} : !layout<(?,?):(1@0,1@0)>, !layout<(?,?):(1@0,1@0)>
  %6 = layout.zip %5, %5 : !layout<(?,?):(1@0,1@0)>, !layout<(?,?):(1@0,1@0)>
  // CHECK: %[[T:.+]] = layout.tiled_divide %[[F]], #layout<(8,2)> : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  %7 = layout.tiled_divide %1, #layout<(8,2)> : !layout<(?,?,4):(1@0,1@0@1,1@1@1)>
  // CHECK: layout.shape %[[T]] : !layout<((8,2),ceil_div(?{range=1..},8),ceil_div(?{range=1..},2),4):((1@0,1@0@1),8@0,2@0@1,1@1@1)>
  %8 = layout.shape %7 : !layout<((8,2),ceil_div(?{range=1..},8),ceil_div(?{range=1..},2),4):((1@0,1@0@1),8@0,2@0@1,1@1@1)>
  // CHECK: layout.depth
  %9 = layout.depth %l : !layout<(?,(?,4)):(1@0,(1@0@1,1@1@1))>
  return
}

// A tuple of tilers may have coordinate layouts as entries, with symbols too.

// CHECK-LABEL: @tilers(
// CHECK-SAME: !layout.tuple<<(4,3):(1@0,1@1), 5:1>>, %{{.*}}: !layout.tuple<<(?,3):(1@0,1@1), 5:1>>
func.func @tilers(%t: !layout.tuple<<(4,3):(1@0,1@1), 5>>, %u: !layout.tuple<<(?,3):(1@0,1@1), 5>>) {
  return
}
