/* rms_norm: the float64 oracle and its interval.
 *
 *     S = sum of x_i^2      A = S/d + eps      r = 1/sqrt(A)      n_i = x_i * r
 *     R-A  y_i = n_i * w_i      R-B  y_i = rnd_T(n_i) * w_i      R-C  y_i = n_i * (1 + w_i)
 *
 * x, w: one row of d elements, no unit; T is the storage format of x. Without a weight y_i is n_i,
 * in R-B rnd_T(n_i). The final rounding to the output format is not part of the interval: the
 * comparator rounds both ends instead, which is sharper.
 *
 * Contract: every operation is done in f32 to nearest even, subnormals kept (no flush to zero), at
 * most as often as counted here; the sum is a tree of additions and of multiplications or fmas, in
 * which no square passes more than h = sum_height roundings, its own included.
 *
 * Rounding. u = 2^-24, eta = 2^-150. For a real t > 0 below the overflow threshold
 * 2^128 (1 - 2^-25), fl(t) the nearest f32:
 *
 * - t/(1+u) <= fl(t) <= t(1+u) where t >= 2^-126. From |fl(t) - t| <= t u/(1+u): Jeannerod and
 * Rump, On relative errors of floating-point operations, Math. Comp. 87, 2018.
 * - t - eta <= fl(t) <= t + eta where t < 2^-126, and fl(t) = 0 where t <= eta.
 * - fl is monotone, so an interval passes through an operation by its two ends.
 *
 * Sum. With k squares that can be subnormal (0 < |x_i| < 2^-63) every node N of the tree holds
 * max(0, N - k eta)/(1+u)^h <= computed N <= (N + k eta)(1+u)^h, h and k counted within it: by
 * induction, all terms being >= 0; a sum of f32 numbers is exact where it is subnormal. This needs
 * no bound on h u, holds for any order, and for fma as for multiply and add. The linear h u of
 * Jeannerod and Rump (SIAM J. Matrix Anal. 34, 2013) would be less by a relative h u / 2. A
 * computed sum is 0 if and only if every x_i^2 <= eta: by monotonicity it is at least the largest
 * rounded square, and then at least 2^-149.
 *
 * Other steps. Mean: mean_roundings factors, the last one with eta. + eps: one, exact where
 * subnormal. 1/sqrt: rsqrt_error. x*r: one. R-B: rnd_T of both ends; then the product of two f16 or
 * bf16 is exact in f32. R-C: one for 1 + w. Weight: one for the product.
 *
 * Every float64 step here errs by at most 2^-53 (2^-52 for S); `up` and `down` widen by 2^-50,
 * which covers the up to five such roundings behind each of their arguments and their own.
 *
 * The f32 range, as IEEE has it:
 *   Overflow of the sum. By monotonicity no node exceeds the root, so something overflows if and
 *   only if the root would be >= 2^128 in an unbounded exponent range: surely if its lower end
 *   exceeds FLT_MAX, possibly if its upper end reaches 2^128. Then A = Inf and r = 0: finite x give
 *   0, infinite x NaN. If only possible, the interval holds 0 as well as the value.
 *   Inf in x: S = Inf, so NaN there and 0 elsewhere. NaN in x: the row is NaN.
 *   A = 0 (eps = 0, and the mean is 0 in f32): r = Inf; x = 0 gives NaN (the zero row), other x
 * Inf. NaN or Inf in w, products beyond the range: as IEEE multiplication has it. A NaN that only
 * some allowed results have makes the element indeterminate (oracle.h). It takes a mean within
 * rounding of 2^-150 with eps = 0, or an infinite weight on an element that may be 0, or a zero
 * weight on one that may be infinite.
 *
 * Not covered: flush to zero; other orders of the last product, x*(r*w) and (x*w)*r, where x*r, r*w
 * or x*w is no normal f32 (elsewhere they are inside); R-C as fma(n, w, n) where n is infinite; any
 * accumulator but f32.
 */
#include <math.h>

#include "rms_norm_internal.h"

#define U 0x1p-24
#define ETA 0x1p-150
#define SMALLEST 0x1p-149
#define MIN_NORMAL 0x1p-126
#define LARGEST 0x1.fffffep127
#define OVERFLOW 0x1.ffffffp127 /* rounds to infinity from here on */

