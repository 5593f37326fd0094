/* The gemm_bf16 oracle: it holds what the chips' models compute, agrees with its MPFR twin, and is
 * sharp enough to tell chips, orders and faults apart. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/mma.h"
#include "assay/oracle_gemm.h"

enum { MAX_K = 300, COLUMNS = 8, MODES = 8 };

static const assay_gemm_chain chains[] = {{16, 25, -133}, {8, 24, -132}};
static const char *const archs[] = {"sm_90", "sm_80"};

static uint64_t state;
static uint64_t draw(void) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A bf16 code of a mode. */
static uint16_t code(int mode, int64_t i) {
    const uint64_t bits = draw();
    const uint16_t tail = (uint16_t)(bits & 0x807f);
    uint64_t exponent = 127 - 4 + (bits >> 20) % 8;
    switch (mode) {
    case 1: exponent = 127 - 15 + (bits >> 20) % 30; break;
    case 2: exponent = (bits >> 20) % 80; break;           /* subnormals, products below 2^-133 */
    case 3: exponent = 127 + 60 + (bits >> 20) % 8; break; /* sums about the end of the range */
    case 4: return assay_bf16_encode((double)((int)(bits >> 20) % 17) - 8) & 0xffff;
    case 5: exponent = 127 - 6 + (uint64_t)i / 40; break;              /* rising */
    case 6: exponent = (bits >> 20) % 50 == 0 ? 255 : exponent; break; /* infinities, NaN */
    case 7: return bits >> 20 & 3 ? 0 : (uint16_t)(tail | exponent << 7);
    default: break;
    }
    return (uint16_t)(tail | exponent << 7);
}

static uint16_t x[MAX_K], w[COLUMNS * MAX_K];

static void fill(int mode, int64_t k) {
    for (int64_t i = 0; i < k; i++) x[i] = code(mode, i);
    for (int64_t i = 0; i < COLUMNS * k; i++) w[i] = code(mode, i % k);
}

static const int64_t lengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 255, 300};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

/* The model's chain over zero-padded operands. */
static float modelled(const char *arch, const uint16_t *a, const uint16_t *b, int64_t k) {
    const assay_mma *mma = assay_mma_find(arch, "mma.m16n8k16.f32.bf16.bf16.f32");
    uint32_t d = 0;
    for (int64_t i = 0; i < k; i += 16) {
        uint16_t left[16] = {0}, right[16] = {0};
        const size_t count = (size_t)(k - i < 16 ? k - i : 16);
        memcpy(left, a + i, 2 * count);
        memcpy(right, b + i, 2 * count);
        d = (uint32_t)assay_mma_dot(mma, left, right, d, NULL, NULL);
    }
    float value;
    memcpy(&value, &d, sizeof value);
    return value;
}

static bool holds(const assay_bound *b, double got) {
    if (isnan(b->y) && isinf(b->lo)) return true;
    return isnan(b->y) ? isnan(got) : b->lo <= got && got <= b->hi;
}

/* Both chains, and either alone: the chip's own result is inside, and often on an end. */
Test(gemm_bf16_oracle, the_interval_holds_what_the_models_compute) {
    long points = 0, ends = 0, all = 0, other = 0;
    state = 1;
    for (int round = 0; round < 40; round++) {
        for (size_t l = 0; l < LENGTHS; l++) {
            const int64_t k = lengths[l];
            const int mode = round % MODES;
            fill(mode, k);
            for (int c = 0; c < 2; c++) {
                assay_gemm_contract one = {.chains = 1, .chain = {chains[c]}},
                                    both = {.chains = 2, .chain = {chains[0], chains[1]}};
                assay_bound sharp[COLUMNS], hull[COLUMNS];
                cr_assert_eq(assay_oracle_gemm_bf16(&one, x, w, COLUMNS, k, sharp), ASSAY_OK);
                cr_assert_eq(assay_oracle_gemm_bf16(&both, x, w, COLUMNS, k, hull), ASSAY_OK);
                for (int j = 0; j < COLUMNS; j++) {
                    const double d = (double)modelled(archs[c], x, w + j * k, k);
                    cr_assert(holds(&sharp[j], d) && holds(&hull[j], d),
                              "mode %d k %lld %s: %a not in [%a, %a]", mode, (long long)k, archs[c],
                              d, sharp[j].lo, sharp[j].hi);
                    if (!isfinite(sharp[j].y)) continue;
                    cr_assert(sharp[j].lo <= sharp[j].y && sharp[j].y <= sharp[j].hi);
                    all++;
                    points += sharp[j].lo == sharp[j].hi;
                    ends += d == sharp[j].lo || d == sharp[j].hi;
                    other += !holds(&sharp[j], (double)modelled(archs[1 - c], x, w + j * k, k));
                }
            }
        }
    }
    cr_expect(points > all / 10, "%ld of %ld intervals are points", points, all);
    cr_expect(ends > all / 4, "%ld of %ld results are an end", ends, all);
    cr_expect(other > 0, "the chips are never told apart");
}

