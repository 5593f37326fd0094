/* The executor as a device: its memory is the host's. */
#include <string.h>

#include "assay/simt.h"
#include "backend.h"
#include "op.h"

static assay_simt *simt(assay_device *device) { return device->target.stream; }

static assay_status simt_alloc(assay_device *device, const char *role, size_t bytes, size_t offset,
                               void **out) {
    return assay_simt_alloc(simt(device), role, bytes, offset, out);
}

static assay_status simt_release(assay_device *device, void *pointer) {
    return assay_simt_free(simt(device), pointer);
}

static assay_status simt_copy(assay_device *device, void *to, const void *from, size_t bytes) {
    (void)device;
    memcpy(to, from, bytes);
    return ASSAY_OK;
}

static assay_status simt_fill(assay_device *device, void *to, int byte, size_t bytes) {
    (void)device;
    memset(to, byte, bytes);
    return ASSAY_OK;
}

static assay_status simt_declare(assay_device *device, void *pointer, const assay_tensor *t) {
    assay_simt_layout layout = {
        .element_bytes = assay_dtype_size(t->dtype), .rank = t->rank, .written = !t->output};
    _Static_assert(ASSAY_MAX_RANK == ASSAY_SIMT_RANK, "a layout holds a tensor's shape");
    memcpy(layout.shape, t->shape, sizeof layout.shape);
    memcpy(layout.stride, t->stride, sizeof layout.stride);
    return assay_simt_declare(simt(device), pointer, &layout);
}

static assay_status simt_sync(assay_device *device) {
    (void)device; /* a launch has finished when it returns */
    return ASSAY_OK;
}

static assay_status simt_guards(assay_device *device) {
    return assay_simt_check_guards(simt(device));
}

static void simt_seed(assay_device *device, uint64_t seed) {
    assay_simt_set_seed(simt(device), seed);
}

static void simt_close(assay_device *device) { assay_simt_destroy(simt(device)); }

static assay_status open_executor(const assay_chip *chip, bool checked, assay_device *out) {
    const assay_simt_options options = {
        .chip = chip ? chip : assay_chip_find("h200"), .host_threads = 1, .checked = checked};
    assay_simt *executor;
    const assay_status status = assay_simt_create(&options, &executor);
    if (status) return status;
    *out = (assay_device){
        .target = {.backend = ASSAY_SIMT, .chip = options.chip, .stream = executor},
        .alloc = simt_alloc,
        .release = simt_release,
        .upload = simt_copy,
        .download = simt_copy,
        .copy = simt_copy,
        .fill = simt_fill,
        .declare = checked ? simt_declare : NULL,
        .sync = simt_sync,
        .check_guards = simt_guards,
        .set_seed = simt_seed,
        .close = simt_close,
    };
    return ASSAY_OK;
}

#if defined(ASSAY_ALWAYS_CHECKED)
#define CHECKED_BY_DEFAULT true
#else
#define CHECKED_BY_DEFAULT false
#endif

assay_status assay_device_open_simt(const assay_chip *chip, assay_device *out) {
    return open_executor(chip, CHECKED_BY_DEFAULT, out);
}

assay_status assay_device_open_checked(const assay_chip *chip, assay_device *out) {
    return open_executor(chip, true, out);
}
