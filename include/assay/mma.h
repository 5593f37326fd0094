/* Bit-accurate models of matrix instructions: operands and accumulator as bits in, result as bits
 * out. docs/matrix-units.md says what each model rests on.
 *
 * An instruction is a record: shape, types, and a rule whose parameters are the arithmetic. The
 * records are data; a caller may copy one, change the rule and run that, which is how the tests
 * show that every parameter matters.
 *
 *   const assay_mma *mma = assay_mma_find("sm_90a", "mma.m16n8k16.f32.bf16.bf16.f32");
 *   assay_mma_tile(mma, &tile);
 *
 * Elements lie one code a container: 1 byte for types of up to 8 bits (fp4 and fp6 in the low
 * bits), 2 bytes for f16 and bf16, 4 for tf32 (a float's bits; the low 13 are ignored), f32 and
 * s32, 8 for f64. Every NaN result is the rule's one NaN code.
 */
#ifndef ASSAY_MMA_H
#define ASSAY_MMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_mma_type {
    ASSAY_MMA_F64 = 0,
    ASSAY_MMA_F32,
    ASSAY_MMA_TF32, /* AMD's xf32 too */
    ASSAY_MMA_F16,
    ASSAY_MMA_BF16,
    ASSAY_MMA_E5M2,
    ASSAY_MMA_E4M3,
    ASSAY_MMA_E5M2_FNUZ,
    ASSAY_MMA_E4M3_FNUZ,
    ASSAY_MMA_E3M2,
    ASSAY_MMA_E2M3,
    ASSAY_MMA_E2M1,
    ASSAY_MMA_S8,
    ASSAY_MMA_U8,
    ASSAY_MMA_S32,
    ASSAY_MMA_UE8M0, /* block scales only */
    ASSAY_MMA_UE4M3, /* block scales only; bit 7 is ignored */
    ASSAY_MMA_TYPE_COUNT
} assay_mma_type;

typedef enum assay_mma_operator {
    ASSAY_MMA_FUSED,        /* products and c cut at one grid and added: reference/mma/fused.c */
    ASSAY_MMA_EMULATED,     /* 8-bit operands as f16 in two FUSED halves, then a rounded add of c */
    ASSAY_MMA_SCALED,       /* FUSED with the block scales' exponents added to the products' */
    ASSAY_MMA_GROUP_SCALED, /* exact sums of a group times its scales, then as FUSED */
    ASSAY_MMA_LATE_C,       /* CDNA3: products fused first, c added rounding down */
    ASSAY_MMA_LATE_C_PAIRED, /* the same over even and odd k apart */
    ASSAY_MMA_CHAIN,         /* fused multiply-adds in increasing k */
    ASSAY_MMA_INTEGER        /* exact, modulo 2^32 */
} assay_mma_operator;

typedef enum assay_mma_rounding {
    ASSAY_MMA_TOWARD_ZERO,
    ASSAY_MMA_NEAREST_EVEN,
    ASSAY_MMA_DOWN
} assay_mma_rounding;

/* The arithmetic. Fields that an operator does not name are 0. */
typedef struct assay_mma_rule {
    assay_mma_operator op;
    int terms;                /* products that one step adds at once; steps in increasing k */
    int fraction;             /* bits kept below the largest exponent when terms are aligned */
    int keep;                 /* fraction bits of the result */
    int floor;                /* exponent that a term equal to zero takes */
    int group;                /* GROUP_SCALED: products of one exact sum; EMULATED: the bit of k
                                 that tells the two halves apart */
    int late_fraction;        /* LATE_C: bits kept of the products' sum when c is added */
    assay_mma_rounding align; /* of a term to the grid */
    assay_mma_rounding round; /* of the sum to the result */
    bool flush_subnormals;    /* operands, c and results */
    bool signed_zero;         /* a negative sum that rounds to zero gives -0; else +0 */
    bool infinite_products;   /* a product of 2^128 or more is an infinity */
    uint32_t nan;
} assay_mma_rule;

typedef enum assay_mma_confidence {
    ASSAY_MMA_MEASURED,   /* agreed with the chip over random sweeps and targeted tests */
    ASSAY_MMA_TWO_MODELS, /* two independent published models agree; not run here */
    ASSAY_MMA_ONE_MODEL,  /* one published model, which its authors ran on the chip */
    ASSAY_MMA_INFERRED    /* follows from its neighbours; nobody published it */
} assay_mma_confidence;

/* One instruction of one architecture. */
typedef struct assay_mma {
    const char *arch;       /* "sm_90"; a trailing letter is not part of it */
    const char *name;       /* the mnemonic's parts that matter: "mma.m16n8k16.f32.bf16.bf16.f32" */
    int m, n, k;            /* n is 0 where it is free (wgmma: a multiple of 8 up to 256) */
    assay_mma_type a, b, d; /* d: accumulator and result */
    assay_mma_type scale;   /* where scale_block > 0 */
    int scale_block;        /* k covered by one scale; 0: no scales */
    assay_mma_rule rule;
    assay_mma_confidence confidence;
} assay_mma;