/* Chains: the same, but for a last place of float64 or f32. A priori: no narrower, hardly wider. */
static void same(const assay_bound *fast, const assay_bound *twin, bool chain, int mode,
                 int64_t k) {
    if (isnan(twin->y)) {
        cr_assert(isnan(fast->y) && isnan(fast->lo) == isnan(twin->lo), "mode %d", mode);
        return;
    }
    const double width = twin->hi - twin->lo;
    const double room = !isfinite(width) ? 0 : chain ? 0x1p-20 * width : 0x1p-14 * width;
    const double slack = room + 0x1p-50 * fabs(twin->y);
    cr_assert(fast->y == twin->y || fabs(fast->y - twin->y) <= 0x1p-52 * fabs(twin->y));
    cr_assert(fast->lo <= twin->lo && fast->hi >= twin->hi, "mode %d k %lld: too narrow", mode,
              (long long)k);
    cr_assert(fast->lo == twin->lo || fast->lo >= twin->lo - slack, "mode %d k %lld: %a, twin %a",
              mode, (long long)k, fast->lo, twin->lo);
    cr_assert(fast->hi == twin->hi || fast->hi <= twin->hi + slack, "mode %d k %lld: %a, twin %a",
              mode, (long long)k, fast->hi, twin->hi);
}

Test(gemm_bf16_oracle, the_twin_agrees) {
    state = 2;
    for (int round = 0; round < 2 * MODES; round++) {
        for (size_t l = 0; l < LENGTHS; l++) {
            const int64_t k = lengths[l];
            const assay_gemm_contract contracts[] = {
                {.chains = 2, .chain = {chains[0], chains[1]}},
                {.per_step = 0x1p-24},
                {.per_step = 0x1p-23},
            };
            fill(round % MODES, k);
            for (int c = 0; c < 3; c++) {
                assay_bound fast[COLUMNS], twin[COLUMNS];
                cr_assert_eq(assay_oracle_gemm_bf16(&contracts[c], x, w, COLUMNS, k, fast),
                             ASSAY_OK);
                cr_assert_eq(assay_oracle_gemm_bf16_mpfr(&contracts[c], x, w, COLUMNS, k, twin),
                             ASSAY_OK);
                for (int j = 0; j < COLUMNS; j++)
                    same(&fast[j], &twin[j], c == 0, round % MODES, k);
            }
        }
    }
}

