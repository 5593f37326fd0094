/* Input values toward zero and one: delta debugging over the elements of all inputs. */
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "shrink_internal.h"

#define ROUNDS 4

/* Elements first .. first + count - 1 of input i. */
typedef struct range {
    size_t i;
    int64_t first, count;
} range;

/* Sets the elements of the range that are not zero (or already `bits`); false: there are none. */
static bool set(const assay_operands *o, range r, uint32_t bits) {
    const assay_dtype dtype = o->tensors[r.i].dtype;
    bool any = false;
    for (int64_t e = r.first; e < r.first + r.count; e++) {
        const uint32_t now = assay_format_load(dtype, o->dense[r.i], e);
        if (now == 0 || now == bits) continue;
        assay_format_store(dtype, o->dense[r.i], e, bits);
        any = true;
    }
    return any;
}

static bool attempt(shrinker *s, range r, uint32_t bits, void *saved) {
    const assay_operands *o = &s->out->operands;
    const size_t size = assay_dtype_size(o->tensors[r.i].dtype);
    char *at = (char *)o->dense[r.i] + (size_t)r.first * size;
    memcpy(saved, at, (size_t)r.count * size);
    if (!set(o, r, bits)) return false;
    if (shrink_fails(s, &s->out->given.c, o)) {
        s->out->given = s->last;
        return true;
    }
    memcpy(at, saved, (size_t)r.count * size);
    return false;
}

/* The whole input, then halves, quarters, ... single elements. */
static bool replace(shrinker *s, size_t i, double value) {
    const assay_tensor *t = &s->out->operands.tensors[i];
    const int64_t elements = assay_tensor_elements(t);
    const uint32_t bits = assay_format_encode(t->dtype, value);
    void *saved = malloc(assay_tensor_bytes(t));
    bool changed = false;
    for (int64_t count = elements; saved && count > 0; count = count > 1 ? (count + 1) / 2 : 0)
        for (int64_t first = 0; first < elements && !s->out->exhausted; first += count) {
            const int64_t left = elements - first;
            changed |= attempt(s, (range){i, first, left < count ? left : count}, bits, saved);
        }
    free(saved);
    return changed;
}

void shrink_values(shrinker *s) {
    const assay_operands *o = &s->out->operands;
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < o->count; i++)
            if (o->dense[i]) changed |= replace(s, i, 0);
        for (size_t i = 0; i < o->count; i++)
            if (o->dense[i]) changed |= replace(s, i, 1);
    }
}
