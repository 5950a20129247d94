// Reads a buffer, so that the L2 cache is full of its lines, and none of them has to be written back.
// `flush.ptx` beside this file is made from it, without CUDA:
//   clang++-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
//     -Xclang -target-feature -Xclang +ptx70 -O3 -S -o flush.ptx flush.cu

typedef unsigned long long u64;
struct __attribute__((aligned(16))) Line { u64 x, y; };

extern "C" __attribute__((global)) void layout_read_all(const Line *from, u64 lines, u64 *never) {
  u64 first = (u64)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x();
  u64 step = (u64)__nvvm_read_ptx_sreg_nctaid_x() * 256;
  u64 seen = 0;
  for (u64 i = first; i < lines; i += step)
    seen |= from[i].x | from[i].y;
  // The buffer holds zeros; the compiler does not know.
  if (seen)
    *never = seen;
}
