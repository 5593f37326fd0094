/* What the device layer's matrix and copy kernels and their host side agree on. */
#ifndef ASSAY_UNIT_DEVICE_MATRIX_H
#define ASSAY_UNIT_DEVICE_MATRIX_H

#include <stdint.h>

enum device_matrix_kernel {
    DEVICE_MATRIX_MULTIPLY, /* every mma, of small integers */
    DEVICE_MATRIX_ROWS,     /* every ldmatrix and stmatrix */
    DEVICE_MATRIX_COPY,     /* every width of copy, commit and both waits */
    DEVICE_MATRIX_BARRIER   /* named barrier and arrive */
};

typedef struct device_matrix_params {
    const uint16_t *in; /* 256 elements; of MULTIPLY: bf16, then f16 */
    uint32_t *out;
    float *sums;
} device_matrix_params;

#endif
