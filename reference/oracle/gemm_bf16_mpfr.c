/* gemm_bf16 by MPFR: the twin that certifies gemm_bf16.c.
 *
 * The rules are those of gemm_bf16.c; sums are exact here (700 bits hold any sum of products of
 * bf16), residues are MPFR's, RZ is MPFR's rounding to 24 bits with the f32 range
 * set, and exponents come from the numbers.
 */
#include <mpfr.h>

#include "gemm_internal.h"

#define EXACT 700 /* products are multiples of 2^-266 below 2^256, 2^24 of them below 2^280 */

typedef struct twin {
    mpfr_t lo, hi, sum, product, unit, residue, down, up, total, absolute;
} twin;

static void twin_init(twin *t) {
    mpfr_inits2(EXACT, t->lo, t->hi, t->sum, t->product, t->unit, t->residue, t->down, t->up,
                t->total, t->absolute, (mpfr_ptr)NULL);
}

static void twin_clear(twin *t) {
    mpfr_clears(t->lo, t->hi, t->sum, t->product, t->unit, t->residue, t->down, t->up, t->total,
                t->absolute, (mpfr_ptr)NULL);
}

/* v toward zero to f32. */
static void through_f32(mpfr_t v) {
    if (!mpfr_regular_p(v)) return;
    const mpfr_exp_t exponent = mpfr_get_exp(v); /* of 0.1xxx: one above the IEEE one */
    if (exponent > 128) {
        mpfr_set_inf(v, mpfr_sgn(v));
        return;
    }
    const mpfr_exp_t places = exponent - 24 > -149 ? exponent - 24 : -149;
    mpfr_mul_2si(v, v, -places, MPFR_RNDN);
    mpfr_trunc(v, v);
    mpfr_mul_2si(v, v, places, MPFR_RNDN);
    if (mpfr_zero_p(v)) mpfr_set_zero(v, 1);
}

static void set_product(twin *t, uint16_t x, uint16_t w) {
    mpfr_set_d(t->product, gemm_bf16(x), MPFR_RNDN);
    mpfr_mul_d(t->product, t->product, gemm_bf16(w), MPFR_RNDN);
}

/* Exponent of an end of the accumulator's interval. */
static long exponent_of(const mpfr_t v) {
    if (mpfr_inf_p(v)) return 127;
    const long e = (long)mpfr_get_exp(v) - 1;
    return e < -126 ? -126 : e;
}

/* |v| modulo the unit. */
static void set_residue(twin *t, const mpfr_t v) {
    mpfr_fmod(t->residue, v, t->unit, MPFR_RNDN);
    mpfr_abs(t->residue, t->residue, MPFR_RNDN);
}

static void set_accumulator_residue(twin *t, long unit) {
    mpfr_set_zero(t->residue, 1);
    const bool positive = mpfr_sgn(t->lo) > 0, negative = mpfr_sgn(t->hi) < 0;
    if (mpfr_equal_p(t->lo, t->hi)) {
        if (mpfr_number_p(t->lo)) set_residue(t, t->lo);
        return;
    }
    const long least = positive ? exponent_of(t->lo) : negative ? exponent_of(t->hi) : -126;
    if (least - 23 >= unit) return;
    mpfr_abs(t->residue, t->lo, MPFR_RNDN);
    if (mpfr_cmpabs(t->hi, t->lo) > 0) mpfr_abs(t->residue, t->hi, MPFR_RNDN);
    mpfr_min(t->residue, t->residue, t->unit, MPFR_RNDN);
}

static void block(twin *t, const assay_gemm_chain *chain, const uint16_t *x, const uint16_t *w,
                  int64_t count) {
    long largest = chain->floor;
    if (!mpfr_zero_p(t->lo) && exponent_of(t->lo) > largest) largest = exponent_of(t->lo);
    if (!mpfr_zero_p(t->hi) && exponent_of(t->hi) > largest) largest = exponent_of(t->hi);
    mpfr_set_zero(t->sum, 1);
    for (int64_t i = 0; i < count; i++) {
        set_product(t, x[i], w[i]);
        mpfr_add(t->sum, t->sum, t->product, MPFR_RNDN);
        const long e = gemm_exponent(x[i]) + gemm_exponent(w[i]);
        if (!mpfr_zero_p(t->product) && e > largest) largest = e;
    }
    mpfr_set_ui_2exp(t->unit, 1, largest - chain->fraction, MPFR_RNDN);
    mpfr_set_zero(t->down, 1);
    mpfr_set_zero(t->up, 1);
    for (int64_t i = 0; i < count; i++) {
        set_product(t, x[i], w[i]);
        set_residue(t, t->product);
        if (mpfr_sgn(t->product) > 0) mpfr_add(t->down, t->down, t->residue, MPFR_RNDN);
        if (mpfr_sgn(t->product) < 0) mpfr_add(t->up, t->up, t->residue, MPFR_RNDN);
    }
    set_accumulator_residue(t, largest - chain->fraction);
    if (mpfr_sgn(t->hi) > 0) mpfr_add(t->down, t->down, t->residue, MPFR_RNDN);
    if (mpfr_sgn(t->lo) < 0) mpfr_add(t->up, t->up, t->residue, MPFR_RNDN);
    mpfr_add(t->lo, t->lo, t->sum, MPFR_RNDN);
    mpfr_sub(t->lo, t->lo, t->down, MPFR_RNDN);
    mpfr_add(t->hi, t->hi, t->sum, MPFR_RNDN);
    mpfr_add(t->hi, t->hi, t->up, MPFR_RNDN);
    through_f32(t->lo);
    through_f32(t->hi);
}

