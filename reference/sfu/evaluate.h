/* Hopper's special-function unit, MUFU, and what PTX and CUDA build on it.
 *
 * The unit is the multifunction interpolator of Oberman and Siu (2005): leading bits select a
 * segment, whose quadratic in the remaining bits x is added exactly and cut. Its square is a
 * truncated one: of the partial products of x*x only those of weight 2^19 and more are there.
 *
 *   RCP   (C0*2^13 + C1*x + C2*Sq(2x) + 2023) >> 15       * 2^(-24-E)           7 bits select
 *   RSQ   (C0*2^14 + C1*x + 4*C2*Sq(x) - 1) >> 16         * 2^(-24-(E-o)/2)     o and 6 bits
 *   SQRT  (C0*2^15 + C1*x + 2*C2*Sq(x) - 1) >> 17         * 2^(-23+(E-o)/2)     o and 6 bits
 *   EX2   (C0*2^13 + C1*x + C2*Sq(x) + 6114) >> 15        * 2^(n-23)            6 bits
 *   LG2   ((C0*2^12 + C1*x + 2*C2*Sq(x) + 837) >> 2) + E*2^36, cut to 24 bits, * 2^-36
 *   SIN   C0*2^11 + C1*x + C2*Sq(x), cut to 24 bits, * 2^-37
 *   TANH  C0*2^13 + C1*x + 2*C2*Sq(x), cut to 24 bits, * 2^-39
 *
 * E is the operand's exponent, o its lowest bit. Negative results of LG2 and negative operands of
 * EX2 are ones' complements: lg2(0.5) is -0.99999988.
 *
 * Functions map bits to bits. They have no branches, so that the loops in many.h become vector
 * code; each header of many.h is compiled for three instruction sets, with the same results: the
 * float operations in here are exact, or IEEE ones that CUDA's own code has at this place.
 */
#ifndef ASSAY_SFU_EVALUATE_H
#define ASSAY_SFU_EVALUATE_H

#include <math.h>
#include <string.h>

#include "coefficients.h"

#define SFU_NAN 0x7fffffffU
#define SFU_INFINITY 0x7f800000U
#define SFU_SIGN 0x80000000U

static inline float sfu_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t sfu_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & ~SFU_SIGN) > SFU_INFINITY ? SFU_NAN : bits;
}

/* 17 bits squared, partial products below 2^19 left out, over 2^19. Bits 10 and up give all of
 * theirs, 2 h^2; bit i below meets the bits from 18 - i on. */
static inline uint32_t sfu_square(uint32_t x) {
    const uint32_t h = x >> 10;
    uint32_t sum = 2 * h * h + (x >> 9 & 1) * 2 * h;
    for (uint32_t i = 2; i <= 8; i++) sum += (x >> (18 - i)) & (0U - (x >> i & 1));
    return sum;
}

/* C0*2^up + C1*x + C2*square*times of a segment. */
static inline int64_t sfu_quadratic(const sfu_segment *table, uint32_t segment, int up, uint32_t x,
                                    uint32_t square, int32_t times) {
    const int32_t i = (int32_t)(segment & 127); /* says to the compiler how small it is */
    return ((int64_t)table[i][0] << up) + (int64_t)table[i][1] * (int32_t)x +
           (int64_t)(table[i][2] * times) * (int32_t)square;
}

/* v * 2^q cut to 24 significant bits, as float bits; v >= 0 and below 2^53, the result normal. */
static inline uint32_t sfu_cut(int64_t v, double scale) {
    double value = (double)v;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~((UINT64_C(1) << 29) - 1);
    memcpy(&value, &bits, sizeof value);
    const float result = (float)(value * scale);
    uint32_t out;
    memcpy(&out, &result, sizeof out);
    return out;
}

