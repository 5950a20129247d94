// Matmuls that are not alone in a function: callers keep their callee, which launches the kernel.

// RUN: layout-opt %s --split-input-file --layout-tile-matmul | FileCheck %s
// RUN: layout-opt %s --split-input-file --layout-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: layout-opt %s --split-input-file --layout-to-host -o /dev/null

!a = !layout.view<bf16, global, (32,256):(256,1)>
!w = !layout.view<bf16, global, (512,256):(256,1)>
!y = !layout.view<bf16, global, (32,512):(512,1)>
!b = !layout.view<bf16, global, (32,512):(0,1)>

// CHECK:       module attributes {gpu.container_module}
// CHECK:         gpu.module @linear_kernel {
// CHECK:           gpu.func @linear_kernel(
// CHECK-LABEL: func.func private @linear(
// CHECK-SAME:    %[[X:.+]]: {{.*}}, %[[W:.+]]: {{.*}}, %[[B:.+]]: {{.*}}, %[[Y:.+]]: {{.*}}) {
// CHECK:         gpu.launch_func @linear_kernel::@linear_kernel blocks in {{.*}} threads in {{.*}} args(%[[X]] : {{.*}}, %[[W]] : {{.*}}, %[[Y]] : {{.*}}, %[[B]] : {{.*}})
// CHECK-NEXT:    return
// NVVM-LABEL:  func.func private @linear(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr)
// NVVM:          gpu.launch_func @linear_kernel::@linear_kernel {{.*}} dynamic_shared_memory_size %{{.+}} args(%{{.+}} : !llvm.ptr<1>, %{{.+}} : !llvm.ptr<1>, %{{.+}} : !llvm.ptr<1>, %{{.+}} : !llvm.ptr<1>)
func.func private @linear(%x: !a, %w: !w, %bias: !b, %y: !y) {
  layout.matmul %x, %w, %y schedule(#layout.schedule<tile = (32,64,32), warps = (1,2), stages = 3>) epilogue(%bias) {
  ^bb0(%s: f32, %b: f32):
    %t = arith.addf %s, %b : f32
    layout.yield %t : f32
  } : !a, !w, !y, !b
  return
}
// CHECK-LABEL: func.func @main(
// CHECK:         call @linear(
// NVVM-LABEL:  func.func @main(
// NVVM:          call @linear(
func.func @main(%x: memref<32x256xbf16, 1>, %w: memref<512x256xbf16, 1>, %bias: memref<512xbf16, 1>, %y: memref<32x512xbf16, 1>) {
  %vx = layout.make_view %x : memref<32x256xbf16, 1>
  %vw = layout.make_view %w : memref<512x256xbf16, 1>
  %vb0 = layout.make_view %bias : memref<512xbf16, 1>
  %lb = layout.constant #layout<(32,512):(0,1)> : !layout<(32,512):(0,1)>
  %vb = layout.make_view %vb0, %lb : !layout.view<bf16, global, 512:1>, !layout<(32,512):(0,1)>
  %vy = layout.make_view %y : memref<32x512xbf16, 1>
  call @linear(%vx, %vw, %vb, %vy) : (!a, !w, !b, !y) -> ()
  return
}

// -----

// Views of memrefs beside a matmul, which nobody calls: the kernel takes the views.

// CHECK:       gpu.module @linear {
// CHECK:         gpu.func @linear(%{{.+}}: !layout.view<bf16, global, (32,256):(256,1)>, %{{.+}}: !layout.view<bf16, global, (512,256):(256,1)>, %{{.+}}: !layout.view<bf16, global, (32,512):(512,1)>, %{{.+}}: !layout.view<bf16, global, (32,512):(0,1)>) kernel
// CHECK-NOT:   func.func @linear(
func.func @linear(%x: memref<32x256xbf16, 1>, %w: memref<512x256xbf16, 1>, %bias: memref<512xbf16, 1>, %y: memref<32x512xbf16, 1>) {
  %vx = layout.make_view %x : memref<32x256xbf16, 1>
  %vw = layout.make_view %w : memref<512x256xbf16, 1>
  %vb0 = layout.make_view %bias : memref<512xbf16, 1>
  %lb = layout.constant #layout<(32,512):(0,1)> : !layout<(32,512):(0,1)>
  %vb = layout.make_view %vb0, %lb : !layout.view<bf16, global, 512:1>, !layout<(32,512):(0,1)>
  %vy = layout.make_view %y : memref<32x512xbf16, 1>
  layout.matmul %vx, %vw, %vy schedule(#layout.schedule<tile = (32,64,32), warps = (1,2), stages = 3>) epilogue(%vb) {
  ^bb0(%s: f32, %b: f32):
    %t = arith.addf %s, %b : f32
    layout.yield %t : f32
  } : !layout.view<bf16, global, (32,256):(256,1)>, !layout.view<bf16, global, (512,256):(256,1)>, !layout.view<bf16, global, (32,512):(512,1)>, !layout.view<bf16, global, (32,512):(0,1)>
  return
}

