// C = A · Bᵀ: bf16 operands, accumulators in f32, bf16 result. Views say where each element is: A is
// row-major (M,K), B is a row-major (K,N) read as (N,K), C is row-major (M,N). No extent is a
// multiple of the tile's, so every edge of every tile is ragged.
func.func @gemm(%a: !layout.view<bf16, global, (200,72):(72,1)>,
                %b: !layout.view<bf16, global, (136,72):(1,136)>,
                %c: !layout.view<bf16, global, (200,136):(136,1)>) {
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (200,72):(72,1)>,
      !layout.view<bf16, global, (136,72):(1,136)>,
      !layout.view<bf16, global, (200,136):(136,1)>
  return
}

// RUN: layout-translate %s --pipeline --run-on-cpu | FileCheck %s
// CHECK: 200x136x72 on the CPU: relative error {{.*}}: right
