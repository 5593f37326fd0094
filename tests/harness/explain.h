/* How the bound of one output element comes about, step by step.
 *
 * An op's explain hook fills an assay_explanation from its oracle's own steps; what is generic
 * about it (which element, what was stored, shares of the width, text) is done here for all ops.
 */
#ifndef ASSAY_HARNESS_EXPLAIN_H
#define ASSAY_HARNESS_EXPLAIN_H

#include "operands.h"
#include "runner.h"

#define ASSAY_EXPLAIN_STEPS 12

typedef struct assay_explain_step {
    char name[24]; /* "S/d" */
    char why[224]; /* what the step may round, the theorem named where there is one */
    assay_oracle_step ends;
    double relative, absolute; /* what each end may gain: a share of it, an amount */
    bool joins;   /* a second operand with a width of its own: the next step takes in both */
    bool decides; /* ends with what it rounds to: widths before it no longer matter */
} assay_explain_step;

typedef struct assay_explanation {
    char contract[1024]; /* lines: convention, tree, roundings; without '\n' at the end */
    assay_explain_step steps[ASSAY_EXPLAIN_STEPS];
    size_t count;
    assay_bound bound; /* the oracle's for this element, bit for bit */
} assay_explanation;

/* Shares of the final relative width by step: they add up to 1. False when there is no width to
 * share, or an end is 0 or not finite: then all are NaN. */
bool assay_explain_shares(const assay_explanation *e, double shares[ASSAY_EXPLAIN_STEPS]);

/* One element of one case, explained. */
typedef struct assay_explained {
    assay_case c;
    assay_tensor tensor;  /* the output */
    int64_t row, column;  /* row: linear index of all dimensions but the last */
    const char *chosen;   /* why this element */
    const char *contract; /* as named; NULL: the kernel's declared one */
    bool ran;             /* the kernel gave `got`; else `trouble` says why not */
    uint32_t got;
    char kernel[96], trouble[512];
    assay_explanation explanation;
} assay_explained;

/* Runs the case once and explains the element (row, column) of its first output; row < 0 lets it
 * choose: the worst failure, else the largest error over bound, else element 0. ERR_UNSUPPORTED
 * when the op explains nothing, ERR_ARGUMENT when there is no such element. */
assay_status assay_explain(const assay_run_options *options, const assay_case *c, int64_t row,
                           int64_t column, assay_explained *out);

/* The text for people: contract, steps with numbers, what may be stored, what was. */
void assay_explain_text(const assay_explained *e, char *text, size_t size);

#endif
