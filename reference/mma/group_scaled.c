/* FP4 with block scales on sm_120 (kind::mxf4, kind::mxf4nvf4).
 *
 * Each group of 16 products is added exactly and multiplied by its scales' significands; the result
 * is a term at the exponent of the scales alone, however large the sum is. A group takes the
 * exponent `floor` when all its products are zero or a scale is; one that cancels keeps its own.
 */
#include "internal.h"

uint32_t mma_group_scaled(const assay_mma *mma, const mma_number *a, const mma_number *b,
                          const uint8_t *a_scale, const uint8_t *b_scale, uint32_t c) {
    const assay_mma_rule *rule = &mma->rule;
    const mma_layout *l = mma_layout_of(mma->d);
    const int scale_fraction = mma->scale == ASSAY_MMA_UE4M3 ? 2 * 3 : 0;
    const int product_fraction =
        mma_layout_of(mma->a)->fraction_bits + mma_layout_of(mma->b)->fraction_bits;
    const mma_number added = mma_decode(l, c, rule->flush_subnormals);
    const int added_exponent = added.significand ? added.exponent : rule->floor;
    int64_t term[MMA_MAX_K];
    int exponent[MMA_MAX_K], groups = mma->k / rule->group, largest = added_exponent;
    bool nan = added.class == MMA_NAN;
    for (int g = 0; g < groups; g++) {
        const int block = g * rule->group / mma->scale_block;
        const mma_scale p = mma_decode_scale(mma->scale, a_scale[block]);
        const mma_scale q = mma_decode_scale(mma->scale, b_scale[block]);
        nan = nan || p.nan || q.nan;
        int64_t sum = 0;
        bool any = false;
        for (int i = g * rule->group; i < (g + 1) * rule->group; i++) {
            const int64_t product = (int64_t)a[i].significand * b[i].significand
                                    << (a[i].exponent + b[i].exponent); /* e2m1: 0 .. 2 each */
            any = any || product != 0;
            sum += a[i].negative != b[i].negative ? -product : product;
        }
        term[g] = sum * p.significand * q.significand;
        const bool counts = any && p.significand && q.significand;
        exponent[g] = counts ? p.exponent + q.exponent : rule->floor;
        if (exponent[g] > largest) largest = exponent[g];
    }
    if (nan) return mma_nan(rule, mma->d);
    if (added.class == MMA_INFINITE) return mma_infinity(mma->d, added.negative);

    const int unit = largest - rule->fraction;
    const int64_t signed_c = added.negative ? -(int64_t)added.significand : added.significand;
    int64_t sum = mma_shift(signed_c, unit - (added_exponent - l->fraction_bits), rule->align);
    for (int g = 0; g < groups; g++) {
        const int at = exponent[g] - product_fraction - scale_fraction;
        sum += mma_shift(term[g], unit - at, rule->align);
    }
    return mma_round(rule, mma->d, sum, unit);
}