static void run_chain(twin *t, const assay_gemm_chain *chain, const uint16_t *x, const uint16_t *w,
                      int64_t k) {
    mpfr_set_zero(t->lo, 1);
    mpfr_set_zero(t->hi, 1);
    for (int64_t i = 0; i < k; i += chain->terms)
        block(t, chain, x + i, w + i, k - i < chain->terms ? k - i : chain->terms);
}

static const assay_bound indeterminate = {NAN, -(double)INFINITY, (double)INFINITY};

/* Without chains; total and absolute are set. */
static assay_bound a_priori(twin *t, double per_step, int64_t k) {
    mpfr_t bound, tiny;
    mpfr_inits2(EXACT, bound, tiny, (mpfr_ptr)NULL);
    mpfr_set_si_2exp(tiny, k, -149, MPFR_RNDN);
    mpfr_set_d(bound, per_step, MPFR_RNDN);
    mpfr_log1p(bound, bound, MPFR_RNDU);
    mpfr_mul_si(bound, bound, k, MPFR_RNDU);
    mpfr_expm1(bound, bound, MPFR_RNDU);
    mpfr_add(t->sum, t->absolute, tiny, MPFR_RNDU);
    mpfr_mul(bound, bound, t->sum, MPFR_RNDU);
    mpfr_add(bound, bound, tiny, MPFR_RNDU);
    assay_bound out = indeterminate;
    mpfr_add(t->sum, t->absolute, bound, MPFR_RNDU);
    if (mpfr_cmp_d(t->sum, 0x1.fffffep127) < 0) {
        out.y = mpfr_get_d(t->total, MPFR_RNDN);
        mpfr_sub(t->lo, t->total, bound, MPFR_RNDD);
        mpfr_add(t->hi, t->total, bound, MPFR_RNDU);
        out.lo = mpfr_get_d(t->lo, MPFR_RNDD);
        out.hi = mpfr_get_d(t->hi, MPFR_RNDU);
    }
    mpfr_clears(bound, tiny, (mpfr_ptr)NULL);
    return out;
}

static assay_bound element(twin *t, const assay_gemm_contract *contract, const uint16_t *x,
                           const uint16_t *w, int64_t k) {
    int64_t first;
    const gemm_class kind = gemm_classify(x, w, k, &first);
    if (kind == GEMM_NAN) return (assay_bound){NAN, NAN, NAN};
    mpfr_set_zero(t->total, 1);
    mpfr_set_zero(t->absolute, 1);
    for (int64_t i = 0; i < k; i++) {
        set_product(t, x[i], w[i]);
        if (!mpfr_number_p(t->product)) continue;
        mpfr_add(t->total, t->total, t->product, MPFR_RNDN);
        mpfr_abs(t->product, t->product, MPFR_RNDN);
        mpfr_add(t->absolute, t->absolute, t->product, MPFR_RNDN);
    }
    const double infinity = kind == GEMM_PLUS ? (double)INFINITY : -(double)INFINITY;
    if (contract->chains == 0 && kind != GEMM_FINITE)
        return mpfr_cmp_d(t->absolute, 0x1p127) < 0 ? (assay_bound){infinity, infinity, infinity}
                                                    : indeterminate;
    if (contract->chains == 0 && k > 0) return a_priori(t, contract->per_step, k);
    const double y = mpfr_get_d(t->total, MPFR_RNDN);
    assay_bound out = {y, y, y};
    if (kind != GEMM_FINITE) out = (assay_bound){infinity, infinity, infinity};
    for (int i = 0; i < contract->chains; i++) {
        const assay_gemm_chain *chain = &contract->chain[i];
        run_chain(t, chain, x, w, kind == GEMM_FINITE ? k : first / chain->terms * chain->terms);
        if (kind == GEMM_FINITE) {
            out.lo = fmin(out.lo, mpfr_get_d(t->lo, MPFR_RNDD));
            out.hi = fmax(out.hi, mpfr_get_d(t->hi, MPFR_RNDU));
        } else if (kind == GEMM_PLUS ? mpfr_inf_p(t->lo) && mpfr_sgn(t->lo) < 0
                                     : mpfr_inf_p(t->hi) && mpfr_sgn(t->hi) > 0) {
            return indeterminate;
        }
    }
    return out;
}

assay_status assay_oracle_gemm_bf16_mpfr(const assay_gemm_contract *contract, const uint16_t *x,
                                         const uint16_t *w, int64_t n, int64_t k,
                                         assay_bound *out) {
    const assay_status status = gemm_check("gemm_bf16 twin", contract, n, k);
    if (status) return status;
    twin t;
    twin_init(&t);
    for (int64_t j = 0; j < n; j++) out[j] = element(&t, contract, x, w + j * k, k);
    twin_clear(&t);
    return ASSAY_OK;
}
