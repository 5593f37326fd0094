/* f32: IEEE 754 binary32. 1 sign, 8 exponent (bias 127), 23 fraction bits.
 * Largest 0x1.fffffep127, smallest normal 0x1p-126, smallest subnormal 0x1p-149; half an ulp is a
 * relative 2^-24. Rounds to infinity from 0x1.ffffffp127 on. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_f32 = {
    .name = "f32",
    .bits = 32,
    .exponent_bits = 8,
    .fraction_bits = 23,
    .bias = 127,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = true,
    .has_nan = true,
    .largest_code = 0x7f7fffff,
    .overflow_code = 0x7f800000,
    .nan_code = ASSAY_F32_NAN,
    .largest = 0x1.fffffep127,
    .smallest_normal = 0x1p-126,
    .smallest = 0x1p-149,
};

double assay_f32_decode(uint32_t code) { return format_decode(&format_f32, code); }

uint32_t assay_f32_encode(double value) {
    return format_round(&format_f32, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_f32_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_f32, value, rounding, saturate);
}

/* Nothing to round: only a NaN and a saturated infinity change. */
uint32_t assay_f32_from_f32(float value, assay_rounding rounding, bool saturate) {
    (void)rounding;
    uint32_t bits = format_float_bits(value), magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return ASSAY_F32_NAN;
    return bits - (magnitude == 0x7f800000 && saturate); /* the largest precedes infinity */
}
