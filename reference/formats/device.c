/* NVIDIA's conversions: the formats' own roundings, and the few rules that differ. */
#include "assay/format_device.h"

#include <math.h>

#include "assay/formats.h"

#include "pack.h"

uint32_t assay_cvt_rn_f16(float value) {
    return assay_f16_from_f32(value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_cvt_rn_bf16(float value) {
    return assay_bf16_from_f32(value, ASSAY_NEAREST_EVEN, false);
}

uint32_t assay_cvt_rn_tf32(float value) {
    return assay_tf32_from_f32(value, ASSAY_NEAREST_EVEN, false) << 13;
}

uint32_t assay_cvt_rna_tf32(float value) {
    if (isnan(value)) return format_float_bits(value) >> 13 << 13;
    return assay_tf32_from_f32(value, ASSAY_NEAREST_AWAY, false) << 13;
}

uint32_t assay_cvt_rn_satfinite_e4m3(float value) {
    return assay_e4m3_from_f32(value, ASSAY_NEAREST_EVEN, true);
}

uint32_t assay_cvt_rn_satfinite_e5m2(float value) {
    return assay_e5m2_from_f32(value, ASSAY_NEAREST_EVEN, true);
}

uint32_t assay_cvt_rn_satfinite_e3m2(float value) {
    return assay_e3m2_from_f32(value, ASSAY_NEAREST_EVEN, true);
}

uint32_t assay_cvt_rn_satfinite_e2m3(float value) {
    return assay_e2m3_from_f32(value, ASSAY_NEAREST_EVEN, true);
}

uint32_t assay_cvt_rn_satfinite_e2m1(float value) {
    return assay_e2m1_from_f32(value, ASSAY_NEAREST_EVEN, true);
}

uint32_t assay_cvt_rp_satfinite_ue8m0(float value) {
    return assay_e8m0_from_f32(fabsf(value), ASSAY_UP, true);
}

uint32_t assay_cvt_rz_satfinite_ue8m0(float value) {
    return assay_e8m0_from_f32(fabsf(value), ASSAY_TOWARD_ZERO, true);
}
