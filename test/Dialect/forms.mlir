// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// Forms of CuTe beside the usual ones.

// CHECK-LABEL: @coordinates
func.func @coordinates(%l: !layout<((4,?),8):((1,?),4)>, %s: !layout<(4,(2,4)):(2,(1,8))>,
                       %v: !layout.view<f32, global, (?,(2,4)):(8,(1,2))>,
                       %t: !layout.tuple<(?,?)>, %c: !layout.tuple<(_,3)>, %i: index, %x: f32) {
  // A tuple stands for its entries.
  // CHECK: layout.local_tile %{{.+}}(%{{.+}}), #layout<(2,2)> : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,?)>
  %a = layout.local_tile %s(%t), #layout<(2,2)> : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,?)>
  // CHECK: layout.local_tile %{{.+}}(%{{.+}}, %{{.+}}), #layout<(2,2)> : !layout<(4,(2,4)):(2,(1,8))>{{$}}
  %b = layout.local_tile %s(%i, %i), #layout<(2,2)> : !layout<(4,(2,4)):(2,(1,8))>
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}, %{{.+}}) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(?,?)>, index
  %0 = layout.crd2idx %l(%t, %i) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(?,?)>, index
  // CHECK: layout.crd2idx %{{.+}}(1, %{{.+}}) : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,?)>
  %1 = layout.crd2idx %s(1, %t) : !layout<(4,(2,4)):(2,(1,8))>, !layout.tuple<(?,?)>
  // CHECK: %[[S:.+]] = layout.slice %{{.+}}(%{{.+}}, 2) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(_,3)>
  %2 = layout.slice %l(%c, 2) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(_,3)>
  // CHECK: layout.size %[[S]] : !layout<(4):(1)>
  %3 = layout.size %2 : !layout<(4):(1)>
  // CHECK: layout.dice %{{.+}}(%{{.+}}, 2) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(_,3)>
  %4 = layout.dice %l(%c, 2) : !layout<((4,?),8):((1,?),4)>, !layout.tuple<(_,3)>
  // CHECK: %[[X:.+]] = layout.load %{{.+}}(%{{.+}}, %{{.+}}) : !layout.view<f32, global, (?,(2,4)):(8,(1,2))>, index, !layout.tuple<(?,?)>
  %5 = layout.load %v(%i, %t) : !layout.view<f32, global, (?,(2,4)):(8,(1,2))>, index, !layout.tuple<(?,?)>
  // CHECK: layout.store %[[X]], %{{.+}}(%{{.+}}, %{{.+}}) : !layout.view<f32, global, (?,(2,4)):(8,(1,2))>, index, !layout.tuple<(?,?)>
  layout.store %5, %v(%i, %t) : !layout.view<f32, global, (?,(2,4)):(8,(1,2))>, index, !layout.tuple<(?,?)>
  return
}

// CHECK-LABEL: @ranks
func.func @ranks(%x4: i32, %l: !layout<(4,?):(1,4)>, %t: !layout.tuple<(4,?)>, %x: !layout.tuple<_>) {
  // CHECK: layout.append_to_rank %{{.+}}, 3 : !layout<(4,?):(1,4)>
  %0 = layout.append_to_rank %l, 3 : !layout<(4,?):(1,4)>
  // CHECK: layout.append_to_rank %{{.+}}, 2 : !layout<(4,?):(1,4)>
  %1 = layout.append_to_rank %l, 2 : !layout<(4,?):(1,4)>
  // CHECK: layout.prepend_to_rank %{{.+}}, 4 with %{{.+}} : !layout.tuple<(4,?)>, !layout.tuple<_>
  %2 = layout.prepend_to_rank %t, 4 with %x : !layout.tuple<(4,?)>, !layout.tuple<_>
  // CHECK: layout.constant #layout<(_,_,4,8)>
  // CHECK: layout.product_like %{{.+}}, #layout<(0,0)> : !layout.tuple<((2,?),4)>
  %k = layout.constant #layout<(_,_,4,8)> : !layout.tuple<(_,_,4,8)>
  %n = layout.make_tuple((2, %x4), 4) : i32
  %3 = layout.product_like %n, #layout<(0,0)> : !layout.tuple<((2,?),4)>
  return
}

