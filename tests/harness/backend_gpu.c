#include "backend_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gpu_state {
    const gpu_runtime *runtime;
    void *start, *stop; /* events, made when first needed */
    gpu_allocation allocations[GPU_ALLOCATIONS];
} gpu_state;

static gpu_state *state(assay_device *device) { return device->state; }

static assay_status result(assay_device *device, const char *what, int error) {
    if (error == 0) return ASSAY_OK;
    const gpu_runtime *runtime = state(device)->runtime;
    return assay_fail(ASSAY_ERR_DEVICE, "%s: %s failed: %s", runtime->name, what,
                      runtime->text(error));
}

static assay_status gpu_fill(assay_device *device, void *to, int byte, size_t bytes) {
    if (bytes == 0) return ASSAY_OK;
    return result(device, "memset",
                  state(device)->runtime->fill(to, byte, bytes, device->target.stream));
}

static assay_status gpu_alloc(assay_device *device, const char *role, size_t bytes, size_t offset,
                              void **out) {
    gpu_allocation *free_slot = NULL;
    for (int i = 0; i < GPU_ALLOCATIONS && !free_slot; i++)
        if (!state(device)->allocations[i].base) free_slot = &state(device)->allocations[i];
    if (!free_slot)
        return assay_fail(ASSAY_ERR_INTERNAL, "more than %d device tensors", GPU_ALLOCATIONS);
    void *base;
    const size_t total = bytes + offset % 256 + 2 * GPU_GUARD + 256;
    assay_status status = result(device, "malloc", state(device)->runtime->malloc(&base, total));
    if (status) return status;
    const uintptr_t first = ((uintptr_t)base + GPU_GUARD + 255) / 256 * 256 + offset % 256;
    *free_slot = (gpu_allocation){.base = base, .payload = (unsigned char *)first, .bytes = bytes};
    snprintf(free_slot->role, sizeof free_slot->role, "%s", role);
    status = gpu_fill(device, free_slot->payload - GPU_GUARD, GPU_CANARY, GPU_GUARD);
    if (!status) status = gpu_fill(device, free_slot->payload + bytes, GPU_CANARY, GPU_GUARD / 2);
    *out = free_slot->payload;
    return status;
}

static assay_status gpu_release(assay_device *device, void *pointer) {
    for (int i = 0; i < GPU_ALLOCATIONS; i++) {
        gpu_allocation *a = &state(device)->allocations[i];
        if (a->base && a->payload == pointer) {
            void *const base = a->base;
            memset(a, 0, sizeof *a);
            return result(device, "free", state(device)->runtime->free(base));
        }
    }
    return assay_fail(ASSAY_ERR_INTERNAL, "release of a pointer that was not allocated");
}

static assay_status gpu_upload(assay_device *device, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return ASSAY_OK;
    return result(device, "copy to the device",
                  state(device)->runtime->to_device(to, from, bytes, device->target.stream));
}

static assay_status gpu_download(assay_device *device, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return ASSAY_OK;
    return result(device, "copy to the host",
                  state(device)->runtime->to_host(to, from, bytes, device->target.stream));
}

static assay_status gpu_copy(assay_device *device, void *to, const void *from, size_t bytes) {
    return result(device, "copy on the device",
                  state(device)->runtime->on_device(to, from, bytes, device->target.stream));
}

static assay_status gpu_timer_start(assay_device *device) {
    gpu_state *s = state(device);
    assay_status status = ASSAY_OK;
    if (!s->start) status = result(device, "event", s->runtime->create_event(&s->start));
    if (!status && !s->stop) status = result(device, "event", s->runtime->create_event(&s->stop));
    if (status) return status;
    return result(device, "event", s->runtime->record(s->start, device->target.stream));
}

static assay_status gpu_timer_stop(assay_device *device, double *microseconds) {
    gpu_state *s = state(device);
    float ms = 0.0f;
    assay_status status =
        result(device, "event", s->runtime->record(s->stop, device->target.stream));
    if (!status) status = result(device, "kernel", s->runtime->elapsed_ms(&ms, s->start, s->stop));
    *microseconds = 1e3 * (double)ms;
    return status;
}

static assay_status gpu_sync(assay_device *device) {
    return result(device, "kernel", state(device)->runtime->sync(device->target.stream));
}

static assay_status check_zone(assay_device *device, const gpu_allocation *a,
                               const unsigned char *zone, size_t bytes, const char *side) {
    unsigned char copy[GPU_GUARD];
    assay_status status = gpu_download(device, copy, zone, bytes);
    if (!status) status = gpu_sync(device);
    for (size_t i = 0; i < bytes && !status; i++)
        if (copy[i] != GPU_CANARY)
            status = assay_fail(ASSAY_ERR_KERNEL, "guard zone %s \"%s\" (%zu bytes) was written",
                                side, a->role, a->bytes);
    return status;
}

static assay_status gpu_guards(assay_device *device) {
    for (int i = 0; i < GPU_ALLOCATIONS; i++) {
        const gpu_allocation *a = &state(device)->allocations[i];
        if (!a->base) continue;
        assay_status status = check_zone(device, a, a->payload - GPU_GUARD, GPU_GUARD, "before");
        if (!status) status = check_zone(device, a, a->payload + a->bytes, GPU_GUARD / 2, "after");
        if (status) return status;
    }
    return ASSAY_OK;
}

static void gpu_close(assay_device *device) {
    for (int i = 0; i < GPU_ALLOCATIONS; i++)
        if (state(device)->allocations[i].base)
            state(device)->runtime->free(state(device)->allocations[i].base);
    if (state(device)->start) state(device)->runtime->destroy_event(state(device)->start);
    if (state(device)->stop) state(device)->runtime->destroy_event(state(device)->stop);
    state(device)->runtime->destroy_stream(device->target.stream);
    free(device->state);
}

assay_status assay_gpu_device(const gpu_runtime *runtime, assay_backend backend,
                              const assay_chip *chip, void *stream, assay_device *out) {
    gpu_state *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(ASSAY_ERR_MEMORY, "no memory for a device record");
    s->runtime = runtime;
    *out = (assay_device){
        .target = {.backend = backend, .chip = chip, .stream = stream},
        .state = s,
        .alloc = gpu_alloc,
        .release = gpu_release,
        .upload = gpu_upload,
        .download = gpu_download,
        .copy = gpu_copy,
        .fill = gpu_fill,
        .sync = gpu_sync,
        .check_guards = gpu_guards,
        .timer_start = gpu_timer_start,
        .timer_stop = gpu_timer_stop,
        .close = gpu_close,
    };
    return ASSAY_OK;
}
