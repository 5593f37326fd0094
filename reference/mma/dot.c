/* One element of one instruction, by its operator. */
#include "internal.h"

static void decode_all(const assay_mma *mma, assay_mma_type type, const void *base,
                       mma_number *out) {
    const mma_layout *l = mma_layout_of(type);
    for (int i = 0; i < mma->k; i++) {
        out[i] = mma_decode(l, (uint32_t)mma_load(type, base, i), mma->rule.flush_subnormals);
        if (mma->rule.op == ASSAY_MMA_EMULATED) out[i] = mma_as_f16(l, out[i]);
    }
}

uint64_t assay_mma_dot(const assay_mma *mma, const void *a, const void *b, uint64_t c,
                       const uint8_t *a_scale, const uint8_t *b_scale) {
    const assay_mma_rule *rule = &mma->rule;
    if (rule->op == ASSAY_MMA_CHAIN) return mma_chain(mma, a, b, c);
    if (rule->op == ASSAY_MMA_INTEGER) return mma_integer(mma, a, b, c);
    mma_number x[MMA_MAX_K], y[MMA_MAX_K];
    decode_all(mma, mma->a, a, x);
    decode_all(mma, mma->b, b, y);
    uint32_t d = (uint32_t)c;
    if (rule->op == ASSAY_MMA_EMULATED) return mma_emulated(mma, x, y, d);
    if (rule->op == ASSAY_MMA_GROUP_SCALED) return mma_group_scaled(mma, x, y, a_scale, b_scale, d);

    const int fraction =
        mma_layout_of(mma->a)->fraction_bits + mma_layout_of(mma->b)->fraction_bits;
    for (int i = 0; i < mma->k; i += rule->terms) {
        if (rule->op == ASSAY_MMA_SCALED) {
            const int block = i / mma->scale_block;
            const mma_scale p = mma_decode_scale(mma->scale, a_scale[block]);
            const mma_scale q = mma_decode_scale(mma->scale, b_scale[block]);
            d = p.nan || q.nan ? mma_nan(rule, mma->d)
                               : mma_fused(rule, mma->d, x + i, y + i, rule->terms, fraction,
                                           p.exponent + q.exponent, d);
        } else if (rule->op == ASSAY_MMA_FUSED) {
            d = mma_fused(rule, mma->d, x + i, y + i, rule->terms, fraction, 0, d);
        } else {
            d = mma_late_c(rule, mma->d, x + i, y + i, rule->terms, fraction, d);
        }
    }
    return d;
}
