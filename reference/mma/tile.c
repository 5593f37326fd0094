/* A tile of any size: arguments, then the lane kernel or the plain model. */
#include "internal.h"
#include "lanes_step.h"

static assay_status check(const assay_mma *mma, const assay_mma_tile_args *t) {
    if (t->m < 0 || t->n < 0 || t->k < 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: negative size %lld x %lld x %lld", mma->name,
                          (long long)t->m, (long long)t->n, (long long)t->k);
    if (t->k % mma->k)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: k is %lld, not a multiple of %d", mma->name,
                          (long long)t->k, mma->k);
    if (t->m > 0 && t->n > 0) {
        if (!t->c || !t->d || (t->k > 0 && (!t->a.data || !t->b.data)))
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: a matrix is NULL", mma->name);
        if (mma->scale_block && t->k > 0 && (!t->a_scale || !t->b_scale))
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: block scales are NULL", mma->name);
    }
    if (!assay_mma_path_available(t->path))
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "%s: this processor lacks path %d", mma->name,
                          (int)t->path);
    return ASSAY_OK;
}

static void gather(assay_mma_type type, const void *data, int64_t at, int64_t stride, int count,
                   void *out) {
    for (int j = 0; j < count; j++) mma_store(type, out, j, mma_load(type, data, at + j * stride));
}

static void plain_tile(const assay_mma *mma, const assay_mma_tile_args *t) {
    const int64_t blocks = mma->scale_block ? t->k / mma->scale_block : 0;
    for (int64_t i = 0; i < t->m; i++) {
        for (int64_t j = 0; j < t->n; j++) {
            uint64_t d = mma_load(mma->d, t->c, i * t->c_stride + j);
            for (int64_t k = 0; k < t->k; k += mma->k) {
                uint64_t a[MMA_MAX_K], b[MMA_MAX_K];
                gather(mma->a, t->a.data, i * t->a.row_stride + k * t->a.column_stride,
                       t->a.column_stride, mma->k, a);
                gather(mma->b, t->b.data, k * t->b.row_stride + j * t->b.column_stride,
                       t->b.row_stride, mma->k, b);
                const int64_t block = mma->scale_block ? k / mma->scale_block : 0;
                d = assay_mma_dot(mma, a, b, d, blocks ? t->a_scale + i * blocks + block : NULL,
                                  blocks ? t->b_scale + j * blocks + block : NULL);
            }
            mma_store(mma->d, t->d, i * t->d_stride + j, d);
        }
    }
}

#define COLUMNS 8 /* of b, decoded together */

/* The plain model with operands decoded once for several elements. */
static void decoded_tile(const assay_mma *mma, const assay_mma_tile_args *t) {
    const int64_t blocks = mma->scale_block ? t->k / mma->scale_block : 0;
    mma_number a[MMA_MAX_K], b[COLUMNS][MMA_MAX_K];
    for (int64_t first = 0; first < t->n; first += COLUMNS) {
        const int64_t columns = t->n - first < COLUMNS ? t->n - first : COLUMNS;
        for (int64_t k = 0; k < t->k; k += mma->k) {
            const int64_t block = mma->scale_block ? k / mma->scale_block : 0;
            const void *from = k == 0 ? t->c : t->d;
            const int64_t stride = k == 0 ? t->c_stride : t->d_stride;
            for (int64_t j = 0; j < columns; j++)
                mma_decode_operand(mma, mma->b, t->b.data,
                                   k * t->b.row_stride + (first + j) * t->b.column_stride,
                                   t->b.row_stride, b[j]);
            for (int64_t i = 0; i < t->m; i++) {
                mma_decode_operand(mma, mma->a, t->a.data,
                                   i * t->a.row_stride + k * t->a.column_stride, t->a.column_stride,
                                   a);
                for (int64_t j = 0; j < columns; j++) {
                    const int64_t at = first + j;
                    const uint32_t c = (uint32_t)mma_load(mma->d, from, i * stride + at);
                    const uint32_t d = mma_dot_numbers(
                        mma, a, b[j], c, blocks ? t->a_scale + i * blocks + block : NULL,
                        blocks ? t->b_scale + at * blocks + block : NULL);
                    mma_store(mma->d, t->d, i * t->d_stride + at, d);
                }
            }
        }
    }
}

assay_status assay_mma_tile(const assay_mma *mma, const assay_mma_tile_args *t) {
    const assay_status status = check(mma, t);
    if (status) return status;
    const mma_lanes *lanes = mma_lanes_for(t->path);
    if (lanes && t->k > 0 && mma_lanes_serve(mma))
        mma_lanes_tile(mma, t, lanes);
    else if (lanes && t->k > 0 && mma_takes_numbers(mma))
        decoded_tile(mma, t);
    else
        plain_tile(mma, t);
    return ASSAY_OK;
}
