/* Launches a family of kernels of any number of rows, and checks each element of each result.
 *
 * Exits with 0 when all are right, with 3 when there is no GPU, and else with 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MOST = 5000, N = 24, K = 40 };

static float a[MOST * K], b[N * K], c[(MOST + 1) * N];

/* Ends the program where a call fails. */
static void check(layout_status status) {
  if (status == LAYOUT_OK) return;
  fprintf(stderr, "%s\n", layout_last_error());
  exit(status == LAYOUT_ERROR_NO_GPU ? 3 : 1);
}

/* How many elements of a result of m rows are wrong, or written past it. */
static int wrong(int m) {
  int found = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int k = 0; k < K; k++) sum += a[i * K + k] * b[j * K + k];
      found += c[i * N + j] != sum;
    }
  for (int j = 0; j < N; j++) found += c[m * N + j] != -1;
  return found;
}

int main(void) {
  void *on_device[3];
  size_t bytes[3] = {sizeof a, sizeof b, sizeof c};
  for (int i = 0; i < 3; i++) check(layout_device_allocate(0, bytes[i], &on_device[i]));
  /* Small integers, whose sums are exact. */
  for (int i = 0; i < MOST * K; i++) a[i] = (float)(rand() % 17 - 8);
  for (int i = 0; i < N * K; i++) b[i] = (float)(rand() % 17 - 8);
  check(layout_copy_to_device(0, on_device[0], a, sizeof a));
  check(layout_copy_to_device(0, on_device[1], b, sizeof b));

  layout_executable *kernels;
  const layout_kernel *family;
  check(rows_load(0, &kernels));
  check(layout_executable_kernel(kernels, "gemm", &family));
  int64_t least, most, divisor, many = 100;
  size_t workspace;
  check(layout_kernel_size_range(family, 0, &least, &most, &divisor));
  check(layout_kernel_workspace_bytes(family, &many, 1, &workspace));
  printf("%zu size: %s from %d to %d, a multiple of %d; %zu bytes of workspace\n", layout_kernel_size_count(family),
         layout_kernel_size_name(family, 0), (int)least, (int)most, (int)divisor, workspace);

  int rows[] = {1, 7, 64, 65, 100, 1000, 5000, 7, 100};
  int all = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int j = 0; j < (MOST + 1) * N; j++) c[j] = -1;
    check(layout_copy_to_device(0, on_device[2], c, sizeof c));
    check(gemm(kernels, NULL, on_device[0], on_device[1], on_device[2], rows[i]));
    check(layout_copy_from_device(0, c, on_device[2], sizeof c));
    all += wrong(rows[i]);
  }
  const char *expected = "launch: family gemm, size m: expected 1 to 65536, found 65537";
  if (gemm(kernels, NULL, on_device[0], on_device[1], on_device[2], 65537) != LAYOUT_ERROR_ARGUMENT ||
      strcmp(layout_last_error(), expected) != 0) {
    fprintf(stderr, "%s\n", layout_last_error());
    return 1;
  }
  for (int i = 0; i < 3; i++) check(layout_device_free(0, on_device[i]));
  layout_executable_free(kernels);
  printf("%d elements are wrong\n", all);
  return all != 0;
}
