/* layout_runtime.h: launch compiled layout kernels from a program.
 *
 * layout-translate writes code (PTX or a cubin) and a manifest, which describes the launches of its kernels: grid,
 * shared memory, tensor maps, workspaces, and the steps before and after a kernel. An executable is both, loaded on a device.
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

/* The result of a call. Unless it is LAYOUT_OK, layout_last_error() returns the message. */
typedef enum layout_status {
  LAYOUT_OK = 0,
  LAYOUT_ERROR_ARGUMENT = 1, /* an unexpected null, or pointers or sizes of the wrong number, alignment or range */
  LAYOUT_ERROR_MANIFEST = 2, /* an invalid or inconsistent manifest, or one of another version */
  LAYOUT_ERROR_NO_GPU = 3,   /* no CUDA driver, or no such device */
  LAYOUT_ERROR_DRIVER = 4,   /* the driver refused a call */
  LAYOUT_ERROR_CODE = 5,     /* the driver refused the code; the message has its assembler's log */
  LAYOUT_ERROR_INTERNAL = 6  /* a defect of this library */
} layout_status;

/* The bits of elements without a type in C: binary16, bfloat16, and 8-bit floats with 4 or 5 bits of exponent. */
typedef uint16_t layout_f16;
typedef uint16_t layout_bf16;
typedef uint8_t layout_f8e4m3;
typedef uint8_t layout_f8e5m2;

/* Code and its manifest, loaded on a device. */
typedef struct layout_executable layout_executable;

/* A kernel of an executable, or a family of kernels, from which a launch selects one by its sizes. Valid as long as the executable. */
typedef struct layout_kernel layout_kernel;

/* Loads `code_size` bytes of PTX, cubin or fat binary, and the zero-terminated JSON of its manifest, on a device of the
 * driver's numbering. The caller may free both afterwards. */
layout_status layout_executable_load(int device, const void *code, size_t code_size, const char *manifest,
                                     layout_executable **executable);

/* Frees an executable that no longer runs; does nothing for null. */
void layout_executable_free(layout_executable *executable);

/* A kernel by the name of its function, or a family by its name. */
layout_status layout_executable_kernel(const layout_executable *executable, const char *name,
                                       const layout_kernel **kernel);

/* The number of sizes that the kernel takes at run time: 0 if all are static, and for null. */
size_t layout_kernel_size_count(const layout_kernel *kernel);

/* The name of a size, valid as long as the kernel; null if there is none of that number. */
const char *layout_kernel_size_name(const layout_kernel *kernel, size_t number);

/* The values that a size may have: `least` to `most`, multiples of `divisor`. Null pointers are not written to. */
layout_status layout_kernel_size_range(const layout_kernel *kernel, size_t number, int64_t *least, int64_t *most,
                                       int64_t *divisor);

/* Bytes of device memory that each launch with these sizes allocates for workspaces, and frees, in stream order. */
layout_status layout_kernel_workspace_bytes(const layout_kernel *kernel, const int64_t *sizes, size_t size_count,
                                            size_t *bytes);

/* Starts a kernel on a stream (CUstream and cudaStream_t are the same; null is the default stream) of the executable's
 * device. `pointers` are to device memory, one for each argument in the manifest's order; the memory must have the extent of
 * the argument's layout until the stream has completed the launch. `sizes` are those that the kernel takes at run time, in
 * their order; kernels of static sizes take none. Grid, tensor maps and workspaces are computed from them, and cached for the
 * last 1,024 different sizes. Returns at once; an error of the kernel itself appears when the stream is synchronised. */
layout_status layout_kernel_launch(const layout_kernel *kernel, void *stream, void *const *pointers,
                                   size_t pointer_count, const int64_t *sizes, size_t size_count);

/* A function of a model, which launches kernels in order (layout-compile writes manifests with programs). Valid as long as
 * the executable. */
typedef struct layout_program layout_program;