/* f32 fused multiply-adds forward, backward and in eight strands; the models too, for 2u. */
Test(gemm_bf16_oracle, the_a_priori_interval_holds_any_order) {
    state = 3;
    for (int round = 0; round < 40; round++) {
        for (size_t l = 0; l < LENGTHS; l++) {
            const int64_t k = lengths[l];
            const int mode = round % MODES;
            if (mode == 6) continue;
            fill(mode, k);
            const assay_gemm_contract nearest = {.per_step = 0x1p-24}, any = {.per_step = 0x1p-23};
            assay_bound fma_bound[COLUMNS], any_bound[COLUMNS];
            cr_assert_eq(assay_oracle_gemm_bf16(&nearest, x, w, COLUMNS, k, fma_bound), ASSAY_OK);
            cr_assert_eq(assay_oracle_gemm_bf16(&any, x, w, COLUMNS, k, any_bound), ASSAY_OK);
            for (int j = 0; j < COLUMNS; j++) {
                float forward = 0, backward = 0, strand[8] = {0};
                for (int64_t i = 0; i < k; i++) {
                    const float a = (float)assay_bf16_decode(x[i]);
                    const float b = (float)assay_bf16_decode(w[j * k + i]);
                    forward = fmaf(a, b, forward);
                    strand[i % 8] = fmaf(a, b, strand[i % 8]);
                    backward = fmaf((float)assay_bf16_decode(x[k - 1 - i]),
                                    (float)assay_bf16_decode(w[j * k + k - 1 - i]), backward);
                }
                for (int i = 1; i < 8; i++) strand[0] += strand[i];
                cr_assert(holds(&fma_bound[j], (double)forward), "mode %d k %lld", mode,
                          (long long)k);
                cr_assert(holds(&fma_bound[j], (double)backward));
                if (k > 8) cr_assert(holds(&fma_bound[j], (double)strand[0]));
                for (int c = 0; c < 2; c++)
                    cr_assert(holds(&any_bound[j], (double)modelled(archs[c], x, w + j * k, k)));
            }
        }
    }
}

/* Exact sums leave no room: small integers, powers of two, and the outcomes at the range's ends. */
Test(gemm_bf16_oracle, known_outcomes) {
    const assay_gemm_contract hopper = {.chains = 1, .chain = {chains[0]}};
    static const struct {
        const char *what;
        double x[17], w[17];
        int k;
        double y, lo, hi;
    } cases[] = {
        {"nothing", {0}, {0}, 0, 0, 0, 0},
        {"an integer sum", {3, -5, 7}, {2, 4, -8}, 3, -70, -70, -70},
        {"a half unit that is cut", {1, 0x1p-13}, {1, 0x1p-13}, 2, 1 + 0x1p-26, 1, 1 + 0x1p-26},
        {"overflow", {0x1p127, 0x1p127}, {1, 1}, 2, 0x1p128, 0x1p128, (double)INFINITY},
        {"an infinity", {INFINITY, 1}, {1, 1}, 2, INFINITY, INFINITY, INFINITY},
        {"both infinities", {INFINITY, INFINITY}, {1, -1}, 2, NAN, NAN, NAN},
        {"zero times infinity", {INFINITY, 0}, {0, 1}, 2, NAN, NAN, NAN},
        {"below the subnormals", {0x1p-100}, {0x1p-60}, 1, 0x1p-160, 0, 0x1p-160},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int j = 0; j < cases[i].k; j++) {
            x[j] = (uint16_t)assay_bf16_encode(cases[i].x[j]);
            w[j] = (uint16_t)assay_bf16_encode(cases[i].w[j]);
        }
        assay_bound b;
        cr_assert_eq(assay_oracle_gemm_bf16(&hopper, x, w, 1, cases[i].k, &b), ASSAY_OK);
        const bool nan_due = isnan(cases[i].y) && isnan(b.y) && isnan(b.lo);
        cr_expect(nan_due || (b.y == cases[i].y && b.lo == cases[i].lo && b.hi == cases[i].hi),
                  "%s: %a in [%a, %a]", cases[i].what, b.y, b.lo, b.hi);
    }
}

static void set(int i, double a, double b) {
    x[i] = (uint16_t)assay_bf16_encode(a);
    w[i] = (uint16_t)assay_bf16_encode(b);
}

/* The oracle and its twin agree on one element; what it is. */
static assay_bound agreed(const assay_gemm_contract *contract, int k) {
    assay_bound b, twin;
    cr_assert_eq(assay_oracle_gemm_bf16(contract, x, w, 1, k, &b), ASSAY_OK);
    cr_assert_eq(assay_oracle_gemm_bf16_mpfr(contract, x, w, 1, k, &twin), ASSAY_OK);
    cr_assert_eq(isnan(b.y), isnan(twin.y));
    cr_assert_eq(isinf(b.lo), isinf(twin.lo));
    cr_assert_eq(isinf(b.hi), isinf(twin.hi));
    return b;
}