// Parts of a composed layout that are known at run time.
// CHECK-LABEL: @composed_values
func.func @composed_values(%l: !layout<(?,64):(64,1)>, %o: !layout<(?,4):(4,1)>, %i: i32,
                           %s: !layout<S<2,0,3> o 8 o (?,8):(8,1)>, %n: index,
                           %t: !layout.tuple<?{div=8}>) {
  // CHECK: %[[A:.+]] = layout.make_composed_layout %{{.+}} : !layout<(?,4):(4,1)>, %{{.+}} : i32, %{{.+}} : !layout<(?,64):(64,1)>
  %0 = layout.make_composed_layout %o : !layout<(?,4):(4,1)>, %i : i32, %l : !layout<(?,64):(64,1)>
  // CHECK: layout.size %[[A]] : !layout<(?,4):(4,1) o ? o (?,64):(64,1)>
  %1 = layout.size %0 : !layout<(?,4):(4,1) o ? o (?,64):(64,1)>
  // CHECK: %[[B:.+]] = layout.make_composed_layout #layout.S<2,0,3>, %{{.+}} : index, %{{.+}} : !layout<(?,64):(64,1)>
  %2 = layout.make_composed_layout #layout<S<2,0,3>>, %n : index, %l : !layout<(?,64):(64,1)>
  // CHECK: layout.size %[[B]] : !layout<S<2,0,3> o ?{i64} o (?,64):(64,1)>
  %3 = layout.size %2 : !layout<S<2,0,3> o ?{i64} o (?,64):(64,1)>
  // The parts of a swizzled layout make that layout.
  %outer = layout.outer %s : !layout<S<2,0,3> o 8 o (?,8):(8,1)>
  %inner = layout.inner %s : !layout<S<2,0,3> o 8 o (?,8):(8,1)>
  // CHECK: %[[C:.+]] = layout.make_composed_layout %{{.+}} : !layout.S<2,0,3>, 8, %{{.+}} : !layout<(?,8):(8,1)>
  %4 = layout.make_composed_layout %outer : !layout<S<2,0,3>>, 8, %inner : !layout<(?,8):(8,1)>
  // CHECK: layout.size %[[C]] : !layout<S<2,0,3> o 8 o (?,8):(8,1)>
  %5 = layout.size %4 : !layout<S<2,0,3> o 8 o (?,8):(8,1)>
  // CHECK: %[[D:.+]] = layout.make_composed_layout #layout.S<2,0,3>, %{{.+}} : !layout.tuple<?{div=8}>, %{{.+}} : !layout<(?,64):(64,1)>
  %6 = layout.make_composed_layout #layout<S<2,0,3>>, %t : !layout.tuple<?{div=8}>, %l : !layout<(?,64):(64,1)>
  // CHECK: layout.size %[[D]] : !layout<S<2,0,3> o ?{div=8} o (?,64):(64,1)>
  %7 = layout.size %6 : !layout<S<2,0,3> o ?{div=8} o (?,64):(64,1)>
  return
}

// CHECK-LABEL: @tile_to_shape
func.func @tile_to_shape(%l: !layout<(2,2):(1,2)>, %s: !layout.tuple<(4,?{div=2 range=2..})>) {
  // CHECK: %[[A:.+]] = layout.tile_to_shape %{{.+}} order #layout<(1,0)>, #layout<(4,6)> : !layout<(2,2):(1,2)>
  %0 = layout.tile_to_shape %l order #layout<(1,0)>, #layout<(4,6)> : !layout<(2,2):(1,2)>
  // CHECK: layout.size %[[A]] : !layout<((2,2),(2,3)):((1,12),(2,4))>
  %1 = layout.size %0 : !layout<((2,2),(2,3)):((1,12),(2,4))>
  // CHECK: layout.tile_to_shape %{{.+}} order #layout<(1,0)>, %{{.+}} : !layout<(2,2):(1,2)>, !layout.tuple<(4,?{div=2 range=2..})>
  %2 = layout.tile_to_shape %l order #layout<(1,0)>, %s : !layout<(2,2):(1,2)>, !layout.tuple<(4,?{div=2 range=2..})>
  return
}

// CHECK-LABEL: @composed
func.func @composed(%l: !layout<(8,64):(64,1)>) -> index {
  // CHECK: %[[S:.+]] = layout.make_composed_layout #layout.S<3,3,3>, 64, %{{.+}} : !layout<(8,64):(64,1)>
  %0 = layout.make_composed_layout #layout<S<3,3,3>>, 64, %l : !layout<(8,64):(64,1)>
  // CHECK: %[[T:.+]] = layout.make_composed_layout #layout<(4,2):(2,1)>, 0, %{{.+}} : !layout<(8,64):(64,1)>
  %1 = layout.make_composed_layout #layout<(4,2):(2,1)>, 0, %l : !layout<(8,64):(64,1)>
  // CHECK: layout.size %[[T]] : !layout<(4,2):(2,1) o 0 o (8,64):(64,1)>
  %2 = layout.size %1 : !layout<(4,2):(2,1) o 0 o (8,64):(64,1)>
  // CHECK: layout.crd2idx %[[S]](1, 2) : !layout<S<3,3,3> o 64 o (8,64):(64,1)>
  %3 = layout.crd2idx %0(1, 2) : !layout<S<3,3,3> o 64 o (8,64):(64,1)>
  return %3 : index
}

// Entries of tuples are sliced as modes are; where the coordinate fixes some does not matter.
// CHECK-LABEL: @entries
func.func @entries(%t: !layout.tuple<(?,(2,?{div=8}))>, %i: index, %c: !layout.tuple<(_,0)>) -> !layout.tuple<((2,?{div=8}))> {
  // CHECK: %[[S:.+]] = layout.slice %{{.+}}(%{{.+}}, _) : !layout.tuple<(?,(2,?{div=8}))>
  %0 = layout.slice %t(%i, _) : !layout.tuple<(?,(2,?{div=8}))>
  // CHECK: %[[T:.+]] = layout.slice %{{.+}}(9, %{{.+}}) : !layout.tuple<(?,(2,?{div=8}))>, !layout.tuple<(_,0)>
  %1 = layout.slice %t(9, %c) : !layout.tuple<(?,(2,?{div=8}))>, !layout.tuple<(_,0)>
  // CHECK: layout.print %[[T]] : !layout.tuple<(2)>
  layout.print %1 : !layout.tuple<(2)>
  // CHECK: %[[D:.+]] = layout.dice %{{.+}}(_, (%{{.+}}, _)) : !layout.tuple<(?,(2,?{div=8}))>
  %2 = layout.dice %t(_, (%i, _)) : !layout.tuple<(?,(2,?{div=8}))>
  // CHECK: layout.print %[[D]] : !layout.tuple<(2)>
  layout.print %2 : !layout.tuple<(2)>
  // CHECK: return %[[S]]
  return %0 : !layout.tuple<((2,?{div=8}))>
}
