/* The counts of a checked run: their names, and as text. */
#ifndef ASSAY_HARNESS_COUNTERS_H
#define ASSAY_HARNESS_COUNTERS_H

#include <stdio.h>

#include "assay/simt.h"
#include "result.h"

/* Names are those of assay_simt_counters' members: keys of the JSON report. */
size_t assay_counter_count(void);
const char *assay_counter_name(size_t index);
uint64_t assay_counter_value(const assay_simt_counters *counters, size_t index);

/* The table of one case; nothing when it was not counted. */
void assay_counters_print(FILE *out, const assay_result *result);

#endif
