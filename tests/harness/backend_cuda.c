/* NVIDIA devices through the CUDA runtime, where the build has it. */
#include "backend_gpu.h"

#ifdef ASSAY_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <stdio.h>

static int cuda_malloc(void **pointer, size_t bytes) { return (int)cudaMalloc(pointer, bytes); }
static int cuda_free(void *pointer) { return (int)cudaFree(pointer); }
static int cuda_to_device(void *to, const void *from, size_t bytes, void *stream) {
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
static int cuda_to_host(void *to, const void *from, size_t bytes, void *stream) {
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
static int cuda_fill(void *to, int byte, size_t bytes, void *stream) {
    return (int)cudaMemsetAsync(to, byte, bytes, stream);
}
static int cuda_sync(void *stream) { return (int)cudaStreamSynchronize(stream); }
static int cuda_destroy(void *stream) { return (int)cudaStreamDestroy(stream); }
static const char *cuda_text(int error) { return cudaGetErrorString((cudaError_t)error); }

static const gpu_runtime runtime = {
    .name = "cuda",
    .malloc = cuda_malloc,
    .free = cuda_free,
    .to_device = cuda_to_device,
    .to_host = cuda_to_host,
    .fill = cuda_fill,
    .sync = cuda_sync,
    .destroy_stream = cuda_destroy,
    .text = cuda_text,
};

/* The record that fits device 0's compute capability. */
static assay_status find_chip(const assay_chip **chip) {
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "cuda: no properties of device 0: %s",
                          cudaGetErrorString(error));
    char arch[16];
    for (int suffix = 0; suffix < 2; suffix++) {
        snprintf(arch, sizeof arch, "sm_%d%d%s", properties.major, properties.minor,
                 suffix ? "" : "a");
        *chip = assay_chip_find(arch);
        if (*chip) return ASSAY_OK;
    }
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "cuda: %s (compute capability %d.%d) has no record",
                      properties.name, properties.major, properties.minor);
}

assay_status assay_device_open_cuda(const assay_chip *chip, assay_device *out) {
    int devices = 0;
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0)
        return assay_fail(ASSAY_ERR_DEVICE, "cuda: no device (%s)",
                          found == cudaSuccess ? "none found" : cudaGetErrorString(found));
    const assay_chip *present;
    assay_status status = find_chip(&present);
    if (status) return status;
    if (chip && chip != present)
        return assay_fail(ASSAY_ERR_DEVICE, "cuda: the device is a %s, not a %s", present->name,
                          chip->name);
    cudaStream_t stream;
    const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "cuda: no stream: %s", cudaGetErrorString(error));
    return assay_gpu_device(&runtime, ASSAY_CUDA, present, stream, out);
}

#else

assay_status assay_device_open_cuda(const assay_chip *chip, assay_device *out) {
    (void)chip, (void)out;
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "this build has no cuda back end "
                                             "(cmake --preset cuda makes one)");
}

#endif
