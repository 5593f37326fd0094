/* What the files of the rms_norm registration share. */
#ifndef ASSAY_HARNESS_OPS_RMS_NORM_H
#define ASSAY_HARNESS_OPS_RMS_NORM_H

#include <stdint.h>

#include "assay/rms_norm.h"
#include "op.h"

/* Order of the operands. */
enum { RMS_NORM_X, RMS_NORM_W, RMS_NORM_Y, RMS_NORM_TENSORS };

/* assay_rms_norm, or what stands in for it in the target's kernel library. */
assay_status rms_norm_call(const assay_rms_norm_args *args, const assay_target *target);

/* data.c: one kind per failure mode. */
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
    RMS_NORM_TIES,       /* like exact, with weights that make 1 + w (R-C) a tie of its storage */
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

/* grid.c */
void rms_norm_grid(assay_level level, assay_case_sink *sink, void *context);

/* oracle.c */
assay_status rms_norm_oracle(const assay_case *c, const assay_tensor *tensors,
                             const void *const *data, const char *contract, size_t output,
                             int64_t unit, assay_bound *bounds);
assay_status rms_norm_contract_for(const assay_case *c, const char *text,
                                   assay_rms_norm_contract *contract);
/* Row `unit` of x and w in float64; the caller frees *x, *w lies in it. */
assay_status rms_norm_decode_row(const assay_tensor *tensors, const void *const *data, int64_t unit,
                                 double **x, double **w);
double rms_norm_eps(const assay_case *c); /* the f32 that the kernel receives */
bool rms_norm_is_exact(const assay_case *c, const assay_rms_norm_contract *contract);
const char *rms_norm_ablation_text(size_t ablation);
bool rms_norm_ablation_applies(const assay_case *c, size_t ablation);
assay_status rms_norm_ablate(const assay_case *c, const assay_tensor *tensors,
                             const void *const *data, size_t ablation, int64_t unit, double *y);

/* explain.c */
assay_status rms_norm_explain(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, const char *contract, size_t output,
                              int64_t element, struct assay_explanation *out);

/* refusals.c */
size_t rms_norm_refusals(const assay_target *target, char *message, size_t size);

/* judge.c */
assay_status rms_norm_from_shapes(assay_case *c, const assay_tensor *given, size_t count);

#endif
