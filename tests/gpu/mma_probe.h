/* Matrix instructions against their models: the families that are probed, and the operands.
 *
 * Operands come from a counter, by the same code on chip and host: nothing is uploaded, and a
 * recording needs to hold results only. A recording is void when this generator changes:
 * mma_probe_digest says so.
 */
#ifndef ASSAY_GPU_MMA_PROBE_H
#define ASSAY_GPU_MMA_PROBE_H

#include <stdint.h>

#include "assay/mma.h"

#if defined(__CUDACC__)
#define PROBE_FN static __host__ __device__ inline
#else
#define PROBE_FN static inline
#endif

/* X(identifier, kind, m, k, a, b, d, name in the table of models, mnemonic's tail).
 * Kinds: SYNC mma.sync with n = 8, DOUBLE the same in f64; GROUP wgmma with n = 8, operands in
 * shared memory. */
#define MMA_PROBE_16(X)                                                                            \
    X(BF16_K16, SYNC, 16, 16, BF16, BF16, F32, "m16n8k16.f32.bf16.bf16.f32")                       \
    X(F16_K16, SYNC, 16, 16, F16, F16, F32, "m16n8k16.f32.f16.f16.f32")                            \
    X(F16_K16_F16, SYNC, 16, 16, F16, F16, F16, "m16n8k16.f16.f16.f16.f16")                        \
    X(TF32_K8, SYNC, 16, 8, TF32, TF32, F32, "m16n8k8.f32.tf32.tf32.f32")                          \
    X(BF16_K8, SYNC, 16, 8, BF16, BF16, F32, "m16n8k8.f32.bf16.bf16.f32")                          \
    X(F16_K8, SYNC, 16, 8, F16, F16, F32, "m16n8k8.f32.f16.f16.f32")                               \
    X(F16_K8_F16, SYNC, 16, 8, F16, F16, F16, "m16n8k8.f16.f16.f16.f16")                           \
    X(TF32_K4, SYNC, 16, 4, TF32, TF32, F32, "m16n8k4.f32.tf32.tf32.f32")
#define MMA_PROBE_8(X)                                                                             \
    X(E4_E4_K32, SYNC, 16, 32, E4M3, E4M3, F32, "m16n8k32.f32.e4m3.e4m3.f32")                      \
    X(E4_E5_K32, SYNC, 16, 32, E4M3, E5M2, F32, "m16n8k32.f32.e4m3.e5m2.f32")                      \
    X(E5_E4_K32, SYNC, 16, 32, E5M2, E4M3, F32, "m16n8k32.f32.e5m2.e4m3.f32")                      \
    X(E5_E5_K32, SYNC, 16, 32, E5M2, E5M2, F32, "m16n8k32.f32.e5m2.e5m2.f32")                      \
    X(E4_E4_K16, SYNC, 16, 16, E4M3, E4M3, F32, "m16n8k16.f32.e4m3.e4m3.f32")                      \
    X(E4_E5_K16, SYNC, 16, 16, E4M3, E5M2, F32, "m16n8k16.f32.e4m3.e5m2.f32")                      \
    X(E5_E4_K16, SYNC, 16, 16, E5M2, E4M3, F32, "m16n8k16.f32.e5m2.e4m3.f32")                      \
    X(E5_E5_K16, SYNC, 16, 16, E5M2, E5M2, F32, "m16n8k16.f32.e5m2.e5m2.f32")                      \
    X(E4_E4_K32_F16, SYNC, 16, 32, E4M3, E4M3, F16, "m16n8k32.f16.e4m3.e4m3.f16")                  \
    X(E4_E5_K32_F16, SYNC, 16, 32, E4M3, E5M2, F16, "m16n8k32.f16.e4m3.e5m2.f16")                  \
    X(E5_E4_K32_F16, SYNC, 16, 32, E5M2, E4M3, F16, "m16n8k32.f16.e5m2.e4m3.f16")                  \
    X(E5_E5_K32_F16, SYNC, 16, 32, E5M2, E5M2, F16, "m16n8k32.f16.e5m2.e5m2.f16")                  \
    X(E4_E4_K16_F16, SYNC, 16, 16, E4M3, E4M3, F16, "m16n8k16.f16.e4m3.e4m3.f16")                  \
    X(E4_E5_K16_F16, SYNC, 16, 16, E4M3, E5M2, F16, "m16n8k16.f16.e4m3.e5m2.f16")                  \
    X(E5_E4_K16_F16, SYNC, 16, 16, E5M2, E4M3, F16, "m16n8k16.f16.e5m2.e4m3.f16")                  \
    X(E5_E5_K16_F16, SYNC, 16, 16, E5M2, E5M2, F16, "m16n8k16.f16.e5m2.e5m2.f16")                  \
    X(S8_S8, SYNC, 16, 32, S8, S8, S32, "m16n8k32.s32.s8.s8.s32")                                  \
    X(S8_U8, SYNC, 16, 32, S8, U8, S32, "m16n8k32.s32.s8.u8.s32")                                  \
    X(U8_S8, SYNC, 16, 32, U8, S8, S32, "m16n8k32.s32.u8.s8.s32")                                  \
    X(U8_U8, SYNC, 16, 32, U8, U8, S32, "m16n8k32.s32.u8.u8.s32")
