// RUN: layout-opt %s --layout-lower --cse --canonicalize --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file --allow-unregistered-dialect | FileCheck %s --check-prefix=LEAK

// LEAK-NOT: {{[%"# ]}}layout.{{[a-z]}}
// LEAK-NOT: !layout

// A partly static layout is the integers that its type leaves open.

// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %[[M:.+]]: i32, %[[K:.+]]: i64) -> index
// CHECK-NEXT:    %[[W:.+]] = arith.extsi %[[M]] : i32 to i64
// CHECK-NEXT:    %[[N:.+]] = arith.muli %[[W]], %[[K]] : i64
// CHECK-NEXT:    %[[R:.+]] = arith.index_cast %[[N]] : i64 to index
// CHECK-NEXT:    return %[[R]]
func.func @arguments(%l: !layout<(?0,?1{i64}):(?1,1)>) -> index {
  %n = layout.size %l : !layout<(?0,?1{i64}):(?1,1)>
  return %n : index
}

// -----

// A value that is proved to fit is computed in 32 bits.

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     i64
// CHECK:         arith.muli %{{.+}}, %{{.+}} : i32
// CHECK:         return
func.func @narrow(%l: !layout<(?{range=1..4096},?1{range=1..4096}):(?1,1)>, %i: index, %j: index) -> index {
  %o = layout.crd2idx %l(%i, %j) : !layout<(?{range=1..4096},?1{range=1..4096}):(?1,1)>
  return %o : index
}

// -----

// One that is not is computed in 64: 65536 rows of 65536 overflow 32 bits.

// CHECK-LABEL: func.func @wide(
// CHECK:         arith.muli %{{.+}}, %{{.+}} : i64
// CHECK-NOT:     arith.muli %{{.+}}, %{{.+}} : i32
// CHECK:         return
func.func @wide(%l: !layout<(?,?):(?1,1)>, %i: index, %j: index) -> index {
  %o = layout.crd2idx %l(%i, %j) : !layout<(?,?):(?1,1)>
  return %o : index
}

// -----

// Powers of two divide by shift and mask.

// CHECK-LABEL: func.func @powers(
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         return
func.func @powers(%i: index, %l: !layout<(8,(16,?)):(?,(?,?))>) -> index {
  %o = layout.crd2idx %l(%i) : !layout<(8,(16,?)):(?,(?,?))>
  return %o : index
}

// -----

// Divisibility leaves no division: a multiple of 64 in tiles of 64.

// CHECK-LABEL: func.func @divisible(
// CHECK-SAME:    %[[M:.+]]: i32
// CHECK:         arith.shrsi %[[M]], %{{.+}} : i32
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         return
func.func @divisible(%l: !layout<(?{div=64},8):(8,1)>) -> index {
  %t = layout.zipped_divide %l, #layout<(64,8)> : !layout<(?{div=64},8):(8,1)>
  %r = layout.get %t, [1, 0] : !layout<((64,8),(?{div=64}/64,1)):((8,1),(512,0))>
  %n = layout.size %r : !layout<?{div=64}/64:512>
  return %n : index
}

// -----

// A fact that follows from an assumption is used.

// CHECK-LABEL: func.func @assumed(
// CHECK-NEXT:    %[[T:.+]] = arith.constant true
// CHECK-NEXT:    return %[[T]]
func.func @assumed(%l: !layout<(?,8):(1,?)>) -> i1 {
  %a = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?0,8):(1,?0)>
  %b = layout.coalesce %a : !layout<(?0,8):(1,?0)>
  %e = layout.equal %a, %b : !layout<(?0,8):(1,?0)>, !layout<8*?:1>
  return %e : i1
}

// -----

// CHECK-LABEL: func.func @comparisons(
// CHECK:         %[[A:.+]] = arith.cmpi slt
// CHECK:         %[[B:.+]] = arith.cmpi slt
// CHECK:         arith.andi %[[A]], %[[B]] : i1
func.func @comparisons(%m: i32, %n: i32, %s: !layout.tuple<(?,?)>) -> i1 {
  %c = layout.make_tuple(%m, %n) : i32, i32
  %p = layout.elem_less %c, %s : !layout.tuple<(?,?)>, !layout.tuple<(?,?)>
  return %p : i1
}

