/* e5m2: OCP OFP8 1.0, the upper half of f16. 1 sign, 5 exponent (bias 15), 2 fraction bits.
 * 0x7b = 57344 is the largest, 0x04 = 2^-14 the smallest normal, 0x01 = 2^-16 the smallest; 0x7c is
 * infinity, 0x7d..0x7f are NaN. Rounds to infinity from 61440 on (a tie, to the even code). */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e5m2 = {
    .name = "e5m2",
    .bits = 8,
    .exponent_bits = 5,
    .fraction_bits = 2,
    .bias = 15,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = true,
    .has_nan = true,
    .largest_code = 0x7b,
    .overflow_code = 0x7c,
    .nan_code = 0x7f,
    .largest = 57344,
    .smallest_normal = 0x1p-14,
    .smallest = 0x1p-16,
};

double assay_e5m2_decode(uint32_t code) { return format_decode(&format_e5m2, code); }

uint32_t assay_e5m2_encode(double value) {
    return format_round(&format_e5m2, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e5m2_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e5m2, value, rounding, saturate);
}

uint32_t assay_e5m2_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e5m2, value, rounding, saturate);
}
