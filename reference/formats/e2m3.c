/* e2m3: OCP MX 1.0 FP6. 1 sign, 2 exponent (bias 1), 3 fraction bits.
 * 0x1f = 7.5 is the largest, 0x08 = 1 the smallest normal, 0x01 = 0.125 the smallest. No infinity,
 * no NaN: it always saturates, and a NaN becomes 7.5 (MX leaves that open; NVIDIA's rule). */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_e2m3 = {
    .name = "e2m3",
    .bits = 6,
    .exponent_bits = 2,
    .fraction_bits = 3,
    .bias = 1,
    .has_sign = true,
    .has_negative_zero = true,
    .has_infinity = false,
    .has_nan = false,
    .largest_code = 0x1f,
    .overflow_code = 0x1f,
    .nan_code = 0x1f,
    .largest = 7.5,
    .smallest_normal = 1,
    .smallest = 0.125,
};

double assay_e2m3_decode(uint32_t code) { return format_decode(&format_e2m3, code); }

uint32_t assay_e2m3_encode(double value) {
    return format_round(&format_e2m3, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_e2m3_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_e2m3, value, rounding, saturate);
}

uint32_t assay_e2m3_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_e2m3, value, rounding, saturate);
}