typedef struct interval {
    double lo, hi;
} interval;

typedef assay_oracle_step step;
typedef assay_rms_norm_trace trace;

static inline interval bound_of(const step *s) { return (interval){s->lo, s->hi}; }
static inline step step_of(double exact, interval carried, interval bound) {
    return (step){exact, carried.lo, carried.hi, bound.lo, bound.hi};
}

static inline double down(double t) { return t * (1 - 0x1p-50); }
static inline double up(double t) { return t * (1 + 0x1p-50); }

/* Bounds of fl(s) for s >= t, and for s <= t; t >= 0. NaN passes through. */
static inline double f32_down(double t) {
    if (t >= OVERFLOW) return (double)INFINITY;
    if (t >= MIN_NORMAL) return t * (1 / (1 + U));
    if (t <= ETA) return 0;
    return t - ETA < SMALLEST ? SMALLEST : t - ETA;
}

static inline double f32_up(double t) {
    if (t >= OVERFLOW) return (double)INFINITY;
    if (t >= MIN_NORMAL) return t * (1 + U) < LARGEST ? t * (1 + U) : LARGEST;
    if (t <= ETA) return 0;
    return t + ETA;
}

/* (1 + u)^h from above, by squaring p -> (1 + p)^2 - 1, which keeps p's relative accuracy. */
static double growth(int64_t h) {
    double result = 0;
    for (double p = U; h > 0; h >>= 1, p = up(2 * p + p * p))
        if (h & 1) result = up(result + p + result * p);
    return 1 + result;
}

static step computed_sum(const double *x, int64_t d, int64_t height, double sum, trace *t) {
    double largest = 0;
    int64_t small = 0;
    for (int64_t i = 0; i < d; i++) {
        double a = fabs(x[i]);
        largest = a > largest ? a : largest;
        small += a > 0 && a < 0x1p-63;
    }
    t->growth = growth(height);
    t->subnormal = small;
    t->least = f32_down(largest * largest); /* alone on the path, nothing lowers it */
    const interval carried = {sum, sum};
    if (largest <= 0x1p-75) return step_of(sum, carried, (interval){0, 0});

    double lost = (double)small * ETA;
    interval s = {down((down(sum) - lost) / t->growth), up((up(sum) + lost) * t->growth)};
    if (!(s.lo > t->least)) s.lo = t->least;
    if (s.lo > LARGEST) s.lo = (double)INFINITY;
    if (s.hi > LARGEST) s.hi = s.hi < 0x1p128 ? LARGEST : (double)INFINITY;
    return step_of(sum, carried, s);
}

/* The steps that all elements of a row share: S, S/d, + eps, 1/sqrt. */
static void row_steps(const assay_rms_norm_contract *contract, const double *x, int64_t d,
                      double eps, double sum, trace *t) {
    double n = (double)d, early = contract->mean_roundings == 2 ? 1 + U : 1;
    t->sum = computed_sum(x, d, contract->sum_height, sum, t);
    interval s = bound_of(&t->sum), carried = {s.lo / n, s.hi / n};
    interval a = {f32_down(down(s.lo / n / early)), f32_up(up(s.hi / n * early))};
    if (a.hi > s.hi) a.hi = s.hi; /* no mean exceeds its sum: keeps d = 1 within the range */
    t->mean = step_of(sum / n, carried, a);

    carried = (interval){a.lo + eps, a.hi + eps};
    a = (interval){down(carried.lo), up(carried.hi)};
    if (a.lo >= MIN_NORMAL) a.lo = f32_down(a.lo);
    if (a.hi >= MIN_NORMAL) a.hi = f32_up(a.hi);
    t->shifted = step_of(sum / n + eps, carried, a);

    carried = (interval){1 / sqrt(a.hi), 1 / sqrt(a.lo)};
    const interval r = {down((1 - contract->rsqrt_error) / sqrt(a.hi)),
                        up((1 + contract->rsqrt_error) / sqrt(a.lo))};
    t->inverse = step_of(1 / sqrt(t->shifted.exact), carried, r);
}