/* An infinity decides, unless the sum may have overflowed to the other side before it. */
Test(gemm_bf16_oracle, infinities_beside_overflow) {
    const assay_gemm_contract hopper = {.chains = 1, .chain = {chains[0]}},
                              any = {.per_step = 0x1p-23};
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 17; i++) set(i, 0, 0);
        set(16, sign * (double)INFINITY, 1);
        cr_expect_eq(agreed(&hopper, 17).lo, sign * (double)INFINITY);
        cr_expect_eq(agreed(&any, 17).hi, sign * (double)INFINITY);
        set(0, -sign * 0x1p127, 4);
        const assay_bound chained = agreed(&hopper, 17), free = agreed(&any, 17);
        cr_expect(isnan(chained.y) && isinf(chained.lo) && isinf(chained.hi));
        cr_expect(isnan(free.y) && isinf(free.lo) && isinf(free.hi));
    }
}

Test(gemm_bf16_oracle, ablations_differ_from_the_product_where_they_apply) {
    enum { M = 3, N = 5, K = 50 };
    static uint16_t a[M * K], b[N * K];
    state = 4;
    for (int i = 0; i < M * K; i++) a[i] = code(0, i);
    for (int i = 0; i < N * K; i++) b[i] = code(0, i);
    double full[N], y[N];
    cr_assert_eq(assay_oracle_gemm_bf16_ablated(ASSAY_GEMM_FULL, a, b, M, N, K, 1, full), ASSAY_OK);
    for (int i = 1; i < ASSAY_GEMM_ABLATION_COUNT; i++) {
        const assay_gemm_ablation ablation = (assay_gemm_ablation)i;
        cr_assert(assay_gemm_ablation_applies(ablation, M, N, K));
        cr_assert_eq(assay_oracle_gemm_bf16_ablated(ablation, a, b, M, N, K, 1, y), ASSAY_OK);
        cr_expect(memcmp(full, y, sizeof y) != 0, "%s", assay_gemm_ablation_name(ablation));
        cr_expect(!assay_gemm_ablation_applies(ablation, M, N, 0));
    }
    cr_expect(!assay_gemm_ablation_applies(ASSAY_GEMM_FULL, M, N, K));
    cr_expect(!assay_gemm_ablation_applies(ASSAY_GEMM_TILE_LOST, M, N, 32));
    cr_expect(!assay_gemm_ablation_applies(ASSAY_GEMM_BF16_SUM, M, N, 16));
    cr_expect(!assay_gemm_ablation_applies(ASSAY_GEMM_HALVES_SWAPPED, M, N, 8));
    cr_expect_eq(assay_oracle_gemm_bf16_ablated(ASSAY_GEMM_TILE_LOST, a, b, M, N, 32, 0, y),
                 ASSAY_ERR_ARGUMENT);
    cr_expect_str_eq(assay_gemm_ablation_name(ASSAY_GEMM_ABLATION_COUNT), "?");
}

Test(gemm_bf16_oracle, contracts_out_of_range_are_refused) {
    const assay_gemm_contract wrong[] = {
        {0},
        {.per_step = 0x1p-10},
        {.chains = 1, .chain = {{0, 25, -133}}},
        {.chains = 1, .chain = {{16, 13, -133}}},
        {.chains = 2, .chain = {{16, 25, -133}, {8, 24, -100}}},
        {.chains = 9},
    };
    assay_bound b;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_expect_eq(assay_oracle_gemm_bf16(&wrong[i], x, w, 1, 1, &b), ASSAY_ERR_ARGUMENT);
        cr_expect_eq(assay_oracle_gemm_bf16_mpfr(&wrong[i], x, w, 1, 1, &b), ASSAY_ERR_ARGUMENT);
    }
    const assay_gemm_contract good = {.per_step = 0x1p-24};
    cr_expect_eq(assay_oracle_gemm_bf16(&good, x, w, 1, (INT64_C(1) << 24) + 1, &b),
                 ASSAY_ERR_ARGUMENT);
    cr_expect_eq(assay_oracle_gemm_bf16(&good, x, w, 1, -1, &b), ASSAY_ERR_ARGUMENT);
}
