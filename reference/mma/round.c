/* Rounding: shifts of signed integers, and a wide sum to f32 or f16. */
#include "internal.h"

static int highest_bit(uint64_t v) { return 63 - __builtin_clzll(v); }

int64_t mma_shift(int64_t v, int n, assay_mma_rounding rounding) {
    if (n <= 0) return n <= -64 ? 0 : (int64_t)((uint64_t)v << -n);
    const bool negative = v < 0;
    const uint64_t magnitude = negative ? 0 - (uint64_t)v : (uint64_t)v;
    if (n > 63) { /* below half a unit, whatever it is */
        return rounding == ASSAY_MMA_DOWN && negative ? -1 : 0;
    }
    uint64_t whole = magnitude >> n;
    const uint64_t rest = magnitude & ((UINT64_C(1) << n) - 1), half = UINT64_C(1) << (n - 1);
    if (rounding == ASSAY_MMA_NEAREST_EVEN) whole += rest > half || (rest == half && (whole & 1));
    if (rounding == ASSAY_MMA_DOWN) whole += negative && rest;
    return negative ? -(int64_t)whole : (int64_t)whole;
}

uint32_t mma_infinity(assay_mma_type type, bool negative) {
    return type == ASSAY_MMA_F16 ? 0x7c00U | (uint32_t)negative << 15
                                 : 0x7f800000U | (uint32_t)negative << 31;
}

/* The rule holds an f32 NaN; f16 results take its upper half, as 0x7fffffff and 0x7fff agree. */
uint32_t mma_nan(const assay_mma_rule *rule, assay_mma_type type) {
    return type == ASSAY_MMA_F16 ? rule->nan >> 16 : rule->nan;
}

/* The result has 1 + keep significant bits. Below the least normal exponent the grid stays where it
 * is there; a magnitude beyond the largest exponent is an infinity, never the largest number, also
 * when rounding toward zero. */
uint32_t mma_round(const assay_mma_rule *rule, assay_mma_type type, int64_t sum, int q) {
    if (sum == 0) return 0;
    const mma_layout *l = mma_layout_of(type);
    const int least = 1 - l->bias, sign_at = l->exponent_bits + l->fraction_bits;
    const bool negative = sum < 0;
    const uint64_t magnitude = negative ? 0 - (uint64_t)sum : (uint64_t)sum;
    const int exponent = highest_bit(magnitude) + q;
    int unit = (exponent < least ? least : exponent) - rule->keep;
    const int64_t rounded = mma_shift(sum, unit - q, rule->round);
    uint64_t s = negative ? 0 - (uint64_t)rounded : (uint64_t)rounded;
    if (s >> (rule->keep + 1)) { /* rounded up to the next power of two */
        s >>= 1;
        unit++;
    }
    if (unit + rule->keep > l->bias) return mma_infinity(type, negative);
    if (s == 0 || (rule->flush_subnormals && s >> rule->keep == 0))
        return negative && rule->signed_zero ? 1U << sign_at : 0;
    const uint32_t field = s >> rule->keep ? (uint32_t)(unit + rule->keep + l->bias) : 0;
    const uint32_t fraction = (uint32_t)(s & ((UINT64_C(1) << rule->keep) - 1))
                              << (l->fraction_bits - rule->keep);
    return (uint32_t)negative << sign_at | field << l->fraction_bits | fraction;
}

uint32_t mma_add(const assay_mma_rule *rule, assay_mma_type type, uint32_t c, uint32_t d) {
    const mma_layout *l = mma_layout_of(type);
    const mma_number x = mma_decode(l, c, false), y = mma_decode(l, d, false);
    if (x.class == MMA_NAN || y.class == MMA_NAN ||
        (x.class == MMA_INFINITE && y.class == MMA_INFINITE && x.negative != y.negative))
        return mma_nan(rule, type);
    if (x.class == MMA_INFINITE) return c;
    if (y.class == MMA_INFINITE) return d;
    if (x.significand == 0 && y.significand == 0)
        return x.negative && y.negative ? 1U << (l->exponent_bits + l->fraction_bits) : 0;
    /* Exact within 64 bits when the exponents are within 32; else the smaller only breaks ties,
     * and one bit of the right sign does that. */
    const mma_number *big = x.exponent >= y.exponent ? &x : &y, *small = big == &x ? &y : &x;
    const int apart = big->exponent - small->exponent;
    int64_t high = (int64_t)big->significand << 32, low;
    if (apart <= 32)
        low = (int64_t)small->significand << (32 - apart);
    else
        low = small->significand != 0;
    if (big->significand == 0) return big == &x ? d : c;
    const int64_t sum = (big->negative ? -high : high) + (small->negative ? -low : low);
    const assay_mma_rule ieee = {
        .keep = l->fraction_bits, .round = ASSAY_MMA_NEAREST_EVEN, .signed_zero = true};
    return mma_round(&ieee, type, sum, big->exponent - l->fraction_bits - 32);
}
