/* What the gemm_bf16 launcher and the gemm_bf16 kernel agree on. */
#ifndef ASSAY_KERNELS_GEMM_BF16_H
#define ASSAY_KERNELS_GEMM_BF16_H

#include "assay/gemm_bf16.h"

/* A block's tile of y, the depth of k that one stage holds, stages, threads. */
enum {
    GEMM_BF16_TILE_M = 64,
    GEMM_BF16_TILE_N = 64,
    GEMM_BF16_TILE_K = 32,
    GEMM_BF16_STAGES = 4,
    GEMM_BF16_THREADS = 128
};

/* Instance number = row of gemm_bf16.def * GEMM_BF16_VARIANTS + variant. */
enum {
    GEMM_BF16_SCALAR = 0, /* x and w of any alignment: loads of one element */
    GEMM_BF16_ASYNC,      /* copies of 16 bytes that pass the registers by */
    GEMM_BF16_VARIANTS
};

typedef struct gemm_bf16_params {
    const void *x;
    const void *w;
    void *y;
    int64_t m, n, k, x_stride, w_stride, y_stride; /* strides in elements */
} gemm_bf16_params;

#endif
