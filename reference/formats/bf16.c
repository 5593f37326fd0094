/* bf16: the upper half of binary32. 1 sign, 8 exponent (bias 127), 7 fraction bits.
 * Largest 0x1.fep127, smallest normal 0x1p-126, smallest subnormal 0x1p-133; half an ulp is a
 * relative 2^-8. Rounds to infinity from 0x1.ffp127 on. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_bf16 = {
    .name = "bf16",
    .bits = 16,
    .exponent_bits = 8,
    .fraction_bits = 7,
    .bias = 127,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = true,
    .has_nan = true,
    .largest_code = 0x7f7f,
    .overflow_code = 0x7f80,
    .nan_code = ASSAY_BF16_NAN,
    .largest = 0x1.fep127,
    .smallest_normal = 0x1p-126,
    .smallest = 0x1p-133,
};

double assay_bf16_decode(uint32_t code) { return format_decode(&format_bf16, code); }

uint32_t assay_bf16_encode(double value) {
    return format_round(&format_bf16, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_bf16_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_bf16, value, rounding, saturate);
}

uint32_t assay_bf16_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_bf16, value, rounding, saturate);
}
