/* The comparator at its edges, against its definition, and the tallies. */
#include "compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "assay/formats.h"

TestSuite(harness_compare, .timeout = 20);

#define SEED UINT64_C(0x0a55a7c0de)

static const assay_dtype dtypes[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16};

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static assay_bound around(double lo, double hi) {
    return (assay_bound){lo + (hi - lo) / 2, lo, hi};
}

static uint32_t code(assay_dtype dtype, double value) { return assay_format_encode(dtype, value); }

/* Both ends are right, the next value beyond each is wrong: with ends that are representable, and
 * with ends that round to a neighbour. */
Test(harness_compare, ends_are_right_and_an_ulp_beyond_is_wrong) {
    static const double values[] = {1, 1.3, 3.14159, 1000.5, 6e-5, 0x1p-14, 3e-7, 60000};
    for (size_t f = 0; f < 3; f++) {
        assay_dtype t = dtypes[f];
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            for (uint32_t wide = 0; wide < 4; wide++) {
                uint32_t low = code(t, values[i]), high = low + wide;
                double lo = assay_format_decode(t, low), hi = assay_format_decode(t, high);
                /* Less than half an ulp, also of the smaller ulp below a power of two. */
                double bit = (assay_format_decode(t, low + 1) - lo) / 5;
                assay_bound exact = around(lo, hi), loose = around(lo - bit, hi + bit);
                assay_bound tight = around(lo + bit, hi + (wide ? -bit : bit));
                const assay_bound *const all[] = {&exact, &loose, &tight};
                for (int k = 0; k < 3; k++) {
                    cr_expect(assay_accepts(t, low, all[k]), "lo, %a kind %d", values[i], k);
                    cr_expect(assay_accepts(t, high, all[k]), "hi, %a kind %d", values[i], k);
                    cr_expect_not(assay_accepts(t, low - 1, all[k]), "%a kind %d", values[i], k);
                    cr_expect_not(assay_accepts(t, high + 1, all[k]), "%a kind %d", values[i], k);
                    uint32_t sign = code(t, -0.0);
                    assay_bound mirror = {-all[k]->y, -all[k]->hi, -all[k]->lo};
                    cr_expect(assay_accepts(t, low | sign, &mirror));
                    cr_expect(assay_accepts(t, high | sign, &mirror));
                    cr_expect_not(assay_accepts(t, (low - 1) | sign, &mirror));
                    cr_expect_not(assay_accepts(t, (high + 1) | sign, &mirror));
                    cr_expect_not(assay_accepts(t, low | sign, all[k]));
                }
            }
        }
    }
}

/* A bound halfway between two values rounds to the even one, and only there. */
Test(harness_compare, halfway_bounds_round_to_even) {
    for (size_t f = 0; f < 3; f++) {
        assay_dtype t = dtypes[f];
        uint32_t one = code(t, 1.0); /* even */
        double half = (assay_format_decode(t, one + 1) - 1) / 2;
        assay_bound middle = around(1 + half, 1 + half);
        cr_expect(assay_accepts(t, one, &middle));
        cr_expect_not(assay_accepts(t, one + 1, &middle));
        double above = nextafter(1 + half, 2);
        assay_bound upper = around(above, above);
        cr_expect_not(assay_accepts(t, one, &upper));
        cr_expect(assay_accepts(t, one + 1, &upper));
    }
}

Test(harness_compare, nan_is_right_only_where_nan_is_due) {
    const assay_bound nan_due = {NAN, NAN, NAN}, wide = {0, -INFINITY, INFINITY};
    const assay_bound odd = {NAN, 1, 1}; /* not open: only a NaN is right */
    const assay_bound number = around(-1, 1), open = {NAN, -INFINITY, INFINITY};
    for (size_t f = 0; f < 3; f++) {
        assay_dtype t = dtypes[f];
        uint32_t nan = code(t, (double)NAN), inf = code(t, INFINITY), sign = code(t, -0.0);
        const uint32_t nans[] = {nan, nan | sign, inf + 1, (inf + 1) | sign};
        for (size_t i = 0; i < 4; i++) {
            cr_expect(assay_accepts(t, nans[i], &nan_due));
            cr_expect(assay_accepts(t, nans[i], &open));
            cr_expect_not(assay_accepts(t, nans[i], &number));
            cr_expect_not(assay_accepts(t, nans[i], &wide));
        }
        const uint32_t numbers[] = {0, sign, inf, inf | sign, inf - 1, code(t, 1)};
        for (size_t i = 0; i < 6; i++) {
            cr_expect_not(assay_accepts(t, numbers[i], &nan_due));
            cr_expect_not(assay_accepts(t, numbers[i], &odd));
            cr_expect(assay_accepts(t, numbers[i], &open));
            cr_expect(assay_accepts(t, numbers[i], &wide));
        }
    }
}

