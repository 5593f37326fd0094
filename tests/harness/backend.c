#include "backend.h"

#include <stdio.h>

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
    device.close(&device);
    return true;
}
