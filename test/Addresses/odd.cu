// Extents that are no powers of two, where LLVM cannot see through divisions.
// Each kernel has its counterpart in odd.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// A tile of 96 by 48: which element, then where it lies.
extern "C" __global__ void __launch_bounds__(96) tile_twice(int* out) {
  auto t = threadIdx.x;
  auto which = Layout<Shape<Shape<Int<6>, Int<16>>, Shape<Int<8>, Int<6>>>, Stride<Stride<Int<768>, Int<1>>, Stride<Int<96>, Int<16>>>>{};
  auto where = Layout<Shape<Int<96>, Int<48>>, Stride<Int<48>, Int<1>>>{};
  auto e = which(t, Int<0>{});
  auto x = where(e);
  out[0] = x;
}

// The same, for three steps down the tile.
extern "C" __global__ void __launch_bounds__(96) tile_twice_steps(int* out) {
  auto t = threadIdx.x;
  auto which = Layout<Shape<Shape<Int<6>, Int<16>>, Shape<Int<8>, Int<6>>>, Stride<Stride<Int<768>, Int<1>>, Stride<Int<96>, Int<16>>>>{};
  auto where = Layout<Shape<Int<96>, Int<48>>, Stride<Int<48>, Int<1>>>{};
  auto e0 = which(t, make_coord(Int<0>{}, Int<0>{}));
  auto x0 = where(e0);
  auto e1 = which(t, make_coord(Int<0>{}, Int<1>{}));
  auto x1 = where(e1);
  auto e2 = which(t, make_coord(Int<0>{}, Int<2>{}));
  auto x2 = where(e2);
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
}

// A coordinate of 12 by 8, and its offset in a layout of the same shape whose first mode is contiguous.
extern "C" __global__ void __launch_bounds__(96) round_trip(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto c = idx2crd(t, Shape<Int<12>, Int<8>>{});
  auto l = Layout<Shape<Int<12>, Int<8>>, Stride<Int<1>, Int<12>>>{};
  auto x = l(get<0>(c), get<1>(c));
  out[0] = x;
}

// The same in rows of 13.
extern "C" __global__ void __launch_bounds__(96) round_trip_padded(int* out) {
  auto t = threadIdx.x;
  auto c = idx2crd(t, Shape<Int<12>, Int<8>>{});
  auto l = Layout<Shape<Int<12>, Int<8>>, Stride<Int<1>, Int<13>>>{};
  auto x = l(get<0>(c), get<1>(c));
  out[0] = x;
}

// Forty heads of 80, five of which share one of keys: query and key of one element.
extern "C" __global__ void __launch_bounds__(80) heads(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<80>, Shape<Int<5>, Int<8>>>, Int<4096>, Int<2>>, Stride<Stride<Int<1>, Stride<Int<80>, Int<400>>>, Int<3200>, Int<0>>>{};
  auto x0 = l(make_coord(t, bx), by, Int<0>{});
  out[0] = x0;
}

// The keys' offset for a head of the queries.
extern "C" __global__ void __launch_bounds__(80) shared_keys(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<80>, Shape<Int<5>, Int<8>>>, Int<4096>>, Stride<Stride<Int<1>, Stride<Int<0>, Int<80>>>, Int<640>>>{};
  auto x0 = l(make_coord(t, bx), by);
  out[0] = x0;
}

// A ring of three stages in a loop.
extern "C" __global__ void __launch_bounds__(96) ring(int const* a_data, int n, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Int<96>, Shape<Int<3>, Int<1024>>>, Stride<Int<1>, Stride<Int<96>, Int<0>>>>{});
  auto t = threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    int x = a(t, k);
    sum += x;
  }
  out[0] = sum;
}

// Windows of 7 by 7 in an image of 56 by 56: pixel of the window from the thread, window from the block; a layout applied to another's value.
extern "C" __global__ void __launch_bounds__(49) windows(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto which = Layout<Shape<Shape<Int<7>, Int<7>>, Shape<Int<8>, Int<8>>>, Stride<Stride<Int<1>, Int<56>>, Stride<Int<7>, Int<392>>>>{};
  auto where = Layout<Shape<Shape<Int<56>, Int<56>>>, Stride<Stride<Int<96>, Int<5376>>>>{};
  auto e = which(t, bx);
  auto x = where(e);
  out[0] = x;
}
