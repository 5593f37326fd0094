/* What the files of the gemm_bf16 registration share. */
#ifndef ASSAY_HARNESS_OPS_GEMM_BF16_H
#define ASSAY_HARNESS_OPS_GEMM_BF16_H

#include <stdint.h>

#include "assay/gemm_bf16.h"
#include "op.h"

/* Order of the operands. */
enum { GEMM_X, GEMM_W, GEMM_Y, GEMM_TENSORS };

/* assay_gemm_bf16, or what stands in for it in the target's kernel library. */
assay_status gemm_bf16_call(const assay_gemm_bf16_args *args, const assay_target *target);

/* data.c: one kind per failure mode. Blocks are the 16 k of one instruction. */
typedef enum gemm_data {
    GEMM_NORMAL = 0, /* standard normal */
    GEMM_HEAVY,      /* normal times a power of two from 2^-6 to 2^6 */
    GEMM_EXACT,      /* small integers: every sum is exact, so bits must be equal */
    GEMM_PICK,       /* x has one 1 a row: y shows which element of w met it */
    GEMM_ONE_BLOCK,  /* x is zero outside one block a row */
    GEMM_SCALES,     /* every row of x and of w at a power of two of its own */
    GEMM_CANCEL,     /* large terms that cancel in the block after, small ones that stay */
    GEMM_RISING,     /* positive, each block 16 times the one before: the order shows */
    GEMM_TAIL_SPIKE, /* one large group: by row the last k, the last 8, the first, a random one */
    GEMM_SPECIAL,    /* by row: zeros, NaN, infinities, overflow, subnormals; in w too */
    GEMM_MIXED,      /* by row: normal, the spikes, rising, cancel: seven rows show every fault */
    GEMM_ONES,       /* all ones: shows little, and must be called so */
    GEMM_DATA_COUNT
} gemm_data;

/* NULL-terminated, in the order of the enum. */
extern const char *const gemm_data_words[GEMM_DATA_COUNT + 1];

typedef struct gemm_recipe {
    gemm_data kind;
    uint64_t seed;
    int64_t m, n, k;
} gemm_recipe;

/* Dense x (m, k) and w (n, k), bf16 codes. */
void gemm_generate_x(const gemm_recipe *r, uint16_t *x);
void gemm_generate_w(const gemm_recipe *r, uint16_t *w);

/* grid.c */
void gemm_bf16_grid(assay_level level, assay_case_sink *sink, void *context);

/* oracle.c */
assay_status gemm_bf16_oracle(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, const char *contract, size_t output,
                              int64_t unit, assay_bound *bounds);
const char *gemm_bf16_ablation_text(size_t ablation);
bool gemm_bf16_ablation_applies(const assay_case *c, size_t ablation);
assay_status gemm_bf16_ablate(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, size_t ablation, int64_t unit, double *y);

/* refusals.c */
size_t gemm_bf16_refusals(const assay_target *target, char *message, size_t size);

/* judge.c */
assay_status gemm_bf16_from_shapes(assay_case *c, const assay_tensor *given, size_t count);

#endif
