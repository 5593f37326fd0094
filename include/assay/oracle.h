/* Oracles: the exact value of an op, and how far a kernel that keeps its contract may be from it.
 *
 * An oracle fills one assay_bound per output element. Stored values are right if and only if they
 * lie in [round(lo), round(hi)], both rounded to nearest even in the storage format.
 */
#ifndef ASSAY_ORACLE_H
#define ASSAY_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "assay/dtype.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y: exact value in float64. [lo, hi]: every unrounded result that the contract allows.
 * NaN due: all three are NaN. lo <= y <= hi otherwise; infinities are ordinary values here. */
typedef struct assay_bound {
    double y, lo, hi;
} assay_bound;

/* Where a kernel may round, in units of one f32 rounding (u = 2^-24). */
typedef struct assay_rms_norm_contract {
    int convention;         /* assay_norm_convention: 0 R-A, 1 R-B, 2 R-C */
    assay_dtype x_dtype;    /* storage of x and w; R-B rounds the normalised value to it */
    int64_t sum_height;     /* f32 roundings from a square to the complete sum */
    int mean_roundings;     /* roundings of sum -> mean: 1 for a division, 2 for a reciprocal */
    double rsqrt_error;     /* relative error of 1/sqrt of its f32 argument: 2u + u^2 if RN, RN */
} assay_rms_norm_contract;

/* One row. x, w: d elements already decoded to float64 (exact); w NULL: no weight. eps as the f32
 * the kernel receives. Proof and limits at the head of reference/oracle/rms_norm.c.
 * ERR_ARGUMENT when d < 1, eps is negative or not finite, or the contract is out of range. */
assay_status assay_oracle_rms_norm(const assay_rms_norm_contract *contract, const double *x,
                                   const double *w, int64_t d, double eps, assay_bound *out);

/* The same by MPFR at `precision` bits (0: enough to be exact up to the square root): an independent
 * twin that certifies the float64 oracle; y, lo, hi rounded to float64 toward the outside. */
assay_status assay_oracle_rms_norm_mpfr(const assay_rms_norm_contract *contract, const double *x,
                                        const double *w, int64_t d, double eps, long precision,
                                        assay_bound *out);

#ifdef __cplusplus
}
#endif
#endif
