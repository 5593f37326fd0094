#include "backend.h"

#include <stdio.h>
#include <string.h>

#include "digests.h"
#include "runner.h"

assay_status assay_device_open(assay_backend backend, const assay_chip *chip, assay_device *out) {
    switch (backend) {
    case ASSAY_SIMT: return assay_device_open_simt(chip, out);
    case ASSAY_CUDA: return assay_device_open_cuda(chip, out);
    case ASSAY_HIP: return assay_device_open_hip(chip, out);
    default:
        return assay_fail(ASSAY_ERR_ARGUMENT, "back end %d: expected simt, cuda or hip",
                          (int)backend);
    }
}

bool assay_backend_usable(assay_backend backend, char *why, size_t size) {
    assay_device device;
    why[0] = '\0';
    if (assay_device_open(backend, NULL, &device)) {
        snprintf(why, size, "%s", assay_last_error());
        return false;
    }
    const bool free = !device.check_free || device.check_free(&device) == ASSAY_OK;
    if (!free) snprintf(why, size, "%s", assay_last_error());
    device.close(&device);
    return free;
}

void assay_backend_provenance(assay_backend backend, assay_provenance *out) {
    memset(out, 0, sizeof *out);
    if (backend == ASSAY_CUDA) assay_cuda_provenance(out);
    if (backend == ASSAY_HIP) assay_hip_provenance(out);
    if (backend == ASSAY_SIMT) snprintf(out->device, sizeof out->device, "executor");
}
