/* 8-bit mma.sync on sm_90 and sm_100, which have no such instruction: the compiler converts the
 * operands to f16 and emits two f16 instructions and an addition.
 *
 *   d0 = fused(the k with bit 1 clear, +0)
 *   d1 = fused(the k with bit 1 set, d0)
 *   d  = c + d1, rounded to nearest even
 *
 * The alignment sees the f16 values: an E4M3 subnormal is a normal number there.
 */
#include "internal.h"

int mma_term_k(const assay_mma_rule *rule, int i) {
    if (rule->op != ASSAY_MMA_EMULATED) return i;
    const int half = i / rule->terms, j = i % rule->terms, bit = rule->group;
    return (j >> bit << (bit + 1)) | half << bit | (j & ((1 << bit) - 1));
}

uint32_t mma_emulated(const assay_mma *mma, const mma_number *a, const mma_number *b, uint32_t c) {
    const assay_mma_rule *rule = &mma->rule;
    uint32_t d = 0;
    for (int first = 0; first < mma->k; first += rule->terms) {
        mma_number x[MMA_MAX_K], y[MMA_MAX_K];
        for (int i = 0; i < rule->terms; i++) {
            x[i] = a[mma_term_k(rule, first + i)];
            y[i] = b[mma_term_k(rule, first + i)];
        }
        d = mma_fused(rule, mma->d, x, y, rule->terms, 20, 0, d);
    }
    return mma_add(rule, mma->d, c, d);
}
