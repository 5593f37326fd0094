/* Trust: whether the data of a class of cases can show each fault that the op lists as an ablation.
 *
 * A class is all cases that agree in everything but the op's class_ignores. An ablation is shown
 * once some case's bounds reject the ablated value somewhere. A class with an ablation left is
 * MISTRUSTED: its passes would also be had by a kernel with that fault.
 */
#ifndef ASSAY_HARNESS_TRUST_H
#define ASSAY_HARNESS_TRUST_H

#include "op.h"
#include "operands.h"

typedef struct assay_trust assay_trust;

assay_trust *assay_trust_create(void);
void assay_trust_free(assay_trust *trust);

/* Tries every ablation that the case's class has not shown yet. Thread-safe; which case shows an
 * ablation first may vary, the final set does not. */
assay_status assay_trust_examine(assay_trust *trust, const assay_case *c, const assay_operands *o,
                                 const char *contract);

/* Writes the names of the ablations that the case's class did not show; false when none. */
bool assay_trust_missing(const assay_trust *trust, const assay_case *c, char *names, size_t size);

#endif
