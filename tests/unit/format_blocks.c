/* NVFP4 and MX blocks against a slow twin: scales by search, elements by comparison with every code
 * in exact arithmetic. Designed blocks (zeros, ties, one outlier, subnormal scales, ends of the
 * range, NaN, infinity) and random ones. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/blocks.h"
#include "assay/formats.h"
#include "format_twin.h"

enum { COUNT = 64 }; /* elements of a trial: 4 NVFP4 blocks, 2 MX blocks */

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const twin_format *format_of(assay_format format) {
    for (int i = 0; i < twin_format_count; i++)
        if (twin_formats[i].format == format) return &twin_formats[i];
    return NULL;
}

static const twin_number *magnitudes(assay_format format) {
    static twin_number *lists[ASSAY_FORMAT_COUNT];
    if (!lists[format]) lists[format] = twin_magnitudes(format_of(format));
    return lists[format];
}

static uint32_t nearest_code(assay_format format, double value) {
    return twin_round(format_of(format), magnitudes(format), value, ASSAY_NEAREST_EVEN, true);
}

static float absmax_of(const float *x, int n) { /* of the finite ones */
    float a = 0;
    for (int j = 0; j < n; j++)
        if (isfinite(x[j])) a = fmaxf(a, fabsf(x[j]));
    return a;
}

