// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: layout-opt %s --pass-pipeline='builtin.module(layout-lower,canonicalize)' | FileCheck %s --check-prefix=LOWER

// Swizzles and tilers by themselves, as values that operations take.

// CHECK-LABEL: @swizzles
// CHECK-SAME: %[[L:[a-z0-9]+]]: !layout<(8,64):(64,1)>, %[[M:[a-z0-9]+]]: !layout<(?,64):(64,1)>, %[[T:[a-z0-9]+]]: !layout.S<2,0,3>
func.func @swizzles(%l: !layout<(8,64):(64,1)>, %m: !layout<(?,64):(64,1)>, %t: !layout<S<2,0,3>>) {
  // CHECK: %[[S:.+]] = layout.constant #layout.S<3,3,3> : !layout.S<3,3,3>
  %s = layout.constant #layout<S<3,3,3>> : !layout<S<3,3,3>>
  // CHECK: %[[A:.+]] = layout.composition %[[S]], %[[M]] : !layout.S<3,3,3>, !layout<(?,64):(64,1)>
  %a = layout.composition %s, %m : !layout<S<3,3,3>>, !layout<(?,64):(64,1)>
  // CHECK: layout.size %[[A]] : !layout<S<3,3,3> o 0 o (?,64):(64,1)>
  %a1 = layout.size %a : !layout<S<3,3,3> o 0 o (?,64):(64,1)>
  // CHECK: %[[B:.+]] = layout.composition %[[L]], %[[S]] : !layout<(8,64):(64,1)>, !layout.S<3,3,3>
  %b = layout.composition %l, %s : !layout<(8,64):(64,1)>, !layout<S<3,3,3>>
  // CHECK: layout.size %[[B]] : !layout<S<
  %b1 = layout.size %b : !layout<composition((8,64):(64,1), S<3,3,3>)>
  // CHECK: %[[C:.+]] = layout.make_composed_layout %[[S]] : !layout.S<3,3,3>, 8, %[[M]] : !layout<(?,64):(64,1)>
  %c = layout.make_composed_layout %s : !layout<S<3,3,3>>, 8, %m : !layout<(?,64):(64,1)>
  // CHECK: %[[O:.+]] = layout.outer %[[C]] : !layout<S<3,3,3> o 8 o (?,64):(64,1)>
  %o = layout.outer %c : !layout<S<3,3,3> o 8 o (?,64):(64,1)>
  // CHECK: %[[I:.+]] = layout.right_inverse %[[O]] : !layout.S<3,3,3>
  %i = layout.right_inverse %o : !layout<S<3,3,3>>
  // CHECK: %[[U:.+]] = layout.upcast %[[I]], 4 : !layout.S<3,3,3>
  %u = layout.upcast %i, 4 : !layout<S<3,3,3>>
  // CHECK: layout.equal %[[U]], #layout.S<3,1,3> : !layout.S<3,1,3>
  %e = layout.equal %u, #layout<S<3,1,3>> : !layout<S<3,1,3>>
  // CHECK: layout.assume %[[T]] : !layout.S<2,0,3> to !layout.S<2,0,3>
  %f = layout.assume %t : !layout<S<2,0,3>> to !layout<S<2,0,3>>
  // CHECK: layout.print %[[T]] : !layout.S<2,0,3>
  layout.print %t : !layout<S<2,0,3>>
  // CHECK: %[[R:.+]] = layout.constant #layout<<4:1, 8:1>> : !layout.tuple<<4:1, 8:1>>
  %r = layout.constant #layout<<4:1, 8:1>> : !layout.tuple<<4:1, 8:1>>
  // CHECK: layout.zipped_divide %[[L]], %[[R]] : !layout<(8,64):(64,1)>, !layout.tuple<<4:1, 8:1>>
  %z = layout.zipped_divide %l, %r : !layout<(8,64):(64,1)>, !layout.tuple<<4:1, 8:1>>
  return
}

