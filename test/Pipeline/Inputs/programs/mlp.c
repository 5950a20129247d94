/* Runs mlp.mlir as compiled by `layout-compile mlp.mlir -o mlp.so`: x is all ones, w1 is 1/256, b1 is -0.5, w2 is 1/512, so that
 * each element of y is 0.5. Once by launches, once as a CUDA graph. Exit codes: 0 right, 1 wrong, 3 no GPU. */
#include "mlp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(layout_status status) {
  printf("%s\n", layout_last_error());
  return status == LAYOUT_ERROR_NO_GPU ? 3 : 1;
}

#define TRY(call)                              \
  do {                                         \
    layout_status status = (call);             \
    if (status != LAYOUT_OK) return fail(status); \
  } while (0)

/* Device memory with `count` elements of `bytes` bytes, each this one. */
static layout_status filled(size_t count, const void *element, size_t bytes, void **memory) {
  char *host = malloc(count * bytes);
  for (size_t i = 0; i < count; i++) memcpy(host + i * bytes, element, bytes);
  layout_status status = layout_device_allocate(0, count * bytes, memory);
  if (status == LAYOUT_OK) status = layout_copy_to_device(0, *memory, host, count * bytes);
  free(host);
  return status;
}

int main(void) {
  const int64_t rows = 77;
  layout_executable *executable;
  TRY(mlp_load(0, &executable));
  const layout_bf16 one = 0x3F80, w1 = 0x3B80, w2 = 0x3B00, none = 0xFFFF;
  const float b1 = -0.5f;
  const int64_t shapes[5][2] = {{rows, 256}, {256, 512}, {512, 0}, {512, 128}, {rows, 128}};
  void *memory[5];
  TRY(filled(rows * 256, &one, 2, &memory[0]));
  TRY(filled(256 * 512, &w1, 2, &memory[1]));
  TRY(filled(512, &b1, 4, &memory[2]));
  TRY(filled(512 * 128, &w2, 2, &memory[3]));
  TRY(filled(rows * 128, &none, 2, &memory[4]));
  layout_tensor tensors[5];
  for (int i = 0; i < 5; i++) tensors[i] = (layout_tensor){memory[i], shapes[i], i == 2 ? 1 : 2};
  const layout_program *program;
  TRY(layout_executable_program(executable, "mlp", &program));
  int64_t shape[2];
  TRY(layout_program_result_shape(program, tensors, 4, 0, shape));
  if (shape[0] != rows || shape[1] != 128) return 1;
  size_t wrong = 0;
  layout_bf16 *y = malloc(rows * 128 * 2);
  for (int turn = 0; turn < 2; turn++) {
    if (turn == 0) {
      TRY(mlp(executable, NULL, tensors, tensors + 4));
    } else {
      TRY(layout_copy_to_device(0, memory[4], memset(y, 0xFF, rows * 128 * 2), rows * 128 * 2));
      layout_graph *graph;
      TRY(layout_program_capture(program, tensors, 4, tensors + 4, 1, &graph));
      TRY(layout_graph_launch(graph, NULL));
      TRY(layout_copy_from_device(0, y, memory[4], rows * 128 * 2)); /* Waits, before the graph is freed. */
      layout_graph_free(graph);
    }
    TRY(layout_copy_from_device(0, y, memory[4], rows * 128 * 2));
    for (int64_t i = 0; i < rows * 128; i++) wrong += y[i] != 0x3F00;
  }
  printf("%zu of %lld elements are wrong\n", wrong, (long long)(2 * rows * 128));
  layout_executable_free(executable);
  return wrong != 0;
}
