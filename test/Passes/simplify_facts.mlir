// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify | FileCheck %s

// Facts of values hold in every execution by upstream's definitions: passes/transforms/FACTS.md.

// A cast to fewer bits forgets what does not fit: 128 becomes negative.
// CHECK-LABEL: @trunc_i8(
// CHECK: %[[Y:.+]] = arith.extsi
// CHECK: %[[P:.+]] = arith.cmpi slt, %[[Y]], %
// CHECK: %[[U:.+]] = arith.extui
// CHECK: %[[T:.+]] = arith.constant true
// CHECK: "test.use"(%[[P]], %[[T]], %[[Y]], %[[U]])
func.func @trunc_i8() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  %z = arith.constant 0 : i32
  %k = arith.constant 256 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    %b = arith.trunci %x : i32 to i8
    %y = arith.extsi %b : i8 to i32
    %p = arith.cmpi slt, %y, %z : i32
    %u = arith.extui %b : i8 to i32
    %q = arith.cmpi ult, %u, %k : i32
    "test.use"(%p, %q, %y, %u) : (i1, i1, i32, i32) -> ()
  }
  return
}

// The low bits of 256 to 299 are 0 to 43.
// CHECK-LABEL: @trunc_i8_b
// CHECK: %[[U:.+]] = arith.extui
// CHECK: %[[T:.+]] = arith.constant true
// CHECK: %[[T2:.+]] = arith.constant true
// CHECK: %[[R:.+]] = arith.addi %[[U]], %
// CHECK: "test.use"(%[[T]], %[[T2]], %[[R]], %[[U]])
func.func @trunc_i8_b() {
  %c0 = arith.constant 256 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  %k = arith.constant 256 : i32
  %k2 = arith.constant 100 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    %b = arith.trunci %x : i32 to i8
    %u = arith.extui %b : i8 to i32
    %q = arith.cmpi ult, %u, %k : i32
    %y = arith.extsi %b : i8 to i32
    %q2 = arith.cmpi slt, %y, %k2 : i32
    %r = arith.subi %u, %k2 : i32
    %w = arith.remui %u, %k : i32
    "test.use"(%q, %q2, %r, %w) : (i1, i1, i32, i32) -> ()
  }
  return
}

!v = !layout.view<f32, global, (512):(1)>
gpu.module @m {
  // Half of the threads store.
  // CHECK-LABEL: gpu.func @predicate
  // CHECK: %[[P:.+]] = arith.cmpi slt
  // CHECK: scf.if %[[P]]
  // CHECK-NEXT: layout.store
  gpu.func @predicate(%v: !v, %f: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %t = gpu.thread_id x
    %x = arith.index_cast %t : index to i32
    %b = arith.trunci %x : i32 to i8
    %y = arith.extsi %b : i8 to i32
    %z = arith.constant 0 : i32
    %p = arith.cmpi slt, %y, %z : i32
    scf.if %p {
      layout.store %f, %v(%t) : !v
    }
    gpu.return
  }

  // The counter is as great as 4261412864.
  // CHECK-LABEL: gpu.func @unsigned_address
  // CHECK: scf.for unsigned %[[I:.+]] =
  // CHECK-NEXT: %[[S:.+]] = arith.shrui %[[I]], %
  // CHECK-NEXT: %[[X:.+]] = arith.index_cast %[[S]]
  // CHECK-NEXT: layout.store %{{.+}}(%[[X]])
  gpu.func @unsigned_address(%v: !v, %f: f32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 16777216 : i32
    %c24 = arith.constant 24 : i32
    %n = arith.constant -16777216 : i32
    scf.for unsigned %i = %c0 to %n step %c1 : i32 {
      %s = arith.shrui %i, %c24 : i32
      %x = arith.index_cast %s : i32 to index
      layout.store %f, %v(%x) : !v
    }
    gpu.return
  }

  // An id is bounded by what the operation says, too.
  // CHECK-LABEL: gpu.func @ids
  // CHECK: %[[T:.+]] = gpu.thread_id x upper_bound 8
  // CHECK: "test.use"(%[[T]], %true, %true_0)
  gpu.func @ids() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %t = gpu.thread_id x upper_bound 8
    %y = gpu.thread_id y
    %l = gpu.lane_id
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = arith.remui %t, %c8 : index
    %b = arith.cmpi ult, %y, %c1 : index
    %c = arith.cmpi ult, %l, %c32 : index
    "test.use"(%a, %b, %c) : (index, i1, i1) -> ()
    gpu.return
  }
}

// CHECK-LABEL: @unsigned_loop
// CHECK: scf.for unsigned %[[I:.+]] =
// CHECK-NEXT: arith.addi %[[I]], %
func.func @unsigned_loop() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %n = arith.constant -16 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %p = arith.addi %i, %c5 : i32
    "test.use"(%p) : (i32) -> ()
  }
  return
}

