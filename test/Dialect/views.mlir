// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s

// CHECK-LABEL: @slices
func.func @slices(%v: !layout.view<f16, global, (8,(4,4)):(1,(8,32))>,
                  %s: !layout.view<f16, shared, S<3,3,3> o 64 o (8,64):(64,1)>,
                  %l: !layout<(8,(4,4)):(1,(8,32))>, %i: index) {
  // CHECK: %[[A:.*]] = layout.slice %{{.*}}(_, (%{{.*}}, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  // CHECK: layout.size %[[A]] : !layout.view<f16, global, (8):(1)>
  %0 = layout.slice %v(_, (%i, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  %1 = layout.size %0 : !layout.view<f16, global, (8):(1)>
  // CHECK: %[[B:.*]] = layout.slice %{{.*}}(%{{.*}}, (_, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  // CHECK: layout.size %[[B]] : !layout.view<f16, global, (4):(8)>
  %2 = layout.slice %v(%i, (_, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  %3 = layout.size %2 : !layout.view<f16, global, (4):(8)>
  // A swizzled view keeps swizzle and offset; what is fixed goes to the view's own offset.
  // CHECK: %[[C:.*]] = layout.slice %{{.*}}(5, _) : !layout.view<f16, shared, S<3,3,3> o 64 o (8,64):(64,1)>
  // CHECK: layout.size %[[C]] : !layout.view<f16, shared, S<3,3,3> o 64 o (64):(1)>
  %4 = layout.slice %s(5, _) : !layout.view<f16, shared, S<3,3,3> o 64 o (8,64):(64,1)>
  %5 = layout.size %4 : !layout.view<f16, shared, S<3,3,3> o 64 o (64):(1)>
  // CHECK: layout.slice %{{.*}}(_) : !layout<(8,(4,4)):(1,(8,32))>
  %6 = layout.slice %l(_) : !layout<(8,(4,4)):(1,(8,32))>
  // One element is left where every mode is fixed.
  // CHECK: %[[D:.*]] = layout.slice %{{.*}}(%{{.*}}, (1, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  // CHECK: layout.load %[[D]](0) : !layout.view<f16, global, ():()>
  %7 = layout.slice %v(%i, (1, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
  %8 = layout.load %7(0) : !layout.view<f16, global, ():()>
  // CHECK: %[[E:.*]] = layout.slice %{{.*}}(5, 3) : !layout.view<f16, shared, S<3,3,3> o 64 o (8,64):(64,1)>
  // CHECK: layout.size %[[E]] : !layout.view<f16, shared, S<3,3,3> o 64 o ():()>
  %9 = layout.slice %s(5, 3) : !layout.view<f16, shared, S<3,3,3> o 64 o (8,64):(64,1)>
  %10 = layout.size %9 : !layout.view<f16, shared, S<3,3,3> o 64 o ():()>
  return
}

// CHECK-LABEL: @elements
func.func @elements(%i: index, %x: f32) -> (f32, index) {
  // CHECK: %[[R:.*]] = layout.alloc : !layout.view<f32, register, (4,2):(1,4)>
  %r = layout.alloc : !layout.view<f32, register, (4,2):(1,4)>
  // CHECK: %[[I:.*]] = layout.identity_tensor : !layout.view<index, coordinate, (127,65):(1,0)>
  %n = layout.identity_tensor : !layout.view<index, coordinate, (127,65):(1,0)>
  // CHECK: layout.fill %[[R]], %{{.*}} : !layout.view<f32, register, (4,2):(1,4)>
  layout.fill %r, %x : !layout.view<f32, register, (4,2):(1,4)>
  // CHECK: layout.store %{{.*}}, %[[R]](%{{.*}}, 0) : !layout.view<f32, register, (4,2):(1,4)>
  layout.store %x, %r(%i, 0) : !layout.view<f32, register, (4,2):(1,4)>
  // CHECK: layout.load %[[R]](%{{.*}}, 1) : !layout.view<f32, register, (4,2):(1,4)>
  %0 = layout.load %r(%i, 1) : !layout.view<f32, register, (4,2):(1,4)>
  // CHECK: layout.load %[[I]](%{{.*}}, %{{.*}}) : !layout.view<index, coordinate, (127,65):(1,0)>
  %1 = layout.load %n(%i, %i) : !layout.view<index, coordinate, (127,65):(1,0)>
  return %0, %1 : f32, index
}

// Nested parentheses of a coordinate, and those of the call.
// CHECK-LABEL: @parentheses
func.func @parentheses(%v: !layout.view<f32, register, (8):(1)>, %i: index,
                       %w: !layout.view<f32, register, ((4,2)):((1,4))>) {
  // CHECK: layout.load %{{.*}}(%{{.*}}) : !layout.view<f32, register, (8):(1)>
  %0 = layout.load %v(%i) : !layout.view<f32, register, (8):(1)>
  // CHECK: layout.load %{{.*}}((%{{.*}})) : !layout.view<f32, register, (8):(1)>
  %1 = layout.load %v((%i)) : !layout.view<f32, register, (8):(1)>
  // CHECK: layout.load %{{.*}}(((%{{.*}}, 1))) : !layout.view<f32, register, ((4,2)):((1,4))>
  %2 = layout.load %w(((%i, 1))) : !layout.view<f32, register, ((4,2)):((1,4))>
  return
}

// CHECK-LABEL: func @atomics
func.func @atomics(%v: !layout.view<i32, global, (4,2):(1,4)>, %s: !layout.view<bf16, shared, 8:1>, %i: index, %x: i32, %y: bf16) {
  // CHECK: layout.atomic max %{{.*}}, %{{.*}}(%{{.*}}, 1) relaxed : !layout.view<i32, global, (4,2):(1,4)>
  layout.atomic max %x, %v(%i, 1) relaxed : !layout.view<i32, global, (4,2):(1,4)>
  // CHECK: layout.atomic add %{{.*}}, %{{.*}}(3) acq_rel : !layout.view<bf16, shared, 8:1>
  layout.atomic add %y, %s(3) acq_rel : !layout.view<bf16, shared, 8:1>
  // CHECK: layout.atomic exchange %{{.*}}, %{{.*}}(2, 0) release : !layout.view<i32, global, (4,2):(1,4)>
  layout.atomic exchange %x, %v(2, 0) release : !layout.view<i32, global, (4,2):(1,4)>
  // The element before is the result.
  // CHECK: %[[OLD:.*]] = layout.atomic add %{{.*}}, %{{.*}}(0, 1) relaxed : !layout.view<i32, global, (4,2):(1,4)>
  // CHECK: layout.atomic max %[[OLD]], %{{.*}}(1, 1) relaxed
  %old = layout.atomic add %x, %v(0, 1) relaxed : !layout.view<i32, global, (4,2):(1,4)>
  layout.atomic max %old, %v(1, 1) relaxed : !layout.view<i32, global, (4,2):(1,4)>
  return
}

// CHECK-LABEL: @pointers
func.func @pointers(%v: !layout.view<f16, global, (8,?):(1,8)>, %s: !layout.view<f32, shared, S<3,4,3> o 64 o (8,32):(32,1)>,
                    %h: !layout.view<i64, host, 4:1>, %i: index) -> (!llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr) {
  // CHECK: %[[P:.*]] = layout.pointer %{{.*}} : !layout.view<f16, global, (8,?):(1,8)> -> !llvm.ptr<1>
  %0 = layout.pointer %v : !layout.view<f16, global, (8,?):(1,8)> -> !llvm.ptr<1>
  // CHECK: layout.pointer %{{.*}} : !layout.view<f32, shared, S<3,4,3> o 64 o (8,32):(32,1)> -> !llvm.ptr<3>
  %1 = layout.pointer %s : !layout.view<f32, shared, S<3,4,3> o 64 o (8,32):(32,1)> -> !llvm.ptr<3>
  // CHECK: layout.pointer %{{.*}} : !layout.view<i64, host, 4:1> -> !llvm.ptr
  %2 = layout.pointer %h : !layout.view<i64, host, 4:1> -> !llvm.ptr
  // A generic one.
  // CHECK: layout.pointer %{{.*}} : !layout.view<f16, global, (8,?):(1,8)> -> !llvm.ptr
  %3 = layout.pointer %v : !layout.view<f16, global, (8,?):(1,8)> -> !llvm.ptr
  // The type of a view that is inferred need not be written.
  // CHECK: layout.pointer %{{.*}} -> !llvm.ptr<1>
  %row = layout.slice %v(%i, _)
  %4 = layout.pointer %row -> !llvm.ptr<1>
  return %0, %1, %2 : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr
}
