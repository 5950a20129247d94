// RUN: layout-opt %s --split-input-file --layout-from-linalg --verify-diagnostics | FileCheck %s

// Numbers that no program means: a dimension that a tensor does not have, and padding that is written as the number that stands for a dynamic one.

// CHECK-LABEL: func.func @dimension
// CHECK:         tensor.dim
func.func @dimension(%x: tensor<?x64xbf16>, %scale: f32) -> tensor<?x64xbf16> {
  %below = arith.constant -9223372036854775808 : index
  %n = tensor.dim %x, %below : tensor<?x64xbf16>
  %empty = tensor.empty(%n) : tensor<?x64xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xbf16>) outs(%empty : tensor<?x64xbf16>) {
  ^bb0(%e: bf16, %old: bf16):
    %w = arith.extf %e : bf16 to f32
    %m = arith.mulf %w, %scale : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
