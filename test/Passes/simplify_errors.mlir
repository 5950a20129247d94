// RUN: not layout-opt %s --layout-simplify=max-nodes=many 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: not layout-opt %s --layout-simplify=evaluate=perhaps 2>&1 | FileCheck %s --check-prefix=EVALUATE

// NODES: error: 'builtin.module' op expected a number as the option 'max-nodes', found 'many'
// EVALUATE: error: 'builtin.module' op expected true or false as the option 'evaluate', found 'perhaps'
func.func @f() {
  return
}