Test(harness_compare, a_number_with_a_broken_bound_accepts_nothing) {
    const assay_bound broken[] = {{1, NAN, NAN}, {1, NAN, 2}, {1, 0, NAN}, {1, 2, 0}};
    for (size_t i = 0; i < 4; i++)
        cr_expect_not(assay_accepts(ASSAY_F32, code(ASSAY_F32, 1), &broken[i]), "bound %zu", i);
}

Test(harness_compare, zeros_are_equal_and_infinities_are_values) {
    for (size_t f = 0; f < 3; f++) {
        assay_dtype t = dtypes[f];
        uint32_t minus = code(t, -0.0), inf = code(t, INFINITY), tiny = 1;
        const assay_bound zeros[] = {{0, 0, 0}, {-0.0, -0.0, -0.0}, {0, -0.0, 0}, {0, 0, -0.0}};
        for (size_t i = 0; i < 4; i++) {
            cr_expect(assay_accepts(t, 0, &zeros[i]));
            cr_expect(assay_accepts(t, minus, &zeros[i]));
            cr_expect_not(assay_accepts(t, tiny, &zeros[i]));
            cr_expect_not(assay_accepts(t, tiny | minus, &zeros[i]));
        }
        const assay_bound up = {INFINITY, INFINITY, INFINITY},
                          down = {-INFINITY, -INFINITY, -INFINITY};
        cr_expect(assay_accepts(t, inf, &up));
        cr_expect_not(assay_accepts(t, inf | minus, &up));
        cr_expect_not(assay_accepts(t, inf - 1, &up));
        cr_expect(assay_accepts(t, inf | minus, &down));
        cr_expect_not(assay_accepts(t, inf, &down));

        /* The largest finite value and half its ulp more: from there on infinity is right. */
        double top = assay_format_decode(t, inf - 1);
        double beyond = top + (top - assay_format_decode(t, inf - 2)) / 2;
        assay_bound over = {top, top, beyond}, under = {top, top, nextafter(beyond, 0)};
        cr_expect(assay_accepts(t, inf, &over));
        cr_expect_not(assay_accepts(t, inf, &under));
        cr_expect(assay_accepts(t, inf - 1, &under));
    }
}

/* The definition, with neither short cut nor NaN rule folded in. */
static bool by_definition(assay_dtype t, uint32_t got, const assay_bound *b) {
    double g = assay_format_decode(t, got);
    if (isnan(b->y) && isnan(b->lo) && isnan(b->hi)) return isnan(g);
    if (isnan(b->y)) return true;
    if (isnan(g)) return false;
    double lo = assay_format_decode(t, assay_format_encode(t, b->lo));
    double hi = assay_format_decode(t, assay_format_encode(t, b->hi));
    return lo <= g && g <= hi;
}

/* A bound near a random code: a few ulps wide or none, its ends anywhere between values. */
static assay_bound random_bound(assay_dtype t, uint64_t *state) {
    uint64_t r = next_random(state);
    uint32_t bits = (uint32_t)(r >> 32) & (t == ASSAY_F32 ? UINT32_MAX : 0xffff);
    if (r % 64 == 0) return (assay_bound){NAN, NAN, NAN};
    if (r % 64 == 1) return (assay_bound){NAN, -INFINITY, INFINITY};
    double y = assay_format_decode(t, bits);
    if (isnan(y)) return (assay_bound){1, 1, 1};
    double unit = fabs(assay_format_decode(t, bits ^ 1) - y);
    if (!isfinite(unit)) unit = 0;
    double a = (double)(next_random(state) % 17) / 8 * unit;
    double b = (double)(next_random(state) % 17) / 8 * unit;
    y += (double)(r >> 8 & 7) / 8 * unit;
    return r % 8 == 2 ? (assay_bound){y, y, y} : (assay_bound){y, y - a, y + b};
}

