/* e3m2: OCP MX 1.0 FP6. 1 sign, 3 exponent (bias 3), 2 fraction bits.
 * 0x1f = 28 is the largest, 0x04 = 0.25 the smallest normal, 0x01 = 0.0625 the smallest. No
 * infinity, no NaN: it always saturates, and a NaN becomes 28 (MX leaves that open; NVIDIA's rule).
 */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e3m2 = {
    .name = "e3m2",
    .bits = 6,
    .exponent_bits = 3,
    .fraction_bits = 2,
    .bias = 3,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = false,
    .has_nan = false,
    .largest_code = 0x1f,
    .overflow_code = 0x1f,
    .nan_code = 0x1f,
    .largest = 28,
    .smallest_normal = 0.25,
    .smallest = 0.0625,
};

double assay_e3m2_decode(uint32_t code) { return format_decode(&format_e3m2, code); }

uint32_t assay_e3m2_encode(double value) {
    return format_round(&format_e3m2, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e3m2_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e3m2, value, rounding, saturate);
}

uint32_t assay_e3m2_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e3m2, value, rounding, saturate);
}
