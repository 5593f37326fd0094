/* The kernel registry: every *.def instance table of kernels/, gathered by the build. */
#include "assay/kernel.h"

#include <string.h>

#include "launch/archs.h"
#include "launch/entries.h"

#define ASSAY_INSTANCE(op, tx, ty, archs) {#op, #tx "->" #ty, archs},
static const assay_kernel kernels[] = {
#include "kernel_tables.inc"
};
#undef ASSAY_INSTANCE

size_t assay_kernel_count(void) { return sizeof kernels / sizeof kernels[0]; }

const assay_kernel *assay_kernel_at(size_t index) {
    return index < assay_kernel_count() ? &kernels[index] : NULL;
}

static const char *const names[ASSAY_BACKEND_COUNT] = {
    [ASSAY_SIMT] = "simt", [ASSAY_CUDA] = "cuda", [ASSAY_HIP] = "hip"};

const char *assay_backend_name(assay_backend backend) {
    return (unsigned)backend < ASSAY_BACKEND_COUNT ? names[backend] : "?";
}

bool assay_backend_parse(const char *name, assay_backend *backend) {
    for (int i = 0; i < ASSAY_BACKEND_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *backend = (assay_backend)i;
            return true;
        }
    }
    return false;
}

bool assay_backend_built(assay_backend backend) {
    static const bool built[ASSAY_BACKEND_COUNT] = {[ASSAY_SIMT] = true,
                                                    ASSAY_IF_CUDA([ASSAY_CUDA] = true, )
                                                        ASSAY_IF_HIP([ASSAY_HIP] = true, )};
    return (unsigned)backend < ASSAY_BACKEND_COUNT && built[backend];
}
