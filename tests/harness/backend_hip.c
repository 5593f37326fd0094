/* AMD devices through the HIP runtime, where the build has it. Compiled and linked; not run on
 * hardware. */
#include "backend_gpu.h"
#include "digests.h"

#ifdef ASSAY_HAVE_HIP

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

static int hip_malloc(void **pointer, size_t bytes) { return (int)hipMalloc(pointer, bytes); }
static int hip_free(void *pointer) { return (int)hipFree(pointer); }
static int hip_to_device(void *to, const void *from, size_t bytes, void *stream) {
    return (int)hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
}
static int hip_to_host(void *to, const void *from, size_t bytes, void *stream) {
    return (int)hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream);
}
static int hip_on_device(void *to, const void *from, size_t bytes, void *stream) {
    return (int)hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}
static int hip_create_event(void **event) { return (int)hipEventCreate((hipEvent_t *)event); }
static int hip_destroy_event(void *event) { return (int)hipEventDestroy(event); }
static int hip_record(void *event, void *stream) { return (int)hipEventRecord(event, stream); }
static int hip_elapsed_ms(float *ms, void *start, void *stop) {
    const hipError_t error = hipEventSynchronize(stop);
    return (int)(error != hipSuccess ? error : hipEventElapsedTime(ms, start, stop));
}
static int hip_fill(void *to, int byte, size_t bytes, void *stream) {
    return (int)hipMemsetAsync(to, byte, bytes, stream);
}
static int hip_sync(void *stream) { return (int)hipStreamSynchronize(stream); }
static int hip_destroy(void *stream) { return (int)hipStreamDestroy(stream); }
static const char *hip_text(int error) { return hipGetErrorString((hipError_t)error); }

static const gpu_runtime runtime = {
    .name = "hip",
    .malloc = hip_malloc,
    .free = hip_free,
    .to_device = hip_to_device,
    .to_host = hip_to_host,
    .on_device = hip_on_device,
    .create_event = hip_create_event,
    .destroy_event = hip_destroy_event,
    .record = hip_record,
    .elapsed_ms = hip_elapsed_ms,
    .fill = hip_fill,
    .sync = hip_sync,
    .destroy_stream = hip_destroy,
    .text = hip_text,
};

/* The record that fits device 0: gcnArchName is "gfx942:sramecc+:xnack-". */
static assay_status find_chip(const assay_chip **chip) {
    hipDeviceProp_t properties;
    const hipError_t error = hipGetDeviceProperties(&properties, 0);
    if (error != hipSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "hip: no properties of device 0: %s",
                          hipGetErrorString(error));
    properties.gcnArchName[strcspn(properties.gcnArchName, ":")] = '\0';
    *chip = assay_chip_find(properties.gcnArchName);
    if (*chip) return ASSAY_OK;
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "hip: %s (%s) has no record", properties.name,
                      properties.gcnArchName);
}

assay_status assay_device_open_hip(const assay_chip *chip, assay_device *out) {
    int devices = 0;
    const hipError_t found = hipGetDeviceCount(&devices);
    if (found != hipSuccess || devices == 0)
        return assay_fail(ASSAY_ERR_DEVICE, "hip: no device (%s)",
                          found == hipSuccess ? "none found" : hipGetErrorString(found));
    const assay_chip *present;
    assay_status status = find_chip(&present);
    if (status) return status;
    if (chip && chip != present)
        return assay_fail(ASSAY_ERR_DEVICE, "hip: the device is a %s, not a %s", present->name,
                          chip->name);
    hipStream_t stream;
    const hipError_t error = hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
    if (error != hipSuccess)
        return assay_fail(ASSAY_ERR_DEVICE, "hip: no stream: %s", hipGetErrorString(error));
    return assay_gpu_device(&runtime, ASSAY_HIP, present, stream, out);
}

void assay_hip_provenance(assay_provenance *out) {
    hipDeviceProp_t properties;
    int driver = 0, toolkit = 0;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess) return;
    hipDriverGetVersion(&driver);
    hipRuntimeGetVersion(&toolkit);
    snprintf(out->device, sizeof out->device, "%.90s", properties.name);
    snprintf(out->driver, sizeof out->driver, "HIP %d", driver);
    snprintf(out->toolkit, sizeof out->toolkit, "HIP %d", toolkit);
}

#else

assay_status assay_device_open_hip(const assay_chip *chip, assay_device *out) {
    (void)chip, (void)out;
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "this build has no hip back end "
                                             "(cmake --preset hip makes one)");
}

void assay_hip_provenance(assay_provenance *out) { (void)out; }

#endif
