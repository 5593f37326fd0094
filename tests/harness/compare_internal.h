/* The comparator on values that are decoded already: one decode an element serves the verdict, the
 * slack and the tally. */
#ifndef ASSAY_HARNESS_COMPARE_INTERNAL_H
#define ASSAY_HARNESS_COMPARE_INTERNAL_H

#include <math.h>

#include "compare.h"

/* Anything is right; see assay/oracle.h. */
static inline bool compare_indeterminate(const assay_bound *bound) {
    return isnan(bound->y) && bound->lo < bound->hi;
}

bool compare_accepts(assay_dtype dtype, double got, const assay_bound *bound);
double compare_slack(double got, const assay_bound *bound);

#endif
