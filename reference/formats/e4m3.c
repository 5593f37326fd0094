/* e4m3: OCP OFP8 1.0, elsewhere called e4m3fn. 1 sign, 4 exponent (bias 7), 3 fraction bits.
 * 0x7e = 448 is the largest, 0x08 = 2^-6 the smallest normal, 0x01 = 2^-9 the smallest; 0x7f and
 * 0xff are NaN, there is no infinity. 464 is a tie with the value that 0x7f would have, and goes to
 * the even code, 448; what is above overflows to NaN. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e4m3 = {
    .name = "e4m3",
    .bits = 8,
    .exponent_bits = 4,
    .fraction_bits = 3,
    .bias = 7,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = false,
    .has_nan = true,
    .largest_code = 0x7e,
    .overflow_code = 0x7f,
    .nan_code = 0x7f,
    .largest = 448,
    .smallest_normal = 0x1p-6,
    .smallest = 0x1p-9,
};

double assay_e4m3_decode(uint32_t code) { return format_decode(&format_e4m3, code); }

uint32_t assay_e4m3_encode(double value) {
    return format_round(&format_e4m3, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e4m3_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e4m3, value, rounding, saturate);
}

uint32_t assay_e4m3_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e4m3, value, rounding, saturate);
}