static inline uint32_t sfu_mufu_rcp(uint32_t u) {
    const uint32_t s = u & SFU_SIGN, e = u >> 23 & 255, m = u & 0x7fffff, x = m & 0xffff;
    uint64_t y =
        (uint64_t)(sfu_quadratic(sfu_rcp, m >> 16, 13, x, sfu_square(2 * x), 1) + 2023) >> 15;
    const uint32_t carry = (uint32_t)(y >> 24); /* a power of two */
    const int32_t exponent = 253 - (int32_t)e + (int32_t)carry;
    y >>= carry;
    uint32_t r = exponent <= 0 ? s : s | (uint32_t)exponent << 23 | ((uint32_t)y & 0x7fffff);
    r = e == 0 ? s | SFU_INFINITY : r;
    return e == 255 ? (m ? SFU_NAN : s) : r;
}

/* Half the exponent, and the segment of its parity and six bits. */
static inline int32_t sfu_half_exponent(uint32_t e) {
    return ((int32_t)e - 127 - (int32_t)(~e & 1)) / 2;
}
static inline uint32_t sfu_parity_segment(uint32_t e, uint32_t m) {
    return (~e & 1) << 6 | m >> 17;
}

static inline uint32_t sfu_mufu_rsq(uint32_t u) {
    const uint32_t s = u & SFU_SIGN, e = u >> 23 & 255, m = u & 0x7fffff, x = m & 0x1ffff;
    const uint32_t segment = sfu_parity_segment(e, m);
    const uint32_t y =
        (uint32_t)((sfu_quadratic(sfu_rsq, segment, 14, x, sfu_square(x), 4) - 1) >> 16);
    const uint32_t field = (uint32_t)(126 - sfu_half_exponent(e));
    const uint32_t exact = (e & 1) & (m == 0); /* a power of four */
    uint32_t r = (field + exact) << 23 | (y & 0x7fffff & (exact - 1));
    r = e == 255 ? 0 : r;
    r = s ? SFU_NAN : r;
    r = e == 0 ? s | SFU_INFINITY : r;
    return ((e == 255) & (m != 0)) ? SFU_NAN : r;
}

static inline uint32_t sfu_mufu_sqrt(uint32_t u) {
    const uint32_t s = u & SFU_SIGN, e = u >> 23 & 255, m = u & 0x7fffff, x = m & 0x1ffff;
    const uint32_t segment = sfu_parity_segment(e, m);
    const uint32_t y =
        (uint32_t)((sfu_quadratic(sfu_sqrt, segment, 15, x, sfu_square(x), 2) - 1) >> 17);
    uint32_t r = (uint32_t)(127 + sfu_half_exponent(e)) << 23 | (y & 0x7fffff);
    r = e == 255 ? u : r;
    r = s ? SFU_NAN : r;
    r = e == 0 ? s : r;
    return ((e == 255) & (m != 0)) ? SFU_NAN : r;
}

static inline uint32_t sfu_mufu_ex2(uint32_t u) {
    const uint32_t s = u >> 31, e = u >> 23 & 255, m = u & 0x7fffff;
    /* |x| cut to 2^-23: whole part and 23 bits of fraction. */
    const uint32_t full = m | 0x800000;
    const uint32_t left = e > 127 ? e - 127 : 0, right = e < 127 ? 127 - e : 0;
    const uint32_t fixed = full << (left > 8 ? 8 : left) >> (right > 31 ? 31 : right);
    const uint32_t fraction = fixed & 0x7fffff, flip = s & (fraction != 0);
    const int32_t whole = (int32_t)(fixed >> 23);
    const uint32_t f = flip ? fraction ^ 0x7fffff : fraction;
    const int32_t n = s ? -whole - (int32_t)flip : whole;
    const uint32_t x = f & 0x1ffff;
    const int64_t v = sfu_quadratic(sfu_ex2, f >> 17, 13, x, sfu_square(x), 1) + 6114;
    const uint32_t y = f ? (uint32_t)(v >> 15) & 0x7fffff : 0;
    uint32_t r = (uint32_t)(n + 127) << 23 | y;
    r = n < -126 ? 0 : r;
    r = n > 127 ? SFU_INFINITY : r;
    r = e >= 135 ? (s ? 0 : SFU_INFINITY) : r;
    r = e == 0 ? 0x3f800000 : r;
    return ((e == 255) & (m != 0)) ? SFU_NAN : r;
}

