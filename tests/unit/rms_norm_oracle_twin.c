/* The float64 rms_norm oracle certified by its MPFR twin. */
#include <criterion/criterion.h>

#include "rms_norm_oracle_kit.h"

/* How far apart two ends may be: 2^-46 relative for float64's own outward rounding, and 2^-42 of
 * the sum's growth for its repeated squaring. */
static bool close_to(double a, double b, int64_t height) {
    double allowed = 0x1p-46 + 0x1p-42 * 0x1p-24 * (double)height;
    return a == b || fabs(a - b) <= allowed * fabs(b);
}

/* Containment for every element. Returns how many are not also tight: 0 where nothing is decided
 * by a threshold; within 2^-46 of a tie or of an end of the f32 range, the ends may part. */
static int64_t check_twin(const assay_rms_norm_contract *c, int64_t d, double eps, bool weighted) {
    const double *weight = weighted ? w : NULL;
    cr_assert(assay_oracle_rms_norm(c, x, weight, d, eps, bounds) == ASSAY_OK, "%s: %s", line,
              assay_last_error());
    cr_assert(assay_oracle_rms_norm_mpfr(c, x, weight, d, eps, 0, twins) == ASSAY_OK, "%s", line);
    int64_t loose = 0;
    for (int64_t i = 0; i < d; i++) {
        assay_bound a = bounds[i], m = twins[i];
        if (indeterminate(a)) {
            loose += !indeterminate(m);
            continue;
        }
        cr_assert(!indeterminate(m) && nan_due(a) == nan_due(m), "%s i=%lld: [%a %a %a] [%a %a %a]",
                  line, (long long)i, a.lo, a.y, a.hi, m.lo, m.y, m.hi);
        if (nan_due(a)) continue;
        cr_assert(a.lo <= m.lo && m.hi <= a.hi && a.lo <= a.y && a.y <= a.hi && m.lo <= m.y &&
                      m.y <= m.hi,
                  "%s i=%lld x=%a w=%a: [%a %a %a] [%a %a %a]", line, (long long)i, x[i], w[i],
                  a.lo, a.y, a.hi, m.lo, m.y, m.hi);
        bool exact = a.y == m.y || fabs(a.y - m.y) <= 8 * 0x1p-53 * fabs(m.y);
        loose +=
            !exact || !close_to(a.lo, m.lo, c->sum_height) || !close_to(a.hi, m.hi, c->sum_height);
    }
    return loose;
}

static const int64_t widths[] = {1, 2, 7, 8, 9, 64};

static void twin_on(data kind, bool edges, int repeats) {
    state = SEED + (uint64_t)kind;
    int64_t loose = 0, total = 0;
    for (int k = 0; k < repeats; k++)
        for (size_t n = 0; n < sizeof widths / sizeof *widths; n++)
            for (int variant = 0; variant < 3 * 3 * 2; variant++) {
                assay_rms_norm_contract c = {variant % 3, (assay_dtype)(variant / 3 % 3),
                                             widths[n] + k, 1 + k % 2, k % 3 ? RSQRT : 0x1p-20};
                double eps = next_random() % 3 == 0 ? 0 : EPS;
                describe(&c, data_names[kind], widths[n], eps, variant / 9);
                fill(kind, c.x_dtype, widths[n]);
                loose += check_twin(&c, widths[n], eps, variant / 9);
                total += widths[n];
            }
    cr_assert(edges ? loose * 20 < total : loose == 0, "%s: %lld of %lld elements loose",
              data_names[kind], (long long)loose, (long long)total);
}

Test(rms_norm_oracle, twin_agrees_on_ordinary_data) {
    twin_on(PLAIN, false, 12);
    twin_on(WIDE, false, 12);
    twin_on(TAIL_SPIKE, false, 6);
    twin_on(NEAR_EPS, false, 6);
    twin_on(ZEROS, false, 6);
}

Test(rms_norm_oracle, twin_agrees_at_underflow) {
    twin_on(TINY, true, 12);
    twin_on(SUBNORMAL, true, 8);
}

Test(rms_norm_oracle, twin_agrees_at_overflow) { twin_on(EDGE, true, 12); }

Test(rms_norm_oracle, twin_agrees_on_infinities_and_nans) { twin_on(SPECIALS, false, 12); }

Test(rms_norm_oracle, twin_agrees_on_long_rows) {
    state = SEED;
    static const int64_t lengths[] = {4096, MAX_D};
    for (int i = 0; i < 2; i++) {
        assay_rms_norm_contract c = {RA, ASSAY_BF16, i ? INT64_C(1) << 24 : 40, 1, RSQRT};
        describe(&c, "wide", lengths[i], EPS, true);
        fill(WIDE, c.x_dtype, lengths[i]);
        cr_assert(check_twin(&c, lengths[i], EPS, true) == 0, "%s", line);
    }
}

/* Squares that a plain float64 sum would absorb one by one: 16383 of 2^-54 beside 1. */
Test(rms_norm_oracle, twin_agrees_where_plain_float64_absorbs) {
    assay_rms_norm_contract c = {RA, ASSAY_F32, 2, 1, RSQRT};
    for (int64_t i = 0; i < MAX_D; i++) x[i] = i == 3 ? 1 : 0x1p-27;
    describe(&c, "absorbed", MAX_D, 0, false);
    cr_assert(check_twin(&c, MAX_D, 0, false) == 0, "%s", line);
}

/* Sums and products swept in fractions of an f32 ulp across FLT_MAX, its overflow threshold and
 * 2^128, where each rule of the oracle for the end of the range decides alone. */
Test(rms_norm_oracle, twin_agrees_across_the_overflow_thresholds) {
    int64_t loose = 0;
    for (int k = 1; k <= 1024; k++) {
        assay_rms_norm_contract c = {RA, ASSAY_F32, 1 + k % 4, 1 + k % 2, RSQRT};
        double eps = k * 0x1p-28;
        x[0] = 1; /* n falls slowly from 1 as eps grows */
        w[0] = 0x1.fffffep127;
        describe(&c, "product", 1, eps, true);
        loose += check_twin(&c, 1, eps, true);
        x[0] = 0x1.fffffep63 - 0x1p40 * (k / 4 % 8); /* squares FLT_MAX - 2^104 and below */
        x[1] = sqrt(ldexp(1, 100)) * (k / 32);
        describe(&c, "sum", 2, eps, false);
        loose += check_twin(&c, 2, eps, false) + check_twin(&c, 1, eps, false);
    }
    cr_assert(loose < 16, "%lld loose", (long long)loose);
}

Test(rms_norm_oracle, twin_contains_itself_at_lower_precision) {
    state = SEED;
    assay_rms_norm_contract c = {RC, ASSAY_F32, 64, 2, RSQRT};
    fill(WIDE, ASSAY_F32, 64);
    cr_assert(assay_oracle_rms_norm_mpfr(&c, x, w, 64, EPS, 192, bounds) == ASSAY_OK);
    cr_assert(assay_oracle_rms_norm_mpfr(&c, x, w, 64, EPS, 2048, twins) == ASSAY_OK);
    for (int i = 0; i < 64; i++)
        cr_assert(bounds[i].lo <= twins[i].lo && twins[i].hi <= bounds[i].hi, "i=%d", i);
}