// CHECK-LABEL: @unsigned_loop2
// CHECK: %[[D:.+]] = arith.divsi
// CHECK: %[[P:.+]] = arith.cmpi sge
// CHECK: "test.use"(%[[D]], %[[P]])
func.func @unsigned_loop2(%n: i32, %a: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %p = arith.divsi %i, %c5 : i32
    %q = arith.cmpi sge, %i, %c0 : i32
    "test.use"(%p, %q) : (i32, i1) -> ()
  }
  return
}

// Bounds that are not negative are the same as unsigned ones.
// CHECK-LABEL: @unsigned_loop3
// CHECK: scf.for unsigned %[[I:.+]] =
// CHECK-NEXT: "test.use"(%[[I]])
func.func @unsigned_loop3() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.for unsigned %i = %c0 to %c64 step %c1 : i32 {
    %p = arith.remui %i, %c64 : i32
    "test.use"(%p) : (i32) -> ()
  }
  return
}

// Natively the second value is -2147483646, and it is below the upper bound.
// CHECK-LABEL: @wrapping_loop
// CHECK: %[[P:.+]] = arith.cmpi sle, %{{.+}}, %
// Every value is even all the same.
// CHECK: %[[Z:.+]] = arith.constant 0 : i32
// CHECK: "test.use"(%[[P]], %[[Z]])
func.func @wrapping_loop() {
  %c100 = arith.constant 2147483600 : i32
  %c50 = arith.constant 50 : i32
  %c120 = arith.constant 2147483620 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c100 to %c120 step %c50 : i32 {
    %p = arith.cmpi sge, %i, %c0 : i32
    %r = arith.andi %i, %c1 : i32
    "test.use"(%p, %r) : (i1, i32) -> ()
  }
  return
}

// A step that is not positive has no meaning, and a bound of fewer bits has no more than these.
// CHECK-LABEL: @odd_loops
// CHECK: %[[P:.+]] = arith.cmpi slt
// CHECK: "test.use"(%[[P]])
// CHECK: %[[Q:.+]] = arith.constant true
// CHECK: "test.use"(%[[Q]])
func.func @odd_loops(%b: i8) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %m1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %n = arith.index_cast %b : i8 to index
  scf.for %i = %c0 to %c9 step %m1 {
    %p = arith.cmpi slt, %i, %c9 : index
    "test.use"(%p) : (i1) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %p = arith.cmpi slt, %i, %c127 : index
    "test.use"(%p) : (i1) -> ()
  }
  return
}

// Casts at the edges of each width.
// CHECK-LABEL: @casts
// CHECK-SAME: (%[[A:.+]]: i8, %[[B:.+]]: i16, %[[C:.+]]: i1)
func.func @casts(%a: i8, %b: i16, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c127 = arith.constant 127 : i32
  %c126 = arith.constant 126 : i32
  %c255 = arith.constant 255 : i32
  %m128 = arith.constant -128 : i32
  %c65535 = arith.constant 65535 : i32
  %s = arith.extsi %a : i8 to i32
  %u = arith.extui %a : i8 to i32
  %w = arith.extui %b : i16 to i32
  %d = arith.extsi %c : i1 to i32
  // A fact that always holds is used, and one that is less by one is not.
  // CHECK: %[[P:.+]] = arith.cmpi slt
  %p0 = arith.cmpi sle, %s, %c127 : i32
  %p1 = arith.cmpi sle, %s, %c126 : i32
  %p2 = arith.cmpi sge, %s, %m128 : i32
  %p3 = arith.cmpi ule, %u, %c255 : i32
  %p4 = arith.cmpi ule, %w, %c65535 : i32
  %p5 = arith.cmpi sle, %d, %c0 : i32
  // CHECK: "test.use"(%true{{.*}}, %[[P]], %true{{.*}}, %true{{.*}}, %true{{.*}}, %true{{.*}})
  "test.use"(%p0, %p1, %p2, %p3, %p4, %p5) : (i1, i1, i1, i1, i1, i1) -> ()
  return
}

// A sum that is poison where it wraps does not stand for one that wraps.
// CHECK-LABEL: @flags
// CHECK-NOT: overflow<nsw>
// CHECK: "test.use"
func.func @flags(%x: i32, %y: i32, %c: i1) {
  %a = arith.addi %x, %y overflow<nsw> : i32
  %s = arith.select %c, %a, %x : i32
  %c0 = arith.constant 0 : i32
  %z = arith.addi %y, %c0 : i32
  %b = arith.addi %x, %z : i32
  "test.use"(%s, %b) : (i32, i32) -> ()
  return
}

// An index of 32 bits is none of 64: what wraps is not known.
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  // CHECK-LABEL: @index_of_32_bits
  // CHECK: arith.addi
  // CHECK: arith.subi
  func.func @index_of_32_bits(%x: index) -> index {
    %c1 = arith.constant 1 : index
    %a = arith.addi %x, %c1 : index
    %b = arith.subi %a, %c1 : index
    return %b : index
  }
}
