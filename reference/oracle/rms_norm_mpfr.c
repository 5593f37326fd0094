/* rms_norm by MPFR: the twin that certifies rms_norm.c.
 *
 * Formula, contract and theorem are those of rms_norm.c; the evaluation shares nothing with it but
 * the argument checks. The sum of squares is exact at the default precision, each end of each
 * interval goes through every step in MPFR's directed rounding, the inner rounding of R-B is
 * MPFR's, and infinities and NaN come from MPFR's own arithmetic, not from cases.
 */
#include <math.h>
#include <mpfr.h>

#include "rms_norm_internal.h"

/* Squares of f32 are multiples of 2^-298 below 2^256; 2^24 of them stay below 2^280. */
#define EXACT_SUM 640

typedef struct twin {
    mpfr_t largest, overflow, tiny, eta, factor; /* of f32: constants */
    mpfr_t lo, hi;                               /* 1/sqrt: its two ends */
    mpfr_t r;                                    /* and its value */
    mpfr_t ends[3], scale;                       /* an element's lo, hi, y, and its g */
} twin;

static void twin_init(twin *t, mpfr_prec_t precision) {
    mpfr_inits2(precision, t->largest, t->overflow, t->tiny, t->eta, t->factor, t->lo, t->hi, t->r,
                t->ends[0], t->ends[1], t->ends[2], t->scale, (mpfr_ptr)NULL);
    mpfr_set_ui_2exp(t->largest, (1UL << 24) - 1, 104, MPFR_RNDN);
    mpfr_set_ui_2exp(t->overflow, (1UL << 25) - 1, 103, MPFR_RNDN); /* half an ulp beyond */
    mpfr_set_ui_2exp(t->tiny, 1, -149, MPFR_RNDN);
    mpfr_set_ui_2exp(t->eta, 1, -150, MPFR_RNDN);
    mpfr_set_ui_2exp(t->factor, (1UL << 24) + 1, -24, MPFR_RNDN); /* 1 + u */
}

static void twin_clear(twin *t) {
    mpfr_clears(t->largest, t->overflow, t->tiny, t->eta, t->factor, t->lo, t->hi, t->r, t->ends[0],
                t->ends[1], t->ends[2], t->scale, (mpfr_ptr)NULL);
}

/* v, an end of an interval of exact results, becomes that end of the interval of f32 results. */
static void through_f32(const twin *t, mpfr_t v, mpfr_rnd_t toward) {
    if (!mpfr_regular_p(v)) return; /* zero, infinity, NaN */
    if (mpfr_greaterequal_p(v, t->overflow)) {
        mpfr_set_inf(v, 1);
    } else if (mpfr_get_exp(v) > -126) { /* at least 2^-126 */
        if (toward == MPFR_RNDD)
            mpfr_div(v, v, t->factor, toward);
        else
            mpfr_mul(v, v, t->factor, toward);
        if (toward == MPFR_RNDU) mpfr_min(v, v, t->largest, toward);
    } else if (mpfr_lessequal_p(v, t->eta)) {
        mpfr_set_zero(v, 1);
    } else if (toward == MPFR_RNDD) {
        mpfr_sub(v, v, t->eta, toward);
        mpfr_max(v, v, t->tiny, toward);
    } else {
        mpfr_add(v, v, t->eta, toward);
    }
}

/* Nearest even in a storage format: a multiple of the unit at v's exponent. */
static void through_storage(mpfr_t v, assay_dtype dtype) {
    static const struct {
        int precision, smallest, limit; /* bits; exponents of the smallest and beyond the largest */
    } formats[ASSAY_DTYPE_COUNT] = {
        [ASSAY_F32] = {24, -149, 128}, [ASSAY_F16] = {11, -24, 16}, [ASSAY_BF16] = {8, -133, 128}};
    if (!mpfr_regular_p(v)) return;
    mpfr_exp_t unit = mpfr_get_exp(v) - formats[dtype].precision;
    if (unit < formats[dtype].smallest) unit = formats[dtype].smallest;
    mpfr_mul_2si(v, v, -unit, MPFR_RNDN);
    mpfr_roundeven(v, v);
    mpfr_mul_2si(v, v, unit, MPFR_RNDN);
    if (mpfr_regular_p(v) && mpfr_get_exp(v) > formats[dtype].limit) mpfr_set_inf(v, 1);
}

