/* gemm_bf16: the float64 oracle and its interval.
 *
 *     s = sum over i < k of x_i w_i           x, w: bf16, so products have 16 bits and are exact
 *
 * s is kept as a sum of two float64, so y is right to a last place. The interval holds what a
 * kernel that keeps its contract may have before the rounding to storage, which the comparator does
 * to both ends.
 *
 * Chain contract. Blocks of L products in ascending order go through d = T(c, products), c = +0 at
 * first. This is the arithmetic of NVIDIA's matrix units since sm_80, confirmed on an H200:
 *   1. 2^e is the largest power of two at or below any term's magnitude, and at least 2^floor; a
 *      subnormal factor counts with the least normal exponent. g = 2^(e - F).
 *   2. Every term is cut toward zero to a multiple of g, and the multiples are added exactly.
 *   3. The sum is rounded toward zero to f32: subnormals kept, 2^128 and more an infinity.
 *
 * An interval [lo, hi] that holds c passes through a block as follows. Let E be e for the largest
 * |c| it holds, G = 2^(E - F) >= g, P the sum of the products. Cutting moves a positive term down
 * and a negative one up, by its residue modulo g, which is at most its residue modulo G, since both
 * are powers of two. Let R+ and R- be the sums of the residues modulo G of the positive and of the
 * negative terms; that of c, unless c is known, is at most G and at most |c|. Then
 *     lo + P - R+  <=  sum of the cut terms  <=  hi + P + R-
 * and rounding toward zero is monotone, so the new interval is [RZ(lo + P - R+), RZ(hi + P + R-)].
 * Both ends are exact in two float64; what 106 bits do not hold moves them outward.
 *
 * It is the bound of Blanchard, Higham, Lopez, Mary and Pranesh (SIAM J. Sci. Comput. 42, 2020) for
 * block FMAs, carried along instead of taken as a multiple of sum |x_i w_i| (10 u per block with
 * u = 2^-24), which for long sums is hundreds of times wider. Where nothing is cut or rounded the
 * interval is a point. Several chains give the hull; s itself always belongs to it, for a kernel
 * may round less.
 *
 * A priori contract, for kernels of which nothing is known: each term passes at most k roundings to
 * f32, each by a relative per_step at most or, where the result is subnormal, by 2^-149:
 *     |d - s| <= ((1 + per_step)^k - 1) (S + k 2^-149) + k 2^-149,   S = sum |x_i w_i|
 * per_step = u for fused multiply-adds to nearest in any order; 2u covers additions rounded toward
 * zero and the matrix units' blocks too (10 u for 8 or more terms). If S may reach the end of the
 * f32 range then so may any partial sum, and the element is indeterminate.
 *
 * Infinities: a NaN factor, 0 * Inf, or products of both infinite signs give NaN; infinite products
 * of one sign that infinity, unless the accumulator may have overflowed to the other one before
 * (indeterminate).
 *
 * Not covered: flush to zero; accumulators narrower than f32; chips before sm_80.
 */
#include "gemm_internal.h"

#define LARGEST 0x1.fffffep127

assay_status gemm_check(const char *function, const assay_gemm_contract *contract, int64_t n,
                        int64_t k) {
    if (n < 0 || k < 0 || k > GEMM_MAX_K)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: n = %lld, k = %lld, expected k from 0 to 2^24",
                          function, (long long)n, (long long)k);
    bool good = contract->chains >= 0 && contract->chains <= ASSAY_GEMM_MAX_CHAINS;
    for (int i = 0; good && i < contract->chains; i++) {
        const assay_gemm_chain *c = &contract->chain[i];
        good = c->terms >= 1 && c->terms <= 64 && c->fraction >= 23 && c->fraction <= 30 &&
               c->floor <= -126 && c->floor >= -200;
    }
    if (contract->chains == 0)
        good = contract->per_step >= 0x1p-24 && contract->per_step <= 0x1p-20;
    return good ? ASSAY_OK : assay_fail(ASSAY_ERR_ARGUMENT, "%s: contract out of range", function);
}

