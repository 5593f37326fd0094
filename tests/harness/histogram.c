#include "histogram.h"

#include <math.h>

void assay_histogram_add(assay_histogram *h, double slack) {
    if (isnan(slack)) {
        h->unknown++;
    } else if (slack <= 0) {
        h->zero++;
    } else if (slack > 1) {
        h->over++;
    } else {
        const double up = ceil(slack * ASSAY_HISTOGRAM_BINS);
        h->bins[up < 1 ? 0 : (int)up - 1]++;
    }
}

int64_t assay_histogram_total(const assay_histogram *h) {
    int64_t total = h->zero + h->over;
    for (int i = 0; i < ASSAY_HISTOGRAM_BINS; i++) total += h->bins[i];
    return total;
}
