// The float64 reference GEMM on the GPU: C(m,n) = sum over k of A(m,k) * B(n,k), all float64, C packed row-major.
// `reference.ptx` beside this file is made from it, without CUDA:
//   clang++-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
//     -Xclang -target-feature -Xclang +ptx70 -O3 -S -o reference.ptx reference.cu
// Plain on purpose (a 16 x 16 tile, one output element a thread): it has to be right before it is fast.

typedef long long i64;
#define TILE 16

extern "C" __attribute__((global)) void layout_reference_gemm(
    const double *a, const double *b, double *c, i64 m, i64 n, i64 k,
    i64 a_m, i64 a_k, i64 b_n, i64 b_k) {
  static __attribute__((shared)) double a_tile[TILE][TILE + 1];
  static __attribute__((shared)) double b_tile[TILE][TILE + 1];
  int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
  i64 first_row = (i64)__nvvm_read_ptx_sreg_ctaid_y() * TILE;
  i64 first_column = (i64)__nvvm_read_ptx_sreg_ctaid_x() * TILE;
  i64 row = first_row + y, column = first_column + x;
  double sum = 0.0;
  for (i64 first_k = 0; first_k < k; first_k += TILE) {
    i64 at = first_k + x;
    a_tile[y][x] = row < m && at < k ? a[row * a_m + at * a_k] : 0.0;
    b_tile[y][x] = first_column + y < n && at < k ? b[(first_column + y) * b_n + at * b_k] : 0.0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      sum += a_tile[y][i] * b_tile[x][i];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
