/* Operand codes to significand and exponent, and containers. */
#include "internal.h"

#include <string.h>

static const mma_layout layouts[ASSAY_MMA_TYPE_COUNT] = {
    [ASSAY_MMA_F32] = {8, 23, 127, .ieee_specials = true},
    [ASSAY_MMA_TF32] = {8, 10, 127, .unused_low_bits = 13, .ieee_specials = true},
    [ASSAY_MMA_F16] = {5, 10, 15, .ieee_specials = true},
    [ASSAY_MMA_BF16] = {8, 7, 127, .ieee_specials = true},
    [ASSAY_MMA_E5M2] = {5, 2, 15, .ieee_specials = true},
    [ASSAY_MMA_E4M3] = {4, 3, 7, .top_code_nan = true},
    [ASSAY_MMA_E5M2_FNUZ] = {5, 2, 16, .negative_zero_nan = true},
    [ASSAY_MMA_E4M3_FNUZ] = {4, 3, 8, .negative_zero_nan = true},
    [ASSAY_MMA_E3M2] = {3, 2, 3, .ieee_specials = false},
    [ASSAY_MMA_E2M3] = {2, 3, 1, .ieee_specials = false},
    [ASSAY_MMA_E2M1] = {2, 1, 1, .ieee_specials = false},
};

const mma_layout *mma_layout_of(assay_mma_type type) { return &layouts[type]; }

mma_number mma_decode(const mma_layout *l, uint32_t code, bool flush_subnormals) {
    code >>= l->unused_low_bits;
    const uint32_t fraction = code & ((1U << l->fraction_bits) - 1);
    const uint32_t top = (1U << l->exponent_bits) - 1;
    const uint32_t field = code >> l->fraction_bits & top;
    const bool negative = code >> (l->fraction_bits + l->exponent_bits) & 1;
    mma_number x = {.negative = negative};
    if (field == top && l->ieee_specials) {
        x.class = fraction ? MMA_NAN : MMA_INFINITE;
        return x;
    }
    if ((l->top_code_nan && field == top && fraction == (1U << l->fraction_bits) - 1) ||
        (l->negative_zero_nan && negative && field == 0 && fraction == 0)) {
        x.class = MMA_NAN;
        return x;
    }
    x.significand = field ? fraction | 1U << l->fraction_bits : flush_subnormals ? 0 : fraction;
    x.exponent = (field ? (int32_t)field : 1) - l->bias;
    return x;
}

mma_number mma_as_f16(const mma_layout *l, mma_number x) {
    x.significand <<= 10 - l->fraction_bits;
    if (x.significand == 0) return x;
    for (; x.significand < 1U << 10 && x.exponent > -14; x.exponent--) x.significand <<= 1;
    return x;
}

mma_scale mma_decode_scale(assay_mma_type type, uint8_t code) {
    if (type == ASSAY_MMA_UE8M0)
        return (mma_scale){.significand = 1, .exponent = code - 127, .nan = code == 0xff};
    const mma_number x = mma_decode(&layouts[ASSAY_MMA_E4M3], code & 0x7f, false);
    return (mma_scale){
        .significand = (int32_t)x.significand, .exponent = x.exponent, .nan = x.class == MMA_NAN};
}

static const struct {
    const char *name;
    size_t size;
} types[ASSAY_MMA_TYPE_COUNT] = {
    [ASSAY_MMA_F64] = {"f64", 8},     [ASSAY_MMA_F32] = {"f32", 4},
    [ASSAY_MMA_TF32] = {"tf32", 4},   [ASSAY_MMA_F16] = {"f16", 2},
    [ASSAY_MMA_BF16] = {"bf16", 2},   [ASSAY_MMA_E5M2] = {"e5m2", 1},
    [ASSAY_MMA_E4M3] = {"e4m3", 1},   [ASSAY_MMA_E5M2_FNUZ] = {"e5m2_fnuz", 1},
    [ASSAY_MMA_E3M2] = {"e3m2", 1},   [ASSAY_MMA_E4M3_FNUZ] = {"e4m3_fnuz", 1},
    [ASSAY_MMA_E2M3] = {"e2m3", 1},   [ASSAY_MMA_E2M1] = {"e2m1", 1},
    [ASSAY_MMA_S8] = {"s8", 1},       [ASSAY_MMA_U8] = {"u8", 1},
    [ASSAY_MMA_S32] = {"s32", 4},     [ASSAY_MMA_UE8M0] = {"ue8m0", 1},
    [ASSAY_MMA_UE4M3] = {"ue4m3", 1},
};

static bool known(assay_mma_type type) { return (unsigned)type < ASSAY_MMA_TYPE_COUNT; }

const char *assay_mma_type_name(assay_mma_type type) {
    return known(type) ? types[type].name : "?";
}

size_t assay_mma_type_size(assay_mma_type type) { return known(type) ? types[type].size : 0; }

uint64_t mma_load(assay_mma_type type, const void *base, int64_t index) {
    switch (types[type].size) {
    case 1: return ((const uint8_t *)base)[index];
    case 2: return ((const uint16_t *)base)[index];
    case 4: return ((const uint32_t *)base)[index];
    default: return ((const uint64_t *)base)[index];
    }
}

void mma_store(assay_mma_type type, void *base, int64_t index, uint64_t code) {
    switch (types[type].size) {
    case 1: ((uint8_t *)base)[index] = (uint8_t)code; break;
    case 2: ((uint16_t *)base)[index] = (uint16_t)code; break;
    case 4: ((uint32_t *)base)[index] = (uint32_t)code; break;
    default: ((uint64_t *)base)[index] = code; break;
    }
}