Test(harness_compare, every_code_is_judged_as_the_definition_says) {
    uint64_t state = SEED;
    for (size_t f = 1; f < 3; f++) {
        for (int n = 0; n < 16; n++) {
            assay_bound b = random_bound(dtypes[f], &state);
            for (uint32_t got = 0; got < 0x10000; got++)
                cr_assert_eq(assay_accepts(dtypes[f], got, &b), by_definition(dtypes[f], got, &b),
                             "%s got %#x y %a lo %a hi %a", assay_dtype_name(dtypes[f]), got, b.y,
                             b.lo, b.hi);
        }
    }
    for (int n = 0; n < 200000; n++) {
        assay_dtype t = dtypes[n % 3];
        assay_bound b = random_bound(t, &state);
        uint32_t got = code(t, b.y) + (uint32_t)(next_random(&state) % 7) - 3;
        got &= t == ASSAY_F32 ? UINT32_MAX : 0xffff;
        cr_assert_eq(assay_accepts(t, got, &b), by_definition(t, got, &b),
                     "%s got %#x y %a lo %a hi %a", assay_dtype_name(t), got, b.y, b.lo, b.hi);
    }
}

Test(harness_compare, slack_is_error_over_bound_on_its_side) {
    const assay_bound b = {1, 0.5, 3}, zero = {1, 1, 1}, open = {1, -INFINITY, INFINITY};
    const assay_bound nan = {NAN, NAN, NAN}, inf = {INFINITY, INFINITY, INFINITY};
    static const double values[] = {1, 3, 2, 0.5, 0.75, 5, 0};
    static const double slacks[] = {0, 1, 0.5, 1, 0.5, 2, 2};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        cr_expect_eq(assay_slack(ASSAY_F32, code(ASSAY_F32, values[i]), &b), slacks[i]);
    cr_expect_eq(assay_slack(ASSAY_F32, code(ASSAY_F32, 1), &zero), 0);
    cr_expect(isinf(assay_slack(ASSAY_F32, code(ASSAY_F32, 2), &zero)));
    cr_expect(isnan(assay_slack(ASSAY_F32, code(ASSAY_F32, 2), &open)));
    cr_expect(isnan(assay_slack(ASSAY_F32, ASSAY_F32_NAN, &b)));
    cr_expect(isnan(assay_slack(ASSAY_F32, code(ASSAY_F32, INFINITY), &b)));
    cr_expect(isnan(assay_slack(ASSAY_F32, code(ASSAY_F32, 1), &nan)));
    cr_expect(isnan(assay_slack(ASSAY_F32, code(ASSAY_F32, 1), &inf)));
}

#define PARTS 12

/* One element a part, so that their order can be changed. */
static const float got[PARTS] = {1, 0, -0.0f, NAN, 2, 5, 7, NAN, 3, 9, 1.25f, 1};
static const assay_bound bounds[PARTS] = {
    {1, 1, 1},                  /* right, exact */
    {0, 0, 0},                  /* right, zero */
    {0, -1, 1},                 /* right, ill-conditioned */
    {NAN, NAN, NAN},            /* right, NaN */
    {NAN, -INFINITY, INFINITY}, /* right, indeterminate */
    {4, 3, 4.5},                /* wrong, error 2 bounds; ill */
    {5, 4, 6},        /* wrong, error 2 bounds: a tie in the ratio, not in the error; ill */
    {1, 0.5, 1.5},    /* wrong, NaN: the worst of all; ill */
    {2, 2, 2},        /* wrong, zero bound: infinite ratio, error 1 */
    {5, 5, 5},        /* wrong, zero bound: infinite ratio, error 4 */
    {1, 0.9375, 1.5}, /* right, half its bound; ill */
    {NAN, NAN, NAN},  /* wrong, a number where NaN is due: as bad, but later */
};

static assay_tally part(int i) {
    assay_tally t;
    assay_tally_start(&t);
    assay_tally_add(&t, ASSAY_F32, &got[i], i, 1, &bounds[i], NULL);
    return t;
}

