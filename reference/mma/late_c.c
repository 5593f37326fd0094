/* CDNA3's fused operators: the products first, c afterwards, rounding toward minus infinity
 * between.
 *
 *   t = sum of the products, each cut toward zero at 2^(e_dot - fraction), e_dot their largest
 *       exponent (that of products which are not zero)
 *   e = max(e_dot, exponent of c)
 *   s = down(t, 2^(e - late_fraction - 1)) + down(c, 2^(e - fraction))
 *   d = nearest(down(s, late_fraction bits below its own leading one))
 *
 * Paired (8-bit operands): t is taken over even and odd k apart, each cut at its own largest
 * exponent, both rounded down to the common grid and added; and c is dropped when its exponent is
 * below e - fraction - 1. Because of the rounding down, results lean toward minus infinity.
 */
#include "internal.h"

static int highest_bit(uint64_t v) { return 63 - __builtin_clzll(v); }

/* Rather than any product's: what shifts out to nothing beside every number. */
#define NO_PRODUCT (-2000)

typedef struct partial {
    int64_t sum; /* in units of 2^(exponent - fraction) */
    int exponent;
} partial;

static partial add_products(const assay_mma_rule *rule, const mma_number *a, const mma_number *b,
                            int first, int count, int step, int fraction) {
    partial p = {.exponent = NO_PRODUCT};
    for (int i = first; i < count; i += step) {
        const int exponent = a[i].exponent + b[i].exponent;
        if (a[i].significand && b[i].significand && exponent > p.exponent) p.exponent = exponent;
    }
    for (int i = first; i < count; i += step) {
        const int64_t magnitude = (int64_t)a[i].significand * b[i].significand;
        const int at = a[i].exponent + b[i].exponent - fraction;
        const int64_t product = a[i].negative != b[i].negative ? -magnitude : magnitude;
        if (product) p.sum += mma_shift(product, p.exponent - rule->fraction - at, rule->align);
    }
    return p;
}

static bool overflows(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                      const mma_number *b, int count, int fraction, uint32_t *result) {
    bool infinite[2] = {false, false};
    for (int i = 0; rule->infinite_products && i < count; i++) {
        const uint64_t magnitude = (uint64_t)a[i].significand * b[i].significand;
        if (magnitude && highest_bit(magnitude) - fraction + a[i].exponent + b[i].exponent >= 128)
            infinite[a[i].negative != b[i].negative] = true;
    }
    if (!infinite[0] && !infinite[1]) return false;
    *result = infinite[0] && infinite[1] ? mma_nan(rule, type) : mma_infinity(type, infinite[1]);
    return true;
}

uint32_t mma_late_c(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                    const mma_number *b, int count, int fraction, uint32_t c) {
    const int f = rule->fraction, late = rule->late_fraction;
    const mma_number added = mma_decode(mma_layout_of(type), c, rule->flush_subnormals);
    uint32_t result;
    if (mma_special(rule, type, a, b, count, added, &result)) return result;
    if (overflows(rule, type, a, b, count, fraction, &result)) return result;

    const bool paired = rule->op == ASSAY_MMA_LATE_C_PAIRED;
    partial dot = add_products(rule, a, b, 0, count, paired ? 2 : 1, fraction);
    if (paired) {
        const partial odd = add_products(rule, a, b, 1, count, 2, fraction), even = dot;
        dot.exponent = even.exponent > odd.exponent ? even.exponent : odd.exponent;
        dot.sum = mma_shift(even.sum, dot.exponent - even.exponent, ASSAY_MMA_DOWN) +
                  mma_shift(odd.sum, dot.exponent - odd.exponent, ASSAY_MMA_DOWN);
    }

    const int largest = dot.exponent > added.exponent ? dot.exponent : added.exponent;
    const int unit = largest - late - 1;
    int64_t signed_c = added.negative ? -(int64_t)added.significand : added.significand;
    if (paired && added.exponent < largest - f - 1) signed_c = 0;
    const int64_t cut_c = mma_shift(signed_c, largest - f - (added.exponent - 23), ASSAY_MMA_DOWN);
    const int64_t sum = mma_shift(dot.sum, unit - (dot.exponent - f), ASSAY_MMA_DOWN) +
                        mma_shift(cut_c, unit - (largest - f), ASSAY_MMA_DOWN);
    if (sum == 0) return 0;

    const int top = highest_bit(sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum) + unit;
    const int grid = (top < -126 ? -126 : top) - late;
    if (grid <= unit) return mma_round(rule, type, sum, unit);
    return mma_round(rule, type, mma_shift(sum, grid - unit, ASSAY_MMA_DOWN), grid);
}
