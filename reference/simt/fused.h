/* A fast 16 x 8 tile of the fused operator; see fused.c. */
#ifndef ASSAY_REFERENCE_SIMT_FUSED_H
#define ASSAY_REFERENCE_SIMT_FUSED_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/mma.h"

bool simt_fused_serves(const assay_mma *mma);

/* c = a b + c, in place: a row-major, b a column a row; k of a shorter instruction comes
 * first, and zeros after it. */
void simt_fused_multiply(const assay_mma *mma, const uint16_t a[16][16], const uint16_t b[8][16],
                         float c[16][8]);

#endif
