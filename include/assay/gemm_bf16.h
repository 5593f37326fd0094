/* gemm_bf16: y = x w^T, with bf16 x and w, f32 accumulation in matrix units.
 *
 *     y[m][n] = sum over k of x[m][k] * w[n][k]
 *
 * x is (M, K), w (N, K), y (M, N), each with unit inner stride and a free row stride.
 *
 * Declared contract: each element is one chain over blocks of 16 k in ascending order,
 *     d = 0;  d = mma.m16n8k16(x[m][16b..], w[n][16b..], d)  for b = 0, 1, ...
 * with zeros beyond K, then one rounding to y's type. It depends on its two rows and on the chip
 * alone. What mma does to the bits is in assay/mma.h; docs/ops/gemm_bf16.md derives the bound.
 */
#ifndef ASSAY_GEMM_BF16_H
#define ASSAY_GEMM_BF16_H

#include <stdint.h>

#include "assay/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest K: beyond it no bound would say anything. */
#define ASSAY_GEMM_BF16_MAX_K (INT64_C(1) << 24)

typedef struct assay_gemm_bf16_args {
    const void *x;       /* (m, k), bf16 */
    const void *w;       /* (n, k), bf16 */
    void *y;             /* (m, n), y_dtype; overlaps neither */
    int64_t m, n;        /* >= 0; 0 launches nothing */
    int64_t k;           /* 0 .. ASSAY_GEMM_BF16_MAX_K; 0 gives zeros, and x and w may be NULL */
    int64_t x_stride;    /* elements from row to row, >= k */
    int64_t w_stride;    /* elements from row to row, >= k */
    int64_t y_stride;    /* elements from row to row, >= n */
    assay_dtype y_dtype; /* ASSAY_BF16, or ASSAY_F32 for the accumulator itself */
} assay_gemm_bf16_args;

/* Runs it, in stream order. 16-byte copies when x and w start at multiples of 16 bytes and their
 * row strides are multiples of 8 elements; else loads of single elements, slower and with the same
 * bits. Refusals leave y untouched and say why: ERR_ARGUMENT (range, NULL, overlap), ERR_ALIGNMENT
 * (element alignment), ERR_OVERFLOW (extent of a tensor in bytes beyond 2^62), ERR_UNSUPPORTED (y's
 * type, chip or back end without an instance: AMD has none). */
assay_status assay_gemm_bf16(const assay_gemm_bf16_args *args, const assay_target *target);

#ifdef __cplusplus
}
#endif
#endif
