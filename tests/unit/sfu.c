/* The special-function models.
 *
 * That they are the chip's functions is shown by nightly.sfu_exhaustive, which hashes all 2^32
 * operands of each. The hashes here are of 2^18 operands and were taken from models that had passed
 * it: they guard those results between two nights. Beside them: values worked out or measured one
 * by one, errors against float64, and the builds for different processors against each other.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "assay/sfu.h"
#include "evaluate.h"

TestSuite(sfu, .timeout = 30);

#define SAMPLE (1 << 18)

static uint64_t mix(uint64_t z) { /* one step of splitmix64 */
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Operand i of the sample: spread over all bit patterns, none twice. */
static uint32_t operand(int bits, uint32_t i) {
    return bits == 16 ? i & 0xffff : i * UINT32_C(0x9e3779b1);
}

static uint32_t x[SAMPLE], y[SAMPLE], z[SAMPLE];

static void fill(assay_sfu_function f) {
    for (uint32_t i = 0; i < SAMPLE; i++) x[i] = operand(assay_sfu_bits(f), i);
}

static const struct {
    assay_sfu_function function;
    uint64_t hash;
} recorded[] = {
    {ASSAY_SFU_EX2, 0xb1011aa3aee674ff},          {ASSAY_SFU_EX2_FTZ, 0xdc7df6ad20908296},
    {ASSAY_SFU_LG2, 0x29327d8055adc136},          {ASSAY_SFU_LG2_FTZ, 0x0b94a931038b9c34},
    {ASSAY_SFU_RCP, 0x37ba6184fa3a153b},          {ASSAY_SFU_RCP_FTZ, 0x80329be385bd306b},
    {ASSAY_SFU_RSQRT, 0x89c331e283a18915},        {ASSAY_SFU_RSQRT_FTZ, 0x2fc093d43a4e1fd4},
    {ASSAY_SFU_SQRT, 0x590e8529db577ddb},         {ASSAY_SFU_SQRT_FTZ, 0xef4c20bf875c3a89},
    {ASSAY_SFU_SIN, 0xdad1990d5c336eca},          {ASSAY_SFU_COS, 0x56a916e6af58d998},
    {ASSAY_SFU_TANH, 0xd339981ac137410b},         {ASSAY_SFU_EXPF, 0x6c4b8c0eec92fcbd},
    {ASSAY_SFU_FAST_EXPF, 0x61795d850cc8f8bb},    {ASSAY_SFU_FAST_LOGF, 0xc5a6dc76d49fb21f},
    {ASSAY_SFU_EX2_F16, 0x913f20d6bf717ee8},      {ASSAY_SFU_TANH_F16, 0xae39dea60bed4224},
    {ASSAY_SFU_EX2_FTZ_BF16, 0x105d7ca67b3e7890}, {ASSAY_SFU_TANH_BF16, 0x3d93e7ef13aca9bc},
};

Test(sfu, sampled_hashes) {
    cr_assert_eq(sizeof recorded / sizeof recorded[0], ASSAY_SFU_FUNCTION_COUNT);
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        const assay_sfu_function f = recorded[i].function;
        fill(f);
        assay_sfu_many(f, x, y, SAMPLE, ASSAY_SFU_BEST);
        uint64_t hash = 0;
        for (uint32_t j = 0; j < SAMPLE; j++) hash += mix((uint64_t)x[j] << 32 | y[j]);
        cr_expect_eq(hash, recorded[i].hash, "%s: %016llx", assay_sfu_name(f),
                     (unsigned long long)hash);
    }
}

Test(sfu, builds_give_the_same_bits) {
    for (int f = 0; f < ASSAY_SFU_FUNCTION_COUNT; f++) {
        fill((assay_sfu_function)f);
        assay_sfu_many((assay_sfu_function)f, x, y, SAMPLE / 4, ASSAY_SFU_PORTABLE);
        for (int path = ASSAY_SFU_AVX2; path <= ASSAY_SFU_AVX512; path++) {
            if (!assay_sfu_path_available((assay_sfu_path)path)) continue;
            assay_sfu_many((assay_sfu_function)f, x, z, SAMPLE / 4, (assay_sfu_path)path);
            cr_expect(memcmp(y, z, sizeof y / 4) == 0, "%s path %d",
                      assay_sfu_name((assay_sfu_function)f), path);
        }
        for (uint32_t i = 0; i < SAMPLE / 4; i += 997)
            cr_expect_eq(assay_sfu((assay_sfu_function)f, x[i]), y[i]);
    }
}

