/* One case on one device: launches, generic contract checks, bounds. */
#ifndef ASSAY_HARNESS_RUN_CASE_H
#define ASSAY_HARNESS_RUN_CASE_H

#include "backend.h"
#include "operands.h"
#include "result.h"
#include "runner.h"

/* What one launch left behind. */
typedef struct assay_launched {
    void *out[ASSAY_MAX_TENSORS]; /* dense, owned; NULL for inputs */
    assay_ran ran;
} assay_launched;

void assay_launched_free(assay_launched *l);

/* Places the operands, launches once, fetches outputs, and checks what any launch must keep: guard
 * zones, gaps between rows, inputs unchanged. *check names the check that failed, NULL when the
 * trouble is the harness's own. The schedule is permuted by `seed`. */
assay_status assay_launch_once(assay_device *device, const assay_case *c, const assay_operands *o,
                               int poison, uint64_t seed, assay_launched *out, const char **check);

/* Runs everything for one case and fills the result (word, check, message, tally, counts, hashes).
 * twin: an executor of the same chip whose bits the device must match; NULL: none. Trust is not
 * settled here. */
void assay_run_case(assay_device *device, assay_device *twin, const assay_case *c,
                    const assay_operands *o, const assay_run_options *options,
                    assay_result *result);

/* The op's refusals, as a result of a pseudo-case (the op's default case). */
void assay_run_refusals(assay_device *device, const assay_op *op, assay_result *result);

#endif
