/* Runs the functions of steps.mlir, compiled to steps.so, on the device; a fake driver prints its calls. */
#include "steps.h"

#include <stdio.h>

#define TRY(call)                                                        \
  do {                                                                   \
    if ((call) != LAYOUT_OK) return printf("%s\n", layout_last_error()); \
  } while (0)

int main(void) {
  layout_executable *first, *executable;
  TRY(steps_load(0, &first));
  TRY(steps_load(0, &executable)); /* the driver has one pool of workspaces for both */
  layout_executable_free(first);
  const int64_t three[2] = {3, 64}, columns[1] = {64}, two[1] = {2};
  void *memory[5];
  const size_t bytes[5] = {40 * 8 * 4, 64 * 4, 64 * 4, 1, 8};
  for (int i = 0; i < 5; i++) TRY(layout_device_allocate(0, bytes[i], &memory[i]));
  const layout_tensor x = {memory[0], three, 2}, sum = {memory[1], columns, 1}, y = {memory[2], columns, 1};
  printf("three rows\n");
  fflush(stdout);
  TRY(rows(executable, NULL, &x, &sum));
  const layout_tensor given[3] = {sum, {memory[3], NULL, 0}, {memory[4], two, 1}};
  const char flags[2] = {1, 0};
  const int32_t counts[2][2] = {{-1, 2}, {-1, 0}};
  for (int i = 0; i < 2; i++) {
    TRY(layout_copy_to_device(0, memory[3], &flags[i], 1));
    TRY(layout_copy_to_device(0, memory[4], counts[i], 8));
    printf("flag %d, %d rounds\n", flags[i], counts[i][1]);
    TRY(conditional(executable, NULL, given, &y));
  }
  const int64_t number = 7, whole[2] = {40, 8}, eight[1] = {8};
  TRY(layout_copy_to_device(0, memory[4], &number, 8));
  const layout_tensor part_of[2] = {{memory[0], whole, 2}, {memory[4], NULL, 0}}, columns_of = {memory[1], eight, 1};
  printf("14 rows after 7\n");
  TRY(part(executable, NULL, part_of, &columns_of));
  const layout_program *program;
  TRY(layout_executable_program(executable, "conditional", &program));
  layout_graph *graph;
  if (layout_program_capture(program, given, 3, &y, 1, &graph) != LAYOUT_OK) printf("%s\n", layout_last_error());
  return 0;
}
