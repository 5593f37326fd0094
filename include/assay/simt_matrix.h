/* The executor's matrix operations: the lane half of what kernels/device/matrix_simt.h offers.
 *
 * All are warp-wide over 32 lanes, each of which must call with the same operation and site. The
 * numbers are those of the launch's chip, by the models of assay/mma.h; a chip without a model of
 * the instruction ends the launch. Register layouts are those of the PTX ISA.
 */
#ifndef ASSAY_SIMT_MATRIX_H
#define ASSAY_SIMT_MATRIX_H

#include <stdbool.h>

#include "assay/simt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of a and b; c and d are f32. */
typedef enum assay_simt_mma_shape {
    ASSAY_SIMT_MMA_M16N8K16_BF16 = 0,
    ASSAY_SIMT_MMA_M16N8K16_F16,
    ASSAY_SIMT_MMA_M16N8K8_BF16,
    ASSAY_SIMT_MMA_M16N8K8_F16,
    ASSAY_SIMT_MMA_M16N8K8_TF32,
    ASSAY_SIMT_MMA_M16N8K4_TF32,
    ASSAY_SIMT_MMA_M16N8K32_E4M3,
    ASSAY_SIMT_MMA_M16N8K32_E5M2,
    ASSAY_SIMT_MMA_SHAPE_COUNT
} assay_simt_mma_shape;

/* mma.sync: d = a b + c. a: 4 registers, b: 2 (half of each where a row has 16 bytes of k); c and
 * d: 4 floats, which may be the same ones. */
void assay_simt_mma(assay_simt_mma_shape shape, float *d, const uint32_t *a, const uint32_t *b,
                    const float *c, const assay_simt_site *site);

/* ldmatrix .x1, .x2, .x4 (`count`): lane 8i + j names row j of matrix i, 16 bytes of shared memory;
 * register i of a lane receives its pair of 16-bit elements of matrix i, of the transposed one with
 * `transposed`. Rows named by lanes from 8 count on are not looked at. */
void assay_simt_ldmatrix(uint32_t *registers, const void *row, uint32_t count, bool transposed,
                         const assay_simt_site *site);

/* stmatrix: the way back. */
void assay_simt_stmatrix(void *row, const uint32_t *registers, uint32_t count, bool transposed,
                         const assay_simt_site *site);

#ifdef __cplusplus
}
#endif
#endif
