/* Running cases. */
#ifndef ASSAY_HARNESS_RUNNER_H
#define ASSAY_HARNESS_RUNNER_H

#include "assay/kernel.h"
#include "op.h"
#include "result.h"

typedef struct assay_run_options {
    assay_backend backend;
    const assay_chip *chip; /* NULL: h200 on simt and cuda, mi300x on hip */
    assay_level level;
    uint64_t seed;        /* of schedules; data seeds belong to the case */
    int jobs;             /* host threads; 0: one per CPU */
    bool checked;         /* simt: look at every access */
    bool counters;        /* with checked: count them, in each case's first run */
    const char *contract; /* NULL: each kernel's declared contract */
    void *kernels;        /* assay_target.kernels; NULL: the built-in kernels */
    bool trust;           /* evaluate ablations: MISTRUSTED is possible */
    const char *const *filter;
    size_t filter_count;
    /* Progress and results, in case order, from the calling thread; may be NULL. */
    void (*on_result)(const assay_result *result, void *context);
    void (*on_progress)(int64_t done, int64_t total, const char *line, void *context);
    void *context;
} assay_run_options;

/* Runs every selected case of every op; ERR_ARGUMENT when the filter is malformed or selects
 * nothing. Results arrive through on_result after trust is settled. */
assay_status assay_run(const assay_run_options *options, assay_totals *totals);

/* Runs the given cases (lines need not be in a grid). */
assay_status assay_run_cases(const assay_run_options *options, const assay_case *cases,
                             size_t count, assay_totals *totals);

/* Whether the back end can run here now; `why` says why not. */
bool assay_backend_usable(assay_backend backend, char *why, size_t size);

#endif
