/* Guarded device memory over a GPU runtime's malloc: what the CUDA and HIP back ends share.
 *
 * An allocation is [guard][payload][guard] with guards of 512 bytes, filled with a canary that
 * check_guards reads back.
 */
#ifndef ASSAY_HARNESS_BACKEND_GPU_H
#define ASSAY_HARNESS_BACKEND_GPU_H

#include "backend.h"

#define GPU_GUARD 512
#define GPU_CANARY 0xc7
#define GPU_ALLOCATIONS 64

typedef struct gpu_allocation {
    void *base;
    unsigned char *payload;
    size_t bytes;
    char role[16];
} gpu_allocation;

/* The runtime's calls: 0 or an error code that `text` explains. */
typedef struct gpu_runtime {
    const char *name;
    int (*malloc)(void **pointer, size_t bytes);
    int (*free)(void *pointer);
    int (*to_device)(void *to, const void *from, size_t bytes, void *stream);
    int (*to_host)(void *to, const void *from, size_t bytes, void *stream);
    int (*on_device)(void *to, const void *from, size_t bytes, void *stream);
    int (*fill)(void *to, int byte, size_t bytes, void *stream);
    int (*sync)(void *stream);
    int (*destroy_stream)(void *stream);
    int (*create_event)(void **event);
    int (*destroy_event)(void *event);
    int (*record)(void *event, void *stream);
    int (*elapsed_ms)(float *ms, void *start, void *stop); /* waits for stop */
    const char *(*text)(int error);
} gpu_runtime;

/* Fills `out` for an open stream of `chip`. */
assay_status assay_gpu_device(const gpu_runtime *runtime, assay_backend backend,
                              const assay_chip *chip, void *stream, assay_device *out);

#endif
