/* Shrinking: the smallest case that still fails the same check, then the fewest input values.
 *
 * First the attributes: whole numbers go toward their minimum (by bisection, then one by one), all
 * others to their defaults, again and again until nothing more gives. Then, on that shape, the
 * inputs themselves: elements are set to zero, then to one, in ever smaller groups. Every step is a
 * full run of the case and is kept only when the same check fails in the same way. The result is
 * the same on every machine.
 */
#ifndef ASSAY_HARNESS_SHRINK_H
#define ASSAY_HARNESS_SHRINK_H

#include "operands.h"
#include "result.h"
#include "runner.h"

#define ASSAY_SHRINK_BUDGET 50000

typedef struct assay_shrink_options {
    const assay_run_options *run; /* backend, chip, kernels, seed, contract */
    int64_t budget;               /* launches; 0: ASSAY_SHRINK_BUDGET */
    void (*on_progress)(int64_t launches, int64_t budget, const char *line, void *context);
    void *context;
} assay_shrink_options;

typedef struct assay_shrunk {
    assay_result first;  /* of the case as given; PASSED, SKIPPED, HARNESS_ERROR: not shrunk */
    assay_result result; /* of the smallest case, on generated data */
    bool emptied;        /* the inputs were reduced, too: the rest is of them */
    assay_result given;  /* its case has the default kind of data: the inputs are not generated */
    assay_operands operands;
    int64_t elements, nonzero; /* of all inputs */
    int64_t runs, launches;
    bool exhausted; /* the budget ended it; what is here fails all the same */
} assay_shrunk;

assay_status assay_shrink(const assay_shrink_options *options, const assay_case *c,
                          assay_shrunk *out);
void assay_shrunk_free(assay_shrunk *s);

#endif
