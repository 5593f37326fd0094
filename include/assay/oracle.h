/* Oracles: the exact value of an op, and how far a kernel that keeps its contract may be from it.
 *
 * An oracle fills one assay_bound per output element. Stored values are right if and only if they
 * lie in [round(lo), round(hi)], both rounded to nearest even in the storage format.
 */
#ifndef ASSAY_ORACLE_H
#define ASSAY_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/dtype.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y: exact value in float64. [lo, hi]: every unrounded result that the contract allows, with
 * lo <= y <= hi; infinities are ordinary values here, and zeros of both signs are equal.
 * NaN due: all three are NaN.
 * Indeterminate: y is NaN, lo = -Inf, hi = +Inf: the contract allows both a NaN and a number, so
 * anything is right. Only corners of the f32 range are so (see each oracle's head). */
typedef struct assay_bound {
    double y, lo, hi;
} assay_bound;

/* Where a kernel may round, in units of one f32 rounding (u = 2^-24). At most so often: a kernel
 * that fuses a multiply and an add, and so rounds less, keeps the contract too. */
typedef struct assay_rms_norm_contract {
    int convention;      /* assay_norm_convention: 0 R-A, 1 R-B, 2 R-C */
    assay_dtype x_dtype; /* storage of x and w; R-B rounds the normalised value to it */
    int64_t sum_height;  /* f32 roundings from a square to the complete sum; 1 .. 2^25 */
    int mean_roundings;  /* roundings of sum -> mean: 1 for a division, 2 for a reciprocal */
    double rsqrt_error;  /* relative error of 1/sqrt of its f32 argument, 0 .. 2^-8:
                            2u + u^2 if sqrt and division are both RN */
} assay_rms_norm_contract;

/* One row. x, w: d elements already decoded to float64 (exact); w NULL: no weight. eps as the f32
 * the kernel receives. Proof and limits at the head of reference/oracle/rms_norm.c.
 * ERR_ARGUMENT when d is not 1 .. 2^24, eps is negative or not finite, x, w or eps holds a number
 * that is not an f32, or the contract is out of range. */
assay_status assay_oracle_rms_norm(const assay_rms_norm_contract *contract, const double *x,
                                   const double *w, int64_t d, double eps, assay_bound *out);

/* How one step of a bound comes about: the ends carried through it without a rounding, and the ends
 * after all that the step may round. Magnitudes: signs are put back at the end. */
typedef struct assay_oracle_step {
    double exact; /* in float64, from exact operands */
    double carried_lo, carried_hi;
    double lo, hi;
} assay_oracle_step;

/* The steps from a row to the bound of one of its elements, in order of computation. */
typedef struct assay_rms_norm_trace {
    double growth;       /* (1 + u)^sum_height from above */
    int64_t subnormal;   /* squares that may be subnormal: each may gain or lose 2^-150 */
    double least;        /* the largest square alone, as f32: no computed sum is less */
    bool inner, product; /* which of the steps `stored`, and `scale` and `scaled`, exist */
    bool product_exact;  /* the product needs no rounding */
    assay_oracle_step sum, mean, shifted, inverse; /* S, S/d, + eps, 1/sqrt */
    assay_oracle_step normalised, stored, scale, scaled;
    assay_bound bound; /* what assay_oracle_rms_norm gives this element, bit for bit */
} assay_rms_norm_trace;

/* The bound of element `i` with the steps that lead to it: the oracle's own computation. */
assay_status assay_oracle_rms_norm_trace(const assay_rms_norm_contract *contract, const double *x,
                                         const double *w, int64_t d, double eps, int64_t i,
                                         assay_rms_norm_trace *out);

/* The same by MPFR at `precision` bits (0: enough to hold the sum of squares exactly): an
 * independent twin that certifies the float64 oracle; lo and hi rounded to float64 toward the
 * outside, y to nearest. */
assay_status assay_oracle_rms_norm_mpfr(const assay_rms_norm_contract *contract, const double *x,
                                        const double *w, int64_t d, double eps, long precision,
                                        assay_bound *out);

/* The formula with one thing wrong. Test data can judge a kernel only if every ablation that
 * applies leaves the interval somewhere: else a kernel with that fault would pass. */
typedef enum assay_rms_norm_ablation {
    ASSAY_RMS_NORM_FULL = 0,         /* nothing wrong: the oracle's y */
    ASSAY_RMS_NORM_NO_EPS,           /* eps dropped */
    ASSAY_RMS_NORM_EPS_X10,          /* ten times eps */
    ASSAY_RMS_NORM_EPS_OUTSIDE,      /* 1 / (sqrt(mean) + eps) */
    ASSAY_RMS_NORM_NO_WEIGHT,        /* not scaled by w (R-C: by 1 + w) */
    ASSAY_RMS_NORM_WEIGHT_TAIL_LOST, /* the last 8 (all, if d < 8) not scaled by it */
    ASSAY_RMS_NORM_WEIGHT_SHIFTED,   /* element i scaled by the weight of i + 1, cyclic */
    ASSAY_RMS_NORM_FIRST_LOST,       /* first element not in the sum */
    ASSAY_RMS_NORM_LAST_LOST,        /* last element not in the sum */
    ASSAY_RMS_NORM_TAIL_LOST,        /* last 8 not in the sum */
    ASSAY_RMS_NORM_HALF_LOST,        /* second half not in the sum */
    ASSAY_RMS_NORM_NO_SCALE,         /* r = 1 */
    ASSAY_RMS_NORM_NO_MEAN,          /* the sum itself, not divided by d */
    ASSAY_RMS_NORM_MEAN_D_MINUS_1,   /* divided by d - 1 */
    ASSAY_RMS_NORM_AS_RA,            /* rounded as the other conventions do */
    ASSAY_RMS_NORM_AS_RB,
    ASSAY_RMS_NORM_AS_RC,
    ASSAY_RMS_NORM_ABLATION_COUNT
} assay_rms_norm_ablation;

/* "full", "no_eps", ...; "?" for a value outside the enum. */
const char *assay_rms_norm_ablation_name(assay_rms_norm_ablation ablation);

/* False where the ablation is no fault, or one that no data of this shape can show: eps terms with
 * eps = 0, weight terms without a weight, elements that d does not have, the tree's own
 * convention, R-A and R-B told apart when x is f32 (they differ by one f32 rounding). */
bool assay_rms_norm_ablation_applies(const assay_rms_norm_contract *contract,
                                     assay_rms_norm_ablation ablation, bool has_weight, int64_t d,
                                     double eps);

/* The ablated formula's values in float64, R-B's inner rounding included; the f32 range is not
 * modelled. ERR_ARGUMENT as for the oracle, or when the ablation does not apply. */
assay_status assay_oracle_rms_norm_ablated(const assay_rms_norm_contract *contract,
                                           assay_rms_norm_ablation ablation, const double *x,
                                           const double *w, int64_t d, double eps, double *y);

#ifdef __cplusplus
}
#endif
#endif
