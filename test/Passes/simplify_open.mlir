// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=arithmetic=false | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=arithmetic=false --layout-simplify=arithmetic=false | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify="arithmetic=false explain=true" -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WHY

// An offset in a partly static layout, of coordinates that were made from a number: its term is layouts with open
// leaves, which the e-graph joins before a lowering divides.

!rows = !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>
!columns = !layout<(?0{range=1..4096},?1{range=1..4096}):(1,?0)>
!shape = !layout.tuple<(?{range=1..4096},?{range=1..4096})>
!pitched = !layout<(?{range=1..4096},?{range=1..4096}):(1,?{div=8 range=8..8192})>
!any = !layout<(?0,?1):(1,?0)>

gpu.module @kernels {
  // Both coordinates of one number, in the layout that counts as the shape does: the number itself.
  // WHY:      remark: layout-simplify:
  // WHY:        by join-open-digits
  // WHY:        by merge-open-from-one

  // CHECK-LABEL: @contiguous
  // CHECK-NOT:     layout.idx2crd
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         %[[W:.+]] = arith.index_cast %{{.+}} : index to i32
  // CHECK-NEXT:    %[[X:.+]] = arith.index_cast %[[W]] : i32 to index
  // CHECK-NEXT:    "test.use"(%[[X]])
  gpu.func @contiguous(%l: !columns, %e: index) kernel {
    %s = layout.shape %l : !columns
    %c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %l(%c#0, %c#1) : !columns
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // Coordinates in range say that the number fits 32 bits, and so does the quotient.
  // CHECK-LABEL: @transposed
  // CHECK-NOT:     layout.idx2crd
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         layout.leaves
  // CHECK:         arith.divui %{{.+}}, %{{.+}} : i32
  // CHECK-NOT:     arith.divui {{.*}} : index
  // CHECK:         "test.use"
  gpu.func @transposed(%a: !rows, %b: !columns, %e: index) kernel {
    %s = layout.shape %b : !columns
    %c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %a(%c#0, %c#1) : !rows
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // Something else uses the coordinates, so that they are computed all the same: a pitched layout gains nothing.
  // CHECK-LABEL: @kept
  // CHECK:         %[[C:.+]]:2 = layout.idx2crd
  // CHECK:         layout.crd2idx %{{.+}}(%[[C]]#0, %[[C]]#1)
  gpu.func @kept(%l: !pitched, %e: index) kernel {
    %s = layout.shape %l : !pitched
    %c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %l(%c#0, %c#1) : !pitched
    "test.use"(%x, %c#1) : (index, index) -> ()
    gpu.return
  }

  // Extents of which nothing is known: the number may be as great as 64 bits hold.
  // CHECK-LABEL: @wide
  // CHECK:         layout.idx2crd
  // CHECK:         layout.crd2idx
  gpu.func @wide(%l: !any, %e: index) kernel {
    %s = layout.shape %l : !any
    %c:2 = layout.idx2crd %e, %s : !layout.tuple<(?{range=1..},?{range=1..})>
    %x = layout.crd2idx %l(%c#0, %c#1) : !any
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // The first coordinate alone says nothing of the number.
  // CHECK-LABEL: @first
  // CHECK:         layout.idx2crd
  // CHECK:         layout.crd2idx
  gpu.func @first(%l: !columns, %e: index) kernel {
    %s = layout.shape %l : !columns
    %c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %l(%c#0, 0) : !columns
    "test.use"(%x) : (index) -> ()
    gpu.return
  }

  // In a branch, which may be there because coordinates are not always in range: they are where it is taken.
  // CHECK-LABEL: @branch
  // CHECK-NOT:     layout.idx2crd
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         scf.if
  // CHECK:         %[[W:.+]] = arith.index_cast %{{.+}} : index to i32
  // CHECK-NEXT:    %[[X:.+]] = arith.index_cast %[[W]] : i32 to index
  // CHECK-NEXT:    "test.use"(%[[X]])
  gpu.func @branch(%l: !columns, %e: index, %p: i1) kernel {
    %s = layout.shape %l : !columns
    scf.if %p {
      %c:2 = layout.idx2crd %e, %s : !shape
      %x = layout.crd2idx %l(%c#0, %c#1) : !columns
      "test.use"(%x) : (index) -> ()
    }
    gpu.return
  }

  // In a loop: the number of each round, and a number of all, whose coordinate is outside.
  // CHECK-LABEL: @loop
  // CHECK-NOT:     layout.idx2crd
  // CHECK:         scf.for
  // CHECK-NOT:     layout.idx2crd
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         arith.divui %{{.+}}, %{{.+}} : i32
  // CHECK:         "test.use"
  gpu.func @loop(%a: !rows, %b: !columns, %e: index, %n: index) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %s = layout.shape %b : !columns
    %o:2 = layout.idx2crd %e, %s : !shape
    scf.for %i = %zero to %n step %one {
      %k = arith.addi %e, %i : index
      %c:2 = layout.idx2crd %k, %s : !shape
      %x = layout.crd2idx %a(%c#0, %c#1) : !rows
      %y = layout.crd2idx %b(%o#0, %o#1) : !columns
      "test.use"(%x, %y) : (index, index) -> ()
    }
    gpu.return
  }

  // Through layouts that operations make of others, and integers that a kernel makes one of.
  // CHECK-LABEL: @made
  // CHECK-NOT:     layout.idx2crd
  // CHECK-NOT:     layout.crd2idx
  // CHECK:         "test.use"
  gpu.func @made(%m: i32, %n: i32, %e: index) kernel {
    %l = layout.make %m, %n : (i32, i32) -> !columns
    %t = layout.select %l, [1, 0] : !columns
    %s = layout.shape %t : !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>
    %c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %t(%c#0, %c#1) : !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>
    "test.use"(%x) : (index) -> ()
    gpu.return
  }
}
