/* What the rms_norm launcher and the rms_norm kernel agree on. */
#ifndef ASSAY_KERNELS_RMS_NORM_H
#define ASSAY_KERNELS_RMS_NORM_H

#include "assay/rms_norm.h"

/* Chunks of a row that a lane keeps in registers between the two passes. */
#define RMS_NORM_HELD 4

/* Instance number = pair of dtypes (in the order of rms_norm.def) * RMS_NORM_VARIANTS + variant. */
enum {
    RMS_NORM_SCALAR = 0, /* any alignment */
    RMS_NORM_VECTOR,     /* 16-byte accesses */
    RMS_NORM_VARIANTS
};

typedef struct rms_norm_params {
    const void *x;
    const void *w; /* NULL: no weight */
    void *y;
    int64_t rows, d, x_stride, y_stride; /* strides in elements */
    float eps;
    uint32_t lanes;     /* threads that share a row: a power of two up to 1024 */
    int32_t convention; /* assay_norm_convention */
} rms_norm_params;

#endif
