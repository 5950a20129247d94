// RUN: layout-opt %s --layout-tile-matmul --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-tile-matmul --layout-lower --split-input-file | FileCheck %s --check-prefix=LOWER
// RUN: layout-opt %s --layout-tile-matmul --split-input-file --remarks-filter=layout-tile-matmul -o %t.tiled 2>&1 | FileCheck %s --check-prefix=REMARK

// A size that is known at run time is a size of the launch: of the grid, of tensor maps, and of the limits of predicates.

// CHECK-LABEL: gpu.func @rows(
// CHECK-SAME:    grid = ["ceil_div(m,128)*2*1", "1", 1]
// CHECK-SAME:    problem = {k = 64 : i64, kind = "matmul", m = "m", n = 512 : i64}
// CHECK-SAME:    sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]
// CHECK:         %[[ROW:.+]] = layout.slice %arg0(_, 0)
// CHECK:         %[[M:.+]] = layout.size %[[ROW]]
// CHECK:         layout.make %[[M]] : (index) -> !layout<(?{i64},64):(1,0)>
// CHECK:         layout.pipeline
// CHECK:         layout.copy #layout.atom<bulk_tensor_load> %{{.+}}, %{{.+}} predicate(%{{.+}} < %[[M]] : !layout.view<index, coordinate, ((128,64)):((1,0))>, %{{.+}} < 64 :
// LOWER-LABEL: gpu.func @rows(
// LOWER-SAME:    %{{.+}}: !llvm.ptr<1>, %{{.+}}: i32, %{{.+}}: !llvm.ptr<1>, %{{.+}}: !llvm.ptr<1>, %{{.+}}: i32, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr)
// LOWER-SAME:    tensor_maps = [{arg = 2 : i64, box = array<i64: 64, 64>, element = "bf16", extents = [512, "m"], strides = array<i64: 2, 1024>
// LOWER-SAME:    {arg = 0 : i64, box = array<i64: 64, 128>, element = "bf16", extents = [64, "m"], strides = array<i64: 2, 128>
!a = !layout.view<bf16, global, (?{range=1..4096},64):(64,1)>
!b = !layout.view<bf16, global, (512,64):(64,1)>
!c = !layout.view<bf16, global, (?{range=1..4096},512):(512,1)>
func.func @rows(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,256,64), warps = (8,1), stages = 2, chip = "sm_90a">) : !a, !b, !c
  return
}

// -----

// All of them; rows of C are no multiple of 16 bytes, so that threads store its elements.

// CHECK-LABEL: gpu.func @all(
// CHECK-SAME:    shape = "(m,k)", sizes = [{bits = 32 : i64, value = "m"}, {bits = 32 : i64, value = "k"}], stride = "(k,1)"
// CHECK-SAME:    grid = ["ceil_div(m,64)*ceil_div(n,64)*1", "1", 1]
// CHECK:         steps {
// CHECK:         layout.copy #layout.atom<simt_1>
// LOWER-LABEL: gpu.func @all(
// LOWER-SAME:    extents = ["k", "m"], strides = [2, "k*2"]
!a = !layout.view<bf16, global, (?,?1{div=8}):(?1,1)>
!c = !layout.view<f32, global, (?,?1):(?1,1)>
func.func @all(%a: !a, %b: !a, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !a, !a, !c
  return
}

// -----

// Strides that bulk copies do not take: warps copy element by element.

// CHECK-LABEL: gpu.func @strided(
// CHECK-SAME:    shape = "(m,k)", sizes = [{bits = 32 : i64, value = "m"}, {bits = 32 : i64, value = "k"}, {bits = 32 : i64, value = "a_stride_m"}], stride = "(a_stride_m,1)"
// CHECK-SAME:    grid = ["ceil_div(m,64)*1", "ceil_div(n,64)", 1]
// CHECK:         layout.copy #layout.atom<simt_1>
// LOWER-LABEL: gpu.func @strided(
!a = !layout.view<f16, global, (?,?1):(?2,1)>
!c = !layout.view<f16, global, (?,?1):(?1,1)>
func.func @strided(%a: !a, %b: !a, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !a, !a, !c
  return
}

