/* A program that launches a compiled matmul, and checks each element of its result.
 *
 * The README beside this folder has the commands that compile it and `gemm.mlir`.
 *
 * Exits with 0 when the result is right, with 3 when there is no GPU, and else with 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gemm_kernels.h"

enum { M = 384, N = 512, K = 256 };

static int8_t a[M * K], b[N * K];
static int32_t c[M * N];

/* Ends the program where a call fails. */
static void check(layout_status status) {
  if (status == LAYOUT_OK) return;
  fprintf(stderr, "%s\n", layout_last_error());
  exit(status == LAYOUT_ERROR_NO_GPU ? 3 : 1);
}

int main(void) {
  void *on_device[3];
  size_t bytes[3] = {sizeof a, sizeof b, sizeof c};
  for (int i = 0; i < 3; i++) check(layout_device_allocate(0, bytes[i], &on_device[i]));
  for (int i = 0; i < M * K; i++) a[i] = (int8_t)(rand() % 256 - 128);
  for (int i = 0; i < N * K; i++) b[i] = (int8_t)(rand() % 256 - 128);
  check(layout_copy_to_device(0, on_device[0], a, sizeof a));
  check(layout_copy_to_device(0, on_device[1], b, sizeof b));

  layout_executable *kernels;
  check(gemm_kernels_load(0, &kernels));
  check(gemm(kernels, NULL, on_device[0], on_device[1], on_device[2]));
  check(layout_copy_from_device(0, c, on_device[2], sizeof c));

  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int32_t sum = 0;
      for (int k = 0; k < K; k++) sum += a[i * K + k] * b[j * K + k];
      wrong += c[i * N + j] != sum;
    }
  for (int i = 0; i < 3; i++) check(layout_device_free(0, on_device[i]));
  layout_executable_free(kernels);
  printf("%d of %d elements are wrong\n", wrong, M * N);
  return wrong != 0;
}
