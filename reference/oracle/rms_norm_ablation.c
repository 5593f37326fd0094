/* rms_norm with one thing wrong, in float64: the formulas of rms_norm.c, each with one term left
 * out, taken twice or put elsewhere. Used on the data, not on the kernel: an ablation that stays
 * inside the intervals of a case shows that the case cannot see that fault. */
#include <math.h>

#include "rms_norm_internal.h"

#define TAIL 8 /* one 16-byte vector of 16-bit elements */

static const char *const names[ASSAY_RMS_NORM_ABLATION_COUNT] = {
    [ASSAY_RMS_NORM_FULL] = "full",
    [ASSAY_RMS_NORM_NO_EPS] = "no_eps",
    [ASSAY_RMS_NORM_EPS_X10] = "eps_x10",
    [ASSAY_RMS_NORM_EPS_OUTSIDE] = "eps_outside",
    [ASSAY_RMS_NORM_NO_WEIGHT] = "no_weight",
    [ASSAY_RMS_NORM_WEIGHT_TAIL_LOST] = "weight_tail_lost",
    [ASSAY_RMS_NORM_WEIGHT_SHIFTED] = "weight_shifted",
    [ASSAY_RMS_NORM_FIRST_LOST] = "first_lost",
    [ASSAY_RMS_NORM_LAST_LOST] = "last_lost",
    [ASSAY_RMS_NORM_TAIL_LOST] = "tail_lost",
    [ASSAY_RMS_NORM_HALF_LOST] = "half_lost",
    [ASSAY_RMS_NORM_NO_SCALE] = "no_scale",
    [ASSAY_RMS_NORM_NO_MEAN] = "no_mean",
    [ASSAY_RMS_NORM_MEAN_D_MINUS_1] = "mean_d_minus_1",
    [ASSAY_RMS_NORM_AS_RA] = "as_ra",
    [ASSAY_RMS_NORM_AS_RB] = "as_rb",
    [ASSAY_RMS_NORM_AS_RC] = "as_rc",
};

const char *assay_rms_norm_ablation_name(assay_rms_norm_ablation ablation) {
    return (unsigned)ablation < ASSAY_RMS_NORM_ABLATION_COUNT ? names[ablation] : "?";
}

bool assay_rms_norm_ablation_applies(const assay_rms_norm_contract *contract,
                                     assay_rms_norm_ablation ablation, bool has_weight, int64_t d,
                                     double eps) {
    int own = contract->convention;
    bool inner_shows = contract->x_dtype != ASSAY_F32;
    switch (ablation) {
    case ASSAY_RMS_NORM_FULL:
    case ASSAY_RMS_NORM_NO_SCALE: return true;
    case ASSAY_RMS_NORM_NO_EPS:
    case ASSAY_RMS_NORM_EPS_X10:
    case ASSAY_RMS_NORM_EPS_OUTSIDE: return eps > 0;
    case ASSAY_RMS_NORM_NO_WEIGHT:
    case ASSAY_RMS_NORM_WEIGHT_TAIL_LOST: return has_weight;
    case ASSAY_RMS_NORM_WEIGHT_SHIFTED: return has_weight && d > 1;
    case ASSAY_RMS_NORM_FIRST_LOST:
    case ASSAY_RMS_NORM_LAST_LOST:
    case ASSAY_RMS_NORM_HALF_LOST:
    case ASSAY_RMS_NORM_NO_MEAN:
    case ASSAY_RMS_NORM_MEAN_D_MINUS_1: return d > 1;
    case ASSAY_RMS_NORM_TAIL_LOST: return d > TAIL;
    case ASSAY_RMS_NORM_AS_RA:
        return has_weight && (own == RMS_NORM_RC || (own == RMS_NORM_RB && inner_shows));
    case ASSAY_RMS_NORM_AS_RB:
        return has_weight && (own == RMS_NORM_RC || (own == RMS_NORM_RA && inner_shows));
    case ASSAY_RMS_NORM_AS_RC: return has_weight && own != RMS_NORM_RC;
    case ASSAY_RMS_NORM_ABLATION_COUNT: break;
    }
    return false;
}

static double inverse_rms(assay_rms_norm_ablation ablation, const double *x, int64_t d,
                          double eps) {
    int64_t first = ablation == ASSAY_RMS_NORM_FIRST_LOST, end = d;
    double n = (double)d;
    switch (ablation) {
    case ASSAY_RMS_NORM_NO_SCALE: return 1;
    case ASSAY_RMS_NORM_LAST_LOST: end = d - 1; break;
    case ASSAY_RMS_NORM_TAIL_LOST: end = d - TAIL; break;
    case ASSAY_RMS_NORM_HALF_LOST: end = d / 2; break;
    case ASSAY_RMS_NORM_NO_MEAN: n = 1; break;
    case ASSAY_RMS_NORM_MEAN_D_MINUS_1: n = (double)(d - 1); break;
    case ASSAY_RMS_NORM_NO_EPS: eps = 0; break;
    case ASSAY_RMS_NORM_EPS_X10: eps *= 10; break;
    default: break;
    }
    double mean = rms_norm_sum_squares(x + first, end - first) / n;
    if (ablation == ASSAY_RMS_NORM_EPS_OUTSIDE) return 1 / (sqrt(mean) + eps);
    return 1 / sqrt(mean + eps);
}

assay_status assay_oracle_rms_norm_ablated(const assay_rms_norm_contract *contract,
                                           assay_rms_norm_ablation ablation, const double *x,
                                           const double *w, int64_t d, double eps, double *y) {
    assay_status status = rms_norm_check(contract, x, w, d, eps, y);
    if (status != ASSAY_OK) return status;
    if (!assay_rms_norm_ablation_applies(contract, ablation, w != NULL, d, eps))
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm ablation %s does not apply to this case",
                          assay_rms_norm_ablation_name(ablation));

    int convention = contract->convention;
    if (ablation == ASSAY_RMS_NORM_AS_RA) convention = RMS_NORM_RA;
    if (ablation == ASSAY_RMS_NORM_AS_RB) convention = RMS_NORM_RB;
    if (ablation == ASSAY_RMS_NORM_AS_RC) convention = RMS_NORM_RC;
    int64_t weighted = w ? d : 0, shift = ablation == ASSAY_RMS_NORM_WEIGHT_SHIFTED;
    if (ablation == ASSAY_RMS_NORM_NO_WEIGHT) weighted = 0;
    if (ablation == ASSAY_RMS_NORM_WEIGHT_TAIL_LOST) weighted = d > TAIL ? d - TAIL : 0;

    double r = inverse_rms(ablation, x, d, eps);
    for (int64_t i = 0; i < d; i++) {
        double n = x[i] * r;
        if (convention == RMS_NORM_RB) n = rms_norm_round(contract->x_dtype, n);
        double g = 1;
        if (i < weighted) g = w[(i + shift) % d] + (convention == RMS_NORM_RC ? 1 : 0);
        y[i] = n * g;
    }
    return ASSAY_OK;
}
