/* AMD's instructions: CDNA3 (MI300). Sources of each row: docs/matrix-units.md.
 *
 * Subnormals are kept (CDNA2 flushes them). The NaN code is the hardware default of AMD's f32
 * arithmetic, and no model says so of MFMA: compare NaN by class.
 */
#include "internal.h"

#define NAN32 0x7fc00000U

/* L products first, then c: 24 bits below the largest product, 31 below the largest of both. */
#define LATE(OP, L)                                                                                \
    {                                                                                              \
        .op = (OP), .terms = (L), .fraction = 24, .keep = 23, .late_fraction = 31,                 \
        .round = ASSAY_MMA_NEAREST_EVEN, .signed_zero = true, .infinite_products = true,           \
        .nan = NAN32                                                                               \
    }
#define CHAIN                                                                                      \
    { .op = ASSAY_MMA_CHAIN, .terms = 1, .nan = NAN32 }

#define ROW(NAME, M, N, K, A, B, D, ...)                                                           \
    {                                                                                              \
        .arch = "gfx942", .name = NAME, .m = (M), .n = (N), .k = (K), .a = ASSAY_MMA_##A,          \
        .b = ASSAY_MMA_##B, .d = ASSAY_MMA_##D, .confidence = ASSAY_MMA_ONE_MODEL,                 \
        .rule = __VA_ARGS__                                                                        \
    }

const assay_mma mma_amd[] = {
    ROW("mfma.f32.32x32x8.f16", 32, 32, 8, F16, F16, F32, LATE(ASSAY_MMA_LATE_C, 8)),
    ROW("mfma.f32.32x32x8.bf16", 32, 32, 8, BF16, BF16, F32, LATE(ASSAY_MMA_LATE_C, 8)),
    ROW("mfma.f32.16x16x16.f16", 16, 16, 16, F16, F16, F32, LATE(ASSAY_MMA_LATE_C, 8)),
    ROW("mfma.f32.16x16x16.bf16", 16, 16, 16, BF16, BF16, F32, LATE(ASSAY_MMA_LATE_C, 8)),
    ROW("mfma.f32.32x32x4.xf32", 32, 32, 4, TF32, TF32, F32, LATE(ASSAY_MMA_LATE_C, 4)),
    ROW("mfma.f32.16x16x8.xf32", 16, 16, 8, TF32, TF32, F32, LATE(ASSAY_MMA_LATE_C, 4)),
    ROW("mfma.f32.32x32x16.fp8.fp8", 32, 32, 16, E4M3_FNUZ, E4M3_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.32x32x16.fp8.bf8", 32, 32, 16, E4M3_FNUZ, E5M2_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.32x32x16.bf8.fp8", 32, 32, 16, E5M2_FNUZ, E4M3_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.32x32x16.bf8.bf8", 32, 32, 16, E5M2_FNUZ, E5M2_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.16x16x32.fp8.fp8", 16, 16, 32, E4M3_FNUZ, E4M3_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.16x16x32.fp8.bf8", 16, 16, 32, E4M3_FNUZ, E5M2_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.16x16x32.bf8.fp8", 16, 16, 32, E5M2_FNUZ, E4M3_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.16x16x32.bf8.bf8", 16, 16, 32, E5M2_FNUZ, E5M2_FNUZ, F32,
        LATE(ASSAY_MMA_LATE_C_PAIRED, 16)),
    ROW("mfma.f32.32x32x2.f32", 32, 32, 2, F32, F32, F32, CHAIN),
    ROW("mfma.f32.16x16x4.f32", 16, 16, 4, F32, F32, F32, CHAIN),
    ROW("mfma.f64.16x16x4.f64", 16, 16, 4, F64, F64, F64, CHAIN),
};

const size_t mma_amd_count = sizeof mma_amd / sizeof mma_amd[0];
