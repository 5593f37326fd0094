/* NVFP4: e2m1 elements in blocks of 16 with ue4m3 scales, under one f32 scale. See blocks.h.
 *
 * The 2688 convention follows Transformer Engine's quantiser operation by operation; 2688 = 448
 * * 6. The absmax/6 convention divides twice where the other multiplies by reciprocals, so no
 * rounding of a reciprocal is shared between the two. Code and scale are always made from the
 * stored, rounded block scale, not from the exact one. */
#include <float.h>
#include <math.h>

#include "assay/formats.h"
#include "blocks.h"

enum { BLOCK = ASSAY_NVFP4_BLOCK };

static float least(float a, float b) { return a < b ? a : b; }

assay_nvfp4_scale assay_nvfp4_scale_for(assay_nvfp4_convention convention, float absmax) {
    assay_nvfp4_scale scale = {.convention = convention, .encode = 1, .decode = 1};
    if (convention == ASSAY_NVFP4_ABSMAX_6) {
        if (absmax / 6 > 0) scale.decode = absmax / 6;
        scale.encode = least(1 / scale.decode, FLT_MAX);
    } else {
        if (absmax > 0) scale.encode = least(2688 / absmax, FLT_MAX);
        scale.decode = 1 / scale.encode;
    }
    return scale;
}

float assay_absmax(const float *values, int64_t count) {
    float largest = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]) && fabsf(values[i]) > largest) largest = fabsf(values[i]);
    return largest;
}

static uint32_t block_scale(assay_nvfp4_scale scale, float absmax) {
    float s = absmax * (scale.encode * (1.0f / 6));
    if (scale.convention == ASSAY_NVFP4_ABSMAX_6) {
        s = absmax / least(scale.decode * 6, FLT_MAX);
        if (s < 0x1p-9f) s = 0x1p-9f;
    }
    return assay_ue4m3_from_f32(s, ASSAY_NEAREST_EVEN, true);
}

static uint32_t element(assay_nvfp4_scale scale, float stored, float value) {
    float unit = stored * scale.decode;
    float q = value * least(1 / unit, FLT_MAX);
    if (scale.convention == ASSAY_NVFP4_ABSMAX_6) q = value == 0 ? value : value / unit;
    return assay_e2m1_from_f32(q, ASSAY_NEAREST_EVEN, true); /* saturates: no clamp is needed */
}

assay_status assay_nvfp4_quantise(assay_nvfp4_scale scale, const float *values, int64_t count,
                                  uint8_t *codes, uint8_t *scales) {
    assay_status status = blocks_check("nvfp4 quantise", count, BLOCK, values, codes, scales);
    if (status != ASSAY_OK) return status;
    if ((unsigned)scale.convention >= ASSAY_NVFP4_CONVENTION_COUNT)
        return assay_fail(ASSAY_ERR_ARGUMENT, "nvfp4 quantise: convention %d, expected 0 to %d",
                          (int)scale.convention, ASSAY_NVFP4_CONVENTION_COUNT - 1);
    for (int64_t first = 0; first < count; first += BLOCK) {
        const float *x = values + first;
        bool finite = block_is_finite(x, BLOCK);
        uint32_t code = finite ? block_scale(scale, block_absmax(x, BLOCK)) : 0x7f;
        float stored = (float)assay_ue4m3_decode(code);
        scales[first / BLOCK] = (uint8_t)code;
        for (int i = 0; i < BLOCK; i += 2) {
            uint32_t low = finite ? element(scale, stored, x[i]) : 0;
            uint32_t high = finite ? element(scale, stored, x[i + 1]) : 0;
            codes[(first + i) / 2] = (uint8_t)(low | high << 4);
        }
    }
    return ASSAY_OK;
}

assay_status assay_nvfp4_decode(const uint8_t *codes, const uint8_t *scales, float tensor_scale,
                                int64_t count, double *values) {
    assay_status status = blocks_check("nvfp4 decode", count, BLOCK, codes, scales, values);
    if (status != ASSAY_OK) return status;
    for (int64_t i = 0; i < count; i++) {
        double scale = assay_ue4m3_decode(scales[i / BLOCK]) * (double)tensor_scale;
        values[i] = assay_e2m1_decode(codes[i / 2] >> (i % 2 * 4)) * scale;
    }
    return ASSAY_OK;
}
