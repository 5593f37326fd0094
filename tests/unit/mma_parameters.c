/* Every parameter of the matrix-unit models, each by a dot product that only the right value gets
 * right. A check is run on the table's record, which must pass, and on copies with one parameter
 * altered, which must all fail: so no parameter can change unseen. */
#include <criterion/criterion.h>
#include <math.h>

#include "mma_kit.h"

TestSuite(mma_parameters, .timeout = 20);

#define MMA_BF16 "mma.m16n8k16.f32.bf16.bf16.f32"
#define MMA_F16 "mma.m16n8k16.f16.f16.f16.f16"
#define WGMMA_E4M3 "wgmma.m64nNk32.f32.e4m3.e4m3"
#define NVFP4 "mma.m16n8k64.mxf4nvf4.4X.f32.e2m1.e2m1.f32.ue4m3"
#define MXFP4 "mma.m16n8k64.mxf4.2X.f32.e2m1.e2m1.f32.ue8m0"

typedef bool check_function(const assay_mma *mma);

static void passes(const char *arch, const char *name, check_function *check) {
    cr_expect(check(mma_kit_find(arch, name)), "%s %s", arch, name);
}

/* FIELD of the rule set to VALUE is noticed. */
#define FAILS_WITH(ARCH, NAME, CHECK, FIELD, VALUE)                                                \
    do {                                                                                           \
        assay_mma altered = *mma_kit_find(ARCH, NAME);                                             \
        altered.rule.FIELD = (VALUE);                                                              \
        cr_expect(!CHECK(&altered), "%s %s: %s = %s goes unseen", ARCH, NAME, #FIELD, #VALUE);     \
    } while (0)

static float value(const assay_mma *mma, const mma_case *test) {
    return mma_kit_float(mma_kit_dot(mma, test));
}

static float two(int e) { return ldexpf(1.0f, e); }

/* ---- fraction: how far below the largest term a bit survives ---- */

static bool keeps_25_bits(const assay_mma *mma) {
    const mma_case seen = {{{1, 1}, {-1, 1}, {0x1p-13, 0x1p-12}}, 0};
    const mma_case lost = {{{1, 1}, {-1, 1}, {0x1p-13, 0x1p-13}}, 0};
    const mma_case beside_c = {{{-1, 1}, {0x1p-13, 0x1p-12}}, mma_kit_bits(1.0f)};
    const mma_case lost_beside_c = {{{-1, 1}, {0x1p-13, 0x1p-13}}, mma_kit_bits(1.0f)};
    const mma_case small_c = {{{1, 1}, {-1, 1}}, mma_kit_bits(0x1p-26f)};
    return value(mma, &seen) == two(-25) && value(mma, &lost) == 0 &&
           value(mma, &beside_c) == two(-25) && value(mma, &lost_beside_c) == 0 &&
           value(mma, &small_c) == 0;
}

static bool keeps_13_bits(const assay_mma *mma) {
    const mma_case seen = {{{1, 1}, {-1, 1}, {0x1p-7, 0x1p-6}}, 0};
    const mma_case lost = {{{1, 1}, {-1, 1}, {0x1p-7, 0x1p-7}}, 0};
    return value(mma, &seen) == two(-13) && value(mma, &lost) == 0;
}

Test(mma_parameters, fraction) {
    passes("sm_90", MMA_BF16, keeps_25_bits);
    FAILS_WITH("sm_90", MMA_BF16, keeps_25_bits, fraction, 24);
    FAILS_WITH("sm_90", MMA_BF16, keeps_25_bits, fraction, 26);
    passes("sm_90", WGMMA_E4M3, keeps_13_bits);
    FAILS_WITH("sm_90", WGMMA_E4M3, keeps_13_bits, fraction, 12);
    FAILS_WITH("sm_90", WGMMA_E4M3, keeps_13_bits, fraction, 14);
}

Test(mma_parameters, fraction_differs_between_generations) {
    cr_expect(!keeps_25_bits(mma_kit_find("sm_80", MMA_BF16)), "24 on Ampere");
    cr_expect(!keeps_13_bits(mma_kit_find("sm_100", "tcgen05.k32.f32.e4m3.e4m3")), "25 on B200");
}

/* ---- align: toward zero, term by term, and products as they are ---- */

static bool cuts_toward_zero(const assay_mma *mma) {
    const mma_case up = {{{1, 1}, {-1, 1}, {0x1.8p-13, 0x1p-12}}, 0};
    const mma_case down = {{{1, 1}, {-1, 1}, {-0x1.8p-13, 0x1p-12}}, 0};
    const mma_pair h = {0x1p-13, 0x1p-13}; /* half a unit: six of them are nothing */
    const mma_case halves = {{{1, 1}, {-1, 1}, h, h, h, h, h, h}, 0};
    const mma_case late = {{h, h, h, h, h, h}, mma_kit_bits(1.0f)};
    const mma_case wide = {{{1.5, 1.5}, {-1.5, 1.5}, {0x1p-13, 0x1p-12}}, 0}; /* 2.25 at 2^0 */
    return value(mma, &up) == two(-25) && value(mma, &down) == -two(-25) &&
           value(mma, &halves) == 0 && value(mma, &late) == 1 && value(mma, &wide) == two(-25);
}

Test(mma_parameters, align) {
    passes("sm_90", MMA_BF16, cuts_toward_zero);
    FAILS_WITH("sm_90", MMA_BF16, cuts_toward_zero, align, ASSAY_MMA_NEAREST_EVEN);
    FAILS_WITH("sm_90", MMA_BF16, cuts_toward_zero, align, ASSAY_MMA_DOWN);
    FAILS_WITH("sm_90", MMA_BF16, cuts_toward_zero, fraction, 26);
}

/* ---- round and keep: of the result ---- */

static bool result_is_cut_to_24_bits(const assay_mma *mma) {
    const mma_case up = {{{0x1p-12, 0x1p-12}, {0x1p-13, 0x1p-12}}, mma_kit_bits(1.0f)};
    const mma_case down = {{{-0x1p-12, 0x1p-12}, {-0x1p-13, 0x1p-12}}, mma_kit_bits(-1.0f)};
    const mma_case last = {{{0x1p-12, 0x1p-11}}, mma_kit_bits(1.0f)};
    const mma_case largest = {{{0x1p52, 0x1p52}}, 0x7f7fffff};
    return value(mma, &up) == 1 && value(mma, &down) == -1 &&
           mma_kit_dot(mma, &last) == 0x3f800001 && mma_kit_dot(mma, &largest) == 0x7f800000;
}

static bool result_is_cut_to_14_bits(const assay_mma *mma) {
    const mma_case last = {{{0x1p-7, 0x1p-6}}, mma_kit_bits(1.0f)};
    const mma_case carried = {{{1, 1}}, mma_kit_bits(1.0f + 0x1p-13f)}; /* 2 + 2^-13 -> 2 */
    const mma_case c_1 = {.c = 1}, c_10_bits = {.c = 0x000003ff}, c_11_bits = {.c = 0x00000400},
                   c_max = {.c = 0x7f7fffff};
    return mma_kit_dot(mma, &last) == 0x3f800400 && value(mma, &carried) == 2 &&
           mma_kit_dot(mma, &c_1) == 0 && mma_kit_dot(mma, &c_10_bits) == 0 &&
           mma_kit_dot(mma, &c_11_bits) == 0x00000400 && mma_kit_dot(mma, &c_max) == 0x7f7ffc00;
}

static bool f16_result_is_nearest(const assay_mma *mma) {
    const mma_case tie = {{{1, 1}, {0x1p-5, 0x1p-6}}, 0};       /* 1 + 2^-11 -> 1 */
    const mma_case odd_tie = {{{1, 1}, {0x1.8p-5, 0x1p-5}}, 0}; /* 1 + 3*2^-11 -> 1 + 2^-9 */
    const mma_case above = {{{1, 1}, {0x1p-5, 0x1p-6}, {0x1p-8, 0x1p-8}}, 0};
    const mma_case overflow = {{{65504, 1}, {16, 1}}, 0}; /* half an ulp above the largest */
    return mma_kit_dot(mma, &tie) == 0x3c00 && mma_kit_dot(mma, &odd_tie) == 0x3c02 &&
           mma_kit_dot(mma, &above) == 0x3c01 && mma_kit_dot(mma, &overflow) == 0x7c00;
}

Test(mma_parameters, round_and_keep) {
    passes("sm_90", MMA_BF16, result_is_cut_to_24_bits);
    FAILS_WITH("sm_90", MMA_BF16, result_is_cut_to_24_bits, round, ASSAY_MMA_NEAREST_EVEN);
    FAILS_WITH("sm_90", MMA_BF16, result_is_cut_to_24_bits, round, ASSAY_MMA_DOWN);
    FAILS_WITH("sm_90", MMA_BF16, result_is_cut_to_24_bits, keep, 22);
    passes("sm_90", WGMMA_E4M3, result_is_cut_to_14_bits);
    FAILS_WITH("sm_90", WGMMA_E4M3, result_is_cut_to_14_bits, keep, 12);
    FAILS_WITH("sm_90", WGMMA_E4M3, result_is_cut_to_14_bits, keep, 14);
    passes("sm_90", MMA_F16, f16_result_is_nearest);
    FAILS_WITH("sm_90", MMA_F16, f16_result_is_nearest, round, ASSAY_MMA_TOWARD_ZERO);
    FAILS_WITH("sm_90", MMA_F16, f16_result_is_nearest, keep, 9);
}

/* ---- floor: the exponent of zero terms ---- */

static bool floor_is_minus_133(const assay_mma *mma) {
    const mma_case seen = {{{0x1p-75, 0x1p-74}, {-0x1p-79, 0x1p-79}}, 0};
    const mma_case unseen = {{{0x1p-75, 0x1p-74}, {-0x1p-80, 0x1p-79}}, 0};
    const mma_case zero_and_huge = {{{0, 0x1p100}}, mma_kit_bits(0x1p-60f)};
    return mma_kit_dot(mma, &seen) == 0 && mma_kit_dot(mma, &unseen) == 1 &&
           value(mma, &zero_and_huge) == two(-60);
}

static bool floor_is_minus_21(const assay_mma *mma) {
    const mma_case seen = {{{0x1p-12, 0x1p-13}, {0x1p-23, 0x1p-23}}, 0};
    const mma_case unseen = {{{0x1p-12, 0x1p-13}, {0x1p-24, 0x1p-23}}, 0};
    return mma_kit_dot(mma, &seen) == 1 && mma_kit_dot(mma, &unseen) == 0;
}

Test(mma_parameters, floor) {
    passes("sm_90", MMA_BF16, floor_is_minus_133);
    FAILS_WITH("sm_90", MMA_BF16, floor_is_minus_133, floor, -132);
    FAILS_WITH("sm_90", MMA_BF16, floor_is_minus_133, floor, -134);
    passes("sm_90", MMA_F16, floor_is_minus_21);
    FAILS_WITH("sm_90", MMA_F16, floor_is_minus_21, floor, -20);
    FAILS_WITH("sm_90", MMA_F16, floor_is_minus_21, floor, -22);
}

/* ---- terms: which products are added at once. Two products cancel; units elsewhere survive when
 * they come in a later step, and only then. ---- */

static bool survivors_are(const assay_mma *mma, double big, double unit, const int *step_of) {
    for (int i = 0; i < mma->k; i++) {
        for (int j = i + 1; j < mma->k; j++) {
            mma_case test = {.c = 0};
            int expected = 0;
            const int last = step_of[i] > step_of[j] ? step_of[i] : step_of[j];
            for (int k = 0; k < mma->k; k++) {
                test.pairs[k] = (mma_pair){unit, unit};
                expected += step_of[k] > last;
            }
            test.pairs[i] = (mma_pair){big, big};
            test.pairs[j] = (mma_pair){-big, big};
            if (value(mma, &test) != (float)expected * (float)(unit * unit)) return false;
        }
    }
    return true;
}

static bool steps_of_8(const assay_mma *mma) {
    static const int step_of[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    return survivors_are(mma, 0x1p30, 0x1p15, step_of);
}
static bool one_step(const assay_mma *mma) {
    static const int step_of[16] = {0};
    return survivors_are(mma, 0x1p30, 0x1p15, step_of);
}

Test(mma_parameters, terms) {
    passes("sm_90", MMA_BF16, one_step);
    FAILS_WITH("sm_90", MMA_BF16, one_step, terms, 8);
    FAILS_WITH("sm_90", MMA_BF16, one_step, terms, 4);
    passes("sm_80", MMA_BF16, steps_of_8);
    FAILS_WITH("sm_80", MMA_BF16, steps_of_8, terms, 4);
    FAILS_WITH("sm_80", MMA_BF16, steps_of_8, terms, 16);
}

/* ---- the emulated 8-bit instructions ---- */

static bool halves_by_bit_1(const assay_mma *mma) {
    int step_of[32];
    for (int k = 0; k < 32; k++) step_of[k] = k >> 1 & 1;
    return survivors_are(mma, 0x1p7, 0x1p-8, step_of);
}

static bool c_is_added_and_rounded(const assay_mma *mma) {
    const mma_case up = {{{0x1p-9, 0x1p-15}, {0x1p-9, 0x1p-16}}, mma_kit_bits(1.0f)};
    const mma_case late = {{{8, 0x1p15}, {-8, 0x1p15}}, mma_kit_bits(0x1p-60f)};
    return mma_kit_dot(mma, &up) == 0x3f800001 && value(mma, &late) == two(-60);
}

/* 2^-9 is a subnormal E4M3 number; as binary16 it is aligned by its own exponent. */
static bool aligned_as_f16(const assay_mma *mma) {
    const mma_case test = {{{0x1p-9, 0x1p15}, {-0x1p-9, 0x1p15}, {0, 0}, {0, 0}, {0x1p-2, 0x1p-16}},
                           0};
    return value(mma, &test) == two(-18);
}

Test(mma_parameters, emulated_split) {
    const char *e4m3 = "mma.m16n8k32.f32.e4m3.e4m3.f32", *mixed = "mma.m16n8k32.f32.e4m3.e5m2.f32";
    passes("sm_90", e4m3, halves_by_bit_1);
    FAILS_WITH("sm_90", e4m3, halves_by_bit_1, group, 0);
    FAILS_WITH("sm_90", e4m3, halves_by_bit_1, group, 2);
    FAILS_WITH("sm_90", e4m3, halves_by_bit_1, group, 4);
    FAILS_WITH("sm_90", e4m3, halves_by_bit_1, terms, 8);
    passes("sm_90", mixed, c_is_added_and_rounded);
    passes("sm_90", mixed, aligned_as_f16);
    FAILS_WITH("sm_90", mixed, c_is_added_and_rounded, op, ASSAY_MMA_FUSED);
    FAILS_WITH("sm_90", mixed, aligned_as_f16, op, ASSAY_MMA_FUSED);
}

/* ---- subnormals, the sign of zero, NaN and infinity ---- */

static bool subnormals_count(const assay_mma *mma) {
    const mma_case operand = {{{0x1p-133, 0x1p100}}, 0}, c = {.c = 1},
                   result = {{{0x1p-75, 0x1p-74}}, 0};
    return value(mma, &operand) == two(-33) && mma_kit_dot(mma, &c) == 1 &&
           mma_kit_dot(mma, &result) == 1;
}

Test(mma_parameters, flush_subnormals) {
    passes("sm_90", MMA_BF16, subnormals_count);
    FAILS_WITH("sm_90", MMA_BF16, subnormals_count, flush_subnormals, true);
}

static bool every_zero_is_positive(const assay_mma *mma) {
    const mma_case zeros = {{{-0.0, 1}, {-0.0, 1}}, 0x80000000},
                   cancel = {{{1, 1}}, mma_kit_bits(-1.0f)};
    const mma_case under = {{{0x1p-77, -0x1p-78}}, 0}, tie = {{{0x1p-75, -0x1p-75}}, 0};
    const mma_case above = {{{-0x1p-75, 0x1p-74}, {-0x1p-76, 0x1p-75}}, 0};
    return mma_kit_dot(mma, &zeros) == 0 && mma_kit_dot(mma, &cancel) == 0 &&
           mma_kit_dot(mma, &under) == 0 && mma_kit_dot(mma, &tie) == 0 &&
           mma_kit_dot(mma, &above) == 0x80000001;
}

static bool f16_zero_is_positive(const assay_mma *mma) {
    const mma_case tie = {{{-0x1p-12, 0x1p-13}}, 0};
    return mma_kit_dot(mma, &tie) == 0;
}

Test(mma_parameters, signed_zero) {
    passes("sm_90", MMA_BF16, every_zero_is_positive);
    FAILS_WITH("sm_90", MMA_BF16, every_zero_is_positive, signed_zero, true);
    passes("sm_90", MMA_F16, f16_zero_is_positive);
    FAILS_WITH("sm_90", MMA_F16, f16_zero_is_positive, signed_zero, true);
}

static bool one_nan(const assay_mma *mma) {
    const mma_case nan_c = {.c = 0x7fc00001}, by_zero = {{{(double)INFINITY, 0}}, 0};
    const mma_case both = {{{(double)INFINITY, 1}, {-(double)INFINITY, 1}}, 0};
    const mma_case against_c = {{{(double)INFINITY, 1}}, 0xff800000};
    const mma_case negative = {{{-(double)INFINITY, 1}}, mma_kit_bits(5.0f)};
    const mma_case nan_a = {{{(double)NAN, 0}}, 0xff800000};
    return mma_kit_dot(mma, &nan_c) == 0x7fffffff && mma_kit_dot(mma, &by_zero) == 0x7fffffff &&
           mma_kit_dot(mma, &both) == 0x7fffffff && mma_kit_dot(mma, &against_c) == 0x7fffffff &&
           mma_kit_dot(mma, &nan_a) == 0x7fffffff && mma_kit_dot(mma, &negative) == 0xff800000;
}

static bool products_are_finite(const assay_mma *mma) {
    const mma_case cancel = {{{0x1p100, 0x1p100}, {-0x1p100, 0x1p100}, {1, 1}}, 0};
    const mma_case alone = {{{-0x1p100, 0x1p100}}, 0};
    return mma_kit_dot(mma, &cancel) == 0 && mma_kit_dot(mma, &alone) == 0xff800000;
}

Test(mma_parameters, nan_and_infinite_products) {
    passes("sm_90", MMA_BF16, one_nan);
    FAILS_WITH("sm_90", MMA_BF16, one_nan, nan, 0x7fc00000);
    passes("sm_90", MMA_BF16, products_are_finite);
    FAILS_WITH("sm_90", MMA_BF16, products_are_finite, infinite_products, true);
}

/* ---- CDNA3 ---- */

static bool c_comes_late(const assay_mma *mma) {
    const mma_case test = {{{-0x1p13, 0x1p10}, {-0.5, 1}, {-0.25, 1}, {-0.125, 1}},
                           mma_kit_bits(0x1p23f)};
    return value(mma, &test) == -0.5f;
}

/* Toward minus infinity: a c far below 1 takes something off it, and adds nothing to -1. */
static bool c_is_rounded_down(const assay_mma *mma) {
    const mma_case negative = {{{1, 1}}, mma_kit_bits(-0x1p-30f)};
    const mma_case positive = {{{-1, 1}}, mma_kit_bits(0x1p-30f)};
    return mma_kit_dot(mma, &negative) == 0x3f7fffff && value(mma, &positive) == -1.0f;
}

/* c = 1 and 2^-24 are a tie, which a bit further down breaks as long as it is kept. */
static bool keeps_31_bits_for_c(const assay_mma *mma) {
    const mma_case broken = {{{0x1p-12, 0x1p-12}, {0x1p-16, 0x1p-15}}, mma_kit_bits(1.0f)};
    const mma_case tie = {{{0x1p-12, 0x1p-12}, {0x1p-16, 0x1p-16}}, mma_kit_bits(1.0f)};
    return mma_kit_dot(mma, &broken) == 0x3f800001 && mma_kit_dot(mma, &tie) == 0x3f800000;
}

static bool products_overflow(const assay_mma *mma) {
    const mma_case alone = {{{0x1p100, 0x1p100}}, 0};
    const mma_case both = {{{0x1p100, 0x1p100}, {-0x1p100, 0x1p100}}, 0};
    return mma_kit_dot(mma, &alone) == 0x7f800000 && isnan(value(mma, &both));
}

/* Even and odd k apart, rounded down to a common grid; and a c too far below is dropped. */
static bool pairs_and_drops_c(const assay_mma *mma) {
    const mma_case apart = {{{-0x1p13, 0x1p10}, {-0.5, 1}, {-0.25, 1}, {-0.125, 1}},
                            mma_kit_bits(0x1p23f)};
    const mma_case dropped = {{{0x1p5, 0x1p5}}, mma_kit_bits(-0x1p-16f)};
    const mma_case kept = {{{0x1p5, 0x1p5}}, mma_kit_bits(-0x1p-15f)};
    return value(mma, &apart) == -1.0f && value(mma, &dropped) == 0x1p10f &&
           value(mma, &kept) == 0x1p10f - 0x1p-14f;
}

Test(mma_parameters, cdna3_8_bit) {
    const char *bf8 = "mfma.f32.16x16x32.bf8.bf8";
    passes("gfx942", bf8, pairs_and_drops_c);
    FAILS_WITH("gfx942", bf8, pairs_and_drops_c, op, ASSAY_MMA_LATE_C);
    FAILS_WITH("gfx942", bf8, pairs_and_drops_c, fraction, 23);
    FAILS_WITH("gfx942", bf8, pairs_and_drops_c, fraction, 25);
}

Test(mma_parameters, cdna3) {
    const char *f16 = "mfma.f32.32x32x8.f16", *bf16 = "mfma.f32.32x32x8.bf16";
    passes("gfx942", f16, c_comes_late);
    cr_expect(!c_comes_late(mma_kit_find("sm_90", "mma.m16n8k8.f32.f16.f16.f32")), "not on Hopper");
    FAILS_WITH("gfx942", f16, c_comes_late, fraction, 23);
    FAILS_WITH("gfx942", f16, c_comes_late, fraction, 25);
    passes("gfx942", f16, c_is_rounded_down);
    FAILS_WITH("gfx942", f16, c_is_rounded_down, fraction, 23);
    FAILS_WITH("gfx942", f16, c_is_rounded_down, op, ASSAY_MMA_FUSED);
    passes("gfx942", bf16, keeps_31_bits_for_c);
    FAILS_WITH("gfx942", bf16, keeps_31_bits_for_c, late_fraction, 30);
    FAILS_WITH("gfx942", bf16, keeps_31_bits_for_c, late_fraction, 32);
    passes("gfx942", bf16, products_overflow);
    FAILS_WITH("gfx942", bf16, products_overflow, infinite_products, false);
    passes("gfx942", bf16, subnormals_count);
}

/* ---- block scales on sm_120 ---- */

#define UE4M3_1 0x38
#define UE4M3_448 0x7e

static uint32_t grouped(const assay_mma *mma, const mma_case *test, const uint8_t scale[4]) {
    return mma_kit_dot_scaled(mma, test, scale, scale);
}

static bool nvfp4_groups(const assay_mma *mma) {
    const uint8_t apart[4] = {0x68, 0x01, UE4M3_1, UE4M3_1}; /* 2^6, 2^-9 */
    mma_case far = {{[0] = {-4, 4}, [16] = {1, 0.5}}, mma_kit_bits(0x1p16f)};
    const bool seen = mma_kit_float(grouped(mma, &far, apart)) == two(-19);
    far.pairs[16] = (mma_pair){0.5, 0.5};
    const bool lost = grouped(mma, &far, apart) == 0;
    const uint8_t large[4] = {UE4M3_448, UE4M3_1, UE4M3_1, UE4M3_1};
    const mma_case cancelled = {{{1, 1}, {-1, 1}}, mma_kit_bits(1.0f + 0x1p-20f)};
    const mma_case zeros = {.c = mma_kit_bits(1.0f + 0x1p-20f)};
    const uint8_t ones[4] = {UE4M3_1, UE4M3_1, UE4M3_1, UE4M3_1};
    const mma_case cut = {{{1, 1}}, mma_kit_bits(0x1p24f + 2)};
    return seen && lost && mma_kit_float(grouped(mma, &cancelled, large)) == 1.0f &&
           grouped(mma, &zeros, large) == zeros.c && grouped(mma, &cut, ones) == cut.c;
}

static bool nvfp4_scale_specials(const assay_mma *mma) {
    const uint8_t nan[4] = {UE4M3_1, UE4M3_1, 0x7f, UE4M3_1}, sign[4] = {0xb8, 0xb8, 0xb8, 0xb8};
    const mma_case one = {{{1, 1}}, 0};
    return grouped(mma, &one, nan) == 0x7fffffff && mma_kit_float(grouped(mma, &one, sign)) == 1.0f;
}

/* 2^-149 in the first block, -2^e in the second: cut to 0 when e is seen, 2^-149 otherwise. */
static bool mxfp4_floor(const assay_mma *mma) {
    const uint8_t one = 2, minus_one = 2 | 8;
    const uint8_t a_codes[64] = {[0] = one, [32] = minus_one},
                  b_codes[64] = {[0] = one, [32] = one};
    const uint8_t a[2] = {127 - 75, 127 - 87}, seen[2] = {127 - 74, 127 - 87};
    const uint8_t unseen[2] = {127 - 74, 127 - 88};
    return assay_mma_dot(mma, a_codes, b_codes, 0, a, seen) == 0 &&
           assay_mma_dot(mma, a_codes, b_codes, 0, a, unseen) == 1;
}

Test(mma_parameters, group_scaled) {
    passes("sm_120", NVFP4, nvfp4_groups);
    FAILS_WITH("sm_120", NVFP4, nvfp4_groups, fraction, 34);
    FAILS_WITH("sm_120", NVFP4, nvfp4_groups, fraction, 36);
    FAILS_WITH("sm_120", NVFP4, nvfp4_groups, group, 32);
    FAILS_WITH("sm_120", NVFP4, nvfp4_groups, round, ASSAY_MMA_NEAREST_EVEN);
    passes("sm_120", NVFP4, nvfp4_scale_specials);
    FAILS_WITH("sm_120", NVFP4, nvfp4_scale_specials, nan, 0x7fc00000);
    passes("sm_120", MXFP4, mxfp4_floor);
    FAILS_WITH("sm_120", MXFP4, mxfp4_floor, floor, -138);
    FAILS_WITH("sm_120", MXFP4, mxfp4_floor, floor, -140);
}

/* 12*24 and 18*16 are both 288, a binade apart in alignment; scales move all terms alike. */
static bool mxfp8_aligns_with_scales(const assay_mma *mma) {
    const uint8_t a[1] = {127 + 3}, b[1] = {127 - 5}, nan[1] = {0xff};
    const mma_case seen = {{{12, 24}, {-12, 24}, {0x1p-9, 0x1p-9}}, 0};
    const mma_case lost = {{{18, 16}, {-18, 16}, {0x1p-9, 0x1p-9}}, 0};
    const mma_case beside_c = {{{0x1p-9, 0x1p-9}}, mma_kit_bits(1.0f)}; /* 2^-20 beside 1 */
    const mma_case cancel_c = {{{-2, 2}, {0x1p-9, 0x1p-6}}, mma_kit_bits(1.0f)};
    return mma_kit_float(mma_kit_dot_scaled(mma, &seen, a, b)) == two(-20) &&
           mma_kit_dot_scaled(mma, &lost, a, b) == 0 &&
           mma_kit_float(mma_kit_dot_scaled(mma, &beside_c, a, b)) == 1.0f + two(-20) &&
           mma_kit_float(mma_kit_dot_scaled(mma, &cancel_c, a, b)) == two(-17) &&
           mma_kit_dot_scaled(mma, &seen, nan, b) == 0x7fffffff;
}

Test(mma_parameters, scaled) {
    const char *mxfp8 = "mma.m16n8k32.mxf8f6f4.1X.f32.e4m3.e4m3.f32.ue8m0";
    passes("sm_120", mxfp8, mxfp8_aligns_with_scales);
    FAILS_WITH("sm_120", mxfp8, mxfp8_aligns_with_scales, fraction, 24);
    FAILS_WITH("sm_120", mxfp8, mxfp8_aligns_with_scales, fraction, 26);
    FAILS_WITH("sm_120", mxfp8, mxfp8_aligns_with_scales, op, ASSAY_MMA_FUSED);
}
