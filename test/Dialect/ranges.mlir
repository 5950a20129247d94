// RUN: layout-opt %s --int-range-optimizations | FileCheck %s

// Integer results state their ranges to MLIR's range analysis.

// CHECK-LABEL: @size
func.func @size(%l: !layout<(?{range=2..64},8):(1,?)>) -> (i1, i1) {
  %n = layout.size %l : !layout<(?{range=2..64},8):(1,?)>
  %least = arith.constant 16 : index
  %greatest = arith.constant 512 : index
  // CHECK: %[[T:.+]] = arith.constant true
  // CHECK: return %[[T]], %[[T]]
  %0 = arith.cmpi sge, %n, %least : index
  %1 = arith.cmpi sle, %n, %greatest : index
  return %0, %1 : i1, i1
}

// Operands' ranges are used.
// CHECK-LABEL: @coordinate
func.func @coordinate(%x: index) -> i1 {
  %mask = arith.constant 63 : index
  %i = arith.andi %x, %mask : index
  %c:2 = layout.idx2crd %i, #layout<(16,4)>
  %end = arith.constant 4 : index
  // CHECK: %[[T:.+]] = arith.constant true
  // CHECK: return %[[T]]
  %0 = arith.cmpi slt, %c#1, %end : index
  return %0 : i1
}

// CHECK-LABEL: @offset
func.func @offset(%l: !layout<(4,8):(8,1)>, %x: index) -> i1 {
  %mask = arith.constant 31 : index
  %i = arith.andi %x, %mask : index
  %o = layout.crd2idx %l(%i) : !layout<(4,8):(8,1)>
  %end = arith.constant 32 : index
  // CHECK: %[[T:.+]] = arith.constant true
  // CHECK: return %[[T]]
  %0 = arith.cmpi slt, %o, %end : index
  return %0 : i1
}

// An offset that may be past 64 bits is any word, since what computes it wraps: 7 * 2^61 is the word -2^61.
// CHECK-LABEL: @past
func.func @past(%l: !layout<8:?{i64 range=2305843009213693952..4611686018427387904}>) -> (i1, i1) {
  %c = arith.constant 7 : index
  %o = layout.crd2idx %l(%c) : !layout<8:?{i64 range=2305843009213693952..4611686018427387904}>
  %zero = arith.constant 0 : index
  %greatest = arith.constant 9223372036854775807 : index
  // CHECK: %[[O:.+]] = layout.crd2idx
  // CHECK: %[[A:.+]] = arith.cmpi sge, %[[O]],
  // CHECK: %[[B:.+]] = arith.cmpi eq, %[[O]],
  // CHECK: return %[[A]], %[[B]]
  %0 = arith.cmpi sge, %o, %zero : index
  %1 = arith.cmpi eq, %o, %greatest : index
  return %0, %1 : i1, i1
}