// -----

// The next coordinate is chosen, not divided.

// CHECK-LABEL: func.func @next(
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         %[[W:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : i32
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         arith.select %[[W]], %{{.+}}, %{{.+}} : i32
// CHECK-NOT:     arith.{{div|rem}}
// CHECK:         return
func.func @next(%c: !layout.tuple<(?,?)>, %s: !layout.tuple<(?,8)>) -> (index, index) {
  %n = layout.increment_coord %c, %s : !layout.tuple<(?,?)>, !layout.tuple<(?,8)>
  %l:2 = layout.leaves %n : !layout.tuple<(?{range=0..2147483646},?{range=0..8})>
  return %l#0, %l#1 : index, index
}

// -----

// Entries are taken as they are; those that one of two coordinates lacks are 0.

// CHECK-LABEL: func.func @entries(
// CHECK-SAME:    %[[A:.+]]: i32, %[[B:.+]]: i32, %[[C:.+]]: i32, %[[D:.+]]: i32,
// CHECK-DAG:     %[[WA:.+]] = arith.extsi %[[A]] : i32 to i64
// CHECK-DAG:     %[[WC:.+]] = arith.extsi %[[C]] : i32 to i64
// CHECK:         %[[R:.+]] = arith.subi %[[WA]], %[[WC]] : i64
// CHECK:         %[[WD:.+]] = arith.extsi %[[D]] : i32 to i64
// CHECK:         %[[S:.+]] = arith.subi %{{.+}}, %[[WD]] : i64
func.func @entries(%t: !layout.tuple<(?,(2,?))>, %c: !layout.tuple<(?,?)>, %i: index)
    -> (index, index) {
  %s = layout.slice %t(%i, _) : !layout.tuple<(?,(2,?))>
  layout.print %s : !layout.tuple<((2,?))>
  %d = layout.dice %t(%i, _) : !layout.tuple<(?,(2,?))>
  %r = layout.tuple_sub %d, %c : !layout.tuple<(?)>, !layout.tuple<(?,?)>
  %l:2 = layout.leaves %r : !layout.tuple<(?-?,-?)>
  return %l#0, %l#1 : index, index
}

// -----

// Strides of extents of 1 do not matter.

// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[M:.+]]: i32, %[[K:.+]]: i32
// CHECK-DAG:     %[[ONE:.+]] = arith.cmpi eq, %[[M]], %{{.+}} : i32
// CHECK-DAG:     %[[S:.+]] = arith.cmpi eq, %[[K]], %{{.+}} : i32
// CHECK:         %[[A:.+]] = arith.ori %[[ONE]], %[[S]] : i1
// CHECK:         return %[[A]]
func.func @same(%a: !layout<(?0,3):(?1,1)>) -> i1 {
  %k = layout.constant #layout<(6,1)> : !layout.tuple<(6,1)>
  %n = layout.shape %a : !layout<(?0,3):(?1,1)>
  %d = layout.make_layout %n, %k : !layout.tuple<(?{range=1..},3)>, !layout.tuple<(6,1)>
  %e = layout.equal %a, %d : !layout<(?,3):(?,1)>, !layout<(?,3):(6,1)>
  return %e : i1
}

// -----

// CHECK-LABEL: func.func @print(
// CHECK:         vector.print str "("
// CHECK:         vector.print %{{.+}} : i64 punctuation <no_punctuation>
// CHECK:         vector.print str ",8):(1,"
// CHECK:         vector.print %{{.+}} : i64 punctuation <no_punctuation>
// CHECK:         vector.print str ")"
// CHECK:         vector.print
// CHECK-NEXT:    return
func.func @print(%l: !layout<(?,8):(1,?)>) {
  layout.print %l : !layout<(?,8):(1,?)>
  return
}

// -----

// CHECK: gpu.printf "(%lld,8):(1,%lld)\0A", %[[M:.+]], %[[M]] : i64, i64
gpu.module @kernels {
  gpu.func @print(%m: i32) kernel {
    %l = layout.make %m : (i32) -> !layout<(?0,8):(1,?0)>
    layout.print %l : !layout<(?0,8):(1,?0)>
    gpu.return
  }
}
