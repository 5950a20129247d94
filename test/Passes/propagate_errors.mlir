// RUN: not layout-opt %s --pass-pipeline='builtin.module(layout-propagate{chip=hopper})' -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: 'builtin.module' op expected a chip such as sm_90a as the option 'chip', found hopper
func.func @main() {
  return
}
