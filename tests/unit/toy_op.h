/* Two made-up ops that the harness tests stand on: they never run, and their tables stay as they
 * are whatever happens to the real ones. toy_op.c defines assay_op_count, _at and _find. */
#ifndef ASSAY_UNIT_TOY_OP_H
#define ASSAY_UNIT_TOY_OP_H

#include "op.h"

extern const assay_op toy;       /* dt rows d eps weight data seed */
extern const assay_op toy_other; /* dt seq scale data */

#define TOY_SMOKE 3 /* cases in the grid of `toy` by level */
#define TOY_CI 6
#define TOY_NIGHTLY 7
#define TOY_OTHER 2 /* and of `toy_other`, at every level */

#endif
