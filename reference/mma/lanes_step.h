/* What goes into and comes out of one fused step over 16 rows; see lanes.h. */
#ifndef ASSAY_MMA_LANES_STEP_H
#define ASSAY_MMA_LANES_STEP_H

#include <stdint.h>

#include "internal.h"

#define MMA_LANES 16

/* The exponent of a significand that is zero: a product of it never sets the alignment, and the
 * sum of two such exponents is in range. */
#define MMA_LANES_ZERO (-20000)

typedef struct mma_lanes_step {
    int terms;
    const int *order; /* terms indices into the operands */
    const int32_t (*a_significand)[MMA_LANES], (*a_exponent)[MMA_LANES]; /* by k; signed */
    const int32_t *b_significand, *b_exponent; /* by k; signed, moved up by fraction - f */
    int32_t c_exponent[MMA_LANES];             /* the alignment's start: of c, or the floor */
    int32_t largest[MMA_LANES];                /* out */
    int64_t sum[MMA_LANES]; /* out: of the products, in units of 2^(largest - fraction) */
} mma_lanes_step;

void mma_lanes_step_portable(mma_lanes_step *s);
void mma_lanes_step_avx2(mma_lanes_step *s);
void mma_lanes_step_avx512(mma_lanes_step *s);

typedef void mma_lanes_function(mma_lanes_step *s);

/* The step for a path; NULL when this processor lacks it, and for PLAIN. */
mma_lanes_function *mma_lanes_for(assay_mma_path path);

/* Does the lane kernel serve this instruction? */
bool mma_lanes_serve(const assay_mma *mma);

/* A tile by the lane kernel; arguments checked. */
void mma_lanes_tile(const assay_mma *mma, const assay_mma_tile_args *t, mma_lanes_function *step);

#endif
