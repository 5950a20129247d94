// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify=explain=true -o %t 2>&1 | FileCheck %s
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify="explain=true evaluate=false" -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RULES
// RUN: layout-opt %s --allow-unregistered-dialect --layout-simplify -o %t 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// RUN: not layout-opt %s --allow-unregistered-dialect --layout-simplify=explain=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR

// Each change is reported as a chain of equations: the rule, its condition with what its variables stand for,
// at how many values both sides were evaluated, and what else proved them equal.

// OFF-NOT: remark
// ERROR: expected true or false as the option 'explain', found '2'

// CHECK:      remark: layout-simplify:
// CHECK-NEXT:   coalesce(flatten((2,3):(3,1)))
// CHECK-NEXT: = {{.*}}(2,3):(3,1)
// CHECK:          by evaluate (checked at all 1 point; proved by structure)
// RULES:      remark: layout-simplify:
// RULES-NEXT:   coalesce(flatten((2,3):(3,1)))
// RULES-NEXT: = coalesce((2,3):(3,1))
// RULES-NEXT:     by coalesce-of-flatten: a is a layout, a = (2,3):(3,1) (checked at all 1 point; proved by structure)
func.func @terms(%v: !layout.view<f32, global, (6,8):(8,1)>) {
  %0 = layout.composition %v, #layout<coalesce(flatten((2,3):(3,1)))>
      : !layout.view<f32, global, (6,8):(8,1)>
  return
}

// CHECK:      remark: layout-simplify:
// CHECK-NEXT:   (add (mul (div v0 12) 13) (mod v0 12))
// CHECK-NEXT: = (add v0 (mul (div v0 12) 1))
// CHECK-NEXT:     by split-digits: always; v is e - c, for constants c and e, c = 12, e = 13, x = v0, v = 1 (checked at all 96 points; proved by a normal form)
// CHECK:          by div-as-high-word: {{.*}}, c = 12, x = v0, v = 357913942 (checked at all 96 points; proved by a normal form)
// CHECK-NEXT: where v0:0..95 is arith.index_cast
gpu.module @kernels {
  gpu.func @digits() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
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

  // A comparison is no normal form: integer sets prove what is done to it.
  // CHECK:      remark: layout-simplify:
  // CHECK:        by less-of-multiple: {{.*}} (checked at all 96 points; proved by integer sets)
  gpu.func @compared() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = arith.index_cast %t : index to i32
    %c12 = arith.constant 12 : i32
    %c100 = arith.constant 100 : i32
    %row = arith.muli %x, %c12 : i32
    %in = arith.cmpi slt, %row, %c100 : i32
    "test.use"(%in) : (i1) -> ()
    gpu.return
  }
}
