// RUN: layout-opt %s --layout-from-linalg --verify-diagnostics | FileCheck %s
// RUN: layout-opt %s --layout-from-linalg=chip=sm_89 | FileCheck %s --check-prefix=ADA
// RUN: layout-opt %s --layout-from-linalg=chip=sm_80 | FileCheck %s --check-prefix=AMPERE

// 8-bit floats: Hopper's warpgroups accumulate them in two levels, warps of sm_89 in f32. sm_80 multiplies them in a type that holds them.

// CHECK-LABEL: @e4m3
// CHECK:         layout.matmul {{.*}} schedule(#layout.schedule<auto, two_level_accumulation = true, chip = "sm_90a">) : !layout.view<f8E4M3FN,
// ADA-LABEL:   @e4m3
// ADA:           layout.matmul {{.*}} schedule(#layout.schedule<auto, chip = "sm_89">) : !layout.view<f8E4M3FN,
// AMPERE-LABEL: @e4m3
// AMPERE:        layout.matmul {{.*}} schedule(#layout.schedule<auto>) : !layout.view<bf16,
func.func @e4m3(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x64xf8E4M3FN>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  // expected-remark @+1 {{layout-from-linalg accumulates f8E4M3FN in two levels: tensor cores of sm_90a keep fewer bits than f32 within a tile}}
  %d = linalg.matmul ins(%a, %b : tensor<128x256xf8E4M3FN>, tensor<256x64xf8E4M3FN>) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %d : tensor<128x64xf32>
}

// Two types: bf16 holds the numbers of both.
// CHECK-LABEL: @both
// CHECK:         layout.matmul {{.*}} schedule(#layout.schedule<auto, chip = "sm_90a">) : !layout.view<bf16,
func.func @both(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x64xf8E5M2>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  // expected-remark @+1 {{layout-from-linalg first converts A from f8E4M3FN and B from f8E5M2 to bf16, without rounding}}
  %d = linalg.matmul ins(%a, %b : tensor<128x256xf8E4M3FN>, tensor<256x64xf8E5M2>) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %d : tensor<128x64xf32>
}