Test(sfu, in_place_and_short) {
    uint32_t v[3] = {0x40000000, 0x40800000, 0x3f800000};
    assay_sfu_many(ASSAY_SFU_RCP, v, v, 3, ASSAY_SFU_BEST);
    cr_expect(v[0] == 0x3f000000 && v[1] == 0x3e800000 && v[2] == 0x3f800000);
    assay_sfu_many(ASSAY_SFU_RCP, v, v, 0, ASSAY_SFU_BEST);
    cr_expect_eq(v[0], 0x3f000000);
}

/* The truncated square, by its definition: bits of x*x's partial products of weight 2^19 and up. */
Test(sfu, square_leaves_out_the_low_products) {
    for (uint32_t v = 0; v < 1 << 17; v++) {
        uint64_t sum = 0;
        for (int i = 0; i < 17; i++)
            for (int j = i; j < 17; j++) {
                const int weight = i == j ? 2 * i : i + j + 1;
                if (weight >= 19 && (v >> i & 1) && (v >> j & 1)) sum += UINT64_C(1) << weight;
            }
        cr_assert_eq(sfu_square(v), sum >> 19, "x = %u", v);
    }
}

typedef struct known {
    const char *name;
    uint32_t x, y;
} known;

Test(sfu, known_values) {
    static const known values[] = {
        {"ex2.approx.f32", 0x00000000, 0x3f800000}, /* 2^0 = 1 */
        {"ex2.approx.f32", 0x80000001, 0x3f800000}, /* a subnormal is 0 */
        {"ex2.approx.f32", 0xc0400000, 0x3e000000}, /* 2^-3, a fraction of zero: exact */
        {"ex2.approx.f32", 0x43000000, 0x7f800000}, /* 2^128 */
        {"ex2.approx.f32", 0xc3150000, 0x00000001}, /* 2^-149: subnormals are kept */
        {"ex2.approx.ftz.f32", 0xc3150000, 0x00000000},
        {"ex2.approx.f32", 0xff800000, 0x00000000},
        {"ex2.approx.f32", 0xffc00000, 0x7fffffff}, /* every NaN is the one */
        {"lg2.approx.f32", 0x3f800000, 0x00000000},
        {"lg2.approx.f32", 0x3f000000, 0xbf7ffffe}, /* ones' complement: not -1 */
        {"lg2.approx.f32", 0x00000000, 0xff800000},
        {"lg2.approx.f32", 0xbf800000, 0x7fffffff},
        {"lg2.approx.ftz.f32", 0x80000001, 0xff800000}, /* negative subnormal: -0 */
        {"rcp.approx.f32", 0x00000000, 0x7f800000},
        {"rcp.approx.f32", 0x80000000, 0xff800000},
        {"rcp.approx.f32", 0x7f800000, 0x00000000},
        {"rcp.approx.f32", 0x00400000, 0x7f000000}, /* 2^-127 */
        {"rcp.approx.ftz.f32", 0x00400000, 0x7f800000},
        {"rcp.approx.f32", 0x7f000000, 0x00400000},
        {"rcp.approx.ftz.f32", 0x7f000000, 0x00000000},
        {"rsqrt.approx.f32", 0x40800000, 0x3f000000}, /* a power of four: exact */
        {"rsqrt.approx.f32", 0x80000000, 0xff800000},
        {"rsqrt.approx.f32", 0xbf800000, 0x7fffffff},
        {"rsqrt.approx.f32", 0x7f800000, 0x00000000},
        {"sqrt.approx.f32", 0x40800000, 0x40000000},
        {"sqrt.approx.f32", 0x80000000, 0x80000000},
        {"sqrt.approx.ftz.f32", 0x807fffff, 0x80000000},
        {"sqrt.approx.f32", 0xbf800000, 0x7fffffff},
        {"sin.approx.f32", 0x80000000, 0x80000000},
        {"cos.approx.f32", 0x00000000, 0x3f800000},
        {"sin.approx.f32", 0x7f800000, 0x7fffffff},
        {"tanh.approx.f32", 0x00000001, 0x00000001}, /* itself below 2^-8 */
        {"tanh.approx.f32", 0x3b7fffff, 0x3b7fffff},
        {"tanh.approx.f32", 0xc1000000, 0xbf800000}, /* -1 from 8 on */
        {"expf", 0x00000000, 0x3f800000},
        {"expf", 0xff800000, 0x00000000},
        {"expf", 0x7f800000, 0x7f800000},
        {"expf", 0x7fc00000, 0x7fffffff},
        {"exp2f", 0x3f800000, 0x40000000},
        {"rsqrtf", 0x3f800000, 0x3f800000},
        {"__expf", 0x00000000, 0x3f800000},
        {"__logf", 0x3f800000, 0x00000000},
        {"ex2.approx.f16", 0x3c00, 0x4000},
        {"ex2.approx.f16", 0xcc00, 0x0100}, /* 2^-16: an f16 subnormal */
        {"ex2.approx.f16", 0x4c00, 0x7c00}, /* 2^16 */
        {"ex2.approx.f16", 0x7e00, 0x7fff},
        {"tanh.approx.f16", 0x0001, 0x0001},
        {"ex2.approx.ftz.bf16", 0x3f80, 0x4000},
        {"tanh.approx.bf16", 0xff80, 0xbf80},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assay_sfu_function f;
        cr_assert(assay_sfu_parse(values[i].name, &f), "%s", values[i].name);
        const uint32_t got = assay_sfu(f, values[i].x);
        cr_expect_eq(got, values[i].y, "%s 0x%08x: 0x%08x, due 0x%08x", values[i].name, values[i].x,
                     got, values[i].y);
    }
}

