#include "mma_kit.h"

#include <criterion/criterion.h>
#include <string.h>

#include "assay/formats.h"

uint32_t mma_kit_code(assay_mma_type type, double value) {
    switch (type) {
    case ASSAY_MMA_F16: return assay_f16_encode(value);
    case ASSAY_MMA_BF16: return assay_bf16_encode(value);
    case ASSAY_MMA_E5M2: return assay_e5m2_encode(value);
    case ASSAY_MMA_E4M3: return assay_e4m3_encode(value);
    case ASSAY_MMA_E5M2_FNUZ: return assay_e5m2_fnuz_encode(value);
    case ASSAY_MMA_E4M3_FNUZ: return assay_e4m3_fnuz_encode(value);
    case ASSAY_MMA_E3M2: return assay_e3m2_encode(value);
    case ASSAY_MMA_E2M3: return assay_e2m3_encode(value);
    case ASSAY_MMA_E2M1: return assay_e2m1_encode(value);
    default: return assay_f32_encode(value);
    }
}

static void fill(const assay_mma *mma, assay_mma_type type, const mma_case *test, bool b,
                 uint32_t *out) {
    for (int i = 0; i < mma->k; i++) {
        const mma_pair pair = i < 32 ? test->pairs[i] : (mma_pair){0, 0};
        const uint32_t code = mma_kit_code(type, b ? pair.b : pair.a);
        if (assay_mma_type_size(type) == 1) ((uint8_t *)out)[i] = (uint8_t)code;
        if (assay_mma_type_size(type) == 2) ((uint16_t *)out)[i] = (uint16_t)code;
        if (assay_mma_type_size(type) == 4) out[i] = code;
    }
}

uint32_t mma_kit_dot_scaled(const assay_mma *mma, const mma_case *test, const uint8_t *a_scale,
                            const uint8_t *b_scale) {
    uint32_t a[64], b[64];
    fill(mma, mma->a, test, false, a);
    fill(mma, mma->b, test, true, b);
    return (uint32_t)assay_mma_dot(mma, a, b, test->c, a_scale, b_scale);
}

uint32_t mma_kit_dot(const assay_mma *mma, const mma_case *test) {
    return mma_kit_dot_scaled(mma, test, NULL, NULL);
}

const assay_mma *mma_kit_find(const char *arch, const char *name) {
    const assay_mma *mma = assay_mma_find(arch, name);
    cr_assert(mma != NULL, "no model of %s on %s", name, arch);
    return mma;
}

float mma_kit_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t mma_kit_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