#define MMA_PROBE_64(X)                                                                            \
    X(F64_M8_K4, DOUBLE, 8, 4, F64, F64, F64, "m8n8k4.f64.f64.f64.f64")                            \
    X(F64_K4, DOUBLE, 16, 4, F64, F64, F64, "m16n8k4.f64.f64.f64.f64")                             \
    X(F64_K8, DOUBLE, 16, 8, F64, F64, F64, "m16n8k8.f64.f64.f64.f64")                             \
    X(F64_K16, DOUBLE, 16, 16, F64, F64, F64, "m16n8k16.f64.f64.f64.f64")
#define MMA_PROBE_GROUP(X)                                                                         \
    X(W_BF16, GROUP, 64, 16, BF16, BF16, F32, "m64n8k16.f32.bf16.bf16")                            \
    X(W_F16, GROUP, 64, 16, F16, F16, F32, "m64n8k16.f32.f16.f16")                                 \
    X(W_F16_F16, GROUP, 64, 16, F16, F16, F16, "m64n8k16.f16.f16.f16")                             \
    X(W_TF32, GROUP, 64, 8, TF32, TF32, F32, "m64n8k8.f32.tf32.tf32")                              \
    X(W_E4_E4, GROUP, 64, 32, E4M3, E4M3, F32, "m64n8k32.f32.e4m3.e4m3")                           \
    X(W_E4_E5, GROUP, 64, 32, E4M3, E5M2, F32, "m64n8k32.f32.e4m3.e5m2")                           \
    X(W_E5_E4, GROUP, 64, 32, E5M2, E4M3, F32, "m64n8k32.f32.e5m2.e4m3")                           \
    X(W_E5_E5, GROUP, 64, 32, E5M2, E5M2, F32, "m64n8k32.f32.e5m2.e5m2")                           \
    X(W_E4_E4_F16, GROUP, 64, 32, E4M3, E4M3, F16, "m64n8k32.f16.e4m3.e4m3")                       \
    X(W_E4_E5_F16, GROUP, 64, 32, E4M3, E5M2, F16, "m64n8k32.f16.e4m3.e5m2")                       \
    X(W_E5_E4_F16, GROUP, 64, 32, E5M2, E4M3, F16, "m64n8k32.f16.e5m2.e4m3")                       \
    X(W_E5_E5_F16, GROUP, 64, 32, E5M2, E5M2, F16, "m64n8k32.f16.e5m2.e5m2")
#define MMA_PROBE_FAMILIES(X) MMA_PROBE_16(X) MMA_PROBE_8(X) MMA_PROBE_64(X) MMA_PROBE_GROUP(X)

