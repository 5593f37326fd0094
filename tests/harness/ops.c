/* The table of ops, gathered by the build from ops/. */
#include "op.h"

#include <string.h>

#define ASSAY_OP(name) extern const assay_op assay_op_##name;
#include "ops.inc"
#undef ASSAY_OP

#define ASSAY_OP(name) &assay_op_##name,
static const assay_op *const ops[] = {
#include "ops.inc"
};
#undef ASSAY_OP

size_t assay_op_count(void) { return sizeof ops / sizeof ops[0]; }

const assay_op *assay_op_at(size_t index) { return index < assay_op_count() ? ops[index] : NULL; }

const assay_op *assay_op_find(const char *name) {
    for (size_t i = 0; i < assay_op_count(); i++)
        if (strcmp(ops[i]->name, name) == 0) return ops[i];
    return NULL;
}

int64_t assay_tensor_elements(const assay_tensor *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(n, t->shape[i], &n)) return -1;
    return n;
}

int64_t assay_tensor_units(const assay_tensor *t) {
    return t->batched && t->rank > 0 ? t->shape[0] : 1;
}

int64_t assay_tensor_unit_size(const assay_tensor *t) {
    assay_tensor unit = *t;
    if (t->batched && t->rank > 0) unit.shape[0] = 1;
    return assay_tensor_elements(&unit);
}
