// Inputs that layout-specialize refuses: each message states what was expected and found.

// DEFINE: %{on} =
// DEFINE: %{opt} = not layout-opt %s --pass-pipeline='builtin.module(layout-specialize{%{on}})' -o /dev/null 2>&1 | FileCheck %s
// REDEFINE: %{on} = function=g shapes=3x64,_
// RUN: %{opt} --check-prefix=NAME
// NAME: error: {{.*}}layout-specialize: expected a function with a body as the option 'function', found 'g'

// REDEFINE: %{on} = function=f shapes=3x64
// RUN: %{opt} --check-prefix=COUNT
// COUNT: error: {{.*}}layout-specialize: expected a shape for each of 2 arguments as the option 'shapes', found 1

// REDEFINE: %{on} = function=f shapes=3,_
// RUN: %{opt} --check-prefix=RANK
// RANK: error: {{.*}}layout-specialize: argument 0: expected 2 extents, found 3

// REDEFINE: %{on} = function=f shapes=3x32,_
// RUN: %{opt} --check-prefix=STATIC
// STATIC: error: {{.*}}layout-specialize: argument 0: expected 64 as extent 1, found 32

// REDEFINE: %{on} = function=f shapes=-3x64,_
// RUN: %{opt} --check-prefix=EXTENT
// EXTENT: error: {{.*}}layout-specialize: argument 0: expected an extent or ?, found '-3'

// REDEFINE: %{on} = function=f shapes=3x64,7
// RUN: %{opt} --check-prefix=KIND
// KIND: error: {{.*}}layout-specialize: argument 1: expected a tensor of known rank, found i32

func.func @f(%x: tensor<?x64xf32>, %n: i32) -> tensor<?x64xf32> {
  return %x : tensor<?x64xf32>
}
