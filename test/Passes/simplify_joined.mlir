// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=arithmetic=false | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=arithmetic=false --layout-simplify=arithmetic=false | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify="arithmetic=false explain=true" -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WHY

// A layout that is applied to what another one made is one layout, before a lowering makes arithmetic of
// either: what composition makes of the two pays off in the address.

gpu.module @kernels {
  // The composition is (4,8):(3,100), whose digits need no remainder.
  // WHY:      remark: layout-simplify:
  // WHY-NEXT:   (crd2idx (crd2idx v0 [(4,8):(8,1)]) [(8,4):(100,3)])
  // WHY:        by join-applied: {{.*}} (checked at all 32 points; proved by integer sets)

  // CHECK-LABEL: @one_after_the_other
  // CHECK:         %[[T:.+]] = gpu.thread_id
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         "test.use"
  gpu.func @one_after_the_other() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %a = layout.constant #layout<(8,4):(100,3)> : !layout<(8,4):(100,3)>
    %b = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
    %x = layout.crd2idx %b(%t) : !layout<(4,8):(8,1)>
    %y = layout.crd2idx %a(%x) : !layout<(8,4):(100,3)>
    "test.use"(%y) : (index) -> ()
    gpu.return
  }

  // CHECK-LABEL: @back_again
  // CHECK:         %[[T:.+]] = gpu.thread_id
  // CHECK-NEXT:    "test.use"(%[[T]])
  gpu.func @back_again() kernel attributes {known_block_size = array<i32: 24, 1, 1>} {
    %t = gpu.thread_id x
    %l = layout.constant #layout<(4,6):(1,4)> : !layout<(4,6):(1,4)>
    %i, %j = layout.idx2crd %t, #layout<(4,6)>
    %x = layout.crd2idx %l(%i, %j) : !layout<(4,6):(1,4)>
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // A coordinate: the thread's and the block's parts of a tile, in a matrix.
  // WHY:        by join-applied-to-pair: {{.*}} (checked at all 30 points; proved by integer sets)
  // CHECK-LABEL: @of_a_pair
  // CHECK:         arith.muli %block_id_x, %c7
  // CHECK-NEXT:    layout.constant #layout<(2,3):(300,100)>
  // CHECK-NEXT:    layout.crd2idx %{{.+}}(%thread_id_x)
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         "test.use"
  gpu.func @of_a_pair() kernel attributes {known_block_size = array<i32: 6, 1, 1>, known_grid_size = array<i32: 5, 1, 1>} {
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %tile = layout.constant #layout<((2,3),5):((15,5),1)> : !layout<((2,3),5):((15,5),1)>
    %where = layout.constant #layout<(5,6):(7,100)> : !layout<(5,6):(7,100)>
    %x = layout.crd2idx %tile(%t, %bx) : !layout<((2,3),5):((15,5),1)>
    %y = layout.crd2idx %where(%x) : !layout<(5,6):(7,100)>
    "test.use"(%y) : (index) -> ()
    gpu.return
  }

  // One layout stays for a lowering. Two are not joined where the index may lie past the first, but what
  // is known of its offsets makes arithmetic of the second.
  // CHECK-LABEL: @alone
  // CHECK:         layout.crd2idx
  gpu.func @alone() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %b = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
    %x = layout.crd2idx %b(%t) : !layout<(4,8):(8,1)>
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // CHECK-LABEL: @past_the_end
  // CHECK:         %[[X:.+]] = layout.crd2idx %{{.+}}(%thread_id_x) : !layout<(4,8):(3,1)>
  // CHECK:         arith.shrui %[[X]]
  gpu.func @past_the_end() kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %t = gpu.thread_id x
    %a = layout.constant #layout<(2,2):(1,10)> : !layout<(2,2):(1,10)>
    %b = layout.constant #layout<(4,8):(3,1)> : !layout<(4,8):(3,1)>
    %x = layout.crd2idx %b(%t) : !layout<(4,8):(3,1)>
    %y = layout.crd2idx %a(%x) : !layout<(2,2):(1,10)>
    "test.use"(%y) : (index) -> ()
    gpu.return
  }

  // On the way is a layout of stride 1, which takes no instruction: it must not become its own operand.
  // CHECK-LABEL: @its_own_value
  // CHECK:         %[[ROW:.+]] = arith.divui %thread_id_x, %c6
  // CHECK-NEXT:    %[[SIX:.+]] = arith.muli %c6, %[[ROW]]
  // CHECK-NEXT:    %[[SUM:.+]] = arith.addi %[[SIX]], %thread_id_x
  // CHECK:         %[[X:.+]] = arith.shli %[[SUM]], %c3
  // CHECK-NEXT:    "test.use"(%[[X]])
  gpu.func @its_own_value() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %which = layout.constant #layout<((6,16),(7,6)):((768,1),(96,16))> : !layout<((6,16),(7,6)):((768,1),(96,16))>
    %where = layout.constant #layout<(96,96):(96,1)> : !layout<(96,96):(96,1)>
    %e = layout.crd2idx %which(%t, 0) : !layout<((6,16),(7,6)):((768,1),(96,16))>
    %x = layout.crd2idx %where(%e) : !layout<(96,96):(96,1)>
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // A coordinate of any index is one; a layout of the same digits has none for what is past its end, so a lowering may
  // compute in 32 bits: those of 2^32 + 2 are 0, 2 and 477218588, and of the low 32 bits 2, 0 and 0.
  // CHECK-LABEL: @of_any_index
  // CHECK:         %[[DIGITS:.+]]:3 = layout.idx2crd %arg0, #layout<(3,3,2)>
  // CHECK:         layout.crd2idx %{{.+}}(1, %[[DIGITS]]#0)
  gpu.func @of_any_index(%x: index) kernel {
    %l = layout.constant #layout<(7,3):(1,7)> : !layout<(7,3):(1,7)>
    %i, %j, %k = layout.idx2crd %x, #layout<(3,3,2)>
    %y = layout.crd2idx %l(1, %i) : !layout<(7,3):(1,7)>
    "test.use"(%y) : (index) -> ()
    gpu.return
  }
}