enum mma_probe_kind { MMA_PROBE_KIND_SYNC, MMA_PROBE_KIND_DOUBLE, MMA_PROBE_KIND_GROUP };
enum mma_probe_family {
#define FAMILY(id, ...) MMA_PROBE_##id,
    MMA_PROBE_FAMILIES(FAMILY)
#undef FAMILY
        MMA_PROBE_FAMILY_COUNT
};

#define MMA_PROBE_N 8
#define MMA_PROBE_CHAIN 8 /* instructions on one accumulator in the mode "chain" */

enum mma_probe_mode {
    MMA_PROBE_NEAR = 0,   /* exponents about 0 */
    MMA_PROBE_WIDE,       /* exponents over most of the range */
    MMA_PROBE_CANCELLING, /* products in pairs of opposite sign, some of them one bit apart */
    MMA_PROBE_SUBNORMAL,  /* the lowest exponents, and zeros */
    MMA_PROBE_UNDERFLOW,  /* few powers of two whose products lie about the last subnormal bit */
    MMA_PROBE_RAW,        /* random bits, most infinities and NaN made finite */
    MMA_PROBE_SPECIAL,    /* zeros, infinities, NaN, largest and smallest among others */
    MMA_PROBE_CHAINED,    /* near, MMA_PROBE_CHAIN instructions long */
    MMA_PROBE_MODE_COUNT
};

PROBE_FN int mma_probe_steps(int mode) { return mode == MMA_PROBE_CHAINED ? MMA_PROBE_CHAIN : 1; }

