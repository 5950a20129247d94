// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: layout-opt %s --layout-lower | FileCheck %s --check-prefix=LOWER --implicit-check-not=layout. --implicit-check-not=warning

// Relations are kept as ISL prints them.

// CHECK-LABEL: @fan
// CHECK: layout.relate #layout.relation<"{ [c] -> [((-3c) mod 16)] : 0 <= c <= 15 }">(%arg0)
// LOWER-LABEL: @fan
// LOWER: arith.shrsi
// LOWER: arith.cmpi
func.func @fan(%c: index) -> (index, i1) {
  %y, %inside = layout.relate #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">(%c)
  return %y, %inside : index, i1
}

// CHECK-LABEL: @triangle
// CHECK: %image:2, %inside = layout.relate #layout.relation<"{ [i, j] -> [(8i + j), (i - j)] : i <= 7 and 0 <= j <= i }">(%arg0, %arg1)
func.func @triangle(%i: index, %j: index) -> (index, index, i1) {
  %y:3 = layout.relate #layout.relation<"{ [i,j] -> [8i + j, i - j] : 0 <= j <= i < 8 }">(%i, %j)
  return %y#0, %y#1, %y#2 : index, index, i1
}

// Compositions are computed, with layouts too; the domain has holes, and a piece of its own in one.

// CHECK-LABEL: @composed
// CHECK: layout.relate #layout.relation<"{ [c] -> [(1 + 8c - 31*floor((c)/4))] : 0 <= c <= 31 and 12*floor((3 - 5c)/12) < -5c; [c] -> [(7)] : c = 12 }">(%arg0)
// LOWER-LABEL: @composed
// LOWER: arith.select
func.func @composed(%i: index) -> (index, i1) {
  %y:2 = layout.relate #layout.relation<"{ [x] -> [x + 1] : x mod 3 != 0; [x] -> [7] : x = 3 }" o (4,8):(8,1)>(%i)
  return %y#0, %y#1 : index, i1
}

// CHECK-LABEL: @twice
// CHECK: layout.relate #layout.relation<"{ [i, j] -> [(2i + 2j)] }">(%arg0, %arg1)
func.func @twice(%i: index, %j: index) -> index {
  %y:2 = layout.relate #layout.relation<"{ [x] -> [2x] }" o "{ [i,j] -> [i + j] }">(%i, %j)
  return %y#0 : index
}

// A layout alone is one too.
// CHECK-LABEL: @layout
// CHECK: layout.relate #layout.relation<"{ [c] -> [(c)] : 0 <= c <= 3 }">(%arg0)
func.func @layout(%i: index) -> index {
  %y:2 = layout.relate #layout.relation<4:1>(%i)
  return %y#0 : index
}

// The image of a static coordinate is static. Outside, only that it is.

// FOLD-LABEL: @known
// FOLD-DAG: %[[ONE:.*]] = arith.constant 1 : index
// FOLD-DAG: %[[TRUE:.*]] = arith.constant true
// FOLD-DAG: %[[FALSE:.*]] = arith.constant false
// FOLD: return %[[ONE]], %[[TRUE]], %[[FALSE]]
func.func @known() -> (index, i1, i1) {
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %y:2 = layout.relate #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">(%c5)
  %z:2 = layout.relate #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">(%c16)
  return %y#0, %y#1, %z#1 : index, i1, i1
}

// Without coordinates, and without any tuple.

// CHECK-LABEL: @rank_0
// CHECK: layout.relate #layout.relation<"{ [] -> [(3)] }">()
// CHECK: layout.relate #layout.relation<"{ [c] -> [o0] : false }">(%image)
func.func @rank_0() -> (index, i1) {
  %x:2 = layout.relate #layout.relation<"{ [] -> [3] }">()
  %y:2 = layout.relate #layout.relation<"{ [c] -> [c] : c < 0 and c > 0 }">(%x#0)
  return %x#0, %y#1 : index, i1
}
