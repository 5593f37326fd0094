/* What a failed bounds check tells the engineer. */
#ifndef ASSAY_HARNESS_FAILURE_TEXT_H
#define ASSAY_HARNESS_FAILURE_TEXT_H

#include "compare.h"
#include "op.h"

/* Writes the body of the message for one compared tensor: count and share of failures, the worst
 * element (index, got in decimal and bits, exact value and what is accepted, error, bound, their
 * ratio, distance in ulps), and where the failures lie. failures: one byte per element of the
 * tensor, or NULL when not kept: then the location is left out. Lines end in '\n' but the last. */
void assay_failure_text(const assay_case *c, const assay_tensor *tensor, const assay_tally *tally,
                        const unsigned char *failures, char *out, size_t size);

#endif
