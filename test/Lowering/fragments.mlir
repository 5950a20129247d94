// Arithmetic on fragments, written out by the pass and by the lowering.

// RUN: layout-opt %s --layout-expand-fragments | FileCheck %s
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER
// RUN: layout-opt %s --verify-each-layout-pass --layout-expand-fragments --layout-lower 2>&1 | FileCheck %s --check-prefix=PROVED

// PROVED-NOT: warning
// PROVED-NOT: error

!x = !layout.view<bf16, global, (2,2):(2,1)>
!y = !layout.view<f32, register, (2,2):(1,2)>
!row = !layout.view<f32, register, (1,2):(0,1)>
gpu.module @fragments {
  // CHECK-LABEL: gpu.func @map
  // CHECK: %[[Y:.*]] = layout.alloc : !layout.view<f32, register, (2,2)
  // CHECK: %[[ROW:.*]] = layout.alloc : !layout.view<f32, register, (1,2)
  // CHECK-NOT: layout.map
  // CHECK: %[[X0:.*]] = layout.load %{{.*}}(0) : !layout.view<bf16, global
  // CHECK-NEXT: %[[R0:.*]] = layout.load %[[ROW]](0)
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X0]] : bf16 to f32
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[WIDE]], %[[R0]] : f32
  // CHECK-NEXT: layout.store %[[SUM]], %[[Y]](0)
  // CHECK-NEXT: layout.load %{{.*}}(1) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](0)
  // CHECK: layout.load %{{.*}}(2) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](1)
  // CHECK: layout.load %{{.*}}(3) : !layout.view<bf16, global
  // CHECK-NEXT: layout.load %[[ROW]](1)
  // CHECK: layout.store %{{.*}}, %[[Y]](3)
  // CHECK-NEXT: gpu.return
  // LOWER-LABEL: gpu.func @map
  // LOWER-NOT: layout.
  // LOWER-COUNT-4: arith.addf
  // LOWER-NOT: arith.addf
  gpu.func @map(%x: !x) kernel {
    %y = layout.alloc : !y
    %row = layout.alloc : !row
    layout.map ins(%x, %row : !x, !row) outs(%y : !y) {
    ^bb0(%xi: bf16, %b: f32, %old: f32):
      %wide = arith.extf %xi : bf16 to f32
      %sum = arith.addf %wide, %b : f32
      layout.yield %sum : f32
    }
    gpu.return
  }

  // Numbers that are stored in memory are compared as well: coordinates, and what is computed of them.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-COUNT-4: layout.store
  gpu.func @numbers(%o: !layout.view<i32, global, (2,2):(2,1)>) kernel {
    %n = layout.iota : !layout.view<index, iota, (2,2):(1,2)>
    layout.map ins(%n : !layout.view<index, iota, (2,2):(1,2)>) outs(%o : !layout.view<i32, global, (2,2):(2,1)>) {
    ^bb0(%i: index, %old: i32):
      %w = arith.index_cast %i : index to i32
      %twice = arith.addi %w, %w : i32
      layout.yield %twice : i32
    }
    gpu.return
  }
}