static bool all_finite(const float *x, int n) {
    for (int j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

/* ---- MX */

static uint32_t code_at(assay_format element, const uint8_t *codes, int i) {
    return element == ASSAY_FORMAT_E2M1 ? (i % 2 ? codes[i / 2] / 16 : codes[i / 2] % 16)
                                        : codes[i];
}

/* The scale by search from below: the last that absmax reaches (floor), the first that fits (ceil).
 */
static int twin_mx_scale(assay_format element, assay_mx_scale rule, float absmax) {
    double largest = twin_to_double(magnitudes(element)[format_of(element)->count - 1]);
    double power = 1;
    while (power * 2 <= largest) power *= 2;
    int code = 0;
    if (rule == ASSAY_MX_FLOOR)
        while (code < 254 && ldexp(power, code + 1 - 127) <= (double)absmax) code++;
    else
        while (code < 254 && ldexp(largest, code - 127) < (double)absmax) code++;
    return code;
}

static const assay_format mx_elements[] = {ASSAY_FORMAT_E2M1, ASSAY_FORMAT_E2M3, ASSAY_FORMAT_E3M2,
                                           ASSAY_FORMAT_E4M3, ASSAY_FORMAT_E5M2};

static void check_mx(const float *x, const char *what) {
    for (int e = 0; e < 5; e++) {
        for (int r = 0; r < ASSAY_MX_SCALE_COUNT; r++) {
            assay_format element = mx_elements[e];
            uint8_t codes[COUNT + 1], scales[COUNT / 32 + 1];
            double values[COUNT];
            memset(codes, 0xa5, sizeof codes);
            memset(scales, 0xa5, sizeof scales);
            cr_assert(assay_mx_quantise(element, (assay_mx_scale)r, x, COUNT, codes, scales) ==
                      ASSAY_OK);
            cr_assert(assay_mx_decode(element, codes, scales, COUNT, values) == ASSAY_OK);
            cr_assert(codes[COUNT] == 0xa5 && scales[COUNT / 32] == 0xa5);
            cr_assert(element != ASSAY_FORMAT_E2M1 || codes[COUNT / 2] == 0xa5);
            bool finite = true;
            int scale = 0;
            for (int i = 0; i < COUNT; i++) {
                if (i % 32 == 0) {
                    finite = all_finite(x + i, 32);
                    scale = 0xff;
                    if (finite)
                        scale = twin_mx_scale(element, (assay_mx_scale)r, absmax_of(x + i, 32));
                }
                uint32_t code =
                    finite ? nearest_code(element, ldexp((double)x[i], 127 - scale)) : 0;
                cr_assert(scales[i / 32] == scale, "%s, %s rule %d: scale %#x, due %#x", what,
                          format_of(element)->name, r, scales[i / 32], scale);
                cr_assert(code_at(element, codes, i) == code, "%s, %s rule %d, [%d] = %a: %#x, %#x",
                          what, format_of(element)->name, r, i, x[i], code_at(element, codes, i),
                          code);
                double due = ldexp(assay_code_decode(element, code), scale - 127);
                cr_assert(finite ? values[i] == due && signbit(values[i]) == signbit(due)
                                 : isnan(values[i]),
                          "%s, %s [%d] = %a, due %a", what, format_of(element)->name, i, values[i],
                          due);
                if (finite && r == ASSAY_MX_CEIL && scale < 254)
                    cr_assert(fabs((double)x[i]) <=
                                  ldexp(assay_format_describe(element)->largest, scale - 127),
                              "%s: saturated", what);
            }
        }
    }
}

/* ---- NVFP4: products and quotients of floats in float64, rounded once to float: the same bits */

static float f(double x) { return (float)x; }

static void check_nvfp4(const float *x, float absmax, assay_nvfp4_convention convention,
                        const char *what) {
    double encode, decode;
    if (convention == ASSAY_NVFP4_2688) {
        encode = absmax == 0 ? 1 : fmin((double)f(2688 / (double)absmax), (double)FLT_MAX);
        decode = (double)f(1 / encode);
    } else {
        decode = (double)f((double)absmax / 6);
        if (decode == 0) decode = 1;
        encode = fmin((double)f(1 / decode), (double)FLT_MAX);
    }
    assay_nvfp4_scale scale = assay_nvfp4_scale_for(convention, absmax);
    cr_assert((double)scale.encode == encode && (double)scale.decode == decode, "%s: scales %a %a",
              what, scale.encode, scale.decode);

    uint8_t codes[COUNT / 2 + 1], scales[COUNT / 16 + 1];
    double values[COUNT];
    memset(codes, 0xa5, sizeof codes);
    memset(scales, 0xa5, sizeof scales);
    cr_assert(assay_nvfp4_quantise(scale, x, COUNT, codes, scales) == ASSAY_OK);
    cr_assert(assay_nvfp4_decode(codes, scales, scale.decode, COUNT, values) == ASSAY_OK);
    cr_assert(codes[COUNT / 2] == 0xa5 && scales[COUNT / 16] == 0xa5);
    for (int i = 0; i < COUNT; i++) {
        const float *block = x + i / 16 * 16;
        bool finite = all_finite(block, 16);
        double amax = (double)absmax_of(block, 16), s, q;
        if (convention == ASSAY_NVFP4_2688)
            s = (double)f(amax * (double)f(encode * (double)f(1. / 6)));
        else
            s = fmax((double)f(amax / fmin((double)f(decode * 6), (double)FLT_MAX)), 0x1p-9);
        uint32_t scale_code = finite ? nearest_code(ASSAY_FORMAT_UE4M3, s) : 0x7f;
        double stored = assay_e4m3_decode(scale_code), unit = (double)f(stored * decode);
        if (convention == ASSAY_NVFP4_2688)
            q = (double)f((double)x[i] * fmin((double)f(1 / unit), (double)FLT_MAX));
        else
            q = x[i] == 0 ? (double)x[i] : (double)f((double)x[i] / unit);
        q = fmax(-6, fmin(6, q));
        if (x[i] == 0) q = (double)x[i]; /* fmin may lose the sign of a zero */
        uint32_t code = finite ? nearest_code(ASSAY_FORMAT_E2M1, q) : 0;
        cr_assert(scales[i / 16] == scale_code, "%s, convention %d: scale [%d] %#x, due %#x", what,
                  convention, i / 16, scales[i / 16], scale_code);
        cr_assert(code_at(ASSAY_FORMAT_E2M1, codes, i) == code,
                  "%s, convention %d: [%d] = %a: %#x, due %#x", what, convention, i, x[i],
                  code_at(ASSAY_FORMAT_E2M1, codes, i), code);
        double due = assay_e2m1_decode(code) * stored * decode;
        cr_assert(finite ? values[i] == due && signbit(values[i]) == signbit(due)
                         : isnan(values[i]),
                  "%s: [%d] = %a, due %a", what, i, values[i], due);
    }
}

static void check_both(const float *x, const char *what) {
    check_nvfp4(x, assay_absmax(x, COUNT), ASSAY_NVFP4_2688, what);
    check_nvfp4(x, assay_absmax(x, COUNT), ASSAY_NVFP4_ABSMAX_6, what);
}

static void check_block(const float *x, const char *what) {
    check_mx(x, what);
    check_both(x, what);
}

Test(formats, blocks_of_zeros_ties_and_outliers) {
    float x[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = i % 2 ? -0.0f : 0.0f;
    check_block(x, "zeros of both signs");
    for (int i = 0; i < COUNT; i++) x[i] = 0.25f * (float)(i % 25) * (i % 2 ? -1 : 1);
    x[0] = x[16] = x[32] = x[48] = 6;
    check_block(x, "quarters up to 6: every tie of e2m1");
    for (int i = 0; i < COUNT; i++) x[i] = (float)(i - 32) / 16;
    check_block(x, "ramp");
    for (int i = 0; i < COUNT; i++) x[i] = i == 5 ? 1e4f : i == 40 ? -3e-5f : 1;
    check_block(x, "one outlier");
    for (int i = 0; i < COUNT; i++) x[i] = i < 32 ? 0 : (float)i;
    check_block(x, "a zero block beside another");
    for (int i = 0; i < COUNT; i++) x[i] = i % 16 == 3 ? FLT_MAX : -FLT_TRUE_MIN;
    check_block(x, "the ends of float");
    for (int i = 0; i < COUNT; i++) x[i] = (i % 3 == 1) * FLT_TRUE_MIN;
    check_block(x, "the smallest subnormal");
}

Test(formats, mx_blocks_around_every_scale) {
    float x[COUNT];
    for (int k = -149; k < 128;
         k +=
         k < -120 || k > 118 ? 1 : 5) { /* absmax at, just above and just below each power of two */
        for (int i = 0; i < COUNT; i++) x[i] = ldexpf((float)(i % 32 - 16) / 16, k - 1);
        x[7] = ldexpf(1, k);
        x[39] = nextafterf(x[7], k % 2 ? 0 : INFINITY);
        check_mx(x, "power of two");
        x[7] = ldexpf(1.75f, k); /* 448 = 1.75 * 2^8, 28, 7 (above 6), 57344 */
        x[39] = nextafterf(x[7], k % 2 ? 0 : INFINITY);
        check_mx(x, "1.75");
        x[7] = ldexpf(1.5f, k);                                      /* 6 = 1.5 * 2^2 */
        x[39] = nextafterf(ldexpf(1.875f, k), k % 2 ? 0 : INFINITY); /* 7.5 */
        check_mx(x, "1.5 and 1.875");
    }
}

Test(formats, nvfp4_blocks_around_every_scale) {
    float x[COUNT];
    for (int code = 0; code < 127; code++) { /* block scales at, above and below a midpoint */
        double middle = (assay_e4m3_decode((uint32_t)code) +
                         assay_e4m3_decode((uint32_t)(code < 126 ? code + 1 : 126))) /
                        2;
        for (int i = 0; i < COUNT; i++) x[i] = (float)(middle * 6 * (i % 16 - 7.5) / 7.5);
        x[0] = 2688;
        x[16] = nextafterf(x[16], 0);
        x[32] = nextafterf(x[32], -INFINITY);
        check_both(x, "around a midpoint of the block scale");
        for (int i = 0; i < COUNT; i++) x[i] /= 448 * 6;
        check_both(x, "the same, absmax 1");
    }
    for (int k = -149; k < 128; k++) { /* tensor scales over all of float */
        for (int i = 0; i < COUNT; i++) x[i] = ldexpf((float)(i - 30) / 64, k);
        check_both(x, "tensor scale");
        for (int i = 0; i < COUNT; i++) x[i] = i < 16 ? ldexpf(1, k) : ldexpf((float)i, -140);
        check_both(x, "tiny blocks beside a large one");
    }
}

Test(formats, blocks_with_nan_or_infinity) {
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 4; b++) {
        for (int place = 0; place < COUNT; place += 7) {
            float x[COUNT];
            for (int i = 0; i < COUNT; i++) x[i] = (float)(i - 20);
            x[place] = bad[b];
            cr_assert(assay_absmax(x, COUNT) <= 43 && assay_absmax(x, COUNT) >= 36);
            check_block(x, "not finite");
        }
    }
}

Test(formats, random_blocks) {
    uint64_t state = UINT64_C(0x5eed0b10c7);
    for (int trial = 0; trial < 400; trial++) {
        float x[COUNT];
        for (int i = 0; i < COUNT; i++) {
            uint32_t bits = (uint32_t)next_random(&state);
            if (trial % 4) /* moderate spread; few fraction bits, so that ties are frequent */
                bits = (bits & 0x80700000) | (uint32_t)(100 + trial % 40 + (int)(bits % 9)) << 23;
            else if ((bits & 0x7f800000) == 0x7f800000)
                bits ^= 0x40000000;
            memcpy(&x[i], &bits, sizeof bits);
        }
        check_block(x, "random");
    }
}

/* Quantising what was dequantised changes no value. */
Test(formats, mx_round_trip_is_idempotent) {
    uint64_t state = UINT64_C(0x5eed0b10c8);
    for (int trial = 0; trial < 500; trial++) {
        assay_format element = mx_elements[trial % 5];
        assay_mx_scale rule = (assay_mx_scale)(trial / 5 % 2);
        float x[COUNT];
        uint8_t codes[COUNT], scales[COUNT / 32];
        double once[COUNT], twice[COUNT];
        for (int i = 0; i < COUNT; i++)
            x[i] = ldexpf((float)((int)(next_random(&state) % 2001) - 1000), trial % 60 - 30);
        cr_assert(assay_mx_quantise(element, rule, x, COUNT, codes, scales) == ASSAY_OK);
        cr_assert(assay_mx_decode(element, codes, scales, COUNT, once) == ASSAY_OK);
        for (int i = 0; i < COUNT; i++) x[i] = (float)once[i];
        cr_assert(assay_mx_quantise(element, rule, x, COUNT, codes, scales) == ASSAY_OK);
        cr_assert(assay_mx_decode(element, codes, scales, COUNT, twice) == ASSAY_OK);
        cr_assert_arr_eq(once, twice, sizeof once);
    }
}

Test(formats, every_mx_and_nvfp4_code_pair_decodes) {
    for (int e = 0; e < 5; e++) {
        int width = assay_format_describe(mx_elements[e])->bits;
        for (int scale = 0; scale < 256; scale++) {
            for (int first = 0; first < 1 << width; first += 32) {
                uint8_t codes[32], scales[1] = {(uint8_t)scale};
                double values[32];
                for (int i = 0; i < 32; i++)
                    codes[i] =
                        (uint8_t)(width == 4 ? (2 * i % 16) | (2 * i + 1) % 16 << 4 : first + i);
                cr_assert(assay_mx_decode(mx_elements[e], codes, scales, 32, values) == ASSAY_OK);
                for (int i = 0; i < 32; i++) {
                    double element = assay_code_decode(mx_elements[e],
                                                       (uint32_t)(width == 4 ? i % 16 : first + i));
                    double due = scale == 255 ? (double)NAN : ldexp(element, scale - 127);
                    cr_assert(values[i] == due || (isnan(values[i]) && isnan(due)), "%d %d %d", e,
                              scale, first + i);
                }
            }
        }
    }
    for (int scale = 0; scale < 256; scale++) {
        uint8_t codes[8], scales[1] = {(uint8_t)scale};
        double values[16];
        for (int i = 0; i < 8; i++) codes[i] = (uint8_t)(2 * i | (2 * i + 1) << 4);
        cr_assert(assay_nvfp4_decode(codes, scales, 3e-39f, 16, values) == ASSAY_OK);
        for (uint32_t i = 0; i < 16; i++) {
            double due = assay_e2m1_decode(i) * assay_e4m3_decode(scale & 0x7f) * (double)3e-39f;
            cr_assert(values[i] == due || (isnan(values[i]) && isnan(due)), "%d %u", scale, i);
        }
    }
}

Test(formats, block_calls_refuse_bad_arguments) {
    float x[32] = {1};
    uint8_t codes[32], scales[2];
    double values[32];
    memset(codes, 0xa5, sizeof codes);
    assay_nvfp4_scale scale = assay_nvfp4_scale_for(ASSAY_NVFP4_2688, 1);
    cr_assert(assay_nvfp4_quantise(scale, x, 24, codes, scales) == ASSAY_ERR_ARGUMENT);
    cr_assert(strstr(assay_last_error(), "24 elements, expected a multiple of 16") != NULL);
    cr_assert(assay_nvfp4_quantise(scale, x, -16, codes, scales) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_nvfp4_quantise(scale, NULL, 16, codes, scales) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_nvfp4_quantise(scale, x, 16, NULL, scales) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_nvfp4_quantise(scale, x, 16, codes, NULL) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_nvfp4_quantise(scale, NULL, 0, NULL, NULL) == ASSAY_OK);
    cr_assert(assay_nvfp4_decode(codes, scales, 1, 8, values) == ASSAY_ERR_ARGUMENT);
    scale.convention = ASSAY_NVFP4_CONVENTION_COUNT;
    cr_assert(assay_nvfp4_quantise(scale, x, 16, codes, scales) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_mx_quantise(ASSAY_FORMAT_BF16, ASSAY_MX_FLOOR, x, 32, codes, scales) ==
              ASSAY_ERR_ARGUMENT);
    cr_assert(assay_mx_quantise(ASSAY_FORMAT_E2M1, ASSAY_MX_SCALE_COUNT, x, 32, codes, scales) ==
              ASSAY_ERR_ARGUMENT);
    cr_assert(assay_mx_quantise(ASSAY_FORMAT_E2M1, ASSAY_MX_FLOOR, x, 16, codes, scales) ==
              ASSAY_ERR_ARGUMENT);
    cr_assert(assay_mx_decode(ASSAY_FORMAT_E8M0, codes, scales, 32, values) == ASSAY_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof codes; i++) cr_assert(codes[i] == 0xa5, "a refused call wrote");
}
