/* e4m3_fnuz: AMD CDNA3's e4m3. 1 sign, 4 exponent (bias 8), 3 fraction bits.
 * Half the value of OCP's code, and 0x7f is finite: 0x7f = 240 is the largest, 0x08 = 2^-7 the
 * smallest normal, 0x01 = 2^-10 the smallest. 0x80 is the only NaN; no -0, no infinity. From 248 on
 * values overflow, to NaN. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e4m3_fnuz = {
    .name = "e4m3_fnuz",
    .bits = 8,
    .exponent_bits = 4,
    .fraction_bits = 3,
    .bias = 8,
    .has_sign = true,
    .has_negative_zero = false,
    .has_infinity = false,
    .has_nan = true,
    .largest_code = 0x7f,
    .overflow_code = 0x80,
    .nan_code = 0x80,
    .largest = 240,
    .smallest_normal = 0x1p-7,
    .smallest = 0x1p-10,
};

double assay_e4m3_fnuz_decode(uint32_t code) { return format_decode(&format_e4m3_fnuz, code); }

uint32_t assay_e4m3_fnuz_encode(double value) {
    return format_round(&format_e4m3_fnuz, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e4m3_fnuz_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e4m3_fnuz, value, rounding, saturate);
}

uint32_t assay_e4m3_fnuz_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e4m3_fnuz, value, rounding, saturate);
}
