/* layout_runtime.h: launch compiled layout kernels from a program.
 *
 * layout-translate writes code (PTX, or a cubin made of it) and a manifest, which says how its kernels are launched: grid,
 * shared memory, tensor maps, workspaces, and the steps before and behind a kernel. An executable is both on a device.
 *
 *     layout_executable *gemms;
 *     const layout_kernel *gemm;
 *     if (layout_executable_load(0, ptx, strlen(ptx), manifest, &gemms) != LAYOUT_OK ||
 *         layout_executable_kernel(gemms, "gemm", &gemm) != LAYOUT_OK)
 *       fprintf(stderr, "%s\n", layout_last_error());
 *     void *pointers[] = {a, b, c};
 *     layout_kernel_launch(gemm, stream, pointers, 3, NULL, 0);
 *
 * A kernel may take sizes at run time, such as the rows of `a` and `c`:
 *
 *     int64_t sizes[] = {rows};
 *     layout_kernel_launch(gemm, stream, pointers, 3, sizes, 1);
 *
 * Every function may be called from any thread and leaves the thread's current CUDA context as it was. The CUDA driver is
 * opened at run time: a program links with liblayout_runtime alone, and starts on a machine without a GPU.
 */
#ifndef LAYOUT_RUNTIME_H
#define LAYOUT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call says. Where it is not LAYOUT_OK, layout_last_error() has the text. */
typedef enum layout_status {
  LAYOUT_OK = 0,
  LAYOUT_ERROR_ARGUMENT = 1, /* null where something is expected, pointers or sizes of the wrong number, alignment or range */
  LAYOUT_ERROR_MANIFEST = 2, /* a manifest that is none, of another version, or that contradicts itself */
  LAYOUT_ERROR_NO_GPU = 3,   /* no CUDA driver, or no such device */
  LAYOUT_ERROR_DRIVER = 4,   /* the driver refused a call */
  LAYOUT_ERROR_CODE = 5,     /* the driver refused the code; the text has its assembler's log */
  LAYOUT_ERROR_INTERNAL = 6  /* a defect of this library */
} layout_status;

/* Elements that C has no type for, by their bits: binary16, bfloat16, and 8 bits with 4 or 5 of exponent. */
typedef uint16_t layout_f16;
typedef uint16_t layout_bf16;
typedef uint8_t layout_f8e4m3;
typedef uint8_t layout_f8e5m2;

/* Code on a device. */
typedef struct layout_executable layout_executable;

/* A kernel of it, or a family of kernels of which each launch takes one by its sizes. Lives as long as the executable. */
typedef struct layout_kernel layout_kernel;

/* Loads `code_size` bytes of PTX, cubin or fat binary, and the zero-terminated JSON of its manifest, on a device of the
 * driver's numbering. Both may be freed afterwards. */
layout_status layout_executable_load(int device, const void *code, size_t code_size, const char *manifest,
                                     layout_executable **executable);

/* Frees an executable, when nothing of it runs any more. Null is taken. */
void layout_executable_free(layout_executable *executable);

/* A kernel by the name of its function, or a family by its name. */
layout_status layout_executable_kernel(const layout_executable *executable, const char *name,
                                       const layout_kernel **kernel);

/* How many sizes the kernel takes at run time: 0 where all of its are static, and of null. */
size_t layout_kernel_size_count(const layout_kernel *kernel);

/* The name of one of them, which lives as long as the kernel; null where there is none of that number. */
const char *layout_kernel_size_name(const layout_kernel *kernel, size_t number);

/* Which values it may have: `least` to `most`, multiples of `divisor`. Where a place is null, nothing is written. */
layout_status layout_kernel_size_range(const layout_kernel *kernel, size_t number, int64_t *least, int64_t *most,
                                       int64_t *divisor);

/* Bytes of device memory that each launch with these sizes takes for workspaces, and gives back, in order with its stream. */
layout_status layout_kernel_workspace_bytes(const layout_kernel *kernel, const int64_t *sizes, size_t size_count,
                                            size_t *bytes);

/* Starts a kernel on a stream (CUstream and cudaStream_t are the same; null is the default stream) of the executable's
 * device. `pointers` are to device memory, one for each argument in the manifest's order, which must reach as far as the
 * argument's layout says until the stream has done this. `sizes` are those that the kernel takes at run time, in their order;
 * kernels of static sizes take none. Grid, tensor maps and workspaces are computed for them: once, where the last 1,024
 * different sizes are launched again. Returns at once; an error of the kernel itself shows when the stream is waited for. */
