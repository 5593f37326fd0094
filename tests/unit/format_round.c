/* Encoders in every rounding, saturating and not: every gap between neighbours of every format, the
 * ends of the range, special values, random values. What is due comes from the twin. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "format_twin.h"

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Both encoders where the value is a float, else the one from float64. */
static void check_code(const twin_format *f, double value, assay_rounding rounding, bool saturate,
                       uint32_t due) {
    uint32_t got = assay_code_round(f->format, value, rounding, saturate);
    cr_assert(got == due, "%s %s saturate=%d round(%a) = %#x, due %#x", f->name,
              twin_rounding_name(rounding), saturate, value, got, due);
    if ((double)(float)value != value) return;
    got = assay_code_from_f32(f->format, (float)value, rounding, saturate);
    cr_assert(got == due, "%s %s saturate=%d from_f32(%a) = %#x, due %#x", f->name,
              twin_rounding_name(rounding), saturate, value, got, due);
}

/* A value `place` in the gap between positions k and k + 1: 0 at the lower end, 1 below the middle,
 * 2 in it, 3 above it. No search: what is due follows from the place. */
static void check_in_gap(const twin_format *f, uint32_t k, double magnitude, int place) {
    for (int mode = 0; mode < 4 * ASSAY_ROUNDING_COUNT; mode++) {
        assay_rounding rounding = (assay_rounding)(mode / 4);
        bool negative = mode % 2, saturate = mode / 2 % 2;
        bool up = place == 3 || (place == 2 && (rounding == ASSAY_NEAREST_AWAY || k % 2 == 1));
        if (rounding == ASSAY_TOWARD_ZERO) up = false;
        if (rounding == ASSAY_UP) up = place > 0 && !negative;
        if (rounding == ASSAY_DOWN) up = place > 0 && negative;
        uint32_t due = twin_code(f, k + up, negative, false, rounding, saturate);
        check_code(f, negative ? -magnitude : magnitude, rounding, saturate, due);
    }
}

/* The gap's middle, its ends, and the float and float64 neighbours of all three. */
static void check_gap(const twin_format *f, const twin_number *list, uint32_t k) {
    double low = twin_to_double(list[k]), high = twin_to_double(list[k + 1]);
    double middle = twin_to_double(twin_midpoint(list[k], list[k + 1]));
    float middle_f = (float)middle, low_f = (float)low; /* exact; 2^128 follows the largest */
    if (low > 0 || f->zero) check_in_gap(f, k, low, 0);
    check_in_gap(f, k, nextafter(low, high), 1);
    check_in_gap(f, k, (double)nextafterf(low_f, INFINITY), 1);
    check_in_gap(f, k, nextafter(middle, 0), 1);
    check_in_gap(f, k, (double)nextafterf(middle_f, 0), 1);
    check_in_gap(f, k, middle, 2);
    check_in_gap(f, k, nextafter(middle, high), 3);
    check_in_gap(f, k, (double)nextafterf(middle_f, INFINITY), 3);
    check_in_gap(f, k, nextafter(high, 0), 3);
}

static void check_gaps(assay_format format, uint32_t stride) {
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        if (f->format != format) continue;
        twin_number *list = twin_magnitudes(f);
        for (uint32_t k = 0; k < f->count; k += k + stride < f->count ? stride : 1)
            check_gap(f, list, k);
        free(list);
    }
}

Test(formats, every_gap_of_f16) { check_gaps(ASSAY_FORMAT_F16, 1); }
Test(formats, every_gap_of_bf16) { check_gaps(ASSAY_FORMAT_BF16, 1); }
Test(formats, gaps_of_tf32) { check_gaps(ASSAY_FORMAT_TF32, 7); }
Test(formats, every_gap_of_narrow_formats) {
    for (int i = 0; i < twin_format_count; i++)
        if (twin_formats[i].width <= 8) check_gaps(twin_formats[i].format, 1);
}

static void check_all_modes(const twin_format *f, const twin_number *list, double value) {
    for (int mode = 0; mode < 2 * ASSAY_ROUNDING_COUNT; mode++) {
        assay_rounding rounding = (assay_rounding)(mode / 2);
        bool saturate = mode % 2;
        check_code(f, value, rounding, saturate, twin_round(f, list, value, rounding, saturate));
    }
}

