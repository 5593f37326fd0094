/* The rms_norm oracle: certified by its MPFR twin, sound against f32 evaluations in many legal
 * orders, sharp on data built to be absorbed, and closed to wrong kernels. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/oracle.h"

TestSuite(rms_norm_oracle, .timeout = 20);

#define SEED UINT64_C(0x12d5)
#define MAX_D 16384
#define EPS ((double)1e-6f)
#define RSQRT (0x1p-23 + 0x1p-48) /* 2u + u^2: square root and division both to nearest */

enum { RA, RB, RC };

static uint64_t state;
static double x[MAX_D], w[MAX_D], values[MAX_D];
static assay_bound bounds[MAX_D], twins[MAX_D];

static uint64_t next_random(void) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(double low, double high) {
    return low + (high - low) * ((double)(next_random() >> 11) * 0x1p-53);
}

static double sign(void) { return next_random() & 1 ? 1 : -1; }

static double to(assay_dtype dtype, double v) {
    return assay_format_decode(dtype, assay_format_encode(dtype, v));
}

/* ---- data */

typedef enum data {
    PLAIN,      /* uniform on [-2, 2] */
    WIDE,       /* exponents over 40 binades */
    TAIL_SPIKE, /* the last element holds most of the sum */
    NEAR_EPS,   /* mean square about 1e-6 */
    TINY,       /* squares about the f32 underflow to zero */
    SUBNORMAL,  /* x itself about the smallest f32 */
    EDGE,       /* sum of squares about the f32 overflow */
    ZEROS,      /* mostly zeros of both signs */
    SPECIALS,   /* plain with one or more infinities or NaNs, also in w */
    DATA_COUNT
} data;

static const char *const data_names[DATA_COUNT] = {
    "plain", "wide", "tail_spike", "near_eps", "tiny", "subnormal", "edge", "zeros", "specials"};

static void fill(data kind, assay_dtype dtype, int64_t d) {
    static const double odd[] = {0, -1, 1, -2, 0x1p100, -0x1p127, 0x1p-140, 0x1p-149, 1e-3};
    for (int64_t i = 0; i < d; i++) {
        double v = uniform(-2, 2);
        switch (kind) {
        case WIDE: v = ldexp(v, (int)(next_random() % 40) - 20); break;
        case TAIL_SPIKE: v = i == d - 1 ? 300 : v; break;
        case NEAR_EPS: v *= 1e-3; break;
        case TINY: v = ldexp(v, -76 + (int)(next_random() % 14)); break;
        case SUBNORMAL: v = ldexp(v, -149 + (int)(next_random() % 26)); break;
        case EDGE: v = sign() * 0x1p64 / sqrt((double)d) * uniform(0.9999, 1.0001); break;
        case ZEROS: v = i % 5 == 3 ? v : sign() * 0.0; break;
        case PLAIN:
        case SPECIALS:
        case DATA_COUNT: break;
        }
        x[i] = to(dtype, v);
        w[i] = to(dtype,
                  i % 16 == 5 ? odd[next_random() % (sizeof odd / sizeof *odd)] : uniform(-2, 2));
    }
    if (kind == SPECIALS) {
        static const double special[] = {INFINITY, -INFINITY, NAN};
        if (next_random() % 2) x[next_random() % (uint64_t)d] = special[next_random() % 3];
        for (int k = 0; k < 3; k++) w[next_random() % (uint64_t)d] = special[next_random() % 3];
    }
}

static char line[160]; /* the case at hand, for messages */

static void describe(const assay_rms_norm_contract *c, const char *what, int64_t d, double eps,
                     bool weighted) {
    snprintf(line, sizeof line,
             "data=%s dt=%s convention=%d h=%lld mean=%d d=%lld eps=%g w=%d seed=%#llx", what,
             assay_dtype_name(c->x_dtype), c->convention, (long long)c->sum_height,
             c->mean_roundings, (long long)d, eps, weighted, (unsigned long long)SEED);
}

static bool indeterminate(assay_bound b) { return isnan(b.y) && b.lo < b.hi; }
static bool nan_due(assay_bound b) { return isnan(b.y) && isnan(b.lo) && isnan(b.hi); }

