/* The rms_norm oracle: special values worked out by hand, and refusals. Its other properties are in
 * rms_norm_oracle_twin.c, _legal.c and _ablation.c. */
#include <criterion/criterion.h>

#include "rms_norm_oracle_kit.h"

TestSuite(rms_norm_oracle, .timeout = 20);

static assay_bound one(const double *row, const double *weight, int64_t d, double eps, int64_t i) {
    assay_rms_norm_contract c = {RA, ASSAY_F32, d, 1, RSQRT};
    cr_assert(assay_oracle_rms_norm(&c, row, weight, d, eps, bounds) == ASSAY_OK, "%s",
              assay_last_error());
    return bounds[i];
}

static bool is(assay_bound b, double value) {
    return b.y == value && b.lo == value && b.hi == value;
}

Test(rms_norm_oracle, specials_in_x) {
    double nan_row[] = {1, NAN, 2}, inf_row[] = {1, -INFINITY, 2}, zero_row[] = {0, -0.0};
    for (int i = 0; i < 3; i++) cr_assert(nan_due(one(nan_row, NULL, 3, EPS, i)));
    cr_assert(nan_due(one(inf_row, NULL, 3, EPS, 1)));
    cr_assert(is(one(inf_row, NULL, 3, EPS, 0), 0) && is(one(inf_row, NULL, 3, EPS, 2), 0));
    cr_assert(is(one(zero_row, NULL, 2, EPS, 0), 0) && is(one(zero_row, NULL, 2, EPS, 1), 0));
    cr_assert(nan_due(one(zero_row, NULL, 2, 0, 0)) && nan_due(one(zero_row, NULL, 2, 0, 1)));
}

Test(rms_norm_oracle, specials_in_w) {
    double row[] = {1, 0, -3, 2, -2}, weight[] = {INFINITY, -INFINITY, INFINITY, NAN, -0.0};
    cr_assert(is(one(row, weight, 5, EPS, 0), (double)INFINITY));
    cr_assert(nan_due(one(row, weight, 5, EPS, 1)));
    cr_assert(is(one(row, weight, 5, EPS, 2), -(double)INFINITY));
    cr_assert(nan_due(one(row, weight, 5, EPS, 3)));
    cr_assert(is(one(row, weight, 5, EPS, 4), 0));
    double largest[] = {0x1.fffffep127, 0x1p-149, 0, 0, 0}, big[] = {3, -0.5, 0, 0, 0};
    cr_assert(is(one(big, largest, 5, EPS, 0), (double)INFINITY)); /* 2.2 * the largest f32 */
    cr_assert(is(one(big, largest, 5, EPS, 1), 0));                /* 0.37 * the smallest */
}

Test(rms_norm_oracle, ends_of_the_f32_range) {
    double over[] = {0x1p64, 1, 0};
    cr_assert(is(one(over, NULL, 3, EPS, 0), 0) && is(one(over, NULL, 3, EPS, 1), 0));

    double edge[] = {0x1.fffffep63, 0x1p52}; /* about FLT_MAX: the order decides */
    assay_bound b = one(edge, NULL, 2, EPS, 0);
    cr_assert(b.lo == 0 && b.y > 1.41 && b.hi >= b.y && b.hi < 1.42, "%a %a %a", b.lo, b.y, b.hi);

    double below[] = {0x1.fffffcp63};
    b = one(below, NULL, 1, EPS, 0);
    cr_assert(b.lo > 0.999999 && b.hi < 1.000001, "%a %a", b.lo, b.hi);

    double vanishing[] = {0x1p-75, -0x1p-75, 0}, weight[] = {1, 0, 1};
    cr_assert(is(one(vanishing, NULL, 3, 0, 0), (double)INFINITY));
    cr_assert(is(one(vanishing, NULL, 3, 0, 1), -(double)INFINITY));
    cr_assert(nan_due(one(vanishing, NULL, 3, 0, 2)));
    cr_assert(nan_due(one(vanishing, weight, 3, 0, 1))); /* Inf * 0 */

    double faint[] = {0x1.8p-75, 0}; /* the sum is 2^-149, its mean a tie with zero */
    b = one(faint, NULL, 2, 0, 0);
    cr_assert(b.lo < 1e5 && b.hi == (double)INFINITY && b.y == sqrt(2), "%a %a %a", b.lo, b.y,
              b.hi);
    cr_assert(indeterminate(one(faint, NULL, 2, 0, 1)));

    double single[] = {-0x1p-74}; /* its square is 2^-148 */
    b = one(single, NULL, 1, 0, 0);
    cr_assert(b.lo < -1 && b.hi > -1 && b.lo > -1.5 && b.hi < -0.8, "%a %a", b.lo, b.hi);
}

