/* Test data of rms_norm: one kind per failure mode. */
#ifndef ASSAY_HARNESS_DATA_RMS_NORM_H
#define ASSAY_HARNESS_DATA_RMS_NORM_H

#include <stdint.h>

#include "assay/rms_norm.h"

typedef enum rms_norm_data {
    RMS_NORM_NORMAL = 0, /* standard normal rows */
    RMS_NORM_HEAVY,      /* normal times a power of two from 2^-6 to 2^6: outliers in every row */
    RMS_NORM_EXACT,      /* |x| = one power of two a row, eps = 0: the result is exact */
    RMS_NORM_NEAR_EPS,   /* mean square near eps */
    RMS_NORM_TAIL_SPIKE, /* one large group: by row the last, the last 8, the first, a random one */
    RMS_NORM_ABSORB,     /* one large term that swallows a half-ulp term at every addition */
    RMS_NORM_SCALES,     /* every row at a power of two of its own */
    RMS_NORM_SPECIAL,    /* by row: zeros, NaN, infinities, overflow, subnormals; weights too */
    RMS_NORM_MIXED,      /* by row: near_eps, the three spikes, normal: five rows show every term */
    RMS_NORM_ONES,       /* all ones, weights too: shows nothing, and must be called so */
    RMS_NORM_DATA_COUNT
} rms_norm_data;

/* NULL-terminated, in the order of the enum. */
extern const char *const rms_norm_data_words[RMS_NORM_DATA_COUNT + 1];

typedef struct rms_norm_recipe {
    rms_norm_data kind;
    uint64_t seed;
    assay_dtype dtype;
    int64_t rows, d;
    double eps;
} rms_norm_recipe;

/* Dense x (rows, d) and w (d; NULL when absent) in storage dtype. */
void rms_norm_generate_x(const rms_norm_recipe *r, void *x);
void rms_norm_generate_w(const rms_norm_recipe *r, void *w);

#endif
