// Layouts whose extents and strides are arguments of the kernel.
// Each kernel has its counterpart in dynamic.mlir; README.md explains what is counted.

#include <cute/tensor.hpp>

using namespace cute;

// An element of a row-major matrix.
extern "C" __global__ void __launch_bounds__(128) element(int const* a_data, int m, int k, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(k, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  int x = a(bx, t);
  out[0] = x;
}

// An element of a matrix with a pitch, four rows down.
extern "C" __global__ void __launch_bounds__(128) pitched(int const* a_data, int m, int k, int pitch, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(pitch, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  int x0 = a(bx, t);
  int x1 = a(bx + 4, t);
  out[0] = x0;
  out[1] = x1;
}

// One element of a block's tile of A, as 128 threads divide it in vectors of 8.
extern "C" __global__ void __launch_bounds__(128) tile(int const* a_data, int m, int k, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(k, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto tiles = zipped_divide(a, Shape<Int<128>, Int<32>>{});
  auto tile = tiles(make_coord(_, _), make_coord(bx, by));
  auto threads = composition(tile, Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
  int x = threads(t, Int<0>{});
  out[0] = x;
}

// The same element of every tile along K.
extern "C" __global__ void __launch_bounds__(128) k_loop(int const* a_data, int m, int k, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(k, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto tiles = zipped_divide(a, Shape<Int<128>, Int<32>>{});
  int n = size<1, 1>(tiles);
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    auto tile = tiles(make_coord(_, _), make_coord(bx, i));
    auto threads = composition(tile, Layout<Shape<Shape<Int<4>, Int<32>>, Shape<Int<8>, Int<4>>>, Stride<Stride<Int<1024>, Int<1>>, Stride<Int<128>, Int<32>>>>{});
    int x = threads(t, Int<0>{});
    sum += x;
  }
  out[0] = sum;
}

// A thread's slice of a tile of 32 by 4, repeated over the matrix: its element of one of the tiles.
extern "C" __global__ void __launch_bounds__(128) partition(int const* a_data, int m, int k, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(k, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto mine = local_partition(a, Layout<Shape<Int<32>, Int<4>>, Stride<Int<4>, Int<1>>>{}, t);
  int x = mine(bx, by);
  out[0] = x;
}

// The four elements of an m16n8 accumulator in a row-major C with a pitch.
extern "C" __global__ void __launch_bounds__(32) accumulator(int pitch, int* out) {
  auto t = threadIdx.x;
  auto l = composition(make_layout(Shape<Int<16>, Int<8>>{}, make_stride(pitch, Int<1>{})), Layout<Shape<Shape<Int<4>, Int<8>>, Shape<Int<2>, Int<2>>>, Stride<Stride<Int<32>, Int<1>>, Stride<Int<16>, Int<8>>>>{});
  auto x0 = l(t, Int<0>{});
  auto x1 = l(t, Int<1>{});
  auto x2 = l(t, Int<2>{});
  auto x3 = l(t, Int<3>{});
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

// A query of a batch of sequences: strides of the batch, the sequence and the heads are arguments.
extern "C" __global__ void __launch_bounds__(128) query(int const* q_data, int b, int s, int h, int db, int ds, int dh, int* out) {
  auto q = make_tensor(make_gmem_ptr(q_data), make_layout(make_shape(b, s, h, Int<128>{}), make_stride(db, ds, dh, Int<1>{})));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto bz = blockIdx.z;
  int x = q(bz, bx, by, t);
  out[0] = x;
}

// An element by its number in the matrix, which is stored with a pitch.
extern "C" __global__ void __launch_bounds__(128) by_number(int const* a_data, int m, int k, int pitch, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(m, k), make_stride(Int<1>{}, pitch)));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  int x = a(bx * 128 + t);
  out[0] = x;
}

// A transposed tile: read along the columns, its number along the rows.
extern "C" __global__ void __launch_bounds__(256) transposed(int const* a_data, int m, int k, int* out) {
  auto a = make_tensor(make_gmem_ptr(a_data), make_layout(make_shape(k, m), make_stride(Int<1>{}, k)));
  auto t = threadIdx.x;
  auto bx = blockIdx.x;
  auto by = blockIdx.y;
  auto tiles = zipped_divide(a, Shape<Int<32>, Int<32>>{});
  auto tile = tiles(make_coord(_, _), make_coord(bx, by));
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
