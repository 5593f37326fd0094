/* Launching kernels: where to run, with what geometry, and what there is to run. */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/chip.h"
#include "assay/dtype.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_backend {
    ASSAY_SIMT = 0,
    ASSAY_CUDA,
    ASSAY_HIP,
    ASSAY_BACKEND_COUNT
} assay_backend;

/* "simt", "cuda", "hip". */
const char *assay_backend_name(assay_backend backend);
bool assay_backend_parse(const char *name, assay_backend *backend);

/* Grid and block of one launch, with dynamic shared memory in bytes. */
typedef struct assay_geometry {
    uint32_t grid[3];
    uint32_t block[3];
    size_t shared_bytes;
} assay_geometry;

/* What a launcher did: filled when assay_target.ran is not NULL. */
typedef struct assay_ran {
    char kernel[96];         /* instance name, e.g. "rms_norm<bf16,bf16,vec,4>"; "" if no launch */
    assay_geometry geometry; /* of the launch */
} assay_ran;

/* Where to run. `stream`: cudaStream_t, hipStream_t, or the executor (assay_simt *). */
typedef struct assay_target {
    assay_backend backend;
    const assay_chip *chip;
    void *stream;
    assay_ran *ran; /* may be NULL */
    /* A shared object (handle of dlopen) whose launchers the harness calls in place of the built-in
     * ones of the same name: today that of a mutated kernel, later a user's. NULL: built in. */
    void *kernels;
} assay_target;

/* Starts instance `instance` of one kernel file. `params` is that kernel's parameter struct. */
typedef assay_status assay_kernel_entry(int instance, const assay_geometry *geometry,
                                        const void *params, void *stream);

/* One row of the instance table: the chips in `archs` hold code for it, space separated. */
typedef struct assay_kernel {
    const char *op;     /* "rms_norm" */
    const char *dtypes; /* "bf16->bf16" */
    const char *archs;  /* "sm_80 sm_89 ..." */
} assay_kernel;

size_t assay_kernel_count(void);
const assay_kernel *assay_kernel_at(size_t index);

/* True when this build holds the back end's objects (no device need be present). */
bool assay_backend_built(assay_backend backend);

#ifdef __cplusplus
}
#endif
#endif
