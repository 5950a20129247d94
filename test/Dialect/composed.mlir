// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// Composed layouts, and coordinate layouts, that are partly static.

// CHECK-LABEL: @types(
// CHECK-SAME: !layout<S<3,3,3> o 0 o (?,64):(64,1)>
// CHECK-SAME: !layout<S<2,0,3> o ?0{div=8} o (?,8):(?0,1)>
// CHECK-SAME: !layout<(?,4):(4,1) o 0 o (?{i64},2):(2,1)>
// CHECK-SAME: !layout<(?{div=8},?):(1@0,?{i64}@1)>
// CHECK-SAME: !layout<(4,(?,2)):(1@0,(1@0@1,1@1@1))>
// CHECK-SAME: !layout.view<f16, shared, S<3,3,3> o 0 o (?,64):(64,1)>
// CHECK-SAME: !layout.view<f16, shared, (4,4):(4,1) o 0 o (?,2):(2,1)>
// CHECK-SAME: !layout.view<f16, shared, (?0,4):(4,1) o ?{div=2} o (?0,2):(2,1)>
func.func private @types(
  !layout<S<3,3,3> o 0 o ( ? , 64 ) : (64,1)>,
  !layout<S<2,0,3> o ?7{div=8} o (?,8):(?7,1)>,
  !layout<(?,4):(4,1) o 0 o (?{i64},2):(2,1)>,
  !layout<(?{div=8},?):(1@0,?{i64}@1)>,
  !layout<make_identity_layout((4,(?{range=1..},2)))>,
  !layout.view<f16, shared, S<3,3,3> o 0 o (?,64):(64,1)>,
  !layout.view<f16, shared, (4,4):(4,1) o 0 o (?,2):(2,1)>,
  !layout.view<f16, shared, (?7,4):(4,1) o ?{div=2} o (?7,2):(2,1)>)

// CHECK-LABEL: @operations(
func.func @operations(%l: !layout<(?{div=8},64):(64,1)>, %m: i32, %o: i32, %i: index) -> i1 {
  // CHECK: %[[S:.+]] = layout.make_composed_layout #layout.S<3,3,3>, 0, %{{.+}} : !layout<(?{div=8},64):(64,1)>
  %s = layout.make_composed_layout #layout<S<3,3,3>>, 0, %l : !layout<(?{div=8},64):(64,1)>
  // CHECK: %[[T:.+]] = layout.zipped_divide %[[S]], #layout<(8,64)> : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>
  %t = layout.zipped_divide %s, #layout<(8,64)> : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>
  // CHECK: layout.slice %[[T]](_, (%{{.+}}, 0)) : !layout<S<3,3,3> o 0 o ((8,64),(?{div=8}/8,1)):((64,1),(512,0))>
  %k = layout.slice %t(_, (%i, 0)) : !layout<S<3,3,3> o 0 o ((8,64),(?{div=8}/8,1)):((64,1),(512,0))>
  // CHECK: layout.shape %{{.+}} : !layout<S<3,3,3> o 0 o ((8,64)):((64,1))>
  %n = layout.shape %k : !layout<S<3,3,3> o 0 o ((8,64)):((64,1))>
  // CHECK: layout.upcast %{{.+}}, 8 : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>
  %u = layout.upcast %s, 8 : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>
  // CHECK: layout.make %{{.+}}, %{{.+}} : (i32, i32) -> !layout<S<3,3,3> o ? o (?,64):(64,1)>
  %d = layout.make %o, %m : (i32, i32) -> !layout<S<3,3,3> o ? o (?,64):(64,1)>
  // CHECK: layout.assume %{{.+}} : !layout<S<3,3,3> o ? o (?,64):(64,1)> to !layout<S<3,3,3> o ?{div=8} o (8,64):(64,1)>
  %a = layout.assume %d : !layout<S<3,3,3> o ? o (?,64):(64,1)> to !layout<S<3,3,3> o ?{div=8} o (8,64):(64,1)>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}, 3) : !layout<S<3,3,3> o ?{div=8} o (8,64):(64,1)>
  %x = layout.crd2idx %a(%i, 3) : !layout<S<3,3,3> o ?{div=8} o (8,64):(64,1)>
  // CHECK: layout.equal %{{.+}}, %{{.+}} : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>, !layout<S<3,3,3> o ? o (?,64):(64,1)>
  %e = layout.equal %s, %d : !layout<S<3,3,3> o 0 o (?{div=8},64):(64,1)>, !layout<S<3,3,3> o ? o (?,64):(64,1)>
  return %e : i1
}

