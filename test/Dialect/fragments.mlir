// Arithmetic on fragments: text, generic form, and expansion.

// RUN: layout-opt %s | FileCheck %s
// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

!x = !layout.view<bf16, register, (8,2):(1,8)>
!y = !layout.view<f32, register, (8,2):(1,8)>
!m = !layout.view<f32, register, (8,2):(0,0)>
!one = !layout.view<f32, register, 1:0>
!row = !layout.view<f32, register, (1,2):(0,1)>
!n = !layout.view<index, coordinate, (8,2):(1,8)>

// CHECK-LABEL: func @map
func.func @map(%x: !x, %y: !y, %m: !m, %one: !one, %row: !row, %n: !n, %limit: index, %s: f32) {
  // CHECK: layout.map ins(%{{.*}}, %{{.*}} : !layout.view<bf16, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>) outs(%{{.*}} : !layout.view<f32, register, (8,2):(1,8)>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: bf16, %[[M:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
  // CHECK-NEXT:   %[[D:.*]] = arith.subf %[[WIDE]], %[[M]] : f32
  // CHECK-NEXT:   layout.yield %[[D]] : f32
  layout.map ins(%x, %m : !x, !m) outs(%y : !y) {
  ^bb0(%xi: bf16, %mi: f32, %old: f32):
    %wide = arith.extf %xi : bf16 to f32
    %d = arith.subf %wide, %mi : f32
    layout.yield %d : f32
  }
  // No inputs, a scalar from outside, and two outputs.
  // CHECK: layout.map outs(%{{.*}}, %{{.*}} : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<bf16, register, (8,2):(1,8)>) {
  layout.map outs(%y, %x : !y, !x) {
  ^bb0(%old: f32, %narrow: bf16):
    %scaled = arith.mulf %old, %s : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    layout.yield %scaled, %rounded : f32, bf16
  }
  // One element, modes of 1, and coordinates.
  // CHECK: layout.map ins(%{{.*}}, %{{.*}}, %{{.*}} : !layout.view<f32, register, 1:0>, !layout.view<f32, register, (1,2):(0,1)>, !layout.view<index, coordinate, (8,2):(1,8)>)
  layout.map ins(%one, %row, %n : !one, !row, !n) outs(%y : !y) {
  ^bb0(%a: f32, %b: f32, %i: index, %old: f32):
    %sum = arith.addf %a, %b : f32
    %in = arith.cmpi slt, %i, %limit : index
    %r = arith.select %in, %sum, %old : f32
    layout.yield %r : f32
  }
  return
}

// Several sources, each with a target, of one type or not.
// CHECK-LABEL: func @together
func.func @together(%y: !y, %n: !layout.view<i32, register, (8,2):(1,8)>, %m: !m, %i: !layout.view<i32, register, 1:0>) {
  // CHECK: layout.reduce %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} along [0, 1] {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: layout.yield %{{.*}}, %{{.*}} : f32, i32
  // CHECK: } : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<i32, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>, !layout.view<i32, register, 1:0>
  layout.reduce %y, %n into %m, %i along [0, 1] {
  ^bb0(%a: f32, %j: i32, %b: f32, %k: i32):
    %is = arith.cmpf ogt, %a, %b : f32
    %most = arith.select %is, %a, %b : f32
    %at = arith.select %is, %j, %k : i32
    layout.yield %most, %at : f32, i32
  }
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%y: !y, %m: !m, %one: !one, %row: !row) {
  // CHECK: layout.reduce max %{{.*}} into %{{.*}} along [0] threads(#layout<(256,(8,2)):(8,(1,2048))>) : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>
  layout.reduce max %y into %m along [0] threads(#layout<(256,(8,2)):(8,(1,2048))>) : !y, !m
  // CHECK: layout.reduce add %{{.*}} into %{{.*}} along [0, 1] threads(#layout<(32,(8,2)):(16,(1,8))>) tile(#layout<(64,8)>) :
  layout.reduce add %y into %one along [0, 1] threads(#layout<(32,(8,2)):(16,(1,8))>) tile(#layout<(64,8)>) : !y, !one
  // CHECK: layout.reduce minnum %{{.*}} into %{{.*}} along [1] threads(#layout<(32,(8,2)):(1@0,(1@1,32@0))>) :
  layout.reduce minnum %y into %one along [1] threads(#layout<(32,(8,2)):(1@0,(1@1,32@0))>) : !y, !one
  // By each thread for itself, and by a region.
  // CHECK: layout.reduce %{{.*}} into %{{.*}} along [0] {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[R:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT:   layout.yield %[[R]] : f32
  // CHECK-NEXT: } : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<f32, register, (1,2):(0,1)>
  layout.reduce %y into %row along [0] {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    layout.yield %r : f32
  } : !y, !row
  return
}
