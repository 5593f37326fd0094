/* One element of one instruction, by its operator. */
#include "internal.h"

void mma_decode_operand(const assay_mma *mma, assay_mma_type type, const void *base, int64_t at,
                        int64_t stride, mma_number *out) {
    const mma_layout *l = mma_layout_of(type);
    for (int i = 0; i < mma->k; i++) {
        const uint32_t code = (uint32_t)mma_load(type, base, at + i * stride);
        out[i] = mma_decode(l, code, mma->rule.flush_subnormals);
        if (mma->rule.op == ASSAY_MMA_EMULATED) out[i] = mma_as_f16(l, out[i]);
    }
}

bool mma_takes_numbers(const assay_mma *mma) {
    return mma->rule.op != ASSAY_MMA_CHAIN && mma->rule.op != ASSAY_MMA_INTEGER;
}

uint32_t mma_dot_numbers(const assay_mma *mma, const mma_number *a, const mma_number *b, uint32_t c,
                         const uint8_t *a_scale, const uint8_t *b_scale) {
    const assay_mma_rule *rule = &mma->rule;
    if (rule->op == ASSAY_MMA_EMULATED) return mma_emulated(mma, a, b, c);
    if (rule->op == ASSAY_MMA_GROUP_SCALED) return mma_group_scaled(mma, a, b, a_scale, b_scale, c);

    const int fraction =
        mma_layout_of(mma->a)->fraction_bits + mma_layout_of(mma->b)->fraction_bits;
    uint32_t d = c;
    for (int i = 0; i < mma->k; i += rule->terms) {
        if (rule->op == ASSAY_MMA_SCALED) {
            const int block = i / mma->scale_block;
            const mma_scale p = mma_decode_scale(mma->scale, a_scale[block]);
            const mma_scale q = mma_decode_scale(mma->scale, b_scale[block]);
            d = p.nan || q.nan ? mma_nan(rule, mma->d)
                               : mma_fused(rule, mma->d, a + i, b + i, rule->terms, fraction,
                                           p.exponent + q.exponent, d);
        } else if (rule->op == ASSAY_MMA_FUSED) {
            d = mma_fused(rule, mma->d, a + i, b + i, rule->terms, fraction, 0, d);
        } else {
            d = mma_late_c(rule, mma->d, a + i, b + i, rule->terms, fraction, d);
        }
    }
    return d;
}

uint64_t assay_mma_dot(const assay_mma *mma, const void *a, const void *b, uint64_t c,
                       const uint8_t *a_scale, const uint8_t *b_scale) {
    if (mma->rule.op == ASSAY_MMA_CHAIN) return mma_chain(mma, a, b, c);
    if (mma->rule.op == ASSAY_MMA_INTEGER) return mma_integer(mma, a, b, c);
    mma_number x[MMA_MAX_K], y[MMA_MAX_K];
    mma_decode_operand(mma, mma->a, a, 0, 1, x);
    mma_decode_operand(mma, mma->b, b, 0, 1, y);
    return mma_dot_numbers(mma, x, y, (uint32_t)c, a_scale, b_scale);
}
