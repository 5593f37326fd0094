/* The comparator: the only place in assay where a result meets its bound.
 *
 * Rounding is monotone and leaves a stored value where it is, so for a stored value g
 * lo <= g implies round(lo) <= g, and likewise for hi: only a side that is overstepped in float64
 * needs its bound rounded. That is a short cut, not a second rule. Each comparison is written so
 * that a NaN on either side makes it false.
 */
#include "compare.h"

#include <math.h>

#include "assay/formats.h"
#include "compare_internal.h"

static double rounded(assay_dtype dtype, double value) {
    return assay_format_decode(dtype, assay_format_encode(dtype, value));
}

bool compare_accepts(assay_dtype dtype, double got, const assay_bound *bound) {
    if (isnan(bound->y)) return compare_indeterminate(bound) || isnan(got);
    return (bound->lo <= got || rounded(dtype, bound->lo) <= got) &&
           (got <= bound->hi || got <= rounded(dtype, bound->hi));
}

double compare_slack(double got, const assay_bound *bound) {
    double error = got - bound->y;
    if (error == 0) return 0;
    double room = error > 0 ? bound->hi - bound->y : bound->y - bound->lo;
    return isfinite(error) && isfinite(room) ? fabs(error) / room : (double)NAN;
}

bool assay_accepts(assay_dtype dtype, uint32_t got, const assay_bound *bound) {
    return compare_accepts(dtype, assay_format_decode(dtype, got), bound);
}

double assay_slack(assay_dtype dtype, uint32_t got, const assay_bound *bound) {
    return compare_slack(assay_format_decode(dtype, got), bound);
}