// -----

// A function that does other things keeps them, and their order. A part of a view may start anywhere: of its address
// the bytes of an element are known.

!m = !layout.view<f16, global, (128,64):(64,1)>
!c = !layout.view<f32, global, (128,128):(128,1)>
!t = !layout.view<f16, global, (130,64):(64,1)>
// CHECK:       gpu.func @work_kernel({{.*}} {llvm.align = 2 : i64}
// CHECK-LABEL: func.func @work(
// CHECK:         gpu.launch_func @work_kernel::@work_kernel
// CHECK-NEXT:    call @between()
// CHECK:         gpu.launch_func @work_kernel_1::@work_kernel_1
// CHECK:         return
func.func private @between()
func.func @work(%a: !t, %b: !m, %c: !c, %i: index) {
  %d = layout.zipped_divide %a, #layout<<128:1, 64:1>> : !layout.view<f16, global, (130,64):(64,1)>
  %s = layout.slice %d(_, (%i, 0)) : !layout.view<f16, global, ((128,64),(2,1)):((64,1),(8192,0))>
  %v = layout.get %s, [0] : !layout.view<f16, global, ((128,64)):((64,1))>
  layout.matmul %v, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) : !layout.view<f16, global, (128,64):(64,1)>, !m, !c
  call @between() : () -> ()
  layout.matmul %b, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) : !m, !m, !c
  return
}

// -----

// A name may be any text.

!a = !layout.view<bf16, global, (64,64):(64,1)>

// CHECK:       gpu.module @"a layer_kernel" {
// CHECK:         gpu.func @"a layer_kernel"(
// CHECK:       func.func private @"a layer"(
// CHECK:         gpu.launch_func @"a layer_kernel"::@"a layer_kernel"
// NVVM:        gpu.launch_func @"a layer_kernel"::@"a layer_kernel"
func.func private @"a layer"(%x: !a, %w: !a, %y: !a) {
  layout.matmul %x, %w, %y schedule(#layout.schedule<tile = (32,64,32), warps = (1,2), stages = 3>) : !a, !a, !a
  return
}
func.func @main(%x: !a, %w: !a, %y: !a) {
  call @"a layer"(%x, %w, %y) : (!a, !a, !a) -> ()
  return
}

// -----

// A part that begins elsewhere than its argument is not the argument: the function stays, and a kernel takes the part.

!b = !layout.view<bf16, global, (64,128):(128,1)>
!c = !layout.view<f32, global, (64,64):(64,1)>
// CHECK:       gpu.func @part_kernel(
// CHECK-LABEL: func.func @part(
// CHECK:         layout.slice %{{.*}}(_, (_, %{{.*}}))
// CHECK:         gpu.launch_func @part_kernel::@part_kernel
// NVVM-LABEL:  func.func @part(
// NVVM:          gpu.launch_func @part_kernel::@part_kernel
func.func @part(%a: !layout.view<bf16, global, (64,(128,8)):(136,(1,1))>, %b: !b, %c: !c, %i: index) {
  %a1 = layout.slice %a(_, (_, %i))
  %a2 = layout.composition %a1, #layout<<64:1, 128:1>>
  layout.matmul %a2, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, chip = "sm_80">)
  return
}
// CHECK-LABEL: func.func @second(
// CHECK:         gpu.launch_func @second_kernel::@second_kernel
func.func @second(%a: !layout.view<bf16, global, (64,(128,2)):(136,(1,1))>, %b: !b, %c: !c) {
  %a1 = layout.slice %a(_, (_, 1))
  %a2 = layout.composition %a1, #layout<<64:1, 128:1>>
  layout.matmul %a2, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, chip = "sm_80">)
  return
}
// A part that begins where its argument does is what a kernel of the function's name takes.
// CHECK:       gpu.func @first(
func.func @first(%a: !layout.view<bf16, global, (64,(128,2)):(136,(1,1))>, %b: !b, %c: !c) {
  %a1 = layout.slice %a(_, (_, 0))
  %a2 = layout.composition %a1, #layout<<64:1, 128:1>>
  layout.matmul %a2, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, chip = "sm_80">)
  return
}