/* The records, in a fixed order. */
size_t assay_mma_count(void);
const assay_mma *assay_mma_at(size_t index);

/* By architecture ("sm_90" or "sm_90a") and name; a name's free n may be given as a number
 * ("wgmma.m64n128k16.f32.bf16.bf16"). NULL when there is no model. */
const assay_mma *assay_mma_find(const char *arch, const char *name);

/* "e4m3", ...; "?" outside the enum. Bytes of the container, 0 outside. */
const char *assay_mma_type_name(assay_mma_type type);
size_t assay_mma_type_size(assay_mma_type type);

/* "measured", "two models", "one model", "inferred". */
const char *assay_mma_confidence_name(assay_mma_confidence confidence);

/* One element: c + sum over mma->k of a[i]*b[i], by the plain model, which the faster paths of
 * assay_mma_tile are tested against. Scales: k / scale_block codes, NULL without. */
uint64_t assay_mma_dot(const assay_mma *mma, const void *a, const void *b, uint64_t c,
                       const uint8_t *a_scale, const uint8_t *b_scale);

typedef enum assay_mma_path {
    ASSAY_MMA_BEST = 0, /* the fastest that this processor runs */
    ASSAY_MMA_PLAIN,    /* assay_mma_dot, element by element */
    ASSAY_MMA_PORTABLE, /* 16 rows at once, as the compiler's baseline allows */
    ASSAY_MMA_AVX2,
    ASSAY_MMA_AVX512
} assay_mma_path;

bool assay_mma_path_available(assay_mma_path path);

/* A matrix in memory; strides in elements. Row-major: {data, columns, 1}. */
typedef struct assay_mma_matrix {
    const void *data;
    int64_t row_stride, column_stride;
} assay_mma_matrix;

/* d = c + a*b over a tile of any m and n; k is a multiple of the instruction's, and longer ones are
 * chained through d as a kernel's loop does. */
typedef struct assay_mma_tile_args {
    int64_t m, n, k;
    assay_mma_matrix a; /* m x k */
    assay_mma_matrix b; /* k x n */
    const void *c;      /* m x n, row-major, row stride c_stride; may be d */
    void *d;            /* m x n, row-major, row stride d_stride */
    int64_t c_stride, d_stride;
    const uint8_t *a_scale; /* m x k/scale_block, row-major, dense */
    const uint8_t *b_scale; /* n x k/scale_block, row-major, dense */
    assay_mma_path path;
} assay_mma_tile_args;

/* ERR_ARGUMENT: a negative size, k not a multiple, a NULL pointer where elements are due.
 * ERR_UNSUPPORTED: a path that this processor lacks. */
assay_status assay_mma_tile(const assay_mma *mma, const assay_mma_tile_args *tile);

/* ---- Fragments: which lane holds an element in which register ----------------------------------
 *
 * a is m x k, b is k x n, c and d are m x n. Lanes count through the warp (32), the wave (64) or
 * the warpgroup (128). Registers have 32 bits, 64 for f64. */

typedef enum assay_mma_operand { ASSAY_MMA_A, ASSAY_MMA_B, ASSAY_MMA_C } assay_mma_operand;

typedef struct assay_mma_place {
    int lane, reg;
    int bit; /* of the element's lowest bit within the register */
} assay_mma_place;

typedef struct assay_mma_element {
    int row, column;
} assay_mma_element;

/* Lanes that take part; 0 where the operands are not in registers (tcgen05) or no layout is known.
 */
int assay_mma_lanes(const assay_mma *mma);

/* Registers a lane holds of an operand; 0 where it has none (b of wgmma). n: columns of the
 * instruction, for those whose n is free. */
int assay_mma_registers(const assay_mma *mma, assay_mma_operand operand, int n);

/* Place of an element, and the element at a place: inverse to each other. False when there is no
 * such element or place. */
bool assay_mma_place_of(const assay_mma *mma, assay_mma_operand operand, int n,
                        assay_mma_element element, assay_mma_place *place);
bool assay_mma_element_at(const assay_mma *mma, assay_mma_operand operand, int n,
                          assay_mma_place place, assay_mma_element *element);

/* Block scales of mma.sync: the lane and bit of scale `block` of row (a) or column (b) `index`, for
 * the immediates thread_id and byte_id. False when they are not valid for the instruction. */
bool assay_mma_scale_place(const assay_mma *mma, assay_mma_operand operand, int index, int block,
                           int thread_id, int byte_id, assay_mma_place *place);

#ifdef __cplusplus
}
#endif
#endif
