/* The oracle of gemm_bf16: y[j] = sum over i of x[i] * w[j][i], one row of x at a time.
 *
 * Operands are bf16 codes: x of k elements, w dense (n, k). Proofs and limits at the head of
 * reference/oracle/gemm_bf16.c.
 */
#ifndef ASSAY_ORACLE_GEMM_H
#define ASSAY_ORACLE_GEMM_H

#include "assay/oracle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Truncating accumulation, as NVIDIA's matrix units do it: blocks of `terms` products in ascending
 * k; the products and the accumulator are cut toward zero at 2^(e - fraction), where 2^e is the
 * largest one's power of two and e at least `floor`; their sum is rounded toward zero to f32. */
typedef struct assay_gemm_chain {
    int terms, fraction, floor;
} assay_gemm_chain;

#define ASSAY_GEMM_MAX_CHAINS 4

/* What a kernel may do. With chains: one of them, from +0. Without: any order and grouping of f32
 * additions in which a term passes at most k roundings, each by a relative `per_step` at most. */
typedef struct assay_gemm_contract {
    int chains;
    assay_gemm_chain chain[ASSAY_GEMM_MAX_CHAINS];
    double per_step;
} assay_gemm_contract;

/* n bounds. ERR_ARGUMENT: k outside 0 .. 2^24, a contract out of range. */
assay_status assay_oracle_gemm_bf16(const assay_gemm_contract *contract, const uint16_t *x,
                                    const uint16_t *w, int64_t n, int64_t k, assay_bound *out);

/* The same by MPFR, exact but for the contract's own roundings: certifies the float64 oracle. */
assay_status assay_oracle_gemm_bf16_mpfr(const assay_gemm_contract *contract, const uint16_t *x,
                                         const uint16_t *w, int64_t n, int64_t k, assay_bound *out);

/* The formula with one thing wrong. */
typedef enum assay_gemm_ablation {
    ASSAY_GEMM_FULL = 0,
    ASSAY_GEMM_FIRST_LOST,       /* k = 0 left out */
    ASSAY_GEMM_LAST_LOST,        /* the last k left out */
    ASSAY_GEMM_BLOCK_LOST,       /* the last block of 16 k */
    ASSAY_GEMM_TILE_LOST,        /* the last tile of 32 k */
    ASSAY_GEMM_TILE_TWICE,       /* the last tile of 32 k counted twice */
    ASSAY_GEMM_BF16_SUM,         /* accumulator rounded to bf16 after each block of 16 */
    ASSAY_GEMM_BF16_PRODUCTS,    /* every product rounded to bf16 */
    ASSAY_GEMM_ROW_SHIFTED,      /* the next row of x, cyclic */
    ASSAY_GEMM_COLUMN_SHIFTED,   /* the next row of w, cyclic */
    ASSAY_GEMM_K_SHIFTED,        /* w one k further, cyclic */
    ASSAY_GEMM_HALVES_SWAPPED,   /* the halves of each block of 16 k swapped in w */
    ASSAY_GEMM_PAIRS_SWAPPED,    /* neighbours in k swapped in w */
    ASSAY_GEMM_W_TRANSPOSED,     /* w read as (k, n) */
    ASSAY_GEMM_LAST_COLUMN_LOST, /* 0 there */
    ASSAY_GEMM_ABLATION_COUNT
} assay_gemm_ablation;

/* "full", "first_lost", ...; "?" for a value outside the enum. */
const char *assay_gemm_ablation_name(assay_gemm_ablation ablation);

/* False where it is no fault for this shape. */
bool assay_gemm_ablation_applies(assay_gemm_ablation ablation, int64_t m, int64_t n, int64_t k);

/* Row `row` of the ablated product of x (m, k) and w (n, k), in float64. */
assay_status assay_oracle_gemm_bf16_ablated(assay_gemm_ablation ablation, const uint16_t *x,
                                            const uint16_t *w, int64_t m, int64_t n, int64_t k,
                                            int64_t row, double *y);

#ifdef __cplusplus
}
#endif
#endif