/* One end of the sum as computed in f32; total is the same end of the exact sum. */
static void computed_sum(const twin *t, mpfr_t total, const double *x, int64_t d, int64_t height,
                         mpfr_rnd_t toward) {
    mpfr_t lost, growth, square, largest;
    mpfr_inits2(mpfr_get_prec(total), lost, growth, square, largest, (mpfr_ptr)NULL);
    mpfr_set_zero(lost, 1);
    mpfr_set_zero(largest, 1); /* of the squares, each rounded to f32 */
    for (int64_t i = 0; i < d; i++) {
        mpfr_set_d(square, x[i], MPFR_RNDN);
        mpfr_sqr(square, square, MPFR_RNDN);
        if (mpfr_regular_p(square) && mpfr_get_exp(square) <= -126)
            mpfr_add(lost, lost, t->eta, MPFR_RNDU);
        through_f32(t, square, MPFR_RNDD);
        mpfr_max(largest, largest, square, MPFR_RNDD);
    }
    mpfr_pow_ui(growth, t->factor, (unsigned long)height, MPFR_RNDU);
    if (mpfr_zero_p(largest)) { /* nothing was left of any square */
        mpfr_set_zero(total, 1);
    } else if (toward == MPFR_RNDD) {
        mpfr_sub(total, total, lost, toward);
        mpfr_div(total, total, growth, toward);
        mpfr_max(total, total, largest, toward);
        if (mpfr_greater_p(total, t->largest)) mpfr_set_inf(total, 1);
    } else {
        mpfr_add(total, total, lost, toward);
        mpfr_mul(total, total, growth, toward);
        if (mpfr_cmp_ui_2exp(total, 1, 128) >= 0)
            mpfr_set_inf(total, 1);
        else
            mpfr_min(total, total, t->largest, toward);
    }
    mpfr_clears(lost, growth, square, largest, (mpfr_ptr)NULL);
}

/* 1/sqrt at one end: `toward` is the direction of the sum, so the result's is the opposite. */
static void inverse_rms(const twin *t, mpfr_t v, const assay_rms_norm_contract *contract, int64_t d,
                        double eps, mpfr_rnd_t toward) {
    mpfr_rnd_t opposite = toward == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    mpfr_t sum, error;
    mpfr_inits2(mpfr_get_prec(v), sum, error, (mpfr_ptr)NULL);
    mpfr_set(sum, v, toward);
    mpfr_div_ui(v, v, (unsigned long)d, toward);
    for (int i = 1; i < contract->mean_roundings; i++) {
        if (toward == MPFR_RNDD)
            mpfr_div(v, v, t->factor, toward);
        else
            mpfr_mul(v, v, t->factor, toward);
    }
    through_f32(t, v, toward);
    mpfr_min(v, v, sum, toward);
    mpfr_add_d(v, v, eps, toward);
    if (mpfr_regular_p(v) && mpfr_get_exp(v) > -126) through_f32(t, v, toward);
    mpfr_sqrt(v, v, toward);
    mpfr_set_d(error, contract->rsqrt_error, MPFR_RNDN);
    if (opposite == MPFR_RNDD)
        mpfr_ui_sub(error, 1, error, opposite);
    else
        mpfr_add_ui(error, error, 1, opposite);
    mpfr_div(v, error, v, opposite); /* 1/0 = Inf, 1/Inf = 0 */
    mpfr_clears(sum, error, (mpfr_ptr)NULL);
}

