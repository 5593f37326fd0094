/* The one rounding and the one unpacking that all formats with a fraction share: a sign, biased
 * exponent and fraction, with subnormals; what the topmost codes mean is in the descriptor. Each
 * format's file passes its own constant descriptor, which the compiler folds away. Internal.
 *
 * Integer code throughout: neither the rounding mode nor a flush-to-zero setting of the host can
 * change a result, and a value is rounded once, never through a wider storage format.
 */
#ifndef ASSAY_FORMATS_PACK_H
#define ASSAY_FORMATS_PACK_H

#include <string.h>

#include "assay/format_info.h"

/* One descriptor a format, defined at the head of its file. Hidden, so that it is a constant there
 * also where the code may end up in a shared library. */
#pragma GCC visibility push(hidden)
extern const assay_format_info format_f32, format_tf32, format_f16, format_bf16;
extern const assay_format_info format_e5m2, format_e4m3, format_ue4m3;
extern const assay_format_info format_e5m2_fnuz, format_e4m3_fnuz;
extern const assay_format_info format_e3m2, format_e2m3, format_e2m1, format_e8m0;
#pragma GCC visibility pop

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

static inline uint32_t format_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Does the rounding never increase the magnitude of a value of this sign? */
static inline bool format_truncates(assay_rounding rounding, bool negative) {
    return rounding == ASSAY_TOWARD_ZERO || rounding == (negative ? ASSAY_UP : ASSAY_DOWN);
}

/* Does it turn the least excess into a whole step? */
static inline bool format_lifts(assay_rounding rounding, bool negative) {
    return rounding == (negative ? ASSAY_DOWN : ASSAY_UP);
}

/* Drops the low `shift` bits (at least 1) of a magnitude, rounding it. */
static inline uint64_t format_shift(uint64_t magnitude, int shift, assay_rounding rounding,
                                    bool negative) {
    uint64_t half = UINT64_C(1) << (shift - 1);
    if (rounding == ASSAY_NEAREST_EVEN)
        return (magnitude + half - 1 + (magnitude >> shift & 1)) >> shift;
    if (rounding == ASSAY_NEAREST_AWAY) return (magnitude + half) >> shift;
    return (magnitude + (format_lifts(rounding, negative) ? 2 * half - 1 : 0)) >> shift;
}

/* A finite magnitude gives its sign; formats without a sign have nothing below zero. */
static inline uint32_t format_signed(const assay_format_info *f, bool negative, uint32_t magnitude,
                                     bool saturate) {
    if (!negative) return magnitude;
    if (!f->has_sign) return magnitude == 0 || saturate ? 0 : f->nan_code;
    if (!f->has_negative_zero && magnitude == 0) return 0;
    return UINT32_C(1) << (f->bits - 1) | magnitude;
}

/* A magnitude beyond the largest, infinity included; `clamp` stops at the largest. */
static inline uint32_t format_overflow(const assay_format_info *f, bool negative, bool clamp,
                                       bool saturate) {
    if (clamp) return format_signed(f, negative, f->largest_code, saturate);
    if (f->has_nan && !f->has_infinity) return f->nan_code; /* no sign */
    return format_signed(f, negative, f->overflow_code, saturate);
}