// -----

// Each stride of a mode of several leaves is a size.

// CHECK-LABEL: gpu.func @leaves(
// CHECK-SAME:    sizes = [{bits = 32 : i64, value = "a_stride_m0"}, {bits = 32 : i64, value = "a_stride_m1"}], stride = "((a_stride_m0,a_stride_m1),1)"
// LOWER-LABEL: gpu.func @leaves(
!a = !layout.view<f16, global, ((8,16),64):((?,?1),1)>
!b = !layout.view<f16, global, (64,64):(64,1)>
!c = !layout.view<f16, global, (128,64):(64,1)>
func.func @leaves(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !a, !b, !c
  return
}

// -----

// One tile covers what a function of a family is for: its tiles are known.

// CHECK-LABEL: gpu.func @few_0(
// CHECK-SAME:    family = {most = {m = 16 : i64}, name = "few", number = 0 : i64}, grid = ["16*1*1", "1", 1]
// CHECK:       gpu.func @few_1(
// LOWER:       gpu.func @few_0(
!a = !layout.view<bf16, global, (?,1024):(1024,1)>
!b = !layout.view<bf16, global, (1024,1024):(1024,1)>
func.func @few(%a: !a, %b: !b, %c: !a) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !a
  return
}

// -----

// A function that does other things launches as many blocks as the sizes of its views require.

// CHECK:       gpu.func @called_kernel(
// CHECK-LABEL: func.func @called(
// CHECK:         %[[M:.+]] = layout.size
// CHECK:         %[[UP:.+]] = arith.addi %[[M]], %{{.+}}
// CHECK:         %[[X:.+]] = arith.divui %[[UP]], %{{.+}}
// CHECK:         gpu.launch_func @called_kernel::@called_kernel blocks in (%[[X]], %{{.+}}, %{{.+}}) threads in
// LOWER-LABEL: func.func @called(
!a = !layout.view<f16, global, (?,64):(64,1)>
!b = !layout.view<f16, global, (64,64):(64,1)>
func.func private @other()
func.func @called(%a: !a, %b: !b, %c: !a) {
  func.call @other() : () -> ()
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, chip = "sm_80">) : !a, !b, !a
  return
}

// -----

// A kernel of a family has a name that no other has.

// CHECK:       gpu.func @pair_0(
// CHECK:       gpu.func @pair_0_1({{.*}}family = {most = {m = 16 : i64}, name = "pair", number = 0 : i64}
// CHECK:       gpu.func @pair_1(
// LOWER:       gpu.func @pair_0(
!a = !layout.view<bf16, global, (?,4096):(4096,1)>
!b = !layout.view<bf16, global, (4096,4096):(4096,1)>
!s = !layout.view<bf16, global, (64,64):(64,1)>
func.func @pair_0(%a: !s, %b: !s, %c: !s) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !s, !s, !s
  return
}
func.func @pair(%a: !a, %b: !b, %c: !a) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) : !a, !b, !a
  return
}

// -----

// Nothing is copied first, so that warps multiply what bulk copies do not take; a remark says so.

// REMARK: remark: [Missed] mainloop | Category:layout-tile-matmul | Function=odd | Reason="warps multiply, since warpgroups cannot: expected operands and a result that TMA can load and store where sizes are known at run time,
!o = !layout.view<bf16, global, (?,60):(60,1)>
!b = !layout.view<bf16, global, (256,60):(60,1)>
!d = !layout.view<bf16, global, (?,256):(256,1)>
func.func @odd(%a: !o, %b: !b, %c: !d) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,64), warps = (4,1), stages = 2, chip = "sm_90a">) : !o, !b, !d
  return
}