/* A tensor in device memory, in row-major order without gaps: its address, and its extents, the slowest first. */
typedef struct layout_tensor {
  void *data;
  const int64_t *shape;
  size_t rank;
} layout_tensor;

/* A program by its name. */
layout_status layout_executable_program(const layout_executable *executable, const char *name,
                                        const layout_program **program);

/* The numbers of its arguments and of its results; 0 for null. */
size_t layout_program_argument_count(const layout_program *program);
size_t layout_program_result_count(const layout_program *program);

/* The rank of a result, or the greatest size_t if there is none of that number. */
size_t layout_program_result_rank(const layout_program *program, size_t number);

/* Writes the extents of a result, for arguments of these shapes (their data is not read, and may be null): as many as its rank. */
layout_status layout_program_result_shape(const layout_program *program, const layout_tensor *arguments,
                                          size_t argument_count, size_t number, int64_t *extents);

/* Bytes of the workspace that each run with arguments of these shapes allocates, and frees, in stream order. */
layout_status layout_program_workspace_bytes(const layout_program *program, const layout_tensor *arguments,
                                             size_t argument_count, size_t *bytes);

/* Runs a program on a stream. Results must have the shapes of layout_program_result_shape. Arguments are only read.
 * Returns at once, unless control flow of the program depends on integers in device memory, for which it waits. An error of a
 * kernel itself appears when the stream is synchronised. */
layout_status layout_program_run(const layout_program *program, void *stream, const layout_tensor *arguments,
                                 size_t argument_count, const layout_tensor *results, size_t result_count);

/* A run on given tensors as a CUDA graph, which starts faster. It has its own workspace, and the iterations of loops in
 * sequence. A program that reads integers from device memory is LAYOUT_ERROR_ARGUMENT. */
typedef struct layout_graph layout_graph;
layout_status layout_program_capture(const layout_program *program, const layout_tensor *arguments,
                                     size_t argument_count, const layout_tensor *results, size_t result_count,
                                     layout_graph **graph);

/* Runs a graph on a stream: it reads and writes the tensors that were captured. */
layout_status layout_graph_launch(const layout_graph *graph, void *stream);

/* Frees a graph that no longer runs, before its executable is freed; does nothing for null. */
void layout_graph_free(layout_graph *graph);

/* Device memory, for programs that do not use CUDA otherwise; memory of cudaMalloc works too. Copies wait for all earlier
 * work on the device. */
layout_status layout_device_allocate(int device, size_t bytes, void **memory);
layout_status layout_device_free(int device, void *memory);
layout_status layout_copy_to_device(int device, void *memory, const void *from, size_t bytes);
layout_status layout_copy_from_device(int device, void *to, const void *memory, size_t bytes);

/* For host code that MLIR generates: the operands of a launch (gpu.launch_func) of a layout kernel besides the caller's own.
 * `kernel` is the kernel's entry of a manifest, as layout-lower writes it into the module. `pointers` are those of arguments and
 * then of workspaces, `sizes` as for layout_kernel_launch. Writes the blocks along x, y and z (for a persistent kernel, at most as
 * many as the device runs at once), and all tensor maps, of 128 bytes each. Null pointers are not written to.
 * An error is printed to standard error and ends the process, as an assertion of MLIR's host code does.
 *
 * The library also has the functions that upstream's gpu-to-llvm calls (mgpuModuleLoad, mgpuLaunchKernel, mgpuMemAlloc, ...): such code
 * links with it alone, or with MLIR's libmlir_cuda_runtime and it, in this order. Their device is 0, or mgpuSetDefaultDevice's. */
void layout_prepare_launch(const char *kernel, void *const *pointers, size_t pointer_count, const int64_t *sizes,
                           size_t size_count, int64_t *grid, void *tensor_maps);

/* The message of this thread's last failed call: what it expected and found. Valid until the next one. */
const char *layout_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
