// Addresses of transposes.
// Each kernel has its counterpart in transpose.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// A tile of 32 by 32 in rows of 33: eight rows of threads write, and read transposed.
extern "C" __global__ void __launch_bounds__(256) padded(int* out) {
  auto t = threadIdx.x;
  auto l = Layout<Shape<Shape<Int<32>, Int<8>>, Int<4>>, Stride<Stride<Int<1>, Int<33>>, Int<264>>>{};
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The same tile, read by columns.
extern "C" __global__ void __launch_bounds__(256) padded_read(int* out) {
  auto t = threadIdx.x;
  auto l = Layout<Shape<Shape<Int<32>, Int<8>>, Int<4>>, Stride<Stride<Int<33>, Int<1>>, Int<8>>>{};
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// A tile of 32 by 32 words, swizzled instead of padded, read by columns.
extern "C" __global__ void __launch_bounds__(256) swizzled_read(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Swizzle<5, 0, 5>{}, Layout<Shape<Shape<Int<32>, Int<8>>, Int<4>>, Stride<Stride<Int<32>, Int<1>>, Int<8>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The block's tile of the transposed matrix, and the thread's elements in it.
extern "C" __global__ void __launch_bounds__(256) global_tile(int const* a_data, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Int<2048>, Int<1024>>, Stride<Int<1>, Int<2048>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto tiles = zipped_divide(a, Shape<Int<32>, Int<32>>{});
  auto tile = tiles(make_coord(_, _), make_coord(by, bx));
  auto threads = composition(tile, Layout<Shape<Shape<Int<32>, Int<8>>, Int<4>>, Stride<Stride<Int<1>, Int<32>>, Int<256>>>{});
  int x0 = threads(t, Int<0>{});
  int x1 = threads(t, Int<1>{});
  int x2 = threads(t, Int<2>{});
  int x3 = threads(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// Three modes in another order, of sizes that are no powers of two.
extern "C" __global__ void __launch_bounds__(128) permuted(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<56>, Int<7>>, Shape<Int<24>, Int<3>>>, Stride<Stride<Int<72>, Int<4032>>, Stride<Int<1>, Int<24>>>>{};
  auto x0 = l(t, bx);
  out[0] = x0;
}

// An element by its number in NCHW, to its offset in NHWC.
extern "C" __global__ void __launch_bounds__(128) nchw_to_nhwc(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = zipped_divide(Layout<Shape<Shape<Int<56>, Int<56>>, Int<64>, Int<8>>, Stride<Stride<Int<64>, Int<3584>>, Int<1>, Int<200704>>>{}, Shape<Int<128>, Int<1>, Int<1>>{});
  auto x0 = l(make_coord(t, Int<0>{}, Int<0>{}), make_coord(bx, Int<0>{}, Int<0>{}));
  out[0] = x0;
}

// Channels in groups of 32, interleaved.
extern "C" __global__ void __launch_bounds__(128) interleaved(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<32>, Int<4>>, Shape<Int<28>, Int<28>>>, Stride<Stride<Int<1>, Int<25088>>, Stride<Int<32>, Int<896>>>>{};
  auto x0 = l(t, bx);
  out[0] = x0;
}
