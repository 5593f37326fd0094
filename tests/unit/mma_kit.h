/* Dot products written as numbers, for the tests of the matrix-unit models. */
#ifndef ASSAY_UNIT_MMA_KIT_H
#define ASSAY_UNIT_MMA_KIT_H

#include "assay/mma.h"

/* a_k * b_k for k = 0, 1, ...; the rest of the instruction's k is zero. */
typedef struct mma_pair {
    double a, b;
} mma_pair;

typedef struct mma_case {
    mma_pair pairs[32];
    uint32_t c;
} mma_case;

/* The code of a value that the type holds exactly. */
uint32_t mma_kit_code(assay_mma_type type, double value);

/* Element of one instruction. */
uint32_t mma_kit_dot(const assay_mma *mma, const mma_case *test);
uint32_t mma_kit_dot_scaled(const assay_mma *mma, const mma_case *test, const uint8_t *a_scale,
                            const uint8_t *b_scale);

/* A record of the table; the test stops when there is none. */
const assay_mma *mma_kit_find(const char *arch, const char *name);

float mma_kit_float(uint32_t bits);
uint32_t mma_kit_bits(float value);

#endif
