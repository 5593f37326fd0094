/* NVIDIA devices through the CUDA runtime, where the build has it. */
#include "backend_gpu.h"
#include "digests.h"

#ifdef ASSAY_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static int cuda_malloc(void **pointer, size_t bytes) { return (int)cudaMalloc(pointer, bytes); }
static int cuda_free(void *pointer) { return (int)cudaFree(pointer); }
static int cuda_to_device(void *to, const void *from, size_t bytes, void *stream) {
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
static int cuda_to_host(void *to, const void *from, size_t bytes, void *stream) {
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
static int cuda_on_device(void *to, const void *from, size_t bytes, void *stream) {
    return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
static int cuda_create_event(void **event) { return (int)cudaEventCreate((cudaEvent_t *)event); }
static int cuda_destroy_event(void *event) { return (int)cudaEventDestroy(event); }
static int cuda_record(void *event, void *stream) { return (int)cudaEventRecord(event, stream); }
static int cuda_elapsed_ms(float *ms, void *start, void *stop) {
    const cudaError_t error = cudaEventSynchronize(stop);
    return (int)(error != cudaSuccess ? error : cudaEventElapsedTime(ms, start, stop));
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
    .on_device = cuda_on_device,
    .create_event = cuda_create_event,
    .destroy_event = cuda_destroy_event,
    .record = cuda_record,
    .elapsed_ms = cuda_elapsed_ms,
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

/* Device memory that others hold beyond what a bare context takes: then the card is not ours alone,
 * and neither timings nor a fault's origin could be trusted. */
#define OTHERS_LIMIT ((size_t)4 << 30)

static assay_status check_free(assay_device *device) {
    (void)device;
    size_t free_bytes, total;
    const cudaError_t error = cudaMemGetInfo(&free_bytes, &total);
    if (error != cudaSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "cuda: no memory figures: %s",
                          cudaGetErrorString(error));
    if (total - free_bytes > OTHERS_LIMIT)
        return assay_fail(ASSAY_ERR_DEVICE,
                          "cuda: the card is in use: %zu of %zu MiB are taken by others",
                          (total - free_bytes) >> 20, total >> 20);
    return ASSAY_OK;
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
    status = assay_gpu_device(&runtime, ASSAY_CUDA, present, stream, out);
    if (!status) out->check_free = check_free;
    return status;
}

/* "580.65.06" of the first line of the driver's own report; false where there is none. */
static bool kernel_module_version(char *text, size_t size) {
    char line[256] = "";
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (!f) return false;
    const bool read = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    for (const char *p = line; read && *p; p++) {
        int major, minor, length = 0;
        if (p > line && p[-1] == ' ' && *p != ' ' &&
            sscanf(p, "%d.%d%n", &major, &minor, &length) == 2 && major >= 100) {
            snprintf(text, size, "%.*s", (int)strcspn(p, " \n"), p);
            return true;
        }
    }
    return false;
}

void assay_cuda_provenance(assay_provenance *out) {
    struct cudaDeviceProp properties;
    int driver = 0, toolkit = 0;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&toolkit);
    snprintf(out->device, sizeof out->device, "%.90s", properties.name);
    if (!kernel_module_version(out->driver, sizeof out->driver))
        snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(out->toolkit, sizeof out->toolkit, "CUDA %d.%d", toolkit / 1000, toolkit % 1000 / 10);
}

#else

assay_status assay_device_open_cuda(const assay_chip *chip, assay_device *out) {
    (void)chip, (void)out;
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "this build has no cuda back end "
                                             "(cmake --preset cuda makes one)");
}

void assay_cuda_provenance(assay_provenance *out) { (void)out; }

#endif
