/* The truncated fused dot-product-add of NVIDIA's matrix units.
 *
 *   1. Products are exact and stay as they are: 1.5*1.5 is 2.25 at exponent 0.
 *   2. c is one more term.
 *   3. A term that is zero takes the exponent `floor` in place of its own.
 *   4. Every term is cut, toward zero, one by one, at 2^(largest exponent - fraction).
 *   5. What is left is added exactly.
 *   6. The sum is rounded once; a sum that is or becomes zero gives +0.
 *
 * A product beyond 2^128 is finite in here: 2^200 - 2^200 + 1 is 0 in bf16. An infinity comes only
 * from an infinite operand, or from the last rounding.
 */
#include "internal.h"

bool mma_special(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                 const mma_number *b, int count, mma_number c, uint32_t *result) {
    bool nan = c.class == MMA_NAN;
    bool infinite[2] = {false, false};
    if (c.class == MMA_INFINITE) infinite[c.negative] = true;
    for (int i = 0; i < count; i++) {
        if (a[i].class == MMA_FINITE && b[i].class == MMA_FINITE) continue;
        const bool by_zero = (a[i].class == MMA_FINITE && a[i].significand == 0) ||
                             (b[i].class == MMA_FINITE && b[i].significand == 0);
        if (a[i].class == MMA_NAN || b[i].class == MMA_NAN || by_zero)
            nan = true;
        else
            infinite[a[i].negative != b[i].negative] = true;
    }
    if (nan || (infinite[0] && infinite[1])) {
        *result = mma_nan(rule, type);
        return true;
    }
    if (!infinite[0] && !infinite[1]) return false;
    *result = mma_infinity(type, infinite[1]);
    return true;
}

static int highest_bit(uint64_t v) { return 63 - __builtin_clzll(v); }

uint32_t mma_fused(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                   const mma_number *b, int count, int fraction, int scale_exponent, uint32_t c) {
    const mma_layout *l = mma_layout_of(type);
    const mma_number added = mma_decode(l, c, rule->flush_subnormals);
    uint32_t result;
    if (mma_special(rule, type, a, b, count, added, &result)) return result;

    int64_t product[MMA_MAX_K];
    int exponent[MMA_MAX_K];
    const int added_exponent = added.significand ? added.exponent : rule->floor;
    int largest = added_exponent;
    bool overflow[2] = {false, false};
    for (int i = 0; i < count; i++) {
        const uint64_t magnitude = (uint64_t)a[i].significand * b[i].significand;
        const bool negative = a[i].negative != b[i].negative;
        product[i] = negative ? -(int64_t)magnitude : (int64_t)magnitude;
        exponent[i] = magnitude ? a[i].exponent + b[i].exponent + scale_exponent : rule->floor;
        if (exponent[i] > largest) largest = exponent[i];
        if (magnitude && highest_bit(magnitude) + exponent[i] - fraction >= 128)
            overflow[negative] = true;
    }
    if (rule->infinite_products && (overflow[0] || overflow[1]))
        return overflow[0] && overflow[1] ? mma_nan(rule, type) : mma_infinity(type, overflow[1]);

    const int unit = largest - rule->fraction;
    const int64_t signed_c = added.negative ? -(int64_t)added.significand : added.significand;
    int64_t sum = mma_shift(signed_c, unit - (added_exponent - l->fraction_bits), rule->align);
    for (int i = 0; i < count; i++)
        sum += mma_shift(product[i], unit - (exponent[i] - fraction), rule->align);
    return mma_round(rule, type, sum, unit);
}
