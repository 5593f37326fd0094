/* Instructions without a fused sum: chains of IEEE fused multiply-adds, and integers. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* NaN results are compared by class on the chips; here they are the one code. */
#define F64_NAN UINT64_C(0x7fffffffffffffff)

static double f64_at(const void *base, int i) { return ((const double *)base)[i]; }

static uint64_t chain_f64(const assay_mma *mma, const void *a, const void *b, uint64_t c) {
    double sum;
    memcpy(&sum, &c, sizeof sum);
    for (int i = 0; i < mma->k; i++) sum = fma(f64_at(a, i), f64_at(b, i), sum);
    if (isnan(sum)) return F64_NAN;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

uint64_t mma_chain(const assay_mma *mma, const void *a, const void *b, uint64_t c) {
    if (mma->d == ASSAY_MMA_F64) return chain_f64(mma, a, b, c);
    const uint32_t code = (uint32_t)c;
    float sum;
    memcpy(&sum, &code, sizeof sum);
    for (int i = 0; i < mma->k; i++) sum = fmaf(((const float *)a)[i], ((const float *)b)[i], sum);
    if (isnan(sum)) return mma->rule.nan;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static int32_t small_integer(assay_mma_type type, uint8_t code) {
    return type == ASSAY_MMA_S8 ? (int8_t)code : code;
}

uint64_t mma_integer(const assay_mma *mma, const void *a, const void *b, uint64_t c) {
    uint32_t sum = (uint32_t)c;
    for (int i = 0; i < mma->k; i++)
        sum += (uint32_t)(small_integer(mma->a, ((const uint8_t *)a)[i]) *
                          small_integer(mma->b, ((const uint8_t *)b)[i]));
    return sum;
}
