/* ue4m3: e4m3 without its sign, the block scale of NVFP4. 7 bits: 4 exponent (bias 7), 3 fraction.
 * 0x7e = 448 is the largest, 0x01 = 2^-9 the smallest, 0x7f is NaN. In memory it fills a byte whose
 * top bit is 0; decode ignores that bit. */
#include "assay/formats.h"

#include "pack.h"

const assay_format_info format_ue4m3 = {
    .name = "ue4m3",
    .bits = 7,
    .exponent_bits = 4,
    .fraction_bits = 3,
    .bias = 7,
    .has_sign = false,
    .has_negative_zero = false,
    .has_infinity = false,
    .has_nan = true,
    .largest_code = 0x7e,
    .overflow_code = 0x7f,
    .nan_code = 0x7f,
    .largest = 448,
    .smallest_normal = 0x1p-6,
    .smallest = 0x1p-9,
};

double assay_ue4m3_decode(uint32_t code) { return format_decode(&format_ue4m3, code); }

uint32_t assay_ue4m3_encode(double value) {
    return format_round(&format_ue4m3, value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_ue4m3_round(double value, assay_rounding rounding, bool saturate) {
    return format_round(&format_ue4m3, value, rounding, saturate);
}

uint32_t assay_ue4m3_from_f32(float value, assay_rounding rounding, bool saturate) {
    return format_round_f32(&format_ue4m3, value, rounding, saturate);
}