/* ---- the twin */

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

/* ---- f32 evaluations that keep the contract */

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

/* ---- wrong kernels and ablations */

/* The comparator's rule: both ends rounded to the storage format. */
static bool accepted(assay_dtype dtype, double got, assay_bound b) {
    if (indeterminate(b)) return true;
    if (isnan(got)) return nan_due(b);
    double stored = to(dtype, got);
    return to(dtype, b.lo) <= stored && stored <= to(dtype, b.hi);
}

static int64_t rejected(const assay_rms_norm_contract *c, assay_rms_norm_ablation ablation,
                        int64_t d, double eps) {
    cr_assert(assay_oracle_rms_norm(c, x, w, d, eps, bounds) == ASSAY_OK);
    cr_assert(assay_oracle_rms_norm_ablated(c, ablation, x, w, d, eps, values) == ASSAY_OK, "%s",
              assay_last_error());
    int64_t count = 0;
    for (int64_t i = 0; i < d; i++) count += !accepted(c->x_dtype, values[i], bounds[i]);
    return count;
}

static void ordinary_weights(assay_dtype dtype, int64_t d) { /* away from 0, 1 and -1 */
    for (int64_t i = 0; i < d; i++) w[i] = to(dtype, sign() * uniform(1.2, 3));
}

Test(rms_norm_oracle, every_ablation_leaves_the_interval) {
    state = SEED;
    static const double scale[] = {1, 1e-3};
    for (int variant = 0; variant < 9; variant++) {
        assay_rms_norm_contract c = {variant % 3, (assay_dtype)(variant / 3), 12, 1, RSQRT};
        for (int a = 0; a < ASSAY_RMS_NORM_ABLATION_COUNT; a++) {
            assay_rms_norm_ablation ablation = (assay_rms_norm_ablation)a;
            if (!assay_rms_norm_ablation_applies(&c, ablation, true, 512, EPS)) continue;
            int64_t seen = 0; /* over a row far above eps and one at eps */
            for (int s = 0; s < 2; s++) {
                for (int i = 0; i < 512; i++)
                    x[i] = to(c.x_dtype, scale[s] * (i % 511 ? uniform(-2, 2) : 40 * sign()));
                ordinary_weights(c.x_dtype, 512);
                seen += rejected(&c, ablation, 512, EPS);
            }
            cr_assert((seen == 0) == (ablation == ASSAY_RMS_NORM_FULL), "%s %s convention %d: %lld",
                      assay_rms_norm_ablation_name(ablation), assay_dtype_name(c.x_dtype),
                      c.convention, (long long)seen);
        }
    }
}

/* Which elements and which divisor, on a row in which every element counts. */
Test(rms_norm_oracle, ablations_are_what_they_say) {
    static const struct {
        assay_rms_norm_ablation ablation;
        int64_t first, end;
        double n, eps, outside;
        int64_t weighted, shift;
    } table[] = {
        {ASSAY_RMS_NORM_FULL, 0, 20, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_NO_EPS, 0, 20, 20, 0, 0, 20, 0},
        {ASSAY_RMS_NORM_EPS_X10, 0, 20, 20, 5, 0, 20, 0},
        {ASSAY_RMS_NORM_EPS_OUTSIDE, 0, 20, 20, 0, 0.5, 20, 0},
        {ASSAY_RMS_NORM_NO_WEIGHT, 0, 20, 20, 0.5, 0, 0, 0},
        {ASSAY_RMS_NORM_WEIGHT_TAIL_LOST, 0, 20, 20, 0.5, 0, 12, 0},
        {ASSAY_RMS_NORM_WEIGHT_SHIFTED, 0, 20, 20, 0.5, 0, 20, 1},
        {ASSAY_RMS_NORM_FIRST_LOST, 1, 20, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_LAST_LOST, 0, 19, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_TAIL_LOST, 0, 12, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_HALF_LOST, 0, 10, 20, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_NO_MEAN, 0, 20, 1, 0.5, 0, 20, 0},
        {ASSAY_RMS_NORM_MEAN_D_MINUS_1, 0, 20, 19, 0.5, 0, 20, 0},
    };
    assay_rms_norm_contract c = {RA, ASSAY_F32, 20, 1, RSQRT};
    for (int i = 0; i < 20; i++) x[i] = 1 + i % 7, w[i] = 2 + i;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        double sum = 0;
        for (int64_t i = table[t].first; i < table[t].end; i++) sum += x[i] * x[i];
        double rms = sqrt(sum / table[t].n + table[t].eps) + table[t].outside;
        cr_assert(assay_oracle_rms_norm_ablated(&c, table[t].ablation, x, w, 20, 0.5, values) ==
                  ASSAY_OK);
        for (int i = 0; i < 20; i++) {
            double due = x[i] / rms * (i < table[t].weighted ? w[(i + table[t].shift) % 20] : 1);
            cr_assert(fabs(values[i] - due) < 1e-14 * due, "%s i=%d: %.17g, due %.17g",
                      assay_rms_norm_ablation_name(table[t].ablation), i, values[i], due);
        }
    }
}

