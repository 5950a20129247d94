// RUN: not layout-opt %s --layout-simplify=max-nodes=many 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: not layout-opt %s --layout-simplify=evaluate=perhaps 2>&1 | FileCheck %s --check-prefix=EVALUATE
// RUN: not layout-opt %s --layout-simplify=arithmetic=perhaps 2>&1 | FileCheck %s --check-prefix=ARITHMETIC
// RUN: not layout-opt %s --layout-simplify=chip=gfx90a 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not layout-opt %s --layout-simplify=without=gravity 2>&1 | FileCheck %s --check-prefix=WITHOUT

// NODES: error: 'builtin.module' op expected a number as the option 'max-nodes', found 'many'
// EVALUATE: error: 'builtin.module' op expected true or false as the option 'evaluate', found 'perhaps'
// ARITHMETIC: error: 'builtin.module' op expected true or false as the option 'arithmetic', found 'perhaps'
// CHIP: error: 'builtin.module' op expected a chip such as sm_90a as the option 'chip', found 'gfx90a'
// WITHOUT: error: 'builtin.module' op expected a rule or none as the option 'without', found 'gravity'
func.func @f() {
  return
}