static inline assay_bound signed_bound(interval p, double y, bool negative) {
    bool low_nan = p.lo != p.lo, high_nan = p.hi != p.hi;
    if (low_nan && high_nan) return (assay_bound){(double)NAN, (double)NAN, (double)NAN};
    if (low_nan || high_nan) return (assay_bound){(double)NAN, -(double)INFINITY, (double)INFINITY};
    if (!(y >= p.lo)) y = p.lo; /* the f32 range cuts off the exact value */
    if (y > p.hi) y = p.hi;
    return negative ? (assay_bound){-y, -p.hi, -p.lo} : (assay_bound){y, p.lo, p.hi};
}

/* The steps of one element, after row_steps. Inlined, so that the oracle's loop, which wants the
 * bound alone, does not pay for filling the trace. */
__attribute__((always_inline)) static inline assay_bound
element_steps(const assay_rms_norm_contract *contract, const step inverse, double x,
              const double *w, trace *t) {
    const assay_dtype storage = contract->x_dtype;
    const bool plus_one = contract->convention == RMS_NORM_RC;
    double a = fabs(x), y = a * inverse.exact;
    interval carried = {a * inverse.lo, a * inverse.hi};
    interval p = {f32_down(down(carried.lo)), f32_up(up(carried.hi))};
    bool negative = signbit(x);
    const bool inner = contract->convention == RMS_NORM_RB;
    t->inner = inner;
    t->product = w != NULL;
    t->normalised = step_of(y, carried, p);
    if (inner) {
        y = rms_norm_round(storage, y);
        carried = p;
        p = (interval){rms_norm_round(storage, p.lo), rms_norm_round(storage, p.hi)};
        t->stored = step_of(y, carried, p);
    }
    if (w) {
        double scale = plus_one ? 1 + *w : *w, g = fabs(scale);
        interval both = {g, g};
        if (plus_one) both = (interval){down(g) * (1 / (1 + U)), up(g) * (1 + U)};
        t->scale = step_of(g, (interval){g, g}, both);

        carried = (interval){p.lo * both.lo, p.hi * both.hi};
        const bool exact =
            inner && storage != ASSAY_F32 && carried.lo >= MIN_NORMAL && carried.hi < OVERFLOW;
        p = exact ? carried : (interval){f32_down(down(carried.lo)), f32_up(up(carried.hi))};
        y *= g;
        t->product_exact = exact;
        t->scaled = step_of(y, carried, p);
        negative ^= signbit(scale) != 0;
    }
    return signed_bound(p, y, negative);
}

assay_status assay_oracle_rms_norm(const assay_rms_norm_contract *contract, const double *x,
                                   const double *w, int64_t d, double eps, assay_bound *out) {
    assay_status status = rms_norm_check(contract, x, w, d, eps, out);
    if (status != ASSAY_OK) return status;

    double sum = rms_norm_sum_squares(x, d);
    if (sum != sum) {
        for (int64_t i = 0; i < d; i++)
            out[i] = (assay_bound){(double)NAN, (double)NAN, (double)NAN};
        return ASSAY_OK;
    }
    trace row;
    row_steps(contract, x, d, eps, sum, &row);
    for (int64_t i = 0; i < d; i++) {
        trace unread;
        out[i] = element_steps(contract, row.inverse, x[i], w ? &w[i] : NULL, &unread);
    }
    return ASSAY_OK;
}

assay_status assay_oracle_rms_norm_trace(const assay_rms_norm_contract *contract, const double *x,
                                         const double *w, int64_t d, double eps, int64_t i,
                                         assay_rms_norm_trace *out) {
    assay_status status = rms_norm_check(contract, x, w, d, eps, out);
    if (status != ASSAY_OK) return status;
    if (i < 0 || i >= d)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm oracle: element %lld of %lld", (long long)i,
                          (long long)d);
    const double sum = rms_norm_sum_squares(x, d);
    *out = (trace){.growth = 0};
    row_steps(contract, x, d, eps, sum, out);
    out->bound = element_steps(contract, out->inverse, x[i], w ? &w[i] : NULL, out);
    if (sum != sum) out->bound = (assay_bound){(double)NAN, (double)NAN, (double)NAN};
    return ASSAY_OK;
}