PROBE_FN uint64_t mma_probe_mix(uint64_t z) { /* splitmix64's output function */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The random word of element `index` of matrix 0 (a), 1 (b) or 2 (c) of a tile. */
PROBE_FN uint64_t mma_probe_random(int family, int mode, uint64_t tile, int matrix, int index) {
    const uint64_t stream = (uint64_t)family << 40 | (uint64_t)mode << 36 | (uint64_t)matrix << 34;
    const uint64_t at = mma_probe_mix((stream ^ tile) + UINT64_C(0x9e3779b97f4a7c15));
    return mma_probe_mix(at + ((uint64_t)index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

typedef struct mma_probe_format {
    int exponent_bits, fraction_bits, bias, low_bits;
    int top; /* largest exponent field of a number */
} mma_probe_format;

PROBE_FN mma_probe_format mma_probe_format_of(assay_mma_type type) {
    const mma_probe_format f64 = {11, 52, 1023, 0, 2046}, f32 = {8, 23, 127, 0, 254},
                           tf32 = {8, 10, 127, 13, 254}, f16 = {5, 10, 15, 0, 30},
                           bf16 = {8, 7, 127, 0, 254}, e5m2 = {5, 2, 15, 0, 30},
                           e4m3 = {4, 3, 7, 0, 15};
    switch (type) {
    case ASSAY_MMA_F64: return f64;
    case ASSAY_MMA_TF32: return tf32;
    case ASSAY_MMA_F16: return f16;
    case ASSAY_MMA_BF16: return bf16;
    case ASSAY_MMA_E5M2: return e5m2;
    case ASSAY_MMA_E4M3: return e4m3;
    default: return f32;
    }
}

/* Exponent field for a mode; range: how far products may lie from 1, in binades. */
PROBE_FN int mma_probe_field(mma_probe_format f, int mode, int matrix, uint32_t r) {
    const int wide = f.exponent_bits > 5 ? 14 : f.bias - 1;
    switch (mode) {
    case MMA_PROBE_WIDE: return f.bias - wide + (int)(r % (uint32_t)(2 * wide + 1));
    case MMA_PROBE_SUBNORMAL: return (int)(r % 3);
    case MMA_PROBE_UNDERFLOW:
        if (matrix == 2) return r % 4 ? 0 : (int)(r / 4 % 2);
        if (f.exponent_bits == 11) return f.bias - 520 - (int)(r % 24);
        if (f.exponent_bits == 8) return f.bias - 70 - (int)(r % 13);
        return (int)(r % (uint32_t)(f.bias / 2 + 2));
    default: return f.bias - 1 + (int)(r % 3);
    }
}

PROBE_FN uint64_t mma_probe_special_code(mma_probe_format f, uint64_t r) {
    const uint64_t ones = (UINT64_C(1) << f.fraction_bits) - 1;
    const uint64_t top = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    switch (r % 8) {
    case 0: return top;        /* infinity, or a number in e4m3 */
    case 1: return top | ones; /* NaN */
    case 2: return top | (r >> 8 & ones);
    case 3: return 1; /* the smallest */
    case 4:           /* the largest */
        return (uint64_t)f.top << f.fraction_bits | (f.top == 15 ? ones - 1 : ones);
    default: return 0;
    }
}

/* Element (row, k) of a, or (k, column) of b, both as index `row * total k + k`; or of c, by index
 * alone. A code in the low bits. */
PROBE_FN uint64_t mma_probe_element(int family, int mode, uint64_t tile, int matrix, int index,
                                    assay_mma_type type) {
    const int paired = mode == MMA_PROBE_CANCELLING && matrix != 2;
    const uint64_t own = mma_probe_random(family, mode, tile, matrix, index);
    if (type == ASSAY_MMA_S8 || type == ASSAY_MMA_U8) return own & 0xff;
    if (type == ASSAY_MMA_S32) return own & 0xffffffffu;
    uint64_t r = paired ? mma_probe_random(family, mode, tile, matrix, index & ~1) : own;
    const mma_probe_format f = mma_probe_format_of(type);
    const int sign_at = f.exponent_bits + f.fraction_bits;
    const uint64_t ones = (UINT64_C(1) << f.fraction_bits) - 1;
    const uint32_t choice = (uint32_t)(r >> 8) & 0xffffff;
    if (paired && matrix == 0 && index & 1) {
        r ^= UINT64_C(1) << 63;                   /* the opposite sign */
        if (own % 4 == 0) r ^= UINT64_C(1) << 62; /* and sometimes not quite the same */
    }
    uint64_t code;
    if (mode == MMA_PROBE_RAW) {
        code = r >> (63 - sign_at);
        const uint64_t field = code >> f.fraction_bits & ((UINT64_C(1) << f.exponent_bits) - 1);
        if (field > (uint64_t)f.top - (f.top == 15) && choice % 64)
            code ^= UINT64_C(1) << (f.fraction_bits + f.exponent_bits - 1);
        return code << f.low_bits | (r & ((UINT64_C(1) << f.low_bits) - 1));
    }
    uint64_t fraction = r >> (63 - f.fraction_bits) & ones; /* bit 62 is its highest */
    if (paired) fraction = (r >> 20 & ones) ^ (r >> 62 & 1);
    if (mode == MMA_PROBE_UNDERFLOW && choice % 4) fraction = 0;
    if (mode == MMA_PROBE_SPECIAL && choice % 64 == 0) {
        code = mma_probe_special_code(f, r >> 32);
    } else {
        const int field = mma_probe_field(f, mode, matrix, choice);
        code = (uint64_t)field << f.fraction_bits | fraction;
    }
    const uint32_t kept = (uint32_t)(r & 0xff);
    if (mode == MMA_PROBE_SUBNORMAL && kept < 64) code = 0;
    if (mode == MMA_PROBE_UNDERFLOW && kept < 192) code = 0;
    code |= (r >> 63) << sign_at;
    /* The bits below a tf32 are there, and must not matter. */
    return code << f.low_bits | (r >> 40 & ((UINT64_C(1) << f.low_bits) - 1));
}

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the device: 0, or 77 when there is none of sm_90; *name is the device's. */
int mma_probe_open(const char **name);

/* Results of tiles first .. first + tiles - 1 of a family: m x 8 each, row-major, one 32-bit word a
 * result (f64: two). 0, or the runtime's error. */
int mma_probe_device(int family, int mode, uint64_t first, uint32_t tiles, uint32_t *out);
const char *mma_probe_error(int error);

#ifdef __cplusplus
}
#endif
#endif
