// The regions' names before version 0.1 are read, and printed as what they are now.

// RUN: layout-opt %s | FileCheck %s

// CHECK-LABEL: @old
// CHECK: layout.pipeline {{.*}} load {
// CHECK: } prologue {
// CHECK: } mainloop {
// CHECK: } epilogue {
func.func @old(%i: index) {
  layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128
  load {
  ^bb0(%tile: index, %k: index, %stage: index):
  } start {
  ^bb0(%tile: index):
  } step {
  ^bb0(%tile: index, %k: index, %stage: index):
  } finish {
  ^bb0(%tile: index):
  }
  return
}
