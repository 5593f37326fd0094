/* What the flag probe's kernels and their host side agree on. */
#ifndef ASSAY_DEVICE_FLAG_PROBE_H
#define ASSAY_DEVICE_FLAG_PROBE_H

#include <stdint.h>

#define FLAG_PROBE_KERNELS 6
#define FLAG_PROBE_RESULTS 8

typedef struct flag_probe_params {
    float a, b, c; /* a * b needs more than 24 bits, so that fused and unfused sums differ */
    float tiny;    /* subnormal */
    int32_t large; /* 2^30 */
    float *out;    /* FLAG_PROBE_RESULTS */
} flag_probe_params;

#endif
