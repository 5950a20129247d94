// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify --layout-simplify -o %t.twice
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify -o %t.once
// RUN: diff %t.once %t.twice
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=arithmetic=false | FileCheck %s --check-prefix=OFF
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify --mlir-print-debuginfo | FileCheck %s --check-prefix=WHERE

// The launch bounds of a thread's id remove the division and the remainder.

// CHECK-LABEL: gpu.func @ranges
// CHECK:         %[[T:.+]] = gpu.thread_id x
// CHECK-NOT:     arith.{{divui|remui|shrui|andi}}
// CHECK:         "test.use"(%[[T]])
// OFF-LABEL:   gpu.func @ranges
// OFF:           arith.remui
gpu.module @kernels {
  gpu.func @ranges() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %n = arith.constant 128 : index
    %0 = arith.remui %t, %n : index
    "test.use"(%0) : (index) -> ()
    gpu.return
  }
}

// Quotient and remainder are recombined.

// CHECK-LABEL: func.func @digits(%arg0: i32)
// CHECK-NEXT:    return %arg0
func.func @digits(%i: i32) -> i32 {
  %n = arith.constant 12 : i32
  %q = arith.divui %i, %n : i32
  %r = arith.remui %i, %n : i32
  %m = arith.muli %q, %n : i32
  %s = arith.addi %m, %r : i32
  return %s : i32
}

// Loop invariants are computed before the loop, at the place of their operands; new
// operations have the location of the result that they stand for.

// CHECK-LABEL: func.func @loops(%arg0: i32, %arg1: i32)
// CHECK:         arith.muli
// CHECK:         scf.for
// CHECK-NOT:     arith.muli
// CHECK:         "test.use"
// WHERE-LABEL: func.func @loops
// WHERE:         arith.muli %{{.+}} loc(#[[SUM:loc[0-9]*]])
// WHERE:         #[[SUM]] = loc("sum")
func.func @loops(%a: i32, %b: i32) {
  %zero = arith.constant 0 : i32
  %many = arith.constant 64 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %many step %one : i32 {
    %0 = arith.addi %a, %k : i32 loc("sum")
    %1 = arith.muli %0, %b : i32 loc("sum")
    %2 = arith.muli %k, %b : i32 loc("sum")
    %3 = arith.subi %1, %2 : i32 loc("sum")
    "test.use"(%3) : (i32) -> ()
  }
  return
}

// A comparison that the bounds decide is a constant.

// CHECK-LABEL: func.func @decided
// CHECK:         %[[TRUE:.+]] = arith.constant true
// CHECK:         "test.use"(%[[TRUE]])
func.func @decided() {
  %zero = arith.constant 0 : index
  %many = arith.constant 64 : index
  %one = arith.constant 8 : index
  scf.for %k = %zero to %many step %one {
    %c = arith.constant 57 : index
    %0 = arith.cmpi ult, %k, %c : index
    "test.use"(%0) : (i1) -> ()
  }
  return
}

// Terms that do not become cheaper stay: signed division of a value that may be below 0, floating
// point, and a sum that has no shorter form.

// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %[[C:.+]] = arith.constant 4 : i32
// CHECK-NEXT:    %[[D:.+]] = arith.divsi %arg0, %[[C]] : i32
// CHECK-NEXT:    %[[S:.+]] = arith.addi %[[D]], %arg1 : i32
// CHECK-NEXT:    %[[F:.+]] = arith.addf %arg2, %arg2 : f32
// CHECK-NEXT:    return %[[S]], %[[F]]
func.func @kept(%a: i32, %b: i32, %f: f32) -> (i32, f32) {
  %c = arith.constant 4 : i32
  %0 = arith.divsi %a, %c : i32
  %1 = arith.addi %0, %b : i32
  %2 = arith.addf %f, %f : f32
  return %1, %2 : i32, f32
}

// A quotient of a number that is small enough is the high word of a product, and its remainder is not
// computed for itself.

// CHECK-LABEL: gpu.func @quotients
// CHECK:         %[[HIGH:.+]], %[[QUOTIENT:.+]] = arith.mului_extended %{{.+}}, %c357913942_i32 : i32
// CHECK-NOT:     arith.divui
// CHECK-NOT:     arith.remui
// CHECK:         "test.use"
gpu.module @more {
  gpu.func @quotients() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = arith.index_cast %t : index to i32
    %c12 = arith.constant 12 : i32
    %c13 = arith.constant 13 : i32
    %q = arith.divui %x, %c12 : i32
    %r = arith.remui %x, %c12 : i32
    %row = arith.muli %q, %c13 : i32
    %at = arith.addi %row, %r : i32
    "test.use"(%at) : (i32) -> ()
    gpu.return
  }
}

