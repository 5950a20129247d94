// Clusters that layout.kernel states are launched as such, and those that the kernel states are in its facts.

// RUN: layout-opt %s --layout-derive-launch | FileCheck %s
// RUN: layout-translate %s --pipeline --layout-to-ptx | FileCheck %s --check-prefix=PTX

gpu.module @m {
  // CHECK-LABEL: gpu.func @stated(
  // CHECK-SAME:    known_cluster_size = array<i32: 4, 1, 1>
  // CHECK-SAME:    cluster = 4 : i64
  // PTX-LABEL:   .entry stated(
  // PTX:           .reqnctapercluster 4
  gpu.func @stated(%o: !layout.view<i32, global, 8:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = array<i64: 8, 1, 1>, cluster = 4, chip = "sm_90a"}} {
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = gpu.block_id x
    layout.store %rank, %o(%block) : !layout.view<i32, global, 8:1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @known(
  // CHECK-SAME:    cluster = 2 : i64
  // PTX-LABEL:   .entry known(
  // PTX:           .reqnctapercluster 2
  gpu.func @known(%o: !layout.view<i32, global, 8:1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      known_cluster_size = array<i32: 2, 1, 1>, layout.kernel = {grid = array<i64: 8, 1, 1>, chip = "sm_90a"}} {
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = gpu.block_id x
    layout.store %rank, %o(%block) : !layout.view<i32, global, 8:1>
    gpu.return
  }
}