Test(rms_norm_oracle, neutral_data_hides_ablations) { /* what the MISTRUSTED verdict is for */
    assay_rms_norm_contract c = {RA, ASSAY_BF16, 12, 1, RSQRT};
    for (int i = 0; i < 64; i++) x[i] = w[i] = 1;
    static const assay_rms_norm_ablation hidden[] = {
        ASSAY_RMS_NORM_NO_EPS,         ASSAY_RMS_NORM_EPS_X10,  ASSAY_RMS_NORM_NO_WEIGHT,
        ASSAY_RMS_NORM_WEIGHT_SHIFTED, ASSAY_RMS_NORM_NO_SCALE, ASSAY_RMS_NORM_AS_RB};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        cr_assert(rejected(&c, hidden[i], 64, EPS) == 0, "%s",
                  assay_rms_norm_ablation_name(hidden[i]));
}

Test(rms_norm_oracle, ablations_apply_where_they_are_faults) {
    assay_rms_norm_contract c = {RA, ASSAY_BF16, 12, 1, RSQRT};
    static const struct {
        assay_rms_norm_ablation ablation;
        bool weight;
        int64_t d;
        double eps;
        bool applies;
    } table[] = {
        {ASSAY_RMS_NORM_FULL, false, 1, 0, true},
        {ASSAY_RMS_NORM_NO_EPS, true, 8, 0, false},
        {ASSAY_RMS_NORM_NO_EPS, true, 8, EPS, true},
        {ASSAY_RMS_NORM_NO_WEIGHT, false, 8, EPS, false},
        {ASSAY_RMS_NORM_LAST_LOST, false, 1, EPS, false},
        {ASSAY_RMS_NORM_TAIL_LOST, false, 8, EPS, false},
        {ASSAY_RMS_NORM_TAIL_LOST, false, 9, EPS, true},
        {ASSAY_RMS_NORM_WEIGHT_SHIFTED, true, 1, EPS, false},
        {ASSAY_RMS_NORM_AS_RA, true, 8, EPS, false},
        {ASSAY_RMS_NORM_AS_RB, true, 8, EPS, true},
        {ASSAY_RMS_NORM_AS_RB, false, 8, EPS, false},
        {ASSAY_RMS_NORM_ABLATION_COUNT, true, 8, EPS, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_assert(assay_rms_norm_ablation_applies(&c, table[i].ablation, table[i].weight,
                                                  table[i].d, table[i].eps) == table[i].applies,
                  "row %zu", i);
    c.x_dtype = ASSAY_F32;
    cr_assert(!assay_rms_norm_ablation_applies(&c, ASSAY_RMS_NORM_AS_RB, true, 8, EPS));
    for (int a = 0; a < ASSAY_RMS_NORM_ABLATION_COUNT; a++)
        for (int b = 0; b < a; b++)
            cr_assert(strcmp(assay_rms_norm_ablation_name((assay_rms_norm_ablation)a),
                             assay_rms_norm_ablation_name((assay_rms_norm_ablation)b)) != 0);
    cr_assert_str_eq(assay_rms_norm_ablation_name(ASSAY_RMS_NORM_ABLATION_COUNT), "?");
}

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

/* ---- specials, by hand */

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
