/* A CUDA driver without a device: it prints the calls of host code. Memory is the host's; a kernel's parameters are read as the
 * PTX declares them. It has only the functions that layout_runtime calls for launches of host code. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int status;

/* Blocks of memory in the order of their allocation. */
static struct { char *start; size_t bytes; } blocks[16];
static int block_count;

static void print_address(uint64_t address) {
  for (int i = 0; i < block_count; ++i)
    if (address >= (uint64_t)blocks[i].start && address < (uint64_t)blocks[i].start + blocks[i].bytes) {
      printf("block %d + %llu", i, (unsigned long long)(address - (uint64_t)blocks[i].start));
      return;
    }
  if (address >> 32)
    printf("a foreign address");
  else
    printf("%llu", (unsigned long long)address);
}

status cuInit(unsigned flags) { return flags != 0; }
status cuDriverGetVersion(int *version) { return *version = 13000, 0; }
status cuDeviceGetCount(int *count) { return *count = 1, 0; }
status cuDeviceGet(int *device, int number) { return *device = number, 0; }
status cuDeviceGetName(char *name, int length, int device) { return snprintf(name, length, "fake %d", device) < 0; }
/* Compute capability 9.0, and 132 multiprocessors. */
status cuDeviceGetAttribute(int *value, int attribute, int device) {
  return *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 132, device;
}
status cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &block_count, device; }
status cuDevicePrimaryCtxRelease_v2(int device) { return device; }
status cuCtxPushCurrent_v2(void *context) { return context == NULL; }
status cuCtxPopCurrent_v2(void **context) { return *context = &block_count, 0; }
status cuGetErrorName(status error, const char **text) { return *text = error ? "an error" : "none", 0; }
status cuGetErrorString(status error, const char **text) { return cuGetErrorName(error, text); }

status cuStreamCreate(void **stream, unsigned flags) { return *stream = malloc(flags + 1), 0; }
status cuStreamSynchronize(void *stream) { return (void)stream, 0; }
status cuStreamDestroy_v2(void *stream) { return free(stream), 0; }
status cuEventCreate(void **event, unsigned flags) { return *event = malloc(flags + 1), 0; }
status cuEventRecord(void *event, void *stream) { return event == NULL || stream == NULL; }
status cuEventDestroy_v2(void *event) { return free(event), 0; }
status cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return stream == NULL || event == NULL || flags; }

status cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  char *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  blocks[block_count].start = memory, blocks[block_count].bytes = bytes;
  printf("block %d: %zu bytes\n", block_count++, bytes);
  return *address = (uint64_t)memory, 0;
}
status cuMemFree_v2(uint64_t address) {
  printf("free "), print_address(address), printf("\n");
  return 0;
}

/* A pool allocates memory as the device does. One is enough: executables share it. */
static int pools;
status cuMemPoolCreate(void **pool, const void *properties) { return *pool = &block_count, properties == NULL || pools++ > 0; }
status cuMemPoolSetAttribute(void *pool, int attribute, void *value) { return pool == NULL || attribute < 0 || value == NULL; }
status cuMemPoolDestroy(void *pool) { return pool == NULL || pools-- != 1; }
status cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, void *pool, void *stream) {
  (void)stream;
  return pool == NULL || cuMemAlloc_v2(address, bytes);
}
status cuMemFreeAsync(uint64_t address, void *stream) {
  (void)stream;
  return cuMemFree_v2(address);
}

status cuCtxSynchronize(void) { return 0; }
status cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return memcpy((void *)to, from, bytes), 0; }
status cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  printf("read %zu bytes of ", bytes), print_address(from), printf("\n");
  return memcpy(to, (const void *)from, bytes), 0;
}
status cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  printf("copy %zu bytes of ", bytes), print_address(from), printf(" to "), print_address(to), printf("\n");
  return memmove((void *)to, (const void *)from, bytes), 0;
}

/* A module is its PTX; a function where its entry is in that. */
status cuModuleLoadDataEx(void **module, const void *image, unsigned count, void *options, void *values) {
  return *module = strdup(image), count == 0 || options == NULL || values == NULL;
}
status cuModuleUnload(void *module) { return free(module), 0; }
status cuModuleGetFunction(void **function, void *module, const char *name) {
  char entry[256];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  return *function = strstr(module, entry), *function ? 0 : 500;
}
/* A global is in the PTX too. 500 says that there is none. */
status cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, const char *module, const char *name) {
  char global[256];
  snprintf(global, sizeof global, " %s =", name);
  return *address = (uint64_t)strstr(module, global), *bytes = 1, *address ? 0 : 500;
}
status cuFuncSetAttribute(void *function, int attribute, int value) { return function == NULL || attribute < 0 || value < 0; }

/* An encoded map: what it was made of. */
struct map { uint64_t address, extents[2]; uint32_t rank, box[2]; };
status cuTensorMapEncodeTiled(struct map *map, int element, uint32_t rank, void *address, const uint64_t *extents,
                              const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                              int swizzle, int promotion, int fill) {
  memset(map, 0, 128);
  *map = (struct map){(uint64_t)address, {extents[0], extents[1]}, rank, {box[0], box[1]}};
  return !strides || !steps || element < 0 || interleave || swizzle < 0 || promotion < 0 || fill;
}

struct attribute { int id, pad; unsigned value[16]; };
struct config { unsigned grid[3], block[3], shared; void *stream; struct attribute *attributes; unsigned count; };
status cuLaunchKernelEx(const struct config *config, const char *function, void **parameters, void **extra) {
  const char *name = function + strlen(".entry "), *end = strstr(name, "{");
  printf("launch %.*s: %u x %u x %u blocks of %u x %u x %u threads, %u bytes of shared memory", (int)strcspn(name, "("), name,
         config->grid[0], config->grid[1], config->grid[2], config->block[0], config->block[1], config->block[2], config->shared);
  for (unsigned i = 0; i < config->count; ++i)
    if (config->attributes[i].id == 6 && config->attributes[i].value[0])
      printf(", overlapping");
    else if (config->attributes[i].id == 4)
      printf(", clusters of %u x %u x %u", config->attributes[i].value[0], config->attributes[i].value[1], config->attributes[i].value[2]);
  printf("\n");
  int number = 0;
  for (const char *at = strstr(name, ".param"); at && at < end; at = strstr(at + 1, ".param"), ++number) {
    printf("  ");
    const char *stop = strchr(at, '\n');
    if (strstr(at, "[128]") && strstr(at, "[128]") < stop) {
      struct map map;
      memcpy(&map, parameters[number], sizeof map);
      printf("map of %llu x %llu in boxes of %u x %u at ", (unsigned long long)map.extents[0],
             (unsigned long long)map.extents[1], map.box[0], map.box[1]);
      print_address(map.address);
    } else if (!strncmp(at, ".param .u32", 11) || !strncmp(at, ".param .b32", 11))
      printf("%d", *(int32_t *)parameters[number]);
    else
      print_address(*(uint64_t *)parameters[number]);
    printf("\n");
  }
  return extra != NULL;
}
