/* Attributes toward their smallest or plainest values. */
#include <string.h>

#include "shrink_internal.h"

#define NEAR 8 /* values at the minimum, and below a found one, that are tried one by one */
#define ROUNDS 8

static bool attempt(shrinker *s, size_t attr, assay_value value) {
    assay_case c = s->out->result.c;
    c.value[attr] = value;
    if (!shrink_fails(s, &c, NULL)) return false;
    s->out->result = s->last;
    return true;
}

static bool attempt_int(shrinker *s, size_t attr, int64_t value) {
    return attempt(s, attr, (assay_value){.i = value});
}

/* The smallest few one after another, then bisection, which finds the edge of faults that begin at
 * a size; then what lies just below, for faults that also depend on a remainder. */
static bool lower(shrinker *s, size_t attr) {
    const int64_t least = s->out->result.c.op->attrs[attr].min;
    int64_t high = s->out->result.c.value[attr].i, low = least - 1;
    const int64_t start = high;
    for (int64_t v = least; v < high && v < least + NEAR; v++) {
        if (attempt_int(s, attr, v)) return true;
        low = v;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (attempt_int(s, attr, middle))
            high = middle;
        else
            low = middle;
    }
    for (int64_t step = 1; step <= 2 * NEAR && high - step > least; step++) {
        if (!attempt_int(s, attr, high - step)) continue;
        high -= step;
        step = 0;
    }
    return high < start;
}

/* Numbers that stand for no size: a smaller seed is no smaller case. */
static bool is_size(const assay_attr *attr) {
    return attr->kind == ASSAY_ATTR_INT && strcmp(attr->key, "seed") != 0;
}

static bool plainer(shrinker *s, size_t i) {
    const assay_attr *attr = &s->out->result.c.op->attrs[i];
    const assay_value now = s->out->result.c.value[i];
    if (is_size(attr)) return now.i > attr->min && lower(s, i);
    if (attr->kind == ASSAY_ATTR_REAL)
        return memcmp(&now.r, &attr->real_fallback, sizeof now.r) != 0 &&
               attempt(s, i, (assay_value){.r = attr->real_fallback});
    return now.i != attr->fallback && attempt_int(s, i, attr->fallback);
}

void shrink_attributes(shrinker *s) {
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < s->out->result.c.op->attr_count; i++) changed |= plainer(s, i);
    }
}
