/* A 128-bit hash of tensors, for digests: over canonical bits in index order, so that a NaN's
 * payload does not show. Not cryptographic; it guards evidence against mistakes, not against
 * forgery. */
#ifndef ASSAY_HARNESS_HASH_H
#define ASSAY_HARNESS_HASH_H

#include <stdint.h>

#include "op.h"

#define ASSAY_HASH_TEXT 33 /* 32 hex digits and the end */

typedef struct assay_hash {
    uint64_t a, b;
} assay_hash;

assay_hash assay_hash_start(void);

/* Adds the tensor's dtype, shape and elements (dense). */
void assay_hash_tensor(assay_hash *hash, const assay_tensor *t, const void *dense);

void assay_hash_text(const assay_hash *hash, char text[ASSAY_HASH_TEXT]);

#endif
