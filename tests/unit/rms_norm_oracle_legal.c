/* Sound: f32 evaluations of rms_norm that keep the contract are inside, whatever their order.
 * Sharp: data built to be absorbed comes close to the ends. And the conventions are told apart. */
#include <criterion/criterion.h>

#include "rms_norm_oracle_kit.h"

static const int64_t widths[] = {1, 2, 7, 8, 9, 64};

enum { SEQUENTIAL, PAIRWISE, LANES };

typedef struct legal {
    int sum; /* how it is added up */
    bool fused, reciprocal, weight_first, fused_weight;
} legal;

static float square_onto(float v, float sum, bool fused) {
    if (fused) return fmaf(v, v, sum);
    float square = v * v;
    return sum + square;
}

static float pairwise(int64_t first, int64_t n) {
    if (n == 1) return (float)x[first] * (float)x[first];
    return pairwise(first, n / 2) + pairwise(first + n / 2, n - n / 2);
}

static float sum_of(legal k, int64_t d, int64_t *height) {
    float lane[8] = {0};
    int64_t lanes = k.sum == LANES ? 8 : 1;
    *height = (d + lanes - 1) / lanes + (k.sum == LANES ? 3 : 0);
    if (k.sum == PAIRWISE) {
        *height = 1;
        while (INT64_C(1) << (*height - 1) < d) ++*height;
        return pairwise(0, d);
    }
    for (int64_t i = 0; i < d; i++)
        lane[i % lanes] = square_onto((float)x[i], lane[i % lanes], k.fused);
    for (int64_t step = lanes / 2; step > 0; step /= 2)
        for (int64_t i = 0; i < step; i++) lane[i] += lane[i + step];
    return lane[0];
}

static float scale_of(legal k, float sum, int64_t d, double eps) {
    float mean = k.reciprocal ? sum * (1.0f / (float)d) : sum / (float)d;
    return 1.0f / sqrtf(mean + (float)eps);
}

/* A product that the oracle's head names as covered in every order: nothing leaves the range. */
static bool normal_product(double a, double b) {
    double p = fabs(a * b);
    return p >= 0x1p-126 && p < 0x1p127;
}

static float element_of(legal k, const assay_rms_norm_contract *c, float r, int64_t i,
                        bool weighted) {
    float v = (float)x[i], weight = (float)w[i], n = v * r;
    if (c->convention == RB) n = (float)to(c->x_dtype, (double)n);
    if (!weighted) return n;
    float g = c->convention == RC ? 1.0f + weight : weight;
    if (k.weight_first && c->convention != RB && normal_product((double)v, (double)r) &&
        normal_product((double)r, (double)g)) {
        float scale = r * g;
        return v * scale;
    }
    if (k.fused_weight && c->convention == RC && isfinite(n)) return fmaf(n, weight, n);
    return n * g;
}

static void check_inside(float got, int64_t i) {
    assay_bound b = bounds[i];
    if (indeterminate(b)) return;
    bool inside = isnan(got) ? nan_due(b) : b.lo <= (double)got && (double)got <= b.hi;
    cr_assert(inside, "%s i=%lld x=%a w=%a: got %a outside [%a, %a], y %a", line, (long long)i,
              x[i], w[i], got, b.lo, b.hi, b.y);
}

static void check_legal_kernels(data kind, int64_t d, double eps) {
    for (int variant = 0; variant < 3 * 3 * 2; variant++) {
        assay_rms_norm_contract c = {variant % 3, (assay_dtype)(variant / 3 % 3), 0, 0, RSQRT};
        bool weighted = variant / 9;
        fill(kind, c.x_dtype, d);
        for (int choice = 0; choice < 3 * 4; choice++) {
            legal k = {choice % 3, choice / 3 % 2, choice / 6 % 2, next_random() & 1,
                       next_random() & 1};
            float r = scale_of(k, sum_of(k, d, &c.sum_height), d, eps);
            c.mean_roundings = k.reciprocal ? 2 : 1;
            describe(&c, data_names[kind], d, eps, weighted);
            cr_assert(assay_oracle_rms_norm(&c, x, weighted ? w : NULL, d, eps, bounds) ==
                      ASSAY_OK);
            for (int64_t i = 0; i < d; i++) check_inside(element_of(k, &c, r, i, weighted), i);
        }
    }
}