static inline uint32_t sfu_mufu_lg2(uint32_t u) {
    const uint32_t s = u & SFU_SIGN, e = u >> 23 & 255, m = u & 0x7fffff, x = m & 0x1ffff;
    const int64_t v = (sfu_quadratic(sfu_lg2, m >> 17, 12, x, sfu_square(x), 2) + 837) >> 2;
    const int64_t w = v + (int64_t)((int32_t)e - 127) * (INT64_C(1) << 36);
    const uint32_t negative = w < 0;
    uint32_t r = sfu_cut(w ^ -(int64_t)negative, 0x1p-36) | negative << 31;
    r = u == 0x3f800000 ? 0 : r;
    r = e == 255 ? u : r;
    r = s ? SFU_NAN : r;
    r = e == 0 ? SFU_SIGN | SFU_INFINITY : r;
    return ((e == 255) & (m != 0)) ? SFU_NAN : r;
}

/* sin or cos of an angle in turns. */
static inline uint32_t sfu_mufu_turn(uint32_t u, uint32_t cosine) {
    const uint32_t s = u >> 31, e = u >> 23 & 255, m = u & 0x7fffff;
    const uint64_t full = e ? m | 0x800000 : 0; /* |t| cut to 2^-25: quadrant and fraction */
    const uint32_t left = e > 125 ? e - 125 : 0, right = e < 125 ? 125 - e : 0;
    const uint64_t fixed = left > 38 ? 0 : full << (left & 63) >> (right > 63 ? 63 : right);
    const uint32_t quadrant = ((uint32_t)(fixed >> 23) + cosine) & 3, fraction = fixed & 0x7fffff;
    const uint32_t f = quadrant & 1 ? fraction ^ 0x7fffff : fraction, x = f & 0x1ffff;
    const int64_t v = sfu_quadratic(sfu_sin, f >> 17, 11, x, sfu_square(x), 1);
    const uint32_t magnitude = v > 0 ? sfu_cut(v, 0x1p-37) : 0;
    const uint32_t negative = quadrant >> 1 ^ (cosine ? 0 : s);
    return e == 255 ? SFU_NAN : negative << 31 | magnitude;
}

static inline uint32_t sfu_mufu_tanh(uint32_t u) {
    static const int32_t bits[16] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    static const int32_t base[16] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    const uint32_t s = u & SFU_SIGN, e = u >> 23 & 255, m = u & 0x7fffff;
    const uint32_t binade = e < 119   ? 0
                            : e > 129 ? 10
                                      : e - 119,
                   k = (uint32_t)bits[(int32_t)binade];
    const uint32_t x = m >> (6 - k) & 0x1ffff;
    const uint32_t segment = (uint32_t)base[(int32_t)binade] + (m >> (23 - k));
    uint32_t r = s | sfu_cut(sfu_quadratic(sfu_tanh, segment, 13, x, sfu_square(x), 2), 0x1p-39);
    r = e < 119 ? u : r;
    r = e > 129 ? s | 0x3f800000 : r;
    return ((e == 255) & (m != 0)) ? SFU_NAN : r;
}

/* ---- PTX without .ftz scales subnormal operands into the unit's range, and the result back ------
 */

static inline uint32_t sfu_times(uint32_t u, float k) { return sfu_bits(sfu_float(u) * k); }
static inline uint32_t sfu_is_small(uint32_t u) { return (u & ~SFU_SIGN) < 0x800000; }

