/* Argument checks and the sum of squares of the rms_norm oracle.
 *
 * Squares of f32 values are exact in float64 (48 bits, 2^-298 .. 2^256). They are added by
 * Ogita, Rump and Oishi's Sum2 ("Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005,
 * algorithm 4.4 and proposition 4.5) on independent lanes: the exact error of every addition is
 * kept and added at the end. For n non-negative terms the relative error is at most
 * 2^-53 + (n * 2^-53)^2 (1 + small), below 2^-52 for n <= 2^24.
 */
#include <math.h>

#include "rms_norm_internal.h"

#define LANES 8

static bool is_f32(double v) { return v != v || v == (double)(float)v; }

assay_status rms_norm_check(const assay_rms_norm_contract *contract, const double *x,
                            const double *w, int64_t d, double eps, const void *out) {
    if (!contract || !x || !out)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm oracle: contract, x or output is NULL");
    if (d < 1 || d > INT64_C(1) << 24)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm oracle: d = %lld, expected 1 .. 2^24",
                          (long long)d);
    if (!(eps >= 0 && eps < (double)INFINITY) || !is_f32(eps))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm oracle: eps = %.17g, expected a finite f32 >= 0", eps);
    if (contract->convention < RMS_NORM_RA || contract->convention > RMS_NORM_RC)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm contract: convention %d, expected 0 .. 2",
                          contract->convention);
    if ((unsigned)contract->x_dtype >= ASSAY_DTYPE_COUNT)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm contract: x_dtype %d is no dtype",
                          (int)contract->x_dtype);
    if (contract->sum_height < 1 || contract->sum_height > INT64_C(1) << 25)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm contract: sum_height %lld, expected 1 .. 2^25",
                          (long long)contract->sum_height);
    if (contract->mean_roundings < 1 || contract->mean_roundings > 2)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm contract: mean_roundings %d, expected 1 or 2",
                          contract->mean_roundings);
    if (!(contract->rsqrt_error >= 0 && contract->rsqrt_error <= 0x1p-8))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm contract: rsqrt_error %g, expected 0 .. 2^-8",
                          contract->rsqrt_error);
    for (int64_t i = 0; i < d; i++)
        if (!is_f32(x[i]) || (w && !is_f32(w[i])))
            return assay_fail(ASSAY_ERR_ARGUMENT,
                              "rms_norm oracle: x[%lld] = %a or its weight is not an f32 value",
                              (long long)i, x[i]);
    return ASSAY_OK;
}

/* sum + error += term, exactly up to the rounding of `error`. */
static inline void add_exact(double *sum, double *error, double term) {
    double total = *sum + term, part = total - *sum;
    *error += (*sum - (total - part)) + (term - part);
    *sum = total;
}

double rms_norm_sum_squares(const double *x, int64_t d) {
    double sum[LANES] = {0}, error[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= d; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            add_exact(&sum[lane], &error[lane], x[i + lane] * x[i + lane]);
    for (; i < d; i++) add_exact(&sum[0], &error[0], x[i] * x[i]);
    for (int lane = 1; lane < LANES; lane++) {
        error[0] += error[lane];
        add_exact(&sum[0], &error[0], sum[lane]);
    }
    if (sum[0] < (double)INFINITY) return sum[0] + error[0];
    return sum[0]; /* Inf or NaN: `error` is Inf - Inf */
}
