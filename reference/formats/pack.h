/* The one rounding and the one unpacking that all IEEE-like formats share: a sign, `ebits` of
 * biased exponent, `mbits` of fraction, subnormals, infinities and NaNs. Internal.
 *
 * Integer code throughout: neither the rounding mode nor a flush-to-zero setting of the host can
 * change a result, and a float64 is rounded once, never through a wider storage format.
 */
#ifndef ASSAY_FORMATS_PACK_H
#define ASSAY_FORMATS_PACK_H

#include <stdint.h>
#include <string.h>

static inline uint64_t format_double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double format_bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round to nearest, ties to even. A carry out of the fraction runs into the exponent, which is the
 * right result: the largest subnormal becomes the smallest normal, the largest finite infinity. */
static inline uint32_t format_encode(double value, int ebits, int mbits, uint32_t nan) {
    const uint64_t hidden = UINT64_C(1) << 52;
    const int bias = (1 << (ebits - 1)) - 1;
    const uint64_t infinity = ((UINT64_C(1) << ebits) - 1) << mbits;

    uint64_t bits = format_double_bits(value);
    uint64_t sign = bits >> 63 << (ebits + mbits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & (hidden - 1);
    if (exponent == 0x7ff) return fraction ? nan : (uint32_t)(sign | infinity);

    /* float64 subnormals need no care: they are far below every format and leave by `shift`. */
    uint64_t significand = fraction | hidden;
    int field = exponent - 1023 + bias; /* of the target, if it turns out normal */
    int shift = 52 - mbits + (field < 1 ? 1 - field : 0);
    if (shift > 54) return (uint32_t)sign; /* below a quarter of the smallest subnormal */
    if (field > (1 << ebits)) return (uint32_t)(sign | infinity);

    uint64_t kept = significand >> shift;
    uint64_t rest = significand - (kept << shift), half = UINT64_C(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (field > 1) kept += (uint64_t)(field - 1) << mbits; /* the hidden bit adds the last 1 */
    return (uint32_t)(sign | (kept < infinity ? kept : infinity));
}

static inline double format_decode(uint32_t bits, int ebits, int mbits) {
    const int bias = (1 << (ebits - 1)) - 1;
    const uint32_t top = (UINT32_C(1) << ebits) - 1;

    uint64_t sign = (uint64_t)(bits >> (ebits + mbits) & 1) << 63;
    uint32_t exponent = bits >> mbits & top;
    uint64_t fraction = bits & ((UINT32_C(1) << mbits) - 1);
    if (exponent == top)
        return format_bits_double(fraction ? UINT64_C(0x7ff8) << 48 : sign | UINT64_C(0x7ff) << 52);
    if (exponent == 0) {
        double unit = format_bits_double((uint64_t)(1023 + 1 - bias - mbits) << 52);
        return format_bits_double(sign | format_double_bits((double)fraction * unit)); /* exact */
    }
    return format_bits_double(sign | (exponent + UINT64_C(1023) - (uint64_t)bias) << 52 |
                              fraction << (52 - mbits));
}

#endif