static void row_scale(twin *t, const assay_rms_norm_contract *contract, const double *x, int64_t d,
                      double eps) {
    mpfr_t square;
    mpfr_init2(square, 64);
    mpfr_set_zero(t->lo, 1);
    mpfr_set_zero(t->hi, 1);
    for (int64_t i = 0; i < d; i++) {
        mpfr_set_d(square, x[i], MPFR_RNDN);
        mpfr_sqr(square, square, MPFR_RNDN); /* 48 bits */
        mpfr_add(t->lo, t->lo, square, MPFR_RNDD);
        mpfr_add(t->hi, t->hi, square, MPFR_RNDU);
    }
    mpfr_div_ui(t->r, t->hi, (unsigned long)d, MPFR_RNDN);
    mpfr_add_d(t->r, t->r, eps, MPFR_RNDN);
    mpfr_sqrt(t->r, t->r, MPFR_RNDN);
    mpfr_ui_div(t->r, 1, t->r, MPFR_RNDN);
    if (!mpfr_nan_p(t->hi)) {
        computed_sum(t, t->lo, x, d, contract->sum_height, MPFR_RNDD);
        computed_sum(t, t->hi, x, d, contract->sum_height, MPFR_RNDU);
    }
    inverse_rms(t, t->lo, contract, d, eps, MPFR_RNDD);
    inverse_rms(t, t->hi, contract, d, eps, MPFR_RNDU);
    mpfr_swap(t->lo, t->hi);
    mpfr_clear(square);
}

static assay_bound element(twin *t, const assay_rms_norm_contract *contract, double x,
                           const double *w) {
    static const mpfr_rnd_t toward[3] = {MPFR_RNDD, MPFR_RNDU, MPFR_RNDN};
    bool inner = contract->convention == RMS_NORM_RB, narrow = contract->x_dtype != ASSAY_F32;
    mpfr_ptr const r[3] = {t->lo, t->hi, t->r};
    bool negative = signbit(x);
    for (int i = 0; i < 3; i++) {
        mpfr_ptr v = t->ends[i];
        bool bound = toward[i] != MPFR_RNDN;
        mpfr_mul_d(v, r[i], fabs(x), toward[i]);
        if (bound) through_f32(t, v, toward[i]);
        if (inner) through_storage(v, contract->x_dtype);
        if (!w) continue;

        mpfr_set_d(t->scale, *w, MPFR_RNDN);
        if (contract->convention == RMS_NORM_RC) mpfr_add_ui(t->scale, t->scale, 1, MPFR_RNDN);
        if (i == 0) negative ^= mpfr_signbit(t->scale) != 0;
        mpfr_abs(t->scale, t->scale, MPFR_RNDN);
        if (contract->convention == RMS_NORM_RC && bound) through_f32(t, t->scale, toward[i]);
        mpfr_mul(v, v, t->scale, toward[i]);
        bool exact = inner && narrow && mpfr_regular_p(v) && mpfr_get_exp(v) > -126 &&
                     mpfr_less_p(v, t->overflow); /* 22 bits or fewer */
        if (bound && !exact) through_f32(t, v, toward[i]);
    }
    int nans = (mpfr_nan_p(t->ends[0]) != 0) + (mpfr_nan_p(t->ends[1]) != 0);
    if (nans == 2) return (assay_bound){(double)NAN, (double)NAN, (double)NAN};
    if (nans == 1) return (assay_bound){(double)NAN, -(double)INFINITY, (double)INFINITY};
    if (mpfr_nan_p(t->ends[2]) || mpfr_less_p(t->ends[2], t->ends[0]))
        mpfr_set(t->ends[2], t->ends[0], MPFR_RNDN);
    mpfr_min(t->ends[2], t->ends[2], t->ends[1], MPFR_RNDN);
    double low = mpfr_get_d(t->ends[0], MPFR_RNDD), high = mpfr_get_d(t->ends[1], MPFR_RNDU);
    double y = mpfr_get_d(t->ends[2], MPFR_RNDN);
    return negative ? (assay_bound){-y, -high, -low} : (assay_bound){y, low, high};
}

assay_status assay_oracle_rms_norm_mpfr(const assay_rms_norm_contract *contract, const double *x,
                                        const double *w, int64_t d, double eps, long precision,
                                        assay_bound *out) {
    assay_status status = rms_norm_check(contract, x, w, d, eps, out);
    if (status != ASSAY_OK) return status;
    if (precision != 0 && (precision < 192 || precision > 65536))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm MPFR oracle: precision %ld, expected 0 or 192 .. 65536",
                          precision);
    twin t;
    twin_init(&t, precision ? precision : EXACT_SUM);
    row_scale(&t, contract, x, d, eps);
    for (int64_t i = 0; i < d; i++) out[i] = element(&t, contract, x[i], w ? &w[i] : NULL);
    twin_clear(&t);
    return ASSAY_OK;
}