Test(rms_norm_oracle, refuses_bad_arguments) {
    const assay_rms_norm_contract good = {RA, ASSAY_F32, 4, 1, RSQRT};
    double row[4] = {1, 2, 3, 4};
    assay_bound out[4];
#define REFUSED(call) cr_assert((call) == ASSAY_ERR_ARGUMENT && assay_last_error()[0] != 0)
#define REFUSED_BY_ALL(c, x_, w_, d_, eps_)                                                        \
    do {                                                                                           \
        REFUSED(assay_oracle_rms_norm(c, x_, w_, d_, eps_, out));                                  \
        REFUSED(assay_oracle_rms_norm_mpfr(c, x_, w_, d_, eps_, 0, out));                          \
        REFUSED(assay_oracle_rms_norm_ablated(c, ASSAY_RMS_NORM_FULL, x_, w_, d_, eps_, values));  \
    } while (0)
    REFUSED_BY_ALL(NULL, row, NULL, 4, EPS);
    REFUSED_BY_ALL(&good, NULL, NULL, 4, EPS);
    REFUSED_BY_ALL(&good, row, NULL, 0, EPS);
    REFUSED_BY_ALL(&good, row, NULL, -1, EPS);
    REFUSED_BY_ALL(&good, row, NULL, (INT64_C(1) << 24) + 1, EPS);
    REFUSED_BY_ALL(&good, row, NULL, 4, -EPS);
    REFUSED_BY_ALL(&good, row, NULL, 4, (double)INFINITY);
    REFUSED_BY_ALL(&good, row, NULL, 4, (double)NAN);
    REFUSED_BY_ALL(&good, row, NULL, 4, 1e-6); /* not an f32 */
    double fine[4] = {1, 2, 3, 0.1};           /* nor is 0.1 */
    REFUSED_BY_ALL(&good, fine, NULL, 4, EPS);
    REFUSED_BY_ALL(&good, row, fine, 4, EPS);
    const assay_rms_norm_contract bad[] = {{3, ASSAY_F32, 4, 1, RSQRT},
                                           {-1, ASSAY_F32, 4, 1, RSQRT},
                                           {RA, ASSAY_DTYPE_COUNT, 4, 1, RSQRT},
                                           {RA, ASSAY_F32, 0, 1, RSQRT},
                                           {RA, ASSAY_F32, (INT64_C(1) << 25) + 1, 1, RSQRT},
                                           {RA, ASSAY_F32, 4, 0, RSQRT},
                                           {RA, ASSAY_F32, 4, 3, RSQRT},
                                           {RA, ASSAY_F32, 4, 1, -RSQRT},
                                           {RA, ASSAY_F32, 4, 1, 0.5},
                                           {RA, ASSAY_F32, 4, 1, (double)NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED_BY_ALL(&bad[i], row, NULL, 4, EPS);
    REFUSED(assay_oracle_rms_norm(&good, row, NULL, 4, EPS, NULL));
    REFUSED(assay_oracle_rms_norm_mpfr(&good, row, NULL, 4, EPS, 24, out));
    REFUSED(
        assay_oracle_rms_norm_ablated(&good, ASSAY_RMS_NORM_NO_WEIGHT, row, NULL, 4, EPS, values));
}
