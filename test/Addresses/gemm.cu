// Addresses of tiled GEMMs.
// Each kernel has its counterpart in gemm.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// One element of a block's tile of A, as 128 threads divide it in vectors of 8.
extern "C" __global__ void __launch_bounds__(128) copy_one(int const* a_data, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Int<1024>, Int<512>>, Stride<Int<512>, Int<1>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto tiles = zipped_divide(a, Shape<Int<128>, Int<32>>{});
  auto tile = tiles(make_coord(_, _), make_coord(bx, by));
  auto threads = composition(tile, Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
  int x = threads(t, Int<0>{});
  out[0] = x;
}

// The first element of each of the thread's four vectors.
extern "C" __global__ void __launch_bounds__(128) copy_vectors(int const* a_data, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Int<1024>, Int<512>>, Stride<Int<512>, Int<1>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto tiles = zipped_divide(a, Shape<Int<128>, Int<32>>{});
  auto tile = tiles(make_coord(_, _), make_coord(bx, by));
  auto threads = composition(tile, Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
  int x0 = threads(t, make_coord(Int<0>{}, Int<0>{}));
  int x1 = threads(t, make_coord(Int<0>{}, Int<1>{}));
  int x2 = threads(t, make_coord(Int<0>{}, Int<2>{}));
  int x3 = threads(t, make_coord(Int<0>{}, Int<3>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The same element of every tile along K.
extern "C" __global__ void __launch_bounds__(128) k_loop(int const* a_data, int n, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), Layout<Shape<Int<1024>, Int<512>>, Stride<Int<512>, Int<1>>>{});
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto tiles = zipped_divide(a, Shape<Int<128>, Int<32>>{});
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    auto tile = tiles(make_coord(_, _), make_coord(bx, k));
    auto threads = composition(tile, Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
    int x = threads(t, Int<0>{});
    sum += x;
  }
  out[0] = sum;
}

// The four elements of an m16n8 accumulator in a row-major C.
extern "C" __global__ void __launch_bounds__(32) accumulator(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = composition(Layout<Shape<Int<16>, Int<8>>, Stride<Int<512>, Int<1>>>{}, Layout<Shape<Shape<Int<4>, Int<8>>, Shape<Int<2>, Int<2>>>, Stride<Stride<Int<32>, Int<1>>, Stride<Int<16>, Int<8>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The four elements of an m16n8 accumulator in a column-major C.
extern "C" __global__ void __launch_bounds__(32) accumulator_column(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Layout<Shape<Int<16>, Int<8>>, Stride<Int<1>, Int<512>>>{}, Layout<Shape<Shape<Int<4>, Int<8>>, Shape<Int<2>, Int<2>>>, Stride<Stride<Int<32>, Int<1>>, Stride<Int<16>, Int<8>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// The vectors of an A fragment of m16n8k16 in swizzled shared memory.
extern "C" __global__ void __launch_bounds__(32) a_fragment(int* out) {
  auto t = threadIdx.x;
  auto l = composition(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<16>, Int<64>>, Stride<Int<64>, Int<1>>>{}), Layout<Shape<Shape<Int<4>, Int<8>>, Shape<Int<2>, Int<2>, Int<2>>>, Stride<Stride<Int<32>, Int<1>>, Stride<Int<16>, Int<8>, Int<128>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, make_coord(Int<0>{}, Int<1>{}, Int<0>{}));
  auto x2 = l(t, make_coord(Int<0>{}, Int<0>{}, Int<1>{}));
  auto x3 = l(t, make_coord(Int<0>{}, Int<1>{}, Int<1>{}));
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// Four warps side by side: lane and warp of a thread, to C's first element.
extern "C" __global__ void __launch_bounds__(128) warps(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Layout<Shape<Int<32>, Int<16>>, Stride<Int<512>, Int<1>>>{}, Layout<Shape<Shape<Int<4>, Int<8>, Int<2>, Int<2>>, Shape<Int<2>, Int<2>>>, Stride<Stride<Int<64>, Int<1>, Int<16>, Int<256>>, Stride<Int<32>, Int<8>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<2>{});
  out[0] = x0;
  out[1] = x1;
}

// The rows that ldmatrix.x4 requires, for four steps along K.
extern "C" __global__ void __launch_bounds__(32) ldmatrix_rows(int* out) {
  auto t = threadIdx.x;
  auto l = composition(Swizzle<3, 3, 3>{}, Layout<Shape<Shape<Int<16>, Int<2>>, Int<4>>, Stride<Stride<Int<64>, Int<8>>, Int<16>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// A ring of three stages: tile k lies in stage k modulo 3.
extern "C" __global__ void __launch_bounds__(128) stages(int* out) {
  auto t = threadIdx.x;
  auto by = blockIdx.y;
  auto l = Layout<Shape<Int<128>, Shape<Int<3>, Int<64>>>, Stride<Int<32>, Stride<Int<4096>, Int<0>>>>{};
  auto x0 = l(t, by);
  out[0] = x0;
}

// Blocks in columns of eight tiles: the tile's place from the block's number.
extern "C" __global__ void __launch_bounds__(128) raster(int* out) {
  auto bx = blockIdx.x;
  auto l = Layout<Shape<Shape<Int<8>, Int<64>, Int<16>>, Int<1>>, Stride<Stride<Int<65536>, Int<128>, Int<524288>>, Int<0>>>{};
  auto x0 = l(bx, Int<0>{});
  out[0] = x0;
}

// A layout applied to another's value: which element of the tile, then where it lies.
extern "C" __global__ void __launch_bounds__(128) applied_twice(int* out) {
  auto t = threadIdx.x;
  auto which = Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{};
  auto where = Layout<Shape<Int<128>, Int<32>>, Stride<Int<512>, Int<1>>>{};
  auto e = which(t, Int<0>{});
  auto x = where(e);
  out[0] = x;
}

// A tile of 96 by 48, divided by 3 times 32 threads.
extern "C" __global__ void __launch_bounds__(96) odd_tile(int* out) {
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto l = zipped_divide(Layout<Shape<Int<960>, Int<480>>, Stride<Int<480>, Int<1>>>{}, Shape<Int<96>, Int<48>>{});
  auto x0 = l(t, make_coord(bx, by));
  out[0] = x0;
}