static void expect_tally(const assay_tally *t) {
    cr_expect_eq(t->compared, 12);
    cr_expect_eq(t->failed, 6);
    cr_expect_eq(t->nonzero, 8);
    cr_expect_eq(t->ill, 5, "%ld", (long)t->ill);
    cr_expect_eq(t->indeterminate, 1);
    cr_expect_eq(t->max_slack, 2);
    cr_expect_eq(t->max_slack_at, 5);
    cr_expect_eq(t->worst_at, 7);
    cr_expect_eq(t->worst_got, assay_format_load(ASSAY_F32, got, 7));
    cr_expect_eq(t->worst.hi, 1.5);
    cr_expect(isinf(t->worst_ratio));
    cr_expect(isnan(t->worst_error));
}

Test(harness_compare, a_tally_counts) {
    assay_tally t;
    unsigned char failures[PARTS];
    static const unsigned char expected[PARTS] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1};
    memset(failures, 7, sizeof failures);
    assay_tally_start(&t);
    cr_expect_eq(t.worst_at, -1);
    assay_tally_add(&t, ASSAY_F32, got, 0, 7, bounds, failures);
    assay_tally_add(&t, ASSAY_F32, got + 7, 7, PARTS - 7, bounds + 7, failures + 7);
    expect_tally(&t);
    cr_expect_eq(memcmp(failures, expected, sizeof failures), 0);
}

Test(harness_compare, joining_does_not_depend_on_order) {
    uint64_t state = SEED;
    for (int n = 0; n < 500; n++) {
        int order[PARTS];
        for (int i = 0; i < PARTS; i++) {
            int j = (int)(next_random(&state) % (uint64_t)(i + 1));
            order[i] = order[j];
            order[j] = i;
        }
        assay_tally halves[2], empty;
        assay_tally_start(&halves[0]);
        assay_tally_start(&halves[1]);
        assay_tally_start(&empty);
        for (int i = 0; i < PARTS; i++) {
            assay_tally one = part(order[i]);
            assay_tally_join(&halves[i % 3 == 0], &one);
        }
        assay_tally_join(&halves[0], &empty);
        assay_tally_join(&empty, &halves[n % 2]);
        assay_tally_join(&empty, &halves[1 - n % 2]);
        expect_tally(&empty);
    }
}

/* Taking the worst ones away in turn shows the whole order. */
Test(harness_compare, the_worst_failure_comes_first) {
    static const int order[] = {7, 11, 9, 8, 6, 5};
    static const double ratios[] = {INFINITY, INFINITY, INFINITY, INFINITY, 2, 2};
    bool gone[PARTS] = {false};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        assay_tally t;
        assay_tally_start(&t);
        for (int i = PARTS - 1; i >= 0; i--) {
            assay_tally one = part(i);
            if (!gone[i]) assay_tally_join(&t, &one);
        }
        cr_expect_eq(t.worst_at, order[k], "place %zu: %d", k, (int)t.worst_at);
        cr_expect_eq(t.worst_ratio, ratios[k]);
        gone[order[k]] = true;
    }
}

Test(harness_compare, ties_go_to_the_smaller_index) {
    static const float same[4] = {1, 3, 3, 3};
    static const assay_bound b[4] = {{1, 0, 2}, {1, 0, 2}, {1, 0, 2}, {1, 0, 2}};
    for (int first = 0; first < 4; first++) {
        assay_tally t;
        assay_tally_start(&t);
        for (int k = 0; k < 4; k++) {
            int i = (first + k) % 4;
            assay_tally_add(&t, ASSAY_F32, &same[i], i, 1, &b[i], NULL);
        }
        cr_expect_eq(t.worst_at, 1);
        cr_expect_eq(t.max_slack_at, 1);
    }
}

Test(harness_compare, sixteen_bit_storage_is_read_in_place) {
    const uint16_t stored[3] = {0x3f80, 0x3f81, 0x7fff}; /* bf16: 1, 1.0078125, NaN */
    const assay_bound b[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    unsigned char failures[3];
    assay_tally t;
    assay_tally_start(&t);
    assay_tally_add(&t, ASSAY_BF16, stored, 100, 3, b, failures);
    cr_expect_eq(failures[0], 0);
    cr_expect_eq(failures[1], 1);
    cr_expect_eq(failures[2], 1);
    cr_expect_eq(t.worst_at, 102);
    cr_expect_eq(t.worst_got, 0x7fff);
}
