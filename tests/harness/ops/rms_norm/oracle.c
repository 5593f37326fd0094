/* Bounds and ablations of rms_norm cases: contracts as text, rows decoded for the oracle. */
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "rms_norm.h"

/* One RN division and one RN square root: (1+u)^2 - 1. The best approximate rsqrt: 2^-22.9. */
static const double exact_rsqrt = 0x1p-23 + 0x1p-48;
static const double approximate_rsqrt = 0x1.13p-23;

/* NULL or "declared": the kernels' own. "any": f32 sums in any order, mean by a reciprocal, an
 * approximate rsqrt. "h=N": the same with a summation tree of height N. */
assay_status rms_norm_contract_for(const assay_case *c, const char *text,
                                   assay_rms_norm_contract *contract) {
    const int64_t d = assay_case_int(c, "d");
    *contract = (assay_rms_norm_contract){
        .convention = (int)assay_case_index(c, "conv"),
        .x_dtype = (assay_dtype)assay_case_index(c, "dt"),
        .sum_height = assay_rms_norm_tree_for((assay_dtype)assay_case_index(c, "dt"), d).height,
        .mean_roundings = 1,
        .rsqrt_error = exact_rsqrt,
    };
    if (!text || strcmp(text, "declared") == 0) return ASSAY_OK;
    contract->mean_roundings = 2;
    contract->rsqrt_error = approximate_rsqrt;
    char *end;
    if (strcmp(text, "any") == 0) {
        contract->sum_height = d;
        return ASSAY_OK;
    }
    if (strncmp(text, "h=", 2) == 0) {
        contract->sum_height = strtoll(text + 2, &end, 10);
        if (*end == '\0' && end != text + 2 && contract->sum_height >= 1 &&
            contract->sum_height <= ASSAY_RMS_NORM_MAX_D)
            return ASSAY_OK;
    }
    return assay_fail(ASSAY_ERR_ARGUMENT,
                      "contract '%s': expected declared, any, or h=N with N from 1 to %lld", text,
                      (long long)ASSAY_RMS_NORM_MAX_D);
}

assay_status rms_norm_decode_row(const assay_tensor *tensors, const void *const *data, int64_t unit,
                                 double **x, double **w) {
    const int64_t d = tensors[RMS_NORM_X].shape[1];
    *x = malloc(sizeof(double) * 2 * (size_t)d);
    if (!*x) return assay_fail(ASSAY_ERR_MEMORY, "rms_norm oracle: no memory for a row");
    *w = tensors[RMS_NORM_W].present ? *x + d : NULL;
    for (int64_t i = 0; i < d; i++) {
        (*x)[i] = assay_format_decode(
            tensors[RMS_NORM_X].dtype,
            assay_format_load(tensors[RMS_NORM_X].dtype, data[RMS_NORM_X], unit * d + i));
        if (*w)
            (*w)[i] = assay_format_decode(
                tensors[RMS_NORM_W].dtype,
                assay_format_load(tensors[RMS_NORM_W].dtype, data[RMS_NORM_W], i));
    }
    return ASSAY_OK;
}

double rms_norm_eps(const assay_case *c) { return (double)(float)assay_case_real(c, "eps"); }

/* data=exact or ties with eps=0: every step of every legal kernel is exact, so only y itself is
 * right. */
bool rms_norm_is_exact(const assay_case *c, const assay_rms_norm_contract *contract) {
    const int64_t data = assay_case_index(c, "data");
    return (data == RMS_NORM_EXACT || data == RMS_NORM_TIES) && assay_case_real(c, "eps") == 0.0 &&
           contract->mean_roundings == 1 && contract->rsqrt_error <= exact_rsqrt;
}

assay_status rms_norm_oracle(const assay_case *c, const assay_tensor *tensors,
                             const void *const *data, const char *contract_text, size_t output,
                             int64_t unit, assay_bound *bounds) {
    (void)output;
    assay_rms_norm_contract contract;
    double *x, *w;
    assay_status status = rms_norm_contract_for(c, contract_text, &contract);
    if (!status) status = rms_norm_decode_row(tensors, data, unit, &x, &w);
    if (status) return status;
    status = assay_oracle_rms_norm(&contract, x, w, tensors[RMS_NORM_X].shape[1], rms_norm_eps(c),
                                   bounds);
    if (!status && rms_norm_is_exact(c, &contract))
        for (int64_t i = 0; i < tensors[RMS_NORM_X].shape[1]; i++)
            bounds[i].lo = bounds[i].hi = bounds[i].y;
    free(x);
    return status;
}

const char *rms_norm_ablation_text(size_t ablation) {
    return assay_rms_norm_ablation_name((assay_rms_norm_ablation)(ablation + 1));
}

bool rms_norm_ablation_applies(const assay_case *c, size_t ablation) {
    assay_rms_norm_contract contract;
    if (rms_norm_contract_for(c, NULL, &contract)) return false;
    const assay_rms_norm_ablation which = (assay_rms_norm_ablation)(ablation + 1);
    const int64_t d = assay_case_int(c, "d");
    /* One part in 2d of the result: below a 16-bit storage's half ulp from d = 64 on, and below the
     * f32 bound in long rows. */
    if (which == ASSAY_RMS_NORM_MEAN_D_MINUS_1 && d > 64) return false;
    return assay_rms_norm_ablation_applies(&contract, which, assay_case_index(c, "w") == 0, d,
                                           rms_norm_eps(c));
}

assay_status rms_norm_ablate(const assay_case *c, const assay_tensor *tensors,
                             const void *const *data, size_t ablation, int64_t unit, double *y) {
    assay_rms_norm_contract contract;
    double *x, *w;
    assay_status status = rms_norm_contract_for(c, NULL, &contract);
    if (!status) status = rms_norm_decode_row(tensors, data, unit, &x, &w);
    if (status) return status;
    status = assay_oracle_rms_norm_ablated(&contract, (assay_rms_norm_ablation)(ablation + 1), x, w,
                                           tensors[RMS_NORM_X].shape[1], rms_norm_eps(c), y);
    free(x);
    return status;
}
