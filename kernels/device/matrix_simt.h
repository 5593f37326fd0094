/* Matrix operations on the executor. */
#ifndef ASSAY_DEVICE_MATRIX_SIMT_H
#define ASSAY_DEVICE_MATRIX_SIMT_H

#include "assay/simt_matrix.h"

DEV_INLINE assay_simt_mma_shape dev_simt_k16(const dev_bf16 *) {
    return ASSAY_SIMT_MMA_M16N8K16_BF16;
}
DEV_INLINE assay_simt_mma_shape dev_simt_k16(const dev_f16 *) {
    return ASSAY_SIMT_MMA_M16N8K16_F16;
}
DEV_INLINE assay_simt_mma_shape dev_simt_k8(const dev_bf16 *) {
    return ASSAY_SIMT_MMA_M16N8K8_BF16;
}
DEV_INLINE assay_simt_mma_shape dev_simt_k8(const dev_f16 *) { return ASSAY_SIMT_MMA_M16N8K8_F16; }

template <typename T>
DEV_INLINE void dev_mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                 DEV_HERE) {
    DEV_SITE("dev_mma_m16n8k16");
    assay_simt_mma(dev_simt_k16(static_cast<const T *>(nullptr)), d, a, b, c, &site);
}
template <typename T>
DEV_INLINE void dev_mma_m16n8k8(float *d, const uint32_t *a, const uint32_t *b, const float *c,
                                DEV_HERE) {
    DEV_SITE("dev_mma_m16n8k8");
    assay_simt_mma(dev_simt_k8(static_cast<const T *>(nullptr)), d, a, b, c, &site);
}

DEV_INLINE void dev_ldmatrix_x4(uint32_t *r, const void *row, DEV_HERE) {
    DEV_SITE("dev_ldmatrix_x4");
    assay_simt_ldmatrix(r, row, 4, false, &site);
}
DEV_INLINE void dev_ldmatrix_x2(uint32_t *r, const void *row, DEV_HERE) {
    DEV_SITE("dev_ldmatrix_x2");
    assay_simt_ldmatrix(r, row, 2, false, &site);
}
DEV_INLINE void dev_ldmatrix_x4_trans(uint32_t *r, const void *row, DEV_HERE) {
    DEV_SITE("dev_ldmatrix_x4_trans");
    assay_simt_ldmatrix(r, row, 4, true, &site);
}
DEV_INLINE void dev_ldmatrix_x2_trans(uint32_t *r, const void *row, DEV_HERE) {
    DEV_SITE("dev_ldmatrix_x2_trans");
    assay_simt_ldmatrix(r, row, 2, true, &site);
}
DEV_INLINE void dev_stmatrix_x4(void *row, const uint32_t *r, DEV_HERE) {
    DEV_SITE("dev_stmatrix_x4");
    assay_simt_stmatrix(row, r, 4, false, &site);
}
DEV_INLINE void dev_stmatrix_x2(void *row, const uint32_t *r, DEV_HERE) {
    DEV_SITE("dev_stmatrix_x2");
    assay_simt_stmatrix(row, r, 2, false, &site);
}

#endif
