/* e2m1: OCP MX 1.0 FP4. 1 sign, 2 exponent (bias 1), 1 fraction bit.
 * Codes 0..7: 0, 0.5, 1, 1.5, 2, 3, 4, 6. Ties to the even code: 0.25 -> 0, 0.75 -> 1, 1.25 -> 1,
 * 1.75 -> 2, 2.5 -> 2, 3.5 -> 4, 5 -> 4. No infinity, no NaN: it always saturates, and a NaN
 * becomes 6 (MX leaves that open; NVIDIA's rule). */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e2m1 = {
    .name = "e2m1",
    .bits = 4,
    .exponent_bits = 2,
    .fraction_bits = 1,
    .bias = 1,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = false,
    .has_nan = false,
    .largest_code = 0x7,
    .overflow_code = 0x7,
    .nan_code = 0x7,
    .largest = 6,
    .smallest_normal = 1,
    .smallest = 0.5,
};

double assay_e2m1_decode(uint32_t code) { return format_decode(&format_e2m1, code); }

uint32_t assay_e2m1_encode(double value) {
    return format_round(&format_e2m1, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e2m1_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e2m1, value, rounding, saturate);
}

uint32_t assay_e2m1_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e2m1, value, rounding, saturate);
}
