// Addresses of attention.
// Each kernel has its counterpart in attention.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// A block's queries: head and batch from the block, rows and vectors from the thread.
extern "C" __global__ void __launch_bounds__(128) query(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto bz = blockIdx.z;
  auto l = Layout<Shape<Shape<Int<8>, Int<16>>, Shape<Int<1>, Int<128>>, Shape<Int<16>, Int<4>>>, Stride<Stride<Int<16>, Int<2048>>, Stride<Int<1>, Int<32768>>, Stride<Int<128>, Int<4194304>>>>{};
  auto x0 = l(t, make_coord(Int<0>{}, bx), make_coord(by, bz));
  out[0] = x0;
}

// Eight query heads share one of keys.
extern "C" __global__ void __launch_bounds__(128) grouped_heads(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<16>, Int<8>>, Shape<Shape<Int<4>, Int<8>>, Int<128>>>, Stride<Stride<Int<8>, Int<1024>>, Stride<Stride<Int<0>, Int<128>>, Int<131072>>>>{};
  auto x0 = l(t, make_coord(by, bx));
  out[0] = x0;
}

// The thread's element of every block of keys, in a loop.
extern "C" __global__ void __launch_bounds__(128) keys(int const* keys_data, int n, int* out) {
  auto keys = make_tensor(make_gmem_ptr(keys_data), Layout<Shape<Shape<Int<16>, Int<8>>, Shape<Int<32>, Shape<Int<16>, Int<4>>>>, Stride<Stride<Int<8>, Int<2048>>, Stride<Int<131072>, Stride<Int<128>, Int<4194304>>>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  int sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    int x = keys(t, make_coord(j, make_coord(bx, by)));
    sum += x;
  }
  out[0] = sum;
}

// Queries, keys and values packed in one row: three offsets of one element.
extern "C" __global__ void __launch_bounds__(128) packed(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<128>, Int<16>>, Shape<Int<16>, Int<3>>, Int<4>>, Stride<Stride<Int<1>, Int<6144>>, Stride<Int<128>, Int<2048>>, Int<98304>>>{};
  auto x0 = l(t, make_coord(bx, Int<0>{}), by);
  auto x1 = l(t, make_coord(bx, Int<1>{}), by);
  auto x2 = l(t, make_coord(bx, Int<2>{}), by);
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
}

// Values, read transposed from swizzled shared memory.
extern "C" __global__ void __launch_bounds__(128) values_transposed(int* out) {
  auto t = threadIdx.x;
  auto l = composition(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<64>, Int<64>>, Stride<Int<1>, Int<64>>>{}), Layout<Shape<Shape<Int<4>, Int<8>, Int<4>>, Shape<Int<2>, Int<2>>>, Stride<Stride<Int<2>, Int<64>, Int<16>>, Stride<Int<1>, Int<8>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<2>{});
  out[0] = x0;
  out[1] = x1;
}

// The two halves of a rotated pair.
extern "C" __global__ void __launch_bounds__(64) rotary(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Int<64>, Int<2>, Shape<Int<16>, Int<512>>>, Stride<Int<1>, Int<64>, Stride<Int<128>, Int<2048>>>>{};
  auto x0 = l(t, Int<0>{}, make_coord(bx, by));
  auto x1 = l(t, Int<1>{}, make_coord(bx, by));
  out[0] = x0;
  out[1] = x1;
}

// The rows whose maxima a thread keeps, of 64 rows over four warps.
extern "C" __global__ void __launch_bounds__(128) row_statistics(int* out) {
  auto t = threadIdx.x;
  auto l = Layout<Shape<Shape<Int<4>, Int<8>, Int<4>>, Int<2>>, Stride<Stride<Int<0>, Int<1>, Int<16>>, Int<8>>>{};
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  out[0] = x0;
  out[1] = x1;
}

// The elements of the scores that a thread holds, as operand of the second product.
extern "C" __global__ void __launch_bounds__(128) scores(int* out) {
  auto t = threadIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Shape<Int<4>, Int<8>, Int<4>>, Shape<Shape<Int<2>, Int<2>, Int<2>>, Int<4>>>, Stride<Stride<Int<128>, Int<1>, Int<16>>, Stride<Stride<Int<64>, Int<8>, Int<512>>, Int<1024>>>>{};
  auto x0 = l(t, make_coord(make_coord(Int<0>{}, Int<0>{}, Int<0>{}), by));
  auto x1 = l(t, make_coord(make_coord(Int<0>{}, Int<1>{}, Int<0>{}), by));
  auto x2 = l(t, make_coord(make_coord(Int<0>{}, Int<0>{}, Int<1>{}), by));
  auto x3 = l(t, make_coord(make_coord(Int<0>{}, Int<1>{}, Int<1>{}), by));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The same elements in a row-major matrix: a layout applied to another's value.
extern "C" __global__ void __launch_bounds__(128) scores_in_matrix(int* out) {
  auto t = threadIdx.x;
  auto by = blockIdx.y;
  auto which = Layout<Shape<Shape<Int<4>, Int<8>, Int<4>>, Shape<Shape<Int<2>, Int<2>, Int<2>>, Int<4>>>, Stride<Stride<Int<128>, Int<1>, Int<16>>, Stride<Stride<Int<64>, Int<8>, Int<512>>, Int<1024>>>>{};
  auto where = Layout<Shape<Int<64>, Int<64>>, Stride<Int<64>, Int<1>>>{};
  auto e0 = which(t, make_coord(make_coord(Int<0>{}, Int<0>{}, Int<0>{}), by));
  auto e1 = which(t, make_coord(make_coord(Int<0>{}, Int<1>{}, Int<0>{}), by));
  auto x0 = where(e0);
  auto x1 = where(e1);
  out[0] = x0;
  out[1] = x1;
}
