// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// CHECK-LABEL: @layouts
func.func @layouts(%l: !layout<(4,8):(8,1)>, %m: !layout<(2,(1,6)):(1,(6,2))>) {
  // CHECK: layout.constant #layout<coalesce((2,(1,6)):(1,(6,2)))> : !layout<12:1>
  %0 = layout.constant #layout<coalesce((2,(1,6)):(1,(6,2)))> : !layout<12:1>
  // CHECK: %[[COALESCED:.*]] = layout.coalesce %{{.*}} : !layout<(2,(1,6)):(1,(6,2))>
  // CHECK: layout.size %[[COALESCED]] : !layout<12:1>
  %1 = layout.coalesce %m : !layout<(2,(1,6)):(1,(6,2))>
  %2 = layout.size %1 : !layout<12:1>
  // CHECK: %[[RIGHT:.*]] = layout.right_inverse %{{.*}} : !layout<(4,8):(8,1)>
  // CHECK: layout.cosize %[[RIGHT]] : !layout<(8,4):(4,1)>
  %3 = layout.right_inverse %l : !layout<(4,8):(8,1)>
  %4 = layout.cosize %3 : !layout<(8,4):(4,1)>
  // CHECK: %[[LEFT:.*]] = layout.left_inverse %{{.*}} : !layout<(4,8):(8,1)>
  // CHECK: layout.rank %[[LEFT]] : !layout<(8,4):(4,1)>
  %5 = layout.left_inverse %l : !layout<(4,8):(8,1)>
  %6 = layout.rank %5 : !layout<(8,4):(4,1)>
  return
}

// CHECK-LABEL: @complements
func.func @complements(%l: !layout<4:2>) {
  // CHECK: %[[A:.*]] = layout.complement %{{.*}}, 24 : !layout<4:2>
  // CHECK: layout.depth %[[A]] : !layout<(2,3):(1,8)>
  %0 = layout.complement %l, 24 : !layout<4:2>
  %1 = layout.depth %0 : !layout<(2,3):(1,8)>
  // CHECK: %[[B:.*]] = layout.complement %{{.*}} : !layout<4:2>
  // CHECK: layout.size %[[B]] : !layout<2:1>
  %2 = layout.complement %l : !layout<4:2>
  %3 = layout.size %2 : !layout<2:1>
  return
}

// CHECK-LABEL: @product
func.func @product(%l: !layout<(2,2):(4,1)>, %t: !layout<6:1>) {
  // CHECK: %[[P:.*]] = layout.logical_product %{{.*}}, %{{.*}} : !layout<(2,2):(4,1)>, !layout<6:1>
  // CHECK: layout.size %[[P]] : !layout<((2,2),(2,3)):((4,1),(2,8))>
  %0 = layout.logical_product %l, %t : !layout<(2,2):(4,1)>, !layout<6:1>
  %1 = layout.size %0 : !layout<((2,2),(2,3)):((4,1),(2,8))>
  return
}

// The same operations take views: element type and space stay.
// CHECK-LABEL: @views
func.func @views(%v: !layout.view<f16, global, (128,64):(64,1)>,
                 %s: !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>) {
  // CHECK: %[[Z:.*]] = layout.zipped_divide %{{.*}}, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
  // CHECK: layout.size %[[Z]] : !layout.view<f16, global, ((32,8),(4,8)):((64,1),(2048,8))>
  %0 = layout.zipped_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
  %1 = layout.size %0 : !layout.view<f16, global, ((32,8),(4,8)):((64,1),(2048,8))>
  // CHECK: %[[L:.*]] = layout.logical_divide %{{.*}}, #layout<<32:1, _>> : !layout.view<f16, global, (128,64):(64,1)>
  // CHECK: layout.size %[[L]] : !layout.view<f16, global, ((32,4),64):((64,2048),1)>
  %2 = layout.logical_divide %v, #layout<<32:1, _>> : !layout.view<f16, global, (128,64):(64,1)>
  %3 = layout.size %2 : !layout.view<f16, global, ((32,4),64):((64,2048),1)>
  // CHECK: %[[C:.*]] = layout.composition %{{.*}}, #layout<(64,8):(8,1)> : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
  // CHECK: layout.size %[[C]] : !layout.view<f16, shared, S<3,3,3> o 0 o (64,8):(1,64)>
  %4 = layout.composition %s, #layout<(64,8):(8,1)> : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
  %5 = layout.size %4 : !layout.view<f16, shared, S<3,3,3> o 0 o (64,8):(1,64)>
  return
}

// CHECK-LABEL: @coordinates
func.func @coordinates(%i: index, %j: index, %l: !layout<(4,(2,4)):(2,(1,8))>) -> (index, index) {
  // CHECK: %{{.*}}:3 = layout.idx2crd %{{.*}}, #layout<(32,2,2)>
  %a:3 = layout.idx2crd %i, #layout<(32,2,2)>
  // CHECK: layout.crd2idx %{{.*}}(%{{.*}}, (1, %{{.*}})) : !layout<(4,(2,4)):(2,(1,8))>
  %0 = layout.crd2idx %l(%i, (1, %j)) : !layout<(4,(2,4)):(2,(1,8))>
  // An index of the whole layout.
  // CHECK: layout.crd2idx %{{.*}}(%{{.*}}) : !layout<(4,(2,4)):(2,(1,8))>
  %1 = layout.crd2idx %l(%i) : !layout<(4,(2,4)):(2,(1,8))>
  return %0, %1 : index, index
}

// An inverse of a swizzled layout is a layout under the swizzle's inverse.

// CHECK-LABEL: @swizzled_inverses
func.func @swizzled_inverses(%l: !layout<S<3,3,3> o 0 o (8,64):(64,1)>)
    -> (!layout<S<3,0,-6> o 0 o (64,8):(8,1)>, !layout<S<3,0,-6> o 0 o (64,8):(8,1)>) {
  // CHECK: layout.right_inverse %{{.*}} : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  %0 = layout.right_inverse %l : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  // CHECK: layout.left_inverse %{{.*}} : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  %1 = layout.left_inverse %l : !layout<S<3,3,3> o 0 o (8,64):(64,1)>
  return %0, %1 : !layout<S<3,0,-6> o 0 o (64,8):(8,1)>, !layout<S<3,0,-6> o 0 o (64,8):(8,1)>
}
