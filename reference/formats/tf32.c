/* tf32: the upper 19 bits of binary32. 1 sign, 8 exponent (bias 127), 10 fraction bits.
 * Largest 0x1.ffcp127, smallest normal 0x1p-126, smallest subnormal 0x1p-136; half an ulp is a
 * relative 2^-11. Rounds to infinity from 0x1.ffep127 on. In a register the code is shifted left by
 * 13; the matrix units ignore the low 13 bits. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_tf32 = {
    .name = "tf32",
    .bits = 19,
    .exponent_bits = 8,
    .fraction_bits = 10,
    .bias = 127,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = true,
    .has_nan = true,
    .largest_code = 0x3fbff,
    .overflow_code = 0x3fc00,
    .nan_code = 0x3ffff,
    .largest = 0x1.ffcp127,
    .smallest_normal = 0x1p-126,
    .smallest = 0x1p-136,
};

double assay_tf32_decode(uint32_t code) { return format_decode(&format_tf32, code); }

uint32_t assay_tf32_encode(double value) {
    return format_round(&format_tf32, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_tf32_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_tf32, value, rounding, saturate);
}

uint32_t assay_tf32_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_tf32, value, rounding, saturate);
}
