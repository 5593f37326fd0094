/* The one comparator of the suite.
 *
 * An element is right if and only if lo <= got && got <= hi, where lo and hi are the oracle's
 * bounds rounded to the storage format. Written so that NaN fails where a number is due; where NaN
 * is due only NaN passes. A bound with y NaN and lo < hi accepts anything (see assay/oracle.h).
 */
#ifndef ASSAY_HARNESS_COMPARE_H
#define ASSAY_HARNESS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/dtype.h"
#include "assay/oracle.h"

/* True when the stored element satisfies the bound. */
bool assay_accepts(assay_dtype dtype, uint32_t got, const assay_bound *bound);

/* Error of the stored value over its bound on the side of the error: 0 exact, 1 at the bound; NaN
 * when either is not finite. Meaningful where storage does not round (f32 results). */
double assay_slack(assay_dtype dtype, uint32_t got, const assay_bound *bound);

/* Tallies of one compared tensor. */
typedef struct assay_tally {
    int64_t compared, failed;
    int64_t nonzero; /* outputs that are neither zero nor NaN: none at all shows nothing */
    int64_t ill;     /* elements whose interval is wider than a quarter of |y| */
    int64_t indeterminate;
    double max_slack;     /* over the elements with finite bounds; 0 when none */
    int64_t max_slack_at; /* -1: none */
    int64_t worst_at;     /* linear index of the worst failure; -1: none */
    uint32_t worst_got;
    assay_bound worst;
    double worst_ratio; /* error / bound of that element; infinity for NaN or a zero bound */
    double worst_error; /* |got - y| of that element; NaN when one of the two is NaN */
} assay_tally;

void assay_tally_start(assay_tally *tally);

/* Compares `count` elements of storage `got` (dense) whose first has linear index `first`.
 * failures: one byte per element, set to 1 where it fails; NULL if not wanted. */
void assay_tally_add(assay_tally *tally, assay_dtype dtype, const void *got, int64_t first,
                     int64_t count, const assay_bound *bounds, unsigned char *failures);

/* Joins the tally of another part of the same tensor. */
void assay_tally_join(assay_tally *into, const assay_tally *part);

/* Describes where the failures of a (rows, columns) tensor lie: "all in the last 8 columns", "one
 * 16x16 tile at row 32, column 48", "every second row", "row 3 only", "one element", ... */
void assay_pattern(const unsigned char *failures, int64_t rows, int64_t columns, char *text,
                   size_t size);

#endif