// An offset that is a coordinate of the outer layout: the result is what the whole is in integers.
// CHECK-LABEL: @coordinate_offset(
func.func @coordinate_offset(%a: !layout<(?,64):(64,1)>, %at: !layout.tuple<(?,2)>, %m: !layout<(2,3):(1@0,1@1)>) -> index {
  // CHECK: %[[C:.+]] = layout.make_composed_layout %{{.+}} : !layout<(?,64):(64,1)>, %{{.+}} : !layout.tuple<(?,2)>, %{{.+}} : !layout<(2,3):(1@0,1@1)>
  %c = layout.make_composed_layout %a : !layout<(?,64):(64,1)>, %at : !layout.tuple<(?,2)>, %m : !layout<(2,3):(1@0,1@1)>
  // CHECK: %[[D:.+]] = layout.make_composed_layout #layout<(8,64):(64,1)>, 0, %{{.+}} : !layout<(2,3):(1@0,1@1)>
  %d = layout.make_composed_layout #layout<(8,64):(64,1)>, 0, %m : !layout<(2,3):(1@0,1@1)>
  // CHECK: layout.size %[[D]] : !layout<(2,3):(64,1)>
  %n = layout.size %d : !layout<(2,3):(64,1)>
  // CHECK: layout.crd2idx %[[C]](1, 2) : !layout<S<0,0,0> o 64*?+2 o (2,3):(64,1)>
  %x = layout.crd2idx %c(1, 2) : !layout<S<0,0,0> o 64*?+2 o (2,3):(64,1)>
  return %x : index
}

// Coordinates follow tiles through a partition.
// CHECK-LABEL: @coordinates(
func.func @coordinates(%s: !layout.tuple<(?{range=1..},?{range=1..})>, %b: index, %c: index, %i: index, %j: index) {
  // CHECK: %[[I:.+]] = layout.make_identity_layout %{{.+}} : !layout.tuple<(?{range=1..},?{range=1..})>
  %l = layout.make_identity_layout %s : !layout.tuple<(?{range=1..},?{range=1..})>
  // CHECK: %[[T:.+]] = layout.zipped_divide %[[I]], #layout<(128,64)> : !layout<(?,?):(1@0,1@1)>
  %t = layout.zipped_divide %l, #layout<(128,64)> : !layout<(?,?):(1@0,1@1)>
  // CHECK: %[[C:.+]] = layout.crd2idx %[[T]]((%{{.+}}, %{{.+}}), (%{{.+}}, %{{.+}})) : !layout<((128,64),(ceil_div(?{range=1..},128),ceil_div(?{range=1..},64))):((1@0,1@1),(128@0,64@1))>
  %p = layout.crd2idx %t((%i, %j), (%b, %c)) : !layout<((128,64),(ceil_div(?{range=1..},128),ceil_div(?{range=1..},64))):((1@0,1@1),(128@0,64@1))>
  // CHECK: layout.elem_less %[[C]], %{{.+}} : !layout.tuple<({{.+}}+128*{{.+}},{{.+}}+64*{{.+}})>, !layout.tuple<(?{range=1..},?{range=1..})>
  %in = layout.elem_less %p, %s : !layout.tuple<(?0{i64 range=0..}+128*?2{i64 range=0..},?1{i64 range=0..}+64*?3{i64 range=0..})>, !layout.tuple<(?{range=1..},?{range=1..})>
  return
}