layout_status layout_kernel_launch(const layout_kernel *kernel, void *stream, void *const *pointers,
                                   size_t pointer_count, const int64_t *sizes, size_t size_count);

/* A function of a model, which launches kernels in order (layout-compile writes manifests with such). Lives as long as the
 * executable. */
typedef struct layout_program layout_program;

/* A tensor in device memory, in row-major order without gaps: where it starts, and its extents, the slowest first. */
typedef struct layout_tensor {
  void *data;
  const int64_t *shape;
  size_t rank;
} layout_tensor;

/* A program by its name. */
layout_status layout_executable_program(const layout_executable *executable, const char *name,
                                        const layout_program **program);

/* How many tensors it reads, and writes; 0 of null. */
size_t layout_program_argument_count(const layout_program *program);
size_t layout_program_result_count(const layout_program *program);

/* Its rank, or the greatest size_t where there is no result of that number. */
size_t layout_program_result_rank(const layout_program *program, size_t number);

/* The extents of a result of arguments of these shapes (their data is not read, and may be null), as many as its rank. */
layout_status layout_program_result_shape(const layout_program *program, const layout_tensor *arguments,
                                          size_t argument_count, size_t number, int64_t *extents);

/* Bytes of the workspace that each run with arguments of these shapes takes, and gives back, in order with its stream. */
layout_status layout_program_workspace_bytes(const layout_program *program, const layout_tensor *arguments,
                                             size_t argument_count, size_t *bytes);

/* Runs a program on a stream. Results must have the shapes that layout_program_result_shape says. Arguments are read only.
 * Returns at once, unless the program reads integers from memory to decide what comes next: then it waits for those. An error of a kernel
 * itself shows when the stream is waited for. */
layout_status layout_program_run(const layout_program *program, void *stream, const layout_tensor *arguments,
                                 size_t argument_count, const layout_tensor *results, size_t result_count);

/* A run of certain tensors as a CUDA graph, which starts faster. It has a workspace of its own. The rounds of loops are in it one behind the
 * other; a program that reads integers from memory is LAYOUT_ERROR_ARGUMENT. */
typedef struct layout_graph layout_graph;
layout_status layout_program_capture(const layout_program *program, const layout_tensor *arguments,
                                     size_t argument_count, const layout_tensor *results, size_t result_count,
                                     layout_graph **graph);

/* Runs it on a stream: the tensors that were captured are read and written where they lie. */
layout_status layout_graph_launch(const layout_graph *graph, void *stream);

/* Frees a graph, when nothing of it runs any more. Null is taken. Before its executable. */
void layout_graph_free(layout_graph *graph);

/* Device memory, for programs that do not use CUDA otherwise; memory of cudaMalloc is as good. Copies wait for all that was
 * started on the device before. */
layout_status layout_device_allocate(int device, size_t bytes, void **memory);
layout_status layout_device_free(int device, void *memory);
layout_status layout_copy_to_device(int device, void *memory, const void *from, size_t bytes);
layout_status layout_copy_from_device(int device, void *to, const void *memory, size_t bytes);

/* For host code that MLIR makes: what one of its launches (gpu.launch_func) of a layout kernel takes besides the caller's operands.
 * `kernel` is the kernel's entry of a manifest, as layout-lower writes it into the module. `pointers` are those of arguments and
 * behind them of workspaces, `sizes` as for layout_kernel_launch. Writes the blocks along x, y and z (no more than the device runs at
 * once, where the kernel continues by itself), and all tensor maps, of 128 bytes each. Where a place is null, nothing is written there.
 * An error is written to standard error and ends the process, as an assertion of MLIR's host code does.
 *
 * The library also has the functions that upstream's gpu-to-llvm calls (mgpuModuleLoad, mgpuLaunchKernel, mgpuMemAlloc, ...): such code
 * links with it alone, or with MLIR's libmlir_cuda_runtime and it, in this order. Their device is 0, or mgpuSetDefaultDevice's. */
void layout_prepare_launch(const char *kernel, void *const *pointers, size_t pointer_count, const int64_t *sizes,
                           size_t size_count, int64_t *grid, void *tensor_maps);

/* What the last call of this thread that failed expected and found. Lives until the next one. */
const char *layout_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
