// K of a launch: the steps of a tile that has few do not store all pieces of the tile before, which are stored before its own.

// RUN: layout-translate %s --pipeline --run-on-cpu --size m=840 --size n=2400 --size k=8,64,65,129,200 --size a_stride_m=200 --size b_stride_n=200 --size c_stride_m=2400 | FileCheck %s

// CHECK-COUNT-5: : right
!a = !layout.view<bf16, global, (?,?):(?{div=8},1)>
!b = !layout.view<bf16, global, (?,?):(?{div=8},1)>
!c = !layout.view<bf16, global, (?,?{div=8}):(?{div=8},1)>
func.func @gemm(%a: !a, %b: !b, %c: !c) {
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,128,64), warps = (4,1), stages = 4, chip = "sm_90a">) : !a, !b, !c
  return
}
