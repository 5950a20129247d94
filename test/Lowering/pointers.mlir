// Pointers to elements under predicates are computed before the branches that read and write them, so that these share one.

// RUN: layout-opt %s --layout-lower --cse | FileCheck %s

gpu.module @predicates {
  // CHECK-LABEL: gpu.func @read(
  // CHECK:         %[[FIRST:.+]] = llvm.getelementptr %arg0[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      llvm.load %[[FIRST]]
  // CHECK:         %[[SECOND:.+]] = llvm.getelementptr %[[FIRST]][2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f16
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      llvm.load %[[SECOND]]
  // CHECK-NOT:     llvm.getelementptr %arg0
  gpu.func @read(%a: !layout.view<f16, global, (4,?):(2,?)>, %s: !layout.view<f16, shared, (4):(1)>, %limit: index, %i: index) kernel {
    %column = layout.slice %a(_, %i) : !layout.view<f16, global, (4,?):(2,?)>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (4):(1)>
    layout.copy #layout.atom<simt_1> %column, %s predicate(%rows < %limit : !layout.view<index, coordinate, (4):(1)>) : !layout.view<f16, global, (4):(2)>, !layout.view<f16, shared, (4):(1)>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @read_strided(
  // CHECK:         %[[BASE:.+]] = llvm.getelementptr %arg0[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
  // CHECK:         scf.if
  // CHECK-NEXT:      llvm.load %[[BASE]]
  // CHECK:         %[[NEXT:.+]] = llvm.getelementptr %[[BASE]][4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f16
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      llvm.load %[[NEXT]]
  // CHECK-NOT:     llvm.getelementptr %arg0
  gpu.func @read_strided(%a: !layout.view<f16, global, (1,(3,1),?):(?{i64},(4,0),?{i64})>, %s: !layout.view<f16, shared, (1,(3,1)):(0,(1,0))>, %limit: index, %i: index) kernel {
    %column = layout.slice %a(_, _, %i) : !layout.view<f16, global, (1,(3,1),?):(?{i64},(4,0),?{i64})>
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (1,(3,1)):(0,(1,0))>
    layout.copy #layout.atom<simt_1> %column, %s predicate(%rows < %limit : !layout.view<index, coordinate, (1,(3,1)):(0,(1,0))>) : !layout.view<f16, global, (1,(3,1)):(?{i64},(4,0))>, !layout.view<f16, shared, (1,(3,1)):(0,(1,0))>
    gpu.return
  }
}
