/* How often errors came how close to their bounds. */
#ifndef ASSAY_HARNESS_HISTOGRAM_H
#define ASSAY_HARNESS_HISTOGRAM_H

#include <stdint.h>

#define ASSAY_HISTOGRAM_BINS 20

typedef struct assay_histogram {
    int64_t bins[ASSAY_HISTOGRAM_BINS]; /* of (0, 1]; each holds its upper end */
    int64_t zero, over, unknown;        /* exactly 0; above 1; NaN */
} assay_histogram;

void assay_histogram_add(assay_histogram *h, double slack);
int64_t assay_histogram_total(const assay_histogram *h); /* unknown ones aside */

#endif
