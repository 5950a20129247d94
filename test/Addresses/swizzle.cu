// Addresses in swizzled shared memory.
// Each kernel has its counterpart in swizzle.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// Rows of 128 bytes of half precision: eight threads a row, a vector of eight each.
extern "C" __global__ void __launch_bounds__(128) rows_128b(int* out) {
  auto t = threadIdx.x;
  auto l = composition(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Int<64>>, Stride<Int<64>, Int<1>>>{}), Layout<Shape<Shape<Int<8>, Int<16>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<512>, Int<1>>, Stride<Int<64>, Int<16>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<2>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<3>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// Rows of 64 bytes, which S<2,3,3> swizzles.
extern "C" __global__ void __launch_bounds__(128) rows_64b(int* out) {
  auto t = threadIdx.x;
  auto l = composition(composition(Swizzle<2, 3, 3>{}, Layout<Shape<Int<128>, Int<32>>, Stride<Int<32>, Int<1>>>{}), Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<2>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<3>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The same pattern in bytes, as tensor maps and descriptors state it.
extern "C" __global__ void __launch_bounds__(128) bytes_128b(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Swizzle<3, 4, 3>{}, Layout<Shape<Int<128>, Shape<Int<16>, Int<8>>>, Stride<Int<128>, Stride<Int<1>, Int<16>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<2>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<7>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// A tile whose columns are contiguous.
extern "C" __global__ void __launch_bounds__(128) columns(int* out) {
  auto t = threadIdx.x;
  auto l = composition(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Int<64>>, Stride<Int<1>, Int<64>>>{}), Layout<Shape<Shape<Int<8>, Int<16>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<8>, Int<64>>, Stride<Int<1>, Int<1024>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<2>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<3>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// Every element by its number, of a tile of 32 by 32.
extern "C" __global__ void __launch_bounds__(128) element(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<32>, Shape<Int<8>, Int<4>>>, Stride<Int<32>, Stride<Int<1>, Int<8>>>>{});
  auto x0 = l(t);
  out[0] = x0;
}

// A swizzled tile in one of four stages.
extern "C" __global__ void __launch_bounds__(64) stage(int* out) {
  auto t = threadIdx.x;
  auto by = blockIdx.y;
  auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Shape<Int<8>, Int<8>>, Int<4>>, Stride<Int<64>, Stride<Int<1>, Int<8>>, Int<4096>>>{});
  auto x0 = l(t, make_coord(Int<0>{}, Int<0>{}), by);
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}), by);
  auto x2 = l(t, make_coord(Int<0>{}, Int<5>{}), by);
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
}

// Eight vectors of one row.
extern "C" __global__ void __launch_bounds__(64) wide_steps(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Shape<Int<8>, Int<8>>>, Stride<Int<64>, Stride<Int<1>, Int<8>>>>{});
  auto x0 = l(t, make_coord(Int<0>{}, Int<0>{}));
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<2>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<3>{}));
  auto x4 = l(t, make_coord(Int<0>{}, Int<4>{}));
  auto x5 = l(t, make_coord(Int<0>{}, Int<5>{}));
  auto x6 = l(t, make_coord(Int<0>{}, Int<6>{}));
  auto x7 = l(t, make_coord(Int<0>{}, Int<7>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
  out[4] = x4;
  out[5] = x5;
  out[6] = x6;
  out[7] = x7;
}

// A swizzled tile at the element that a thread-value layout names.
extern "C" __global__ void __launch_bounds__(128) applied_twice(int* out) {
  auto t = threadIdx.x;
  auto which = Layout<Shape<Shape<Int<8>, Int<16>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<512>, Int<1>>, Stride<Int<64>, Int<16>>>>{};
  auto where = composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Int<64>>, Stride<Int<64>, Int<1>>>{});
  auto e = which(t, Int<0>{});
  auto x = where(e);
  out[0] = x;
}