/* Errors of normal results, in ulps, within what all 2^32 operands showed on the chip. */
static void error_within(assay_sfu_function f, double (*exact)(double), double low, double high,
                         double ulps) {
    double worst = 0;
    for (int i = 0; i < SAMPLE; i++) {
        const float operand_value = (float)(low + (high - low) * (i + 0.5) / SAMPLE);
        uint32_t bits;
        memcpy(&bits, &operand_value, sizeof bits);
        bits = assay_sfu(f, bits);
        float got;
        memcpy(&got, &bits, sizeof got);
        const double due = exact((double)operand_value);
        int exponent;
        frexp(due, &exponent);
        const double error = fabs((double)got - due) / ldexp(1, exponent - 24);
        if (error > worst) worst = error;
    }
    cr_expect(worst <= ulps && worst > ulps / 2, "%s: %.3f ulps, %.3f known", assay_sfu_name(f),
              worst, ulps);
}

static double reciprocal(double v) { return 1 / v; }
static double reciprocal_root(double v) { return 1 / sqrt(v); }

Test(sfu, errors_as_measured) {
    error_within(ASSAY_SFU_EX2, exp2, -20, 20, 2.055);
    error_within(ASSAY_SFU_RCP, reciprocal, 1, 2, 0.975);
    error_within(ASSAY_SFU_RSQRT, reciprocal_root, 1, 4, 1.515);
    error_within(ASSAY_SFU_SQRT, sqrt, 1, 4, 0.944);
    error_within(ASSAY_SFU_TANH, tanh, 0.01, 7.5, 134);
    error_within(ASSAY_SFU_EXPF, exp, -80, 80, 1.931);
}

Test(sfu, names) {
    assay_sfu_function f = ASSAY_SFU_COS;
    cr_expect_not(assay_sfu_parse("sin", &f));
    cr_expect_eq(f, ASSAY_SFU_COS);
    cr_expect(assay_sfu_parse("sin.approx.ftz.f32", &f) && f == ASSAY_SFU_SIN);
    for (int i = 0; i < ASSAY_SFU_FUNCTION_COUNT; i++) {
        const char *name = assay_sfu_name((assay_sfu_function)i);
        cr_expect(assay_sfu_parse(name, &f) && f == (assay_sfu_function)i, "%s", name);
    }
    cr_expect_str_eq(assay_sfu_name(ASSAY_SFU_FUNCTION_COUNT), "?");
    cr_expect_eq(assay_sfu_bits(ASSAY_SFU_TANH_BF16), 16);
}