// A term that both branches of a selection add is added once, after it.

// CHECK-LABEL: func.func @selections(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: i32)
// CHECK:         %[[P:.+]] = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK:         %[[S:.+]] = arith.select %[[P]], %arg2, %arg3 : i32
// CHECK:         %[[X:.+]] = arith.addi
// CHECK-NOT:     arith.addi
// CHECK:         return %[[X]]
func.func @selections(%a: i32, %b: i32, %x: i32, %y: i32) -> i32 {
  %p = arith.cmpi slt, %a, %b : i32
  %0 = arith.addi %a, %x : i32
  %1 = arith.addi %a, %y : i32
  %2 = arith.select %p, %0, %1 : i32
  return %2 : i32
}

// A selection by what the bounds decide is one of its operands; so is one between equal ones.

// CHECK-LABEL: gpu.func @chosen(%arg0: index, %arg1: i1)
// CHECK-NOT:     arith.select
// CHECK:         "test.use"(%{{.+}}, %arg0)
gpu.module @choices {
  gpu.func @chosen(%x: index, %p: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %n = arith.constant 128 : index
    %inside = arith.cmpi ult, %t, %n : index
    %0 = arith.select %inside, %t, %x : index
    %1 = arith.select %p, %x, %x : index
    "test.use"(%0, %1) : (index, index) -> ()
    gpu.return
  }
}

// A selection between 1 and 0 is the comparison; it stays a bit where a bit is used.

// CHECK-LABEL: func.func @as_number(%arg0: i32, %arg1: i32)
// CHECK:         %[[P:.+]] = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK-NOT:     arith.select
// CHECK:         %[[N:.+]] = arith.extui %[[P]] : i1 to i32
// CHECK:         "test.use"(%[[N]], %[[P]])
func.func @as_number(%a: i32, %b: i32) {
  %p = arith.cmpi slt, %a, %b : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %0 = arith.select %p, %one, %zero : i32
  "test.use"(%0, %p) : (i32, i1) -> ()
  return
}

// Comparisons of one value with two bounds, as the predicates of a tile are: what is implied is dropped.

// CHECK-LABEL: gpu.func @predicates
// CHECK:         %[[P:.+]] = arith.cmpi slt, %{{.+}}, %c100
// CHECK-NOT:     arith.andi
// CHECK:         "test.use"(%[[P]])
gpu.module @bounds {
  gpu.func @predicates() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %n = arith.constant 100 : index
    %m = arith.constant 128 : index
    %p = arith.cmpi slt, %t, %n : index
    %q = arith.cmpi slt, %t, %m : index
    %0 = arith.andi %p, %q : i1
    "test.use"(%0) : (i1) -> ()
    gpu.return
  }
}

// Blocks of a region with several: each is simplified by itself, with what comes from others as it is,
// and nothing leaves its block.

// CHECK-LABEL: func.func @blocks(%arg0: i32, %arg1: i1)
// CHECK:         cf.cond_br %arg1, ^[[LEFT:.+]], ^[[RIGHT:.+]]
// CHECK:       ^[[LEFT]]:
// CHECK-NEXT:    cf.br ^[[END:.+]](%arg0 : i32)
// CHECK:       ^[[RIGHT]]:
// CHECK:         %[[SUM:.+]] = arith.addi %arg0
// CHECK:         cf.br ^[[END]](%[[SUM]] : i32)
// CHECK:       ^[[END]](%[[X:.+]]: i32):
// CHECK-NEXT:    return %[[X]]
func.func @blocks(%i: i32, %p: i1) -> i32 {
  %n = arith.constant 12 : i32
  cf.cond_br %p, ^left, ^right
^left:
  %q = arith.divui %i, %n : i32
  %r = arith.remui %i, %n : i32
  %m = arith.muli %q, %n : i32
  %s = arith.addi %m, %r : i32
  cf.br ^end(%s : i32)
^right:
  %one = arith.constant 1 : i32
  %t = arith.addi %i, %one : i32
  cf.br ^end(%t : i32)
^end(%x: i32):
  %zero = arith.constant 0 : i32
  %y = arith.addi %x, %zero : i32
  return %y : i32
}