gemm_class gemm_classify(const uint16_t *x, const uint16_t *w, int64_t k, int64_t *first) {
    gemm_class found = GEMM_FINITE;
    *first = k;
    for (int64_t i = 0; i < k; i++) {
        if (gemm_finite(x[i]) && gemm_finite(w[i])) continue;
        const double p = gemm_bf16(x[i]) * gemm_bf16(w[i]);
        const gemm_class this = isnan(p) ? GEMM_NAN : p > 0 ? GEMM_PLUS : GEMM_MINUS;
        if (*first == k) *first = i;
        if (this == GEMM_NAN || (found != GEMM_FINITE && found != this)) return GEMM_NAN;
        found = this;
    }
    return found;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* high + low, but for `rest`: what additions to low may have rounded away. Sums of which 106 bits
 * are enough have none. */
typedef struct total {
    double high, low, rest;
} total;

/* a + b = the result + *error, exactly. */
static inline double two_sum(double a, double b, double *error) {
    const double s = a + b, other = s - a;
    *error = (a - (s - other)) + (b - other);
    return s;
}

static inline void add(total *t, double v) {
    double error, lost;
    t->high = two_sum(t->high, v, &error);
    t->low = two_sum(t->low, error, &lost);
    t->rest += fabs(lost);
}

static inline double add_down(double a, double b) {
    double error;
    const double s = two_sum(a, b, &error);
    return error < 0 ? nextafter(s, -(double)INFINITY) : s;
}

static inline double add_up(double a, double b) { return -add_down(-a, -b); }

/* Toward zero to f32. */
static double toward_zero(double t) {
    const double magnitude = fabs(t);
    if (magnitude >= 0x1p128) return t > 0 ? (double)INFINITY : -(double)INFINITY;
    if (magnitude < 0x1p-126) return (double)(int64_t)(t * 0x1p149) * 0x1p-149;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits &= ~UINT64_C(0x1fffffff);
    memcpy(&t, &bits, sizeof t);
    return t;
}

/* The least (side -1) or the largest (1) f32 that a total may become, rounded toward zero. */
static double end_of(const total *t, double side) {
    double below;
    const double value = two_sum(t->high, t->low, &below);
    if (isinf(t->high)) return t->high;
    below += side * t->rest;
    /* A number that float64 holds is cut by that alone, unless it lies on an f32's edge. */
    const double cut = toward_zero(value);
    if (cut != value || below == 0 || value == 0 || (below < 0) != (value > 0)) return cut;
    return toward_zero(nextafter(value, 0));
}

/* ---- Chains ---------------------------------------------------------------------------------- */

typedef struct interval {
    double lo, hi;
} interval;

static inline double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double p;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* Exponent of an f32's magnitude as the matrix units align it; of the largest f32 for infinity. */
static inline int exponent_of(double magnitude) {
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    const int e = (int)(bits >> 52) - 1023;
    return e > 127 ? 127 : e < -126 ? -126 : e;
}

/* |v| modulo the unit. */
static inline double residue(double v, double unit, double unit_inverse) {
    const double magnitude = fabs(v), q = magnitude * unit_inverse;
    return q >= 0x1p52 ? 0 : magnitude - (double)(int64_t)q * unit;
}

/* The most that cutting can move an accumulator of the interval. */
static double accumulator_residue(interval c, double most, int unit) {
    const double g = power_of_two(unit);
    if (c.lo == c.hi) return isinf(c.lo) ? 0 : residue(c.lo, g, power_of_two(-unit));
    const double least = c.lo > 0 ? c.lo : c.hi < 0 ? -c.hi : 0;
    if (exponent_of(least) - 23 >= unit) return 0; /* an f32 is a multiple of its last place */
    return fmin(most, g);
}

static interval block(const assay_gemm_chain *chain, const uint16_t *x, const uint16_t *w,
                      int64_t count, interval c) {
    double product[64];
    int exponent[64], largest = chain->floor;
    total lo = {c.lo, 0, 0}, hi = {c.hi, 0, 0};
    const double c_most = fmax(fabs(c.lo), fabs(c.hi));
    if (c_most > 0 && exponent_of(c_most) > largest) largest = exponent_of(c_most);
    for (int64_t i = 0; i < count; i++) {
        product[i] = gemm_bf16(x[i]) * gemm_bf16(w[i]);
        exponent[i] = gemm_exponent(x[i]) + gemm_exponent(w[i]);
        if (product[i] != 0 && exponent[i] > largest) largest = exponent[i];
    }
    const int unit = largest - chain->fraction;
    const double g = power_of_two(unit), inverse = power_of_two(-unit);
    const double own = accumulator_residue(c, c_most, unit);
    if (c.hi > 0) add(&lo, -own);
    if (c.lo < 0) add(&hi, own);
    for (int64_t i = 0; i < count; i++) {
        add(&lo, product[i]);
        add(&hi, product[i]);
        if (exponent[i] - 14 >= unit) continue; /* a product is a multiple of its last place */
        const double moved = residue(product[i], g, inverse);
        if (product[i] > 0)
            add(&lo, -moved);
        else
            add(&hi, moved);
    }
    return (interval){end_of(&lo, -1), end_of(&hi, 1)};
}

static interval run_chain(const assay_gemm_chain *chain, const uint16_t *x, const uint16_t *w,
                          int64_t k) {
    interval c = {0, 0};
    for (int64_t i = 0; i < k; i += chain->terms)
        c = block(chain, x + i, w + i, k - i < chain->terms ? k - i : chain->terms, c);
    return c;
}

/* ---- Elements -------------------------------------------------------------------------------- */

static assay_bound a_priori(double per_step, int64_t k, double y, double absolute) {
    const double steps = (double)k, tiny = steps * 0x1p-149;
    /* (1 + p)^k - 1 <= k p / (1 - k p); everything moved up by far more than float64 loses. */
    const double growth = steps * per_step < 0.5
                              ? steps * per_step / (1 - steps * per_step) * (1 + 0x1p-40)
                              : (double)INFINITY;
    const double bound = (growth * (absolute + tiny) + tiny) * (1 + 0x1p-40);
    if (!(absolute * (1 + 0x1p-40) + bound < LARGEST))
        return (assay_bound){NAN, -(double)INFINITY, (double)INFINITY};
    return (assay_bound){y, add_down(y, -bound), add_up(y, bound)};
}

static assay_bound element(const assay_gemm_contract *contract, const uint16_t *x,
                           const uint16_t *w, int64_t k) {
    int64_t first;
    const gemm_class kind = gemm_classify(x, w, k, &first);
    if (kind == GEMM_NAN) return (assay_bound){NAN, NAN, NAN};
    total sum = {0};
    double absolute = 0;
    for (int64_t i = 0; kind == GEMM_FINITE && i < k; i++) {
        const double p = gemm_bf16(x[i]) * gemm_bf16(w[i]);
        add(&sum, p);
        absolute += fabs(p);
    }
    const double y = sum.high + sum.low;
    assay_bound out = {y, y, y};
    if (kind == GEMM_PLUS) out.y = out.lo = out.hi = (double)INFINITY;
    if (kind == GEMM_MINUS) out.y = out.lo = out.hi = -(double)INFINITY;
    if (contract->chains == 0) {
        if (kind == GEMM_FINITE && k > 0) return a_priori(contract->per_step, k, y, absolute);
        /* What may overflow beside an infinity is looked at with the same caution. */
        for (int64_t i = 0; i < k; i++)
            if (gemm_finite(x[i]) && gemm_finite(w[i]))
                absolute += fabs(gemm_bf16(x[i]) * gemm_bf16(w[i]));
        if (absolute < 0x1p127) return out;
        return (assay_bound){NAN, -(double)INFINITY, (double)INFINITY};
    }
    for (int i = 0; i < contract->chains; i++) {
        const assay_gemm_chain *chain = &contract->chain[i];
        const int64_t length = kind == GEMM_FINITE ? k : first / chain->terms * chain->terms;
        const interval d = run_chain(chain, x, w, length);
        if (kind == GEMM_PLUS && d.lo == -(double)INFINITY) out.y = NAN;
        if (kind == GEMM_MINUS && d.hi == (double)INFINITY) out.y = NAN;
        if (kind != GEMM_FINITE) continue;
        out.lo = fmin(out.lo, d.lo);
        out.hi = fmax(out.hi, d.hi);
    }
    if (isnan(out.y)) out.lo = -(double)INFINITY, out.hi = (double)INFINITY;
    return out;
}

assay_status assay_oracle_gemm_bf16(const assay_gemm_contract *contract, const uint16_t *x,
                                    const uint16_t *w, int64_t n, int64_t k, assay_bound *out) {
    const assay_status status = gemm_check("gemm_bf16 oracle", contract, n, k);
    for (int64_t j = 0; !status && j < n; j++) out[j] = element(contract, x, w + j * k, k);
    return status;
}
