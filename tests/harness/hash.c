#include "hash.h"

#include <inttypes.h>
#include <stdio.h>

#include "assay/formats.h"

assay_hash assay_hash_start(void) {
    return (assay_hash){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};
}

/* Two multiply-and-shift lanes with different constants; the second also sees the first. */
static void add(assay_hash *h, uint64_t word) {
    h->a = (h->a ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    h->a ^= h->a >> 29;
    h->b = (h->b + word) * UINT64_C(0xc2b2ae3d27d4eb4f) + h->a;
    h->b ^= h->b >> 31;
}

void assay_hash_tensor(assay_hash *hash, const assay_tensor *t, const void *dense) {
    const int64_t elements = assay_tensor_elements(t);
    add(hash, (uint64_t)t->dtype);
    for (int i = 0; i < t->rank; i++) add(hash, (uint64_t)t->shape[i]);
    for (int64_t i = 0; i < elements; i++)
        add(hash, assay_format_canonical(t->dtype, assay_format_load(t->dtype, dense, i)));
}

void assay_hash_text(const assay_hash *hash, char text[ASSAY_HASH_TEXT]) {
    snprintf(text, ASSAY_HASH_TEXT, "%016" PRIx64 "%016" PRIx64, hash->a, hash->b);
}