static inline uint32_t format_round(const assay_format_info *f, double value,
                                    assay_rounding rounding, bool saturate) {
    const uint64_t infinity = UINT64_C(0x7ff) << 52, hidden = UINT64_C(1) << 52;
    const int drop = 52 - f->fraction_bits;

    uint64_t bits = format_double_bits(value), magnitude = bits & (UINT64_MAX >> 1);
    bool negative = bits >> 63;
    if (magnitude >= infinity)
        return magnitude > infinity ? f->nan_code
                                    : format_overflow(f, negative, saturate, saturate);
    uint64_t significand = (magnitude & (hidden - 1)) | hidden;
    int field = (int)(magnitude >> 52) - 1023 + f->bias; /* of the target, if it turns out normal */
    if (field >= 1 << f->exponent_bits) { /* beyond the largest whatever the rounding */
        magnitude = UINT64_MAX;
    } else if (field > 0) {
        /* The hidden bit adds the last 1 to the exponent field. So does a carry out of the
         * fraction, which is the right result. */
        magnitude = format_shift(significand, drop, rounding, negative) +
                    ((uint64_t)(field - 1) << f->fraction_bits);
    } else if (field >= -f->fraction_bits) { /* subnormal: the step stays; a carry may end that */
        magnitude = format_shift(significand, drop + 1 - field, rounding, negative);
    } else { /* below half the smallest (float64's subnormals too): only a direction can lift it */
        magnitude = magnitude != 0 && format_lifts(rounding, negative);
    }
    if (magnitude > f->largest_code)
        return format_overflow(f, negative, saturate || format_truncates(rounding, negative),
                               saturate);
    return format_signed(f, negative, (uint32_t)magnitude, saturate);
}

/* The same for a float, whose exponent and fraction are rounded as one integer: where the target is
 * normal (or shares binary32's exponents), the codes are the upper bits less the difference of the
 * biases. */
static inline uint32_t format_round_f32(const assay_format_info *f, float value,
                                        assay_rounding rounding, bool saturate) {
    const uint32_t infinity = UINT32_C(0x7f800000), hidden = UINT32_C(1) << 23;
    const int drop = 23 - f->fraction_bits, rebias = 127 - f->bias;

    uint32_t bits = format_float_bits(value);
    uint64_t magnitude = bits & 0x7fffffff;
    int exponent = (int)(magnitude >> 23);
    bool negative = bits >> 31;
    if (magnitude >= infinity)
        return magnitude > infinity ? f->nan_code
                                    : format_overflow(f, negative, saturate, saturate);
    if (exponent > rebias || rebias == 0) {
        magnitude = format_shift(magnitude, drop, rounding, negative);
        magnitude -= (uint64_t)rebias << f->fraction_bits;
        if (magnitude > f->largest_code)
            return format_overflow(f, negative, saturate || format_truncates(rounding, negative),
                                   saturate);
    } else if (exponent >= rebias - f->fraction_bits) {
        uint64_t significand = (magnitude & (hidden - 1)) | hidden;
        magnitude = format_shift(significand, drop + 1 + rebias - exponent, rounding, negative);
    } else {
        magnitude = magnitude != 0 && format_lifts(rounding, negative);
    }
    return format_signed(f, negative, (uint32_t)magnitude, saturate);
}

static inline double format_decode(const assay_format_info *f, uint32_t code) {
    const uint32_t sign_bit = f->has_sign ? UINT32_C(1) << (f->bits - 1) : 0;
    const uint32_t hidden = UINT32_C(1) << f->fraction_bits;

    uint64_t sign = code & sign_bit ? UINT64_C(1) << 63 : 0;
    uint32_t magnitude = code & ((UINT32_C(1) << (f->exponent_bits + f->fraction_bits)) - 1);
    bool no_number = magnitude > f->largest_code;
    if (no_number && f->has_infinity && magnitude == f->overflow_code)
        return format_bits_double(sign | UINT64_C(0x7ff) << 52);
    if (no_number || (sign && magnitude == 0 && !f->has_negative_zero))
        return format_bits_double(UINT64_C(0x7ff8) << 48);

    uint64_t exponent = magnitude >> f->fraction_bits, fraction = magnitude & (hidden - 1);
    if (exponent == 0) { /* exact: neither operand nor product is a float64 subnormal */
        double step = format_bits_double((uint64_t)(1023 + 1 - f->bias - f->fraction_bits) << 52);
        return format_bits_double(sign | format_double_bits((double)fraction * step));
    }
    return format_bits_double(sign | (exponent + 1023 - (uint64_t)f->bias) << 52 |
                              fraction << (52 - f->fraction_bits));
}

#endif