static inline uint32_t sfu_full_rcp(uint32_t u) {
    const uint32_t large = (u & ~SFU_SIGN) > 0x7e800000; /* above 2^126 */
    const float k = sfu_is_small(u) ? 0x1p24f : large ? 0.25f : 1.0f;
    return sfu_times(sfu_mufu_rcp(sfu_times(u, k)), k);
}

static inline uint32_t sfu_full_rsq(uint32_t u) {
    const uint32_t small = sfu_is_small(u);
    const uint32_t r = sfu_mufu_rsq(sfu_times(u, small ? 0x1p24f : 1.0f));
    return sfu_times(r, small ? 4096.0f : 1.0f);
}

static inline uint32_t sfu_full_sqrt(uint32_t u) {
    const uint32_t small = sfu_is_small(u);
    const uint32_t r = sfu_mufu_sqrt(sfu_times(u, small ? 0x1p24f : 1.0f));
    return sfu_times(r, small ? 0x1p-12f : 1.0f);
}

static inline uint32_t sfu_full_lg2(uint32_t u) {
    const uint32_t small = sfu_is_small(u);
    const uint32_t r = sfu_mufu_lg2(sfu_times(u, small ? 0x1p24f : 1.0f));
    return small ? sfu_bits(sfu_float(r) - 24.0f) : r;
}

/* Below -126 the square of half: the unit's own results end at 2^-126. */
static inline uint32_t sfu_full_ex2(uint32_t u) {
    const uint32_t low = u > 0xc2fc0000U && u <= 0xff800000U;
    const uint32_t r = sfu_mufu_ex2(sfu_times(u, low ? 0.5f : 1.0f));
    return low ? sfu_bits(sfu_float(r) * sfu_float(r)) : r;
}

/* x / (2 pi), rounded toward zero; a subnormal gives a signed zero. */
static inline uint32_t sfu_turns(uint32_t u) {
    double product = (double)sfu_float(u & ~SFU_SIGN) * (double)sfu_float(0x3e22f983);
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    bits &= ~((UINT64_C(1) << 29) - 1);
    memcpy(&product, &bits, sizeof product);
    const uint32_t magnitude = product < 0x1p-126 ? 0 : sfu_bits((float)product);
    return (u >> 23 & 255) == 255 ? u : (u & SFU_SIGN) | magnitude;
}

static inline uint32_t sfu_full_sin(uint32_t u) { return sfu_mufu_turn(sfu_turns(u), 0); }
static inline uint32_t sfu_full_cos(uint32_t u) { return sfu_mufu_turn(sfu_turns(u), 1); }

/* ---- CUDA's functions ---------------------------------------------------------------------------
 */

/* expf of CUDA 13.0: 2^n by a clamped fused multiply-add that rounds down, then ex2 of the rest. */
static inline uint32_t sfu_expf(uint32_t u) {
    const float x = sfu_float(u);
    float s = fmaf(x, sfu_float(0x3bbb989d), 0.5f);
    s = s > 0.0f ? s : 0.0f;
    s = s > 1.0f ? 1.0f : s;
    const float r = 12582913.0f + (float)(int32_t)(s * 252.0); /* exact: s*252 in double */
    const float n = r - 12583039.0f;
    const float z = fmaf(x, sfu_float(0x32a57060), fmaf(x, sfu_float(0x3fb8aa3b), -n));
    uint32_t scale;
    memcpy(&scale, &r, sizeof scale);
    const uint32_t y = sfu_bits(sfu_float(sfu_mufu_ex2(sfu_bits(z))) * sfu_float(scale << 23));
    return (u & ~SFU_SIGN) > SFU_INFINITY ? SFU_NAN : y;
}

static inline uint32_t sfu_fast_expf(uint32_t u) {
    return sfu_full_ex2(sfu_times(u, sfu_float(0x3fb8aa3b)));
}

static inline uint32_t sfu_fast_logf(uint32_t u) {
    return sfu_times(sfu_full_lg2(u), sfu_float(0x3f317218));
}

#endif
