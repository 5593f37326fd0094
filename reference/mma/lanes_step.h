/* What the lane kernel takes and gives; see lanes.h. */
#ifndef ASSAY_MMA_LANES_STEP_H
#define ASSAY_MMA_LANES_STEP_H

#include <stdint.h>

#include "internal.h"

#define MMA_LANES 16

/* The exponent of a significand that is zero: a product of it never sets the alignment, and the
 * sum of two such exponents is in range. */
#define MMA_LANES_ZERO (-20000)

/* Decodes `count` codes (a multiple of MMA_LANES): significand with its sign, moved up by `up`
 * bits; special is 1 where there is no number. as_f16: as mma_as_f16 has it. */
typedef struct mma_lanes_decode {
    const mma_layout *layout;
    bool flush_subnormals, as_f16;
    int up, count;
    const uint32_t *code;
    int32_t *significand, *exponent, *special;
} mma_lanes_decode;

/* value = fused(terms, value) for 16 rows and one column, whose products are finite. */
typedef struct mma_lanes_step {
    const assay_mma_rule *rule;
    const mma_layout *layout; /* of the accumulator */
    const int *order;         /* rule->terms indices into the operands */
    const int32_t (*a_significand)[MMA_LANES], (*a_exponent)[MMA_LANES]; /* by k */
    const int32_t *b_significand, *b_exponent; /* by k; significands moved up by fraction - f */
    uint32_t *value;                           /* 16 accumulators, in and out */
} mma_lanes_step;

typedef struct mma_lanes {
    void (*decode)(const mma_lanes_decode *d);
    void (*step)(const mma_lanes_step *s);
} mma_lanes;

extern const mma_lanes mma_lanes_portable, mma_lanes_avx2, mma_lanes_avx512;

/* The kernel for a path; NULL when this processor lacks it, and for PLAIN. */
const mma_lanes *mma_lanes_for(assay_mma_path path);

/* Does the lane kernel serve this instruction? */
bool mma_lanes_serve(const assay_mma *mma);

/* A tile by the lane kernel; arguments checked. */
void mma_lanes_tile(const assay_mma *mma, const assay_mma_tile_args *t, const mma_lanes *lanes);

#endif