// A swizzle takes any index, also past its period.
// FOLD-LABEL: @folded
func.func @folded(%l: !layout<(8,64):(64,1)>) -> (index, index, i1, !layout<S<3,3,3>>, !layout<():()>) {
  // FOLD-DAG: %[[S:.+]] = layout.constant #layout.S<3,3,3> : !layout.S<3,3,3>
  // FOLD-DAG: %[[K:.+]] = layout.constant #layout<():()> : !layout<():()>
  // FOLD-DAG: %[[A:.+]] = arith.constant 73 : index
  // FOLD-DAG: %[[B:.+]] = arith.constant 8265 : index
  // FOLD-DAG: %[[E:.+]] = arith.constant true
  // FOLD: return %[[A]], %[[B]], %[[E]], %[[S]], %[[K]]
  %s = layout.constant #layout<S<3,3,3>> : !layout<S<3,3,3>>
  %c = layout.composition %s, %l : !layout<S<3,3,3>>, !layout<(8,64):(64,1)>
  %o = layout.outer %c : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  %0 = layout.crd2idx %o(65) : !layout<S<3,3,3>>
  %1 = layout.crd2idx %s(8257) : !layout<S<3,3,3>>
  %e = layout.equal %o, %s : !layout<S<3,3,3>>, !layout<S<3,3,3>>
  // One element is left.
  %k = layout.slice %l(1, 2) : !layout<(8,64):(64,1)>
  return %0, %1, %e, %o, %k : index, index, i1, !layout<S<3,3,3>>, !layout<():()>
}

// LOWER-LABEL: @applied
// LOWER: arith.andi %{{.+}} : i64
// LOWER: arith.shrui %{{.+}} : i64
// LOWER: arith.xori %{{.+}} : i64
func.func @applied(%s: !layout<S<3,3,3>>, %i: index) -> index {
  %0 = layout.crd2idx %s(%i) : !layout<S<3,3,3>>
  return %0 : index
}

// A coordinate layout after a layout and an offset.

// CHECK-LABEL: @coordinates
func.func @coordinates(%l: !layout<(2,2):(1,4)>, %n: i32, %i: index, %x: !layout<(4,?):(1@0,1@1)>,
                       %w: !layout<S<1,0,2> o 0 o (4,4):(4,1)>,
                       %k: !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>) {
  // CHECK: %[[A:.+]] = layout.make_composed_layout #layout<(4,4):(1@0,1@1)>, %{{.+}} : i32, %{{.+}} : !layout<(2,2):(1,4)>
  %0 = layout.make_composed_layout #layout<(4,4):(1@0,1@1)>, %n : i32, %l : !layout<(2,2):(1,4)>
  // CHECK: layout.size %[[A]] : !layout<(4,4):(1@0,1@1) o ? o (2,2):(1,4)>
  %1 = layout.size %0 : !layout<(4,4):(1@0,1@1) o ? o (2,2):(1,4)>
  // CHECK: %[[B:.+]] = layout.make_composed_layout %{{.+}} : !layout<(4,?):(1@0,1@1)>, 0, %{{.+}} : !layout<S<1,0,2> o 0 o (4,4):(4,1)>
  %2 = layout.make_composed_layout %x : !layout<(4,?):(1@0,1@1)>, 0, %w : !layout<S<1,0,2> o 0 o (4,4):(4,1)>
  // CHECK: layout.inner %[[B]] : !layout<(4,?):(1@0,1@1) o 0 o S<1,0,2> o 0 o (4,4):(4,1)>
  %3 = layout.inner %2 : !layout<(4,?):(1@0,1@1) o 0 o S<1,0,2> o 0 o (4,4):(4,1)>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}, 1) : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  %4 = layout.crd2idx %k(%i, 1) : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  // CHECK: layout.slice %{{.+}}(1, _) : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  %5 = layout.slice %k(1, _) : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  // CHECK: layout.outer %{{.+}} : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  %6 = layout.outer %k : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  // CHECK: layout.offset %{{.+}} : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  %7 = layout.offset %k : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  // CHECK: layout.print
  layout.print %k : !layout<(4,?):(1@0,1@1) o ?{range=0..} o (2,2):(1,4)>
  // CHECK: layout.composition %{{.+}}, %{{.+}} : !layout<(4,?):(1@0,1@1)>, !layout<S<1,0,2> o 0 o (4,4):(4,1)>
  %8 = layout.composition %x, %w : !layout<(4,?):(1@0,1@1)>, !layout<S<1,0,2> o 0 o (4,4):(4,1)>
  return
}
