/* f16: IEEE 754 binary16. 1 sign, 5 exponent (bias 15), 10 fraction bits.
 * Largest 65504, smallest normal 0x1p-14, smallest subnormal 0x1p-24; half an ulp is a relative
 * 2^-11. Rounds to infinity from 65520 on. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_f16 = {
    .name = "f16",
    .bits = 16,
    .exponent_bits = 5,
    .fraction_bits = 10,
    .bias = 15,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = true,
    .has_nan = true,
    .largest_code = 0x7bff,
    .overflow_code = 0x7c00,
    .nan_code = ASSAY_F16_NAN,
    .largest = 65504,
    .smallest_normal = 0x1p-14,
    .smallest = 0x1p-24,
};

double assay_f16_decode(uint32_t code) { return format_decode(&format_f16, code); }

uint32_t assay_f16_encode(double value) {
    return format_round(&format_f16, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_f16_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_f16, value, rounding, saturate);
}

uint32_t assay_f16_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_f16, value, rounding, saturate);
}