Test(formats, ends_and_specials_in_every_mode) {
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        twin_number *list = twin_magnitudes(f);
        double top = twin_to_double(list[f->count - 1]), next = twin_to_double(list[f->count]);
        double low = twin_to_double(f->low);
        const double values[] = {0,
                                 DBL_TRUE_MIN,
                                 DBL_MIN,
                                 0x1p-200,
                                 (double)FLT_TRUE_MIN,
                                 0x1p-148,
                                 (double)FLT_MIN,
                                 low * 0x1p-30,
                                 low / 4,
                                 low / 2,
                                 nextafter(low, 0),
                                 low,
                                 top,
                                 nextafter(top, 0),
                                 next,
                                 nextafter(next, 0),
                                 nextafter(next, 1e300),
                                 2 * next,
                                 4 * next,
                                 1e38,
                                 (double)FLT_MAX,
                                 0x1p128,
                                 1e300,
                                 DBL_MAX,
                                 (double)INFINITY,
                                 (double)NAN};
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            check_all_modes(f, list, values[j]);
            check_all_modes(f, list, -values[j]);
        }
        /* every NaN, signalling and negative ones included, is the canonical one */
        for (uint32_t bits = 0x7f800001; bits < 0x7fffffff; bits += 99991) {
            uint32_t both[] = {bits, bits | 0x80000000};
            for (int j = 0; j < 2; j++) {
                float nan;
                memcpy(&nan, &both[j], sizeof nan);
                cr_assert(assay_code_from_f32(f->format, nan, 0, j) == twin_nan(f), "%s", f->name);
            }
        }
        free(list);
    }
}

/* The rows that bug reports and standards name. */
Test(formats, known_roundings) {
    static const struct {
        assay_format format;
        assay_rounding rounding;
        bool saturate;
        double value;
        uint32_t code;
    } rows[] = {
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 0.25, 0},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 0.25 + 0x1p-24, 1},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 0.75, 2},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 1.25, 2},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 1.75, 4},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 2.5, 4},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 3.5, 6},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, 5, 6},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, false, -100, 15},
        {ASSAY_FORMAT_E2M1, ASSAY_NEAREST_EVEN, true, -0.2, 8},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, false, 464, 0x7e},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, false, 465, 0x7f},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_AWAY, false, 464, 0x7f},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, true, 1000, 0x7e},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, true, 256, 0x78}, /* no cliff at 240 */
        {ASSAY_FORMAT_E4M3, ASSAY_TOWARD_ZERO, false, 1000, 0x7e},
        {ASSAY_FORMAT_E4M3, ASSAY_UP, false, -1000, 0xfe},
        {ASSAY_FORMAT_E4M3, ASSAY_DOWN, false, -1000, 0x7f},
        {ASSAY_FORMAT_E4M3, ASSAY_DOWN, false, -449, 0x7f},
        {ASSAY_FORMAT_E4M3, ASSAY_TOWARD_ZERO, false, (double)INFINITY, 0x7f},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, true, (double)-INFINITY, 0xfe},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, false, 0x1p-10, 0x00},
        {ASSAY_FORMAT_E4M3, ASSAY_NEAREST_EVEN, false, 0x1.8p-10, 0x01},
        {ASSAY_FORMAT_E5M2, ASSAY_NEAREST_EVEN, false, 61439, 0x7b},
        {ASSAY_FORMAT_E5M2, ASSAY_NEAREST_EVEN, false, 61440, 0x7c},
        {ASSAY_FORMAT_E5M2, ASSAY_NEAREST_EVEN, true, 61440, 0x7b},
        {ASSAY_FORMAT_E5M2, ASSAY_TOWARD_ZERO, false, 1e9, 0x7b},
        {ASSAY_FORMAT_E5M2, ASSAY_NEAREST_EVEN, true, (double)INFINITY, 0x7b},
        {ASSAY_FORMAT_E4M3_FNUZ, ASSAY_NEAREST_EVEN, false, 247, 0x7f},
        {ASSAY_FORMAT_E4M3_FNUZ, ASSAY_NEAREST_EVEN, false, 248, 0x80},
        {ASSAY_FORMAT_E4M3_FNUZ, ASSAY_NEAREST_EVEN, true, -248, 0xff},
        {ASSAY_FORMAT_E4M3_FNUZ, ASSAY_NEAREST_EVEN, false, -0.0, 0x00},
        {ASSAY_FORMAT_E4M3_FNUZ, ASSAY_NEAREST_EVEN, false, -1e-9, 0x00},
        {ASSAY_FORMAT_E5M2_FNUZ, ASSAY_NEAREST_EVEN, false, 1, 0x40},
        {ASSAY_FORMAT_UE4M3, ASSAY_NEAREST_EVEN, false, -1, 0x7f},
        {ASSAY_FORMAT_UE4M3, ASSAY_NEAREST_EVEN, true, -1, 0x00},
        {ASSAY_FORMAT_UE4M3, ASSAY_NEAREST_EVEN, false, -1e-9, 0x00},
        {ASSAY_FORMAT_UE4M3, ASSAY_TOWARD_ZERO, false, -1e9, 0x7f},
        {ASSAY_FORMAT_E8M0, ASSAY_NEAREST_EVEN, false, 3, 0x80},
        {ASSAY_FORMAT_E8M0, ASSAY_NEAREST_EVEN, false, 1.5, 0x80},
        {ASSAY_FORMAT_E8M0, ASSAY_NEAREST_EVEN, false, 6, 0x82},
        {ASSAY_FORMAT_E8M0, ASSAY_UP, false, 1.0000001, 0x80},
        {ASSAY_FORMAT_E8M0, ASSAY_TOWARD_ZERO, false, 1.9999999, 0x7f},
        {ASSAY_FORMAT_E8M0, ASSAY_NEAREST_EVEN, false, 0, 0x00},
        {ASSAY_FORMAT_E8M0, ASSAY_UP, false, 1e-300, 0x00},
        {ASSAY_FORMAT_E8M0, ASSAY_UP, false, 0x1.8p127, 0xff},
        {ASSAY_FORMAT_E8M0, ASSAY_UP, true, 0x1.8p127, 0xfe},
        {ASSAY_FORMAT_E8M0, ASSAY_TOWARD_ZERO, false, 1e300, 0xfe},
        {ASSAY_FORMAT_E8M0, ASSAY_TOWARD_ZERO, false, (double)INFINITY, 0xff},
        {ASSAY_FORMAT_E8M0, ASSAY_TOWARD_ZERO, false, -1, 0xff},
        {ASSAY_FORMAT_E3M2, ASSAY_NEAREST_EVEN, true, 29, 0x1f},
        {ASSAY_FORMAT_E3M2, ASSAY_NEAREST_EVEN, false, (double)NAN, 0x1f},
        {ASSAY_FORMAT_E2M3, ASSAY_NEAREST_EVEN, false, -8, 0x3f},
        {ASSAY_FORMAT_TF32, ASSAY_NEAREST_EVEN, false, 0x1.ffep127, 0x3fc00},
        {ASSAY_FORMAT_F16, ASSAY_TOWARD_ZERO, false, 1e9, 0x7bff},
        {ASSAY_FORMAT_F16, ASSAY_UP, false, 1e-9, 0x0001},
        {ASSAY_FORMAT_BF16, ASSAY_DOWN, false, -1e-300, 0x8001},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got =
            assay_code_round(rows[i].format, rows[i].value, rows[i].rounding, rows[i].saturate);
        cr_assert(got == rows[i].code, "row %zu: round(%a) = %#x, due %#x", i, rows[i].value, got,
                  rows[i].code);
    }
}