static void sound_on(data kind, int repeats) {
    state = SEED + 100 + (uint64_t)kind;
    for (int k = 0; k < repeats; k++)
        for (size_t n = 0; n < sizeof widths / sizeof *widths; n++)
            check_legal_kernels(kind, widths[n], k % 3 == 0 ? 0 : EPS);
}

Test(rms_norm_oracle, sound_on_ordinary_data) {
    sound_on(PLAIN, 40);
    sound_on(WIDE, 20);
    sound_on(TAIL_SPIKE, 10);
    sound_on(NEAR_EPS, 10);
    check_legal_kernels(PLAIN, 4096, EPS);
}

Test(rms_norm_oracle, sound_at_the_ends_of_the_range) {
    sound_on(TINY, 40);
    sound_on(SUBNORMAL, 20);
    sound_on(EDGE, 40);
    sound_on(ZEROS, 10);
    sound_on(SPECIALS, 20);
}

/* ---- sharpness: data that is absorbed, or rounded up, at every addition */

/* Error over bound for a sequential sum that starts at 1 and adds n squares of `small`. */
static double slack_of(double small, legal k, int64_t d, int64_t stride) {
    assay_rms_norm_contract c = {RA, ASSAY_F32, 0, 1, RSQRT};
    for (int64_t i = 0; i < d; i++) x[i] = i == 0 ? 1 : i % stride == 0 ? small : 0;
    float r = scale_of(k, sum_of(k, d, &c.sum_height), d, 0);
    cr_assert(assay_oracle_rms_norm(&c, x, NULL, d, 0, bounds) == ASSAY_OK);
    assay_bound b = bounds[0];
    double got = (double)element_of(k, &c, r, 0, false);
    double slack = got > b.y ? (got - b.y) / (b.hi - b.y) : (b.y - got) / (b.y - b.lo);
    cr_assert(slack <= 1, "slack %g", slack);
    return slack;
}

Test(rms_norm_oracle, sharp_on_absorbed_terms) {
    const double tie = 0x1p-12, above = 0x1.000002p-12; /* squares: half an ulp of 1, and more */
    for (int fused = 0; fused < 2; fused++) {
        legal sequential = {SEQUENTIAL, fused, false, false, false};
        legal lanes = {LANES, fused, false, false, false};
        static const int64_t lengths[] = {64, 512, 4096};
        for (int i = 0; i < 3; i++) {
            double due = i == 0 ? 0.7 : 0.85;
            cr_assert(slack_of(tie, sequential, lengths[i], 1) > due, "d %lld",
                      (long long)lengths[i]);
            cr_assert(slack_of(above, sequential, lengths[i], 1) > due, "d %lld",
                      (long long)lengths[i]);
        }
        cr_assert(slack_of(tie, lanes, 4096, 8) > 0.85);
        cr_assert(slack_of(above, lanes, 4096, 8) > 0.85);
    }
}

/* ---- wrong conventions */

/* The f32 kernel of one convention under the interval of another, on 512 random elements. */
Test(rms_norm_oracle, conventions_are_told_apart) {
    state = SEED;
    static const assay_dtype narrow[] = {ASSAY_F16, ASSAY_BF16};
    legal k = {PAIRWISE, false, false, false, false};
    for (int variant = 0; variant < 2 * 9; variant++) {
        assay_rms_norm_contract judge = {variant % 3, narrow[variant / 9], 0, 1, RSQRT};
        assay_rms_norm_contract kernel = judge;
        kernel.convention = variant / 3 % 3;
        fill(PLAIN, judge.x_dtype, 512);
        ordinary_weights(judge.x_dtype, 512);
        float r = scale_of(k, sum_of(k, 512, &judge.sum_height), 512, EPS);
        cr_assert(assay_oracle_rms_norm(&judge, x, w, 512, EPS, bounds) == ASSAY_OK);
        int outside = 0;
        for (int64_t i = 0; i < 512; i++)
            outside +=
                !accepted(judge.x_dtype, (double)element_of(k, &kernel, r, i, true), bounds[i]);
        bool same = judge.convention == kernel.convention;
        cr_assert(same ? outside == 0 : outside > 16, "%s: kernel %d under %d: %d outside",
                  assay_dtype_name(judge.x_dtype), kernel.convention, judge.convention, outside);
    }
}
