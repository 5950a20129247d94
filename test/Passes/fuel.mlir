// Budgets of a search, and fuel: how many equations rules may add in the whole run, to find by bisection the one
// that matters. Each rule and each reason to stop is counted.

// RUN: layout-opt %s --layout-simplify -o - | FileCheck %s --check-prefix=ALL
// RUN: layout-opt %s --layout-simplify=fuel=0 -o - | FileCheck %s --check-prefix=NONE
// RUN: layout-opt %s --layout-simplify=fuel=0 --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: layout-opt %s --layout-simplify="fuel=1 evaluate=false" --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: layout-opt %s --layout-simplify=evaluate=false --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: layout-opt %s --layout-simplify=max-nodes=1 --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: layout-opt %s --layout-simplify=max-matches=0 --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=MATCHES
// RUN: layout-opt %s --layout-simplify=max-time=0 --mlir-pass-statistics -o %t 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not layout-opt %s --layout-simplify=fuel=some -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not layout-opt %s --layout-simplify=max-time=soon -o %t 2>&1 | FileCheck %s --check-prefix=CLOCK

// ERROR: expected a number or all as the option 'fuel', found 'some'
// CLOCK: expected a number as the option 'max-time', found 'soon'

// EMPTY:     0 rules applied
// EMPTY:     stop: fuel
// EMPTY-NOT: rule:
// ONE:       1 rules applied
// ONE:       1 rule:
// RULES-NOT: stop: fuel
// RULES:     stop: saturated - searches that ended for this reason
// RULES:     rule: coalesce-of-flatten - equations that the rule added
// RULES:     rule: add-commute - equations that the rule added
// NODES:     stop: nodes
// MATCHES:   stop: matches
// TIME:      stop: time

func.func @term(%v: !layout.view<f32, global, (6,8):(8,1)>) {
  %0 = layout.composition %v, #layout<coalesce(flatten((2,3):(3,1)))>
      : !layout.view<f32, global, (6,8):(8,1)>
  return
}

// ALL-LABEL:  gpu.func @digits
// ALL-NOT:    arith.divui
// ALL:        gpu.return
// NONE-LABEL: gpu.func @digits
// NONE:       arith.divui
// NONE:       arith.remui
// NONE:       gpu.return
gpu.module @kernels {
  gpu.func @digits(%out: !layout.view<i32, global, 96:1>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %t = gpu.thread_id x
    %x = arith.index_cast %t : index to i32
    %c32 = arith.constant 32 : i32
    %q = arith.divui %x, %c32 : i32
    %r = arith.remui %x, %c32 : i32
    %row = arith.muli %q, %c32 : i32
    %at = arith.addi %row, %r : i32
    layout.store %at, %out(%t) : !layout.view<i32, global, 96:1>
    gpu.return
  }
}
