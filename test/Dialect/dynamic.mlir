// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// A dynamic integer is a `?` with its facts; types that differ by numbers
// alone are one type.

// CHECK-LABEL: @layouts(
// CHECK-SAME: !layout<(?,8):(1,?{div=8})>
// CHECK-SAME: !layout<(?,?1{i64 div=16}):(?1,1)>
// CHECK-SAME: !layout<(?0,8):(1,?0)>
// CHECK-SAME: !layout<(?{range=2..64},4):(-1,?{i64 range=0..})>
// CHECK-SAME: !layout<((128,64),(ceil_div(?{range=1..},128),ceil_div(?1{range=1..},64))):((?1,1),(128*?1,64))>
func.func private @layouts(
  !layout<( ? , 8) : (1, ?{div=8} )>,
  !layout<(?7,?3{div=16 i64}):(?3,1)>,
  !layout<(?1,8):(1,?1)>,
  !layout<(?{range=2..64},4):(-1,?{i64 range=0..})>,
  !layout<zipped_divide((?0,?1):(?1,1), (128,64))>)

// A positive multiple of 64 is at least 64: to say it too is to say nothing, and other bounds are multiples.
// CHECK-LABEL: @one_fact(
// CHECK-SAME: !layout<(?{div=64},8):(8,1)>, !layout<(?{div=64},8):(8,1)>, !layout<(?{div=64},8):(8,1)>
// CHECK-SAME: !layout<(?{div=8 range=8..96},4):(?{div=8 range=8..},1)>
// CHECK-SAME: !layout.tuple<?{div=64 range=64..}>
func.func private @one_fact(
  !layout<(?{div=64},8):(8,1)>,
  !layout<(?{div=64 range=64..},8):(8,1)>,
  !layout<(?{div=64 range=3..},8):(8,1)>,
  !layout<(?{div=8 range=..100},4):(?{div=8 range=1..},1)>,
  !layout.tuple<?{div=64 range=1..}>)

// CHECK-LABEL: @others(
// CHECK-SAME: !layout<(4,8):(1@0,1@1)>
// CHECK-SAME: !layout.tuple<(128,(?,_))>
// CHECK-SAME: !layout.tuple<?{i64 div=8 range=0..}>
// CHECK-SAME: !layout.tuple<<?:1, _, (2,4):(1,8)>>
// CHECK-SAME: !layout.tuple<24>
func.func private @others(
  !layout<make_identity_layout((4,8))>,
  !layout.tuple<(128,(?,_))>,
  !layout.tuple<?{i64 div=8 range=0..}>,
  !layout.tuple<<?{range=1..}:1, _, (2,4):(1,8)>>,
  !layout.tuple<size((4,6):(1,4))>)

// CHECK-LABEL: @construction
func.func @construction(%m: i32, %k: i64, %i: index) {
  // CHECK: layout.constant #layout<(4,(8,_))> : !layout.tuple<(4,(8,_))>
  %0 = layout.constant #layout<(4,(8,_))> : !layout.tuple<(4,(8,_))>
  // CHECK: %[[L:.+]] = layout.make %{{.+}}, %{{.+}} : (i32, i64) -> !layout<(?,?1{i64 div=16}):(?1,1)>
  %1 = layout.make %m, %k : (i32, i64) -> !layout<(?0,?1{i64 div=16}):(?1,1)>
  // CHECK: layout.make : () -> !layout<4:1>
  %2 = layout.make : () -> !layout<4:1>
  // CHECK: %[[T:.+]] = layout.make_tuple(%{{.+}}, (8, %{{.+}})) : i32, index
  %3 = layout.make_tuple(%m, (8, %i)) : i32, index
  // CHECK: layout.make_tuple(%[[T]], _) : !layout.tuple<(?,(8,?{i64}))>
  %4 = layout.make_tuple(%3, _) : !layout.tuple<(?,(8,?{i64}))>
  // CHECK: layout.make_tuple(%[[L]], 4) : !layout<(?,?1{i64 div=16}):(?1,1)>
  %5 = layout.make_tuple(%1, 4) : !layout<(?0,?1{i64 div=16}):(?1,1)>
  // CHECK: layout.make_layout %[[T]] : !layout.tuple<(?,(8,?{i64}))>
  %6 = layout.make_layout %3 : !layout.tuple<(?,(8,?{i64}))>
  // CHECK: layout.assume %[[L]] : !layout<(?,?1{i64 div=16}):(?1,1)> to !layout<(?{div=8},?1{i64 div=16}):(?1,1)>
  %7 = layout.assume %1 : !layout<(?0,?1{i64 div=16}):(?1,1)> to !layout<(?0{div=8},?1{i64 div=16}):(?1,1)>
  // CHECK: layout.print %[[L]] : !layout<(?,?1{i64 div=16}):(?1,1)>
  layout.print %1 : !layout<(?0,?1{i64 div=16}):(?1,1)>
  return
}

// CHECK-LABEL: @terms_and_values
func.func @terms_and_values(%l: !layout<(?,8):(1,?)>, %n: !layout.tuple<64>, %i: index) {
  // CHECK: layout.coalesce %{{.+}} by #layout<(1,1)> : !layout<(?,8):(1,?)>
  %0 = layout.coalesce %l by #layout<(1,1)> : !layout<(?,8):(1,?)>
  // CHECK: layout.complement %{{.+}}, %{{.+}} : !layout<4:2>, !layout.tuple<64>
  %c = layout.constant #layout<4:2> : !layout<4:2>
  %1 = layout.complement %c, %n : !layout<4:2>, !layout.tuple<64>
  // CHECK: layout.idx2crd %{{.+}}, %{{.+}} : !layout<(?,8):(1,?)>
  %2:2 = layout.idx2crd %i, %l : !layout<(?,8):(1,?)>
  return
}
