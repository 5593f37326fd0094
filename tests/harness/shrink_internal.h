/* What the files of the shrinker share. */
#ifndef ASSAY_HARNESS_SHRINK_INTERNAL_H
#define ASSAY_HARNESS_SHRINK_INTERNAL_H

#include "session.h"
#include "shrink.h"

typedef struct shrinker {
    const assay_shrink_options *options;
    int64_t budget;
    assay_session session;
    assay_word word; /* the failure to keep */
    const char *check;
    assay_shrunk *out;
    assay_result last; /* of the last run */
} shrinker;

/* Runs the case on the operands (NULL: on generated ones); true when the failure is still there.
 * False, without a run, once the budget is spent. */
bool shrink_fails(shrinker *s, const assay_case *c, const assay_operands *o);

/* Shrinks out->result.c. */
void shrink_attributes(shrinker *s);

/* Empties out->operands, which fail as out->given.c. */
void shrink_values(shrinker *s);

#endif
