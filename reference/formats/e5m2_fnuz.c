/* e5m2_fnuz: AMD CDNA3's e5m2. 1 sign, 5 exponent (bias 16), 2 fraction bits.
 * Half the value of OCP's code, and codes 0x7c..0x7f are finite: 0x7f = 57344 is the largest, 0x04
 * = 2^-15 the smallest normal, 0x01 = 2^-17 the smallest. 0x80 is the only NaN; no -0, no infinity.
 * From 61440 on values overflow, to NaN. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e5m2_fnuz = {
    .name = "e5m2_fnuz",
    .bits = 8,
    .exponent_bits = 5,
    .fraction_bits = 2,
    .bias = 16,
    .has_sign = true,
    .has_negative_zero = false,
    .has_infinity = false,
    .has_nan = true,
    .largest_code = 0x7f,
    .overflow_code = 0x80,
    .nan_code = 0x80,
    .largest = 57344,
    .smallest_normal = 0x1p-15,
    .smallest = 0x1p-17,
};

double assay_e5m2_fnuz_decode(uint32_t code) { return format_decode(&format_e5m2_fnuz, code); }

uint32_t assay_e5m2_fnuz_encode(double value) {
    return format_round(&format_e5m2_fnuz, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e5m2_fnuz_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e5m2_fnuz, value, rounding, saturate);
}

uint32_t assay_e5m2_fnuz_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e5m2_fnuz, value, rounding, saturate);
}