/* Any float64 and any float; half of them with the exponent moved into the format's range. */
Test(formats, random_values_in_every_mode) {
    uint64_t state = UINT64_C(0x5eed0f0f0a55a8);
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        twin_number *list = twin_magnitudes(f);
        int lowest = f->low.e - 3, span = list[f->count].e - lowest + 12;
        for (int j = 0; j < 3000; j++) {
            uint64_t bits = next_random(&state);
            if (j % 2) {
                uint64_t exponent = (uint64_t)(1023 + lowest) + (bits >> 52) % (uint64_t)span;
                bits = (bits & ~(UINT64_C(0x7ff) << 52)) | exponent << 52;
            }
            double value;
            memcpy(&value, &bits, sizeof value);
            check_all_modes(f, list, value);
            check_all_modes(f, list, (double)(float)value);
        }
        free(list);
    }
}

/* f32 is too wide for the twin: the host's conversion in its own rounding modes is the witness, and
 * for ties away the two neighbours of each tie. */
Test(formats, f32_agrees_with_the_host_in_every_mode) {
    static const struct {
        assay_rounding rounding;
        int mode;
    } hosts[] = {{ASSAY_NEAREST_EVEN, FE_TONEAREST},
                 {ASSAY_TOWARD_ZERO, FE_TOWARDZERO},
                 {ASSAY_UP, FE_UPWARD},
                 {ASSAY_DOWN, FE_DOWNWARD}};
    uint64_t state = UINT64_C(0x5eed0f0f0a55ab);
    for (int j = 0; j < 400000; j++) {
        uint64_t bits = next_random(&state);
        if (j % 2) bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (870 + (bits >> 52) % 285) << 52;
        if (j % 3 == 0) bits &= UINT64_MAX << 28; /* floats and ties */
        volatile double value;
        memcpy((void *)&value, &bits, sizeof value);
        if (isnan(value)) continue;
        int h = j / 6 % 4;
        fesetround(hosts[h].mode);
        volatile float cast = (float)value;
        fesetround(FE_TONEAREST);
        float due = cast;
        uint32_t due_bits;
        memcpy(&due_bits, &due, sizeof due_bits);
        uint32_t got = assay_f32_round(value, hosts[h].rounding, false);
        cr_assert(got == due_bits, "f32 %s round(%a) = %#x, due %#x",
                  twin_rounding_name(hosts[h].rounding), value, got, due_bits);
        uint32_t top = due_bits & 0x80000000 ? 0xff7fffff : 0x7f7fffff;
        got = assay_f32_round(value, hosts[h].rounding, true);
        cr_assert(got == (isinf(due) ? top : due_bits), "f32 saturated round(%a)", value);
    }
    for (uint32_t low = 0; low < 0x7f7fffff; low += 65521) {
        double a = assay_f32_decode(low), tie = a + (assay_f32_decode(low + 1) - a) / 2;
        cr_assert(assay_f32_round(tie, ASSAY_NEAREST_AWAY, false) == low + 1, "%a", tie);
        cr_assert(assay_f32_round(-tie, ASSAY_NEAREST_AWAY, false) == (0x80000000 | (low + 1)));
        cr_assert(assay_f32_round(nextafter(tie, 0), ASSAY_NEAREST_AWAY, false) == low);
    }
}

