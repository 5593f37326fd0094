/* e8m0: OCP MX 1.0, the block scale. 8 exponent bits (bias 127), nothing else: code c is 2^(c -
 * 127). 0xfe = 2^127 is the largest, 0x00 = 2^-127 the smallest, 0xff is NaN; no zero, no sign, no
 * infinity.
 *
 * MX defines no conversion from a number; ours are the exact roundings among the powers of two:
 *   - a tie (1.5 * 2^k) goes to the even code; away, up: to the larger power;
 *   - zero of either sign and all below 2^-127 become 0x00, the smallest, in every rounding;
 *   - what rounds beyond 2^127 overflows: saturated 0xfe, else NaN (but 0xfe where the rounding
 *     points down); so does infinity;
 *   - what is below zero is no scale: NaN, or 0x00 when saturating (NVIDIA's conversion drops the
 *     sign: format_device.h). */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e8m0 = {
    .name = "e8m0",
    .bits = 8,
    .exponent_bits = 8,
    .fraction_bits = 0,
    .bias = 127,
    .has_sign = false,
    .has_negative_zero = false,
    .has_infinity = false,
    .has_nan = true,
    .largest_code = 0xfe,
    .overflow_code = 0xff,
    .nan_code = 0xff,
    .largest = 0x1p127,
    .smallest_normal = 0x1p-127,
    .smallest = 0x1p-127,
};

double assay_e8m0_decode(uint32_t code) {
    code &= 0xff;
    if (code == format_e8m0.nan_code) return format_bits_double(UINT64_C(0x7ff8) << 48);
    return format_bits_double((uint64_t)(code + 1023 - 127) << 52);
}

/* An exponent within float64's range, infinity's included, and 52 bits of fraction. */
static uint32_t pick_power(bool negative, int exponent, uint64_t fraction, assay_rounding rounding,
                           bool saturate) {
    const uint64_t half = UINT64_C(1) << 51;
    if (negative) return saturate ? 0 : format_e8m0.nan_code;
    int code = exponent + 127;
    if (code < 0) return 0;
    bool up = fraction > half || (fraction == half && code % 2 == 1);
    if (rounding == ASSAY_NEAREST_AWAY) up = fraction >= half;
    if (rounding == ASSAY_UP) up = fraction != 0;
    bool down = format_truncates(rounding, false);
    code += up && !down;
    if (code <= (int)format_e8m0.largest_code) return (uint32_t)code;
    bool infinite = exponent == 1024;
    return saturate || (down && !infinite) ? format_e8m0.largest_code : format_e8m0.nan_code;
}

uint32_t assay_e8m0_encode(double value) {
    return assay_e8m0_round(value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e8m0_round(double value, assay_rounding rounding, bool saturate) {
    uint64_t bits = format_double_bits(value), magnitude = bits & ~(UINT64_C(1) << 63);
    if (magnitude > UINT64_C(0x7ff) << 52) return format_e8m0.nan_code;
    if (magnitude == 0) return 0;
    /* float64 subnormals lie far below 2^-127, where every rounding gives the same */
    return pick_power(bits >> 63, (int)(magnitude >> 52) - 1023,
                      magnitude & ((UINT64_C(1) << 52) - 1), rounding, saturate);
}

uint32_t assay_e8m0_from_f32(float value, assay_rounding rounding, bool saturate) {
    uint32_t bits = format_float_bits(value), magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return format_e8m0.nan_code;
    if (magnitude == 0) return 0;
    int exponent = (int)(magnitude >> 23) - 127;
    uint64_t fraction = magnitude & 0x7fffff;
    if (exponent == -127) { /* subnormal: 2^-127 is 0x400000 */
        exponent = fraction >> 22 ? -127 : -128;
        fraction = fraction << 1 & 0x7fffff;
    }
    if (exponent == 128) exponent = 1024;
    return pick_power(bits >> 31, exponent, fraction << 29, rounding, saturate);
}
