/* What the codes of each format mean: every code against the twin, the tables of the standards
 * typed out, descriptors, and the round trip through every encoder. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "format_twin.h"

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

Test(formats, every_code_decodes_as_the_twin_counts) {
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        twin_number *list = twin_magnitudes(f);
        for (uint32_t code = 0; code < UINT32_C(1) << f->width; code++) {
            double got = assay_code_decode(f->format, code), due = twin_decode(f, list, code);
            cr_assert(same(got, due), "%s decode(%#x) = %a, due %a", f->name, code, got, due);
            uint32_t dirty = code | UINT32_MAX << f->width;
            cr_assert(same(assay_code_decode(f->format, dirty), due), "%s %#x", f->name, dirty);
            cr_assert(assay_code_is_nan(f->format, code) == isnan(due), "%s %#x", f->name, code);
        }
        free(list);
    }
}

Test(formats, decode_matches_the_tables_of_the_standards) {
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    static const double e2m3[] = {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875,
                                  1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875,
                                  2, 2.25,  2.5,  2.75,  3,   3.25,  3.5,  3.75,
                                  4, 4.5,   5,    5.5,   6,   6.5,   7,    7.5};
    static const double e3m2[] = {0,   0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375,
                                  0.5, 0.625,  0.75,  0.875,  1,    1.25,   1.5,   1.75,
                                  2,   2.5,    3,     3.5,    4,    5,      6,     7,
                                  8,   10,     12,    14,     16,   20,     24,    28};
    for (uint32_t c = 0; c < 8; c++) {
        cr_assert(same(assay_e2m1_decode(c), e2m1[c]) && same(assay_e2m1_decode(c + 8), -e2m1[c]));
    }
    for (uint32_t c = 0; c < 32; c++) {
        cr_assert(same(assay_e2m3_decode(c), e2m3[c]) && same(assay_e2m3_decode(c + 32), -e2m3[c]));
        cr_assert(same(assay_e3m2_decode(c), e3m2[c]) && same(assay_e3m2_decode(c + 32), -e3m2[c]));
    }
    static const struct {
        assay_format format;
        uint32_t code;
        double value;
    } rows[] = {
        {ASSAY_FORMAT_E4M3, 0x01, 0x1p-9},
        {ASSAY_FORMAT_E4M3, 0x07, 0x7p-9},
        {ASSAY_FORMAT_E4M3, 0x08, 0x1p-6},
        {ASSAY_FORMAT_E4M3, 0x38, 1},
        {ASSAY_FORMAT_E4M3, 0x77, 240},
        {ASSAY_FORMAT_E4M3, 0x78, 256},
        {ASSAY_FORMAT_E4M3, 0xfe, -448},
        {ASSAY_FORMAT_E4M3, 0x7f, (double)NAN},
        {ASSAY_FORMAT_E4M3, 0xff, (double)NAN},
        {ASSAY_FORMAT_E4M3, 0x80, -0.0},
        {ASSAY_FORMAT_E5M2, 0x03, 0x3p-16},
        {ASSAY_FORMAT_E5M2, 0x3c, 1},
        {ASSAY_FORMAT_E5M2, 0x7b, 57344},
        {ASSAY_FORMAT_E5M2, 0xfc, (double)-INFINITY},
        {ASSAY_FORMAT_E5M2, 0x7d, (double)NAN},
        {ASSAY_FORMAT_UE4M3, 0xb8, 1},
        {ASSAY_FORMAT_UE4M3, 0xff, (double)NAN},
        {ASSAY_FORMAT_E4M3_FNUZ, 0x7f, 240},
        {ASSAY_FORMAT_E4M3_FNUZ, 0x38, 0.5},
        {ASSAY_FORMAT_E4M3_FNUZ, 0x80, (double)NAN},
        {ASSAY_FORMAT_E4M3_FNUZ, 0xff, -240},
        {ASSAY_FORMAT_E5M2_FNUZ, 0x7f, 57344},
        {ASSAY_FORMAT_E5M2_FNUZ, 0x3c, 0.5},
        {ASSAY_FORMAT_E5M2_FNUZ, 0x80, (double)NAN},
        {ASSAY_FORMAT_E8M0, 0x00, 0x1p-127},
        {ASSAY_FORMAT_E8M0, 0x7f, 1},
        {ASSAY_FORMAT_E8M0, 0x80, 2},
        {ASSAY_FORMAT_E8M0, 0xfe, 0x1p127},
        {ASSAY_FORMAT_E8M0, 0xff, (double)NAN},
        {ASSAY_FORMAT_TF32, 0x1fc00, 1},
        {ASSAY_FORMAT_TF32, 0x3fbff, 0x1.ffcp127},
        {ASSAY_FORMAT_TF32, 0x00001, 0x1p-136},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert(same(assay_code_decode(rows[i].format, rows[i].code), rows[i].value), "row %zu",
                  i);
}

/* An exact value comes back in every rounding. */
Test(formats, every_code_survives_the_round_trip) {
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        for (uint32_t code = 0; code < UINT32_C(1) << f->width; code++) {
            double value = assay_code_decode(f->format, code);
            for (int mode = 0; mode < 2 * ASSAY_ROUNDING_COUNT; mode++) {
                assay_rounding rounding = (assay_rounding)(mode / 2);
                bool saturate = mode % 2;
                uint32_t due = isnan(value) ? twin_nan(f) : code;
                if (isinf(value) && saturate) due = (code & f->minus) | (f->count - 1);
                uint32_t got = assay_code_round(f->format, value, rounding, saturate);
                uint32_t fast = assay_code_from_f32(f->format, (float)value, rounding, saturate);
                cr_assert(got == due && fast == due, "%s %#x: %#x %#x, %s saturate=%d", f->name,
                          code, got, fast, twin_rounding_name(rounding), saturate);
            }
        }
    }
}

