/* NVIDIA's conversions, each against a rule of its own: decision points, bit arithmetic as the
 * headers have it, the twin. The inputs cross every exponent and every boundary. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/format_device.h"
#include "format_twin.h"

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Input i: a stride through all floats, then the neighbourhood of every multiple of 2^19, where the
 * boundaries of formats with up to 4 fraction bits lie (0x80000 is one bit below the last kept). */
enum { STRIDED = 400000, AROUND = 5 * 8192, INPUTS = STRIDED + AROUND };
static uint32_t input(int i) {
    if (i < STRIDED) return (uint32_t)i * 10737u + (uint32_t)i % 5;
    return ((uint32_t)(i - STRIDED) / 5 << 19) + (uint32_t)(i - STRIDED) % 5 - 2;
}

static uint32_t e2m1_rule(float value) {
    static const struct {
        float up_to;
        bool inclusive; /* the tie goes to the lower, even code */
    } points[] = {{0.25f, 1}, {0.75f, 0}, {1.25f, 1}, {1.75f, 0}, {2.5f, 1}, {3.5f, 0}, {5, 1}};
    if (isnan(value)) return 7;
    uint32_t code = 0;
    for (int i = 0; i < 7; i++)
        code +=
            points[i].inclusive ? fabsf(value) > points[i].up_to : fabsf(value) >= points[i].up_to;
    return code | (signbit(value) ? 8 : 0);
}

Test(formats, device_e2m1) {
    for (int i = 0; i < INPUTS; i++) {
        float value = of_bits(input(i));
        cr_assert(assay_cvt_rn_satfinite_e2m1(value) == e2m1_rule(value), "%a", value);
    }
}

/* The headers' rule: on bits, the exponent plus one unless the fraction is zero. */
static uint32_t ue8m0_rule(uint32_t bits, bool up) {
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return 0xff;
    uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
    if (!up) return exponent == 0xff ? 0xfe : exponent == 0 && fraction >> 22 ? 0 : exponent;
    if (exponent >= 0xfe) return 0xfe;
    if (exponent == 0) return fraction > 0x400000;
    return exponent + (fraction != 0);
}

Test(formats, device_ue8m0) {
    for (int i = 0; i < INPUTS; i++) {
        uint32_t bits = input(i);
        float value = of_bits(bits);
        cr_assert(assay_cvt_rp_satfinite_ue8m0(value) == ue8m0_rule(bits, true), "rp %#x", bits);
        cr_assert(assay_cvt_rz_satfinite_ue8m0(value) == ue8m0_rule(bits, false), "rz %#x", bits);
    }
    static const struct {
        float value;
        uint32_t rp, rz;
    } rows[] = {{0, 0, 0},
                {0x1p-127f, 0, 0},
                {0x1.8p-127f, 1, 0},
                {0x1p-149f, 0, 0},
                {1, 127, 127},
                {-1.5f, 128, 127},
                {0x1p127f, 254, 254},
                {0x1.8p127f, 254, 254},
                {-INFINITY, 254, 254}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(assay_cvt_rp_satfinite_ue8m0(rows[i].value) == rows[i].rp, "row %zu", i);
        cr_assert(assay_cvt_rz_satfinite_ue8m0(rows[i].value) == rows[i].rz, "row %zu", i);
    }
}

Test(formats, device_tf32) {
    for (int i = 0; i < INPUTS; i++) {
        uint32_t bits = input(i);
        if (i % 3 == 1) bits = (bits & ~UINT32_C(0x1fff)) | (0x0fff + (uint32_t)i % 4); /* ties */
        bool nan = (bits & 0x7fffffff) > 0x7f800000, inf = (bits & 0x7fffffff) == 0x7f800000;
        uint32_t rn = nan ? 0x7fffe000 : (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
        uint32_t rna = (bits + (nan || inf ? 0 : 0x1000)) & ~UINT32_C(0x1fff);
        cr_assert(assay_cvt_rn_tf32(of_bits(bits)) == rn, "rn %#x", bits);
        cr_assert(assay_cvt_rna_tf32(of_bits(bits)) == rna, "rna %#x", bits);
    }
}

Test(formats, device_16_bit_8_bit_and_6_bit) {
    static const struct {
        assay_format format;
        uint32_t (*convert)(float value);
        bool saturate;
        uint32_t nan;
    } all[] = {
        {ASSAY_FORMAT_F16, assay_cvt_rn_f16, false, 0x7fff},
        {ASSAY_FORMAT_BF16, assay_cvt_rn_bf16, false, 0x7fff},
        {ASSAY_FORMAT_E4M3, assay_cvt_rn_satfinite_e4m3, true, 0x7f},
        {ASSAY_FORMAT_E5M2, assay_cvt_rn_satfinite_e5m2, true, 0x7f},
        {ASSAY_FORMAT_E3M2, assay_cvt_rn_satfinite_e3m2, true, 0x1f},
        {ASSAY_FORMAT_E2M3, assay_cvt_rn_satfinite_e2m3, true, 0x1f},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const twin_format *f = twin_formats;
        while (f->format != all[k].format) f++;
        twin_number *list = twin_magnitudes(f);
        for (int i = 0; i < INPUTS; i += i < STRIDED ? 17 : 1) {
            float value = of_bits(input(i));
            uint32_t due = isnan(value) ? all[k].nan
                                        : twin_round(f, list, (double)value, ASSAY_NEAREST_EVEN,
                                                     all[k].saturate);
            cr_assert(all[k].convert(value) == due, "%s %a: %#x, due %#x", f->name, value,
                      all[k].convert(value), due);
        }
        free(list);
    }
    cr_assert(assay_cvt_rn_satfinite_e4m3(463) == 0x7e &&
              assay_cvt_rn_satfinite_e4m3(1e9f) == 0x7e);
    cr_assert(assay_cvt_rn_satfinite_e4m3(-INFINITY) == 0xfe);
    cr_assert(assay_cvt_rn_satfinite_e4m3(of_bits(0xffc00000)) == 0x7f);
    cr_assert(assay_cvt_rn_satfinite_e5m2(INFINITY) == 0x7b);
    cr_assert(assay_cvt_rn_f16(65520) == 0x7c00);
}
