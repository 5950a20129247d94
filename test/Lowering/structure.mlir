// RUN: layout-opt %s --layout-lower --cse --canonicalize --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s --check-prefix=LEAK

// LEAK-NOT: {{[%"# ]}}layout.{{[a-z]}}
// LEAK-NOT: !layout
// LEAK-NOT: unrealized_conversion_cast

// A value is passed on as its run-time parts: the integers that its type leaves open.

// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:    %[[C:.+]]: i1, %[[M:.+]]: i32, %[[N:.+]]: i32) -> i32
// CHECK:         %[[S:.+]] = arith.select %[[C]], %[[M]], %[[N]] : i32
// CHECK:         return %[[S]] : i32
func.func @chosen(%c: i1, %a: !layout<(?,8):(8,1)>, %b: !layout<(?,8):(8,1)>) -> !layout<(?,8):(8,1)> {
  %0 = scf.if %c -> !layout<(?,8):(8,1)> {
    scf.yield %a : !layout<(?,8):(8,1)>
  } else {
    scf.yield %b : !layout<(?,8):(8,1)>
  }
  return %0 : !layout<(?,8):(8,1)>
}

// -----

// CHECK-LABEL: func.func @selected(
// CHECK-COUNT-2: arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
func.func @selected(%c: i1, %a: !layout<(?,8):(?,1)>, %b: !layout<(?,8):(?,1)>) -> !layout<(?,8):(?,1)> {
  %0 = arith.select %c, %a, %b : !layout<(?,8):(?,1)>
  return %0 : !layout<(?,8):(?,1)>
}

// -----

// CHECK-LABEL: func.func @counted(
// CHECK:         scf.for {{.*}} iter_args(%[[I:.+]] = %{{.+}}, %[[J:.+]] = %{{.+}}) -> (i32, i32)
// CHECK-NOT:       arith.{{div|rem}}
// CHECK:           arith.select
// CHECK:           scf.yield %{{.+}}, %{{.+}} : i32, i32
func.func @counted(%n: index, %s: !layout.tuple<(4,8)>) -> !layout.tuple<(?{range=0..3},?{range=0..8})> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %c = layout.make %0, %0 : (i32, i32) -> !layout.tuple<(?{range=0..3},?{range=0..8})>
  %r = scf.for %i = %zero to %n step %one iter_args(%b = %c) -> !layout.tuple<(?{range=0..3},?{range=0..8})> {
    %a = layout.increment_coord %b, #layout<(4,8)> : !layout.tuple<(?{range=0..3},?{range=0..8})>
    scf.yield %a : !layout.tuple<(?{range=0..3},?{range=0..8})>
  }
  return %r : !layout.tuple<(?{range=0..3},?{range=0..8})>
}

// -----

// A layout that is known is nothing at run time.

// CHECK-LABEL: func.func private @callee(!llvm.ptr, i32, i32) -> i64
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !llvm.ptr, %[[M:[a-z0-9]+]]: i32
// CHECK:         %[[Q:.+]] = llvm.getelementptr %[[P]]
// CHECK:         %[[R:.+]] = call @callee(%[[Q]], %[[M]], %{{.+}}) : (!llvm.ptr, i32, i32) -> i64
// CHECK:         return %[[R]] : i64
func.func private @callee(!layout.view<f32, host, (?):(8)>, !layout<(4,8):(8,1)>, !layout<?:1>) -> !layout.tuple<?{i64}>
func.func @caller(%v: !layout.view<f32, host, (?,8):(8,1)>, %l: !layout<?:1>) -> !layout.tuple<?{i64}> {
  %c = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
  %s = layout.slice %v(_, 3) : !layout.view<f32, host, (?,8):(8,1)>
  %r = call @callee(%s, %c, %l) : (!layout.view<f32, host, (?):(8)>, !layout<(4,8):(8,1)>, !layout<?:1>) -> !layout.tuple<?{i64}>
  return %r : !layout.tuple<?{i64}>
}

// -----

// CHECK-LABEL: gpu.func @rows(
// CHECK:         scf.for {{.*}} -> (!llvm.ptr<1>)
gpu.module @m {
  gpu.func @rows(%v: !layout.view<f32, global, (?):(1)>, %k: !layout<(?):(1)>, %n: index, %o: !layout.view<f32, global, 1:1>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %r = scf.for %i = %zero to %n step %one iter_args(%w = %v) -> !layout.view<f32, global, (?):(1)> {
      %x = layout.load %w(%i) : !layout.view<f32, global, (?):(1)>
      layout.store %x, %o(0) : !layout.view<f32, global, 1:1>
      %t = layout.zipped_divide %w, #layout<2> : !layout.view<f32, global, (?):(1)>
      %s = layout.slice %t(1, _) : !layout.view<f32, global, zipped_divide((?):(1), 2)>
      %d = layout.make_view %s, %k : !layout.view<f32, global, slice((0,_), zipped_divide((?):(1), 2))>, !layout<(?):(1)>
      scf.yield %d : !layout.view<f32, global, (?):(1)>
    }
    %y = layout.load %r(0) : !layout.view<f32, global, (?):(1)>
    layout.store %y, %o(0) : !layout.view<f32, global, 1:1>
    gpu.return
  }
}

// A part of a view under a swizzle: the base of its offsets, and the part's own before it.
// CHECK-LABEL: func.func private @use(!llvm.ptr, i64)
func.func private @use(!layout.view<f16, host, S<3,3,3> o 0 o (64):(1)>)
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !llvm.ptr, %[[O:[a-z0-9]+]]: i64, %{{.+}}: index)
// CHECK:         %[[R:.+]] = arith.addi
// CHECK:         %[[W:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         call @use(%[[P]], %[[W]]) : (!llvm.ptr, i64) -> ()
func.func @part(%v: !layout.view<f16, host, S<3,3,3> o 0 o (8,64):(64,1)>, %i: index) {
  %r = layout.slice %v(%i, _) : !layout.view<f16, host, S<3,3,3> o 0 o (8,64):(64,1)>
  func.call @use(%r) : (!layout.view<f16, host, S<3,3,3> o 0 o (64):(1)>) -> ()
  return
}

// -----

// A tile under a swizzle in shared memory, for a function that a kernel calls: the pointer that offsets count from, and where the view begins.

// CHECK-LABEL: gpu.func @calls(
// CHECK:         call @fill(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (index, index, !llvm.ptr<3>, i64) -> ()
// CHECK:       func.func private @fill(%{{.+}}: index, %{{.+}}: index, %{{.+}}: !llvm.ptr<3>, %{{.+}}: i64)
!tile = !layout.view<f32, shared, S<2,3,3> o 0 o (64,32,3):(32,1,2048)>
gpu.module @m {
  gpu.func @calls(%stage: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %s = layout.alloc : !tile
    func.call @fill(%t, %stage, %s) : (index, index, !tile) -> ()
    gpu.return
  }
  func.func private @fill(%t: index, %stage: index, %s: !tile) {
    %one = arith.constant 1.0 : f32
    layout.store %one, %s(%t, 3, %stage) : !tile
    return
  }
}