/* The one-argument encoders are nearest-even, not saturating. */
Test(formats, encode_is_round_to_nearest_even) {
    static const struct {
        assay_format format;
        uint32_t (*encode)(double value);
    } all[] = {
        {ASSAY_FORMAT_F32, assay_f32_encode},
        {ASSAY_FORMAT_TF32, assay_tf32_encode},
        {ASSAY_FORMAT_F16, assay_f16_encode},
        {ASSAY_FORMAT_BF16, assay_bf16_encode},
        {ASSAY_FORMAT_E5M2, assay_e5m2_encode},
        {ASSAY_FORMAT_E4M3, assay_e4m3_encode},
        {ASSAY_FORMAT_UE4M3, assay_ue4m3_encode},
        {ASSAY_FORMAT_E5M2_FNUZ, assay_e5m2_fnuz_encode},
        {ASSAY_FORMAT_E4M3_FNUZ, assay_e4m3_fnuz_encode},
        {ASSAY_FORMAT_E3M2, assay_e3m2_encode},
        {ASSAY_FORMAT_E2M3, assay_e2m3_encode},
        {ASSAY_FORMAT_E2M1, assay_e2m1_encode},
        {ASSAY_FORMAT_E8M0, assay_e8m0_encode},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const assay_format_info *info = assay_format_describe(all[i].format);
        double step = ldexp(1, -info->fraction_bits - 1); /* every second one is a tie */
        double fine = ldexp(info->largest, -info->fraction_bits - 3); /* around the overflow */
        for (int j = 0; j < 96; j++) {
            double value =
                j < 64 ? (1 + j / 2 * step) * (j % 2 ? -1 : 1) : info->largest + (j - 80) * fine;
            uint32_t due = assay_code_round(all[i].format, value, ASSAY_NEAREST_EVEN, false);
            cr_assert(all[i].encode(value) == due, "%s encode(%a)", info->name, value);
        }
    }
}

/* Nothing depends on the host's rounding mode, nor on its flushing of subnormals. */
Test(formats, the_hosts_floating_point_mode_does_not_matter) {
    const unsigned plain = _mm_getcsr();
    uint64_t state = UINT64_C(0x5eed0f0f0a55aa);
    for (int j = 0; j < 200000; j++) {
        const twin_format *f = &twin_formats[j % twin_format_count];
        uint32_t bits = (uint32_t)next_random(&state), mode = (uint32_t)(j / 64 % 10);
        if (j % 3 == 0) bits &= 0x81ffffff; /* small and subnormal */
        float value;
        memcpy(&value, &bits, sizeof value);
        assay_rounding rounding = (assay_rounding)(mode / 2);
        uint32_t code = assay_code_from_f32(f->format, value, rounding, mode % 2);
        double back = assay_code_decode(f->format, code);
        _mm_setcsr(plain | 0x8040 | (unsigned)(j % 4) << 13); /* FTZ, DAZ, rounding */
        uint32_t other = assay_code_from_f32(f->format, value, rounding, mode % 2);
        double other_back = assay_code_decode(f->format, code);
        _mm_setcsr(plain);
        cr_assert(other == code && memcmp(&back, &other_back, sizeof back) == 0, "%s %#x %s",
                  f->name, bits, twin_rounding_name(rounding));
    }
}
