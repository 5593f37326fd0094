/* Memory and streams of a back end, so that the runner need not know which one it drives. */
#ifndef ASSAY_HARNESS_BACKEND_H
#define ASSAY_HARNESS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/kernel.h"

typedef struct assay_device assay_device;
struct assay_tensor;

struct assay_device {
    assay_target target; /* backend, chip and stream; `ran` is the caller's */
    void *state;         /* the back end's own */

    /* `offset` bytes past a 256-byte boundary, with guard zones around. */
    assay_status (*alloc)(assay_device *device, const char *role, size_t bytes, size_t offset,
                          void **out);
    assay_status (*release)(assay_device *device, void *pointer);
    assay_status (*upload)(assay_device *device, void *to, const void *from, size_t bytes);
    assay_status (*download)(assay_device *device, void *to, const void *from, size_t bytes);
    assay_status (*copy)(assay_device *device, void *to, const void *from, size_t bytes);
    assay_status (*fill)(assay_device *device, void *to, int byte, size_t bytes);
    /* What lies at a pointer, for back ends that look at accesses; NULL: does not. */
    assay_status (*declare)(assay_device *device, void *pointer, const struct assay_tensor *tensor);
    assay_status (*sync)(assay_device *device);            /* waits; reports launch faults */
    assay_status (*check_guards)(assay_device *device);    /* nothing written around allocations */
    void (*set_seed)(assay_device *device, uint64_t seed); /* of the schedule; NULL: has none */
    assay_status (*check_free)(assay_device *device); /* nobody else uses it; NULL: cannot tell */
    /* Device time between the two, in microseconds; NULL: no such clock. */
    assay_status (*timer_start)(assay_device *device);
    assay_status (*timer_stop)(assay_device *device, double *microseconds);
    void (*close)(assay_device *device);
};

/* Opens a device of the back end for one host thread. ERR_UNSUPPORTED: not in this build;
 * ERR_DEVICE: no device, or it is busy with other work. */
assay_status assay_device_open(assay_backend backend, const assay_chip *chip, assay_device *out);

struct assay_provenance;
void assay_cuda_provenance(struct assay_provenance *out);
void assay_hip_provenance(struct assay_provenance *out);

assay_status assay_device_open_simt(const assay_chip *chip, assay_device *out);
/* An executor that looks at every access: docs/executor.md. */
assay_status assay_device_open_checked(const assay_chip *chip, assay_device *out);
assay_status assay_device_open_cuda(const assay_chip *chip, assay_device *out);
assay_status assay_device_open_hip(const assay_chip *chip, assay_device *out);

#endif