Test(formats, f32_from_f32_changes_only_nans_and_saturated_infinities) {
    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t bits = i * 10737u + (i % 7); /* crosses every exponent of both signs */
        float value;
        memcpy(&value, &bits, sizeof value);
        for (int mode = 0; mode < ASSAY_ROUNDING_COUNT; mode++) {
            uint32_t due = isnan(value) ? ASSAY_F32_NAN : bits;
            cr_assert(assay_f32_from_f32(value, (assay_rounding)mode, false) == due, "%#x", bits);
        }
    }
    cr_assert(assay_f32_from_f32(-INFINITY, ASSAY_UP, true) == 0xff7fffff);
    cr_assert(assay_f32_from_f32(INFINITY, ASSAY_DOWN, false) == 0x7f800000);
}

Test(formats, descriptors_say_what_the_codes_do) {
    for (int i = 0; i < twin_format_count; i++) {
        const twin_format *f = &twin_formats[i];
        const assay_format_info *info = assay_format_describe(f->format);
        twin_number *list = twin_magnitudes(f);
        cr_assert_str_eq(info->name, f->name);
        cr_assert(info->bits == f->width && 1 << info->fraction_bits == f->steps, "%s", f->name);
        cr_assert(info->bits == info->has_sign + info->exponent_bits + info->fraction_bits);
        cr_assert(info->has_sign == (f->minus != 0) && info->has_negative_zero == f->minus_zero);
        cr_assert(info->has_infinity == (f->infinity >= 0) && info->has_nan == (f->nan >= 0));
        cr_assert(info->largest_code == f->count - 1 && info->nan_code == twin_nan(f));
        cr_assert(info->largest == twin_to_double(list[f->count - 1]), "%s", f->name);
        cr_assert(info->smallest == twin_to_double(f->low), "%s", f->name);
        uint32_t normal = f->zero ? (uint32_t)f->steps : 0;
        cr_assert(info->smallest_normal == twin_to_double(list[normal]), "%s", f->name);
        cr_assert(info->overflow_code == assay_code_round(f->format, (double)INFINITY, 0, false));
        assay_format parsed = ASSAY_FORMAT_COUNT;
        cr_assert(assay_format_parse(f->name, &parsed) && parsed == f->format, "%s", f->name);
        free(list);
    }
    const assay_format_info *f32 = assay_format_describe(ASSAY_FORMAT_F32);
    cr_assert(f32->bits == 32 && f32->largest == 0x1.fffffep127 && f32->smallest == 0x1p-149);
}

Test(formats, a_format_outside_the_enum_is_refused) {
    assay_format format = ASSAY_FORMAT_E4M3;
    cr_assert(!assay_format_parse("e4m3fn", &format) && format == ASSAY_FORMAT_E4M3);
    cr_assert(assay_format_describe(ASSAY_FORMAT_COUNT) == NULL);
    cr_assert(isnan(assay_code_decode(ASSAY_FORMAT_COUNT, 0)));
    cr_assert(assay_code_round(ASSAY_FORMAT_COUNT, 1, ASSAY_UP, true) == 0);
    cr_assert(assay_code_from_f32(ASSAY_FORMAT_COUNT, 1, ASSAY_UP, true) == 0);
    cr_assert(assay_code_round(ASSAY_FORMAT_E4M3, 1, ASSAY_ROUNDING_COUNT, true) == 0);
    cr_assert(assay_code_from_f32(ASSAY_FORMAT_E4M3, 1, ASSAY_ROUNDING_COUNT, true) == 0);
}
