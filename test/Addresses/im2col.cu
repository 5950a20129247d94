// Addresses of convolutions as GEMMs: im2col is a layout.
// Each kernel has its counterpart in im2col.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// The pixel of a row of the GEMM: q, p and n from its number.
extern "C" __global__ void __launch_bounds__(128) row(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<14>, Int<14>, Int<32>>, Shape<Int<64>, Int<3>, Int<3>>>, Stride<Stride<Int<64>, Int<1024>, Int<16384>>, Stride<Int<1>, Int<64>, Int<1024>>>>{};
  auto x0 = l(bx, Int<0>{});
  out[0] = x0;
}

// The place in the filter of a step along the GEMM's depth.
extern "C" __global__ void __launch_bounds__(128) depth(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<14>, Int<14>, Int<32>>, Shape<Int<64>, Int<3>, Int<3>>>, Stride<Stride<Int<64>, Int<1024>, Int<16384>>, Stride<Int<1>, Int<64>, Int<1024>>>>{};
  auto x0 = l(bx, by);
  out[0] = x0;
}

// Four vectors of channels of one pixel and tap.
extern "C" __global__ void __launch_bounds__(128) vectors(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<14>, Int<14>, Int<32>>, Shape<Shape<Int<8>, Int<8>>, Int<3>, Int<3>>>, Stride<Stride<Int<64>, Int<1024>, Int<16384>>, Stride<Stride<Int<1>, Int<8>>, Int<64>, Int<1024>>>>{};
  auto x0 = l(bx, make_coord(make_coord(Int<0>{}, Int<0>{}), by, Int<1>{}));
  auto x1 = l(bx, make_coord(make_coord(Int<0>{}, Int<2>{}), by, Int<1>{}));
  auto x2 = l(bx, make_coord(make_coord(Int<0>{}, Int<4>{}), by, Int<1>{}));
  auto x3 = l(bx, make_coord(make_coord(Int<0>{}, Int<6>{}), by, Int<1>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// All taps of one pixel, in a loop.
extern "C" __global__ void __launch_bounds__(64) taps(int const* a_data, int n, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Shape<Int<14>, Int<14>, Int<32>>, Shape<Int<64>, Shape<Int<3>, Int<3>>>>, Stride<Stride<Int<64>, Int<1024>, Int<16384>>, Stride<Int<1>, Stride<Int<64>, Int<1024>>>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    int x = a(bx, make_coord(t, k));
    sum += x;
  }
  out[0] = sum;
}

// Every element of one row of the GEMM, in a loop.
extern "C" __global__ void __launch_bounds__(64) depth_loop(int const* a_data, int n, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Shape<Int<14>, Int<14>, Int<32>>, Shape<Int<64>, Int<3>, Int<3>>>, Stride<Stride<Int<64>, Int<1024>, Int<16384>>, Stride<Int<1>, Int<64>, Int<1024>>>>{});
  auto bx = blockIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    int x = a(bx, k);
    sum += x;
  }
  out[0] = sum;
}

// A convolution of stride 2.
extern "C" __global__ void __launch_bounds__(64) strided(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<7>, Int<7>, Int<32>>, Shape<Int<64>, Int<3>, Int<3>>>, Stride<Stride<Int<128>, Int<2048>, Int<16384>>, Stride<Int<1>, Int<64>, Int<1024>>>>{};
  auto x0 = l(bx, t);
  out[0] = x0;
}

// A one-dimensional convolution: windows overlap.
extern "C" __global__ void __launch_bounds__(128) one_dimensional(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<128>, Int<32>>, Int<5>>, Stride<Stride<Int<1>, Int<132>>, Int<1>>>{};
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  auto x4 = l(t, Int<4>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
  out[4] = x4;
}

// 128 consecutive rows of the GEMM, a thread each.
extern "C" __global__ void __launch_bounds__(128) threads(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto l = zipped_divide(Layout<Shape<Shape<Int<16>, Int<16>, Int<32>>, Int<64>>, Stride<Stride<Int<64>, Int<1152>, Int<20736>>, Int<1>>>{}, Shape<Int<128>, Int<64>>{});
  auto x0 = l(make_coord(t, Int<0>{}), make_coord(bx, Int<0>{}));
  out[0] = x0;
}
