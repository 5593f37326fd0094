#include "operands.h"

#include <stdlib.h>
#include <string.h>

size_t assay_tensor_bytes(const assay_tensor *t) {
    const size_t bytes = (size_t)assay_tensor_elements(t) * assay_dtype_size(t->dtype);
    return bytes ? bytes : 1;
}

static assay_status allocate(assay_operands *o, size_t i) {
    if (assay_tensor_elements(&o->tensors[i]) < 0)
        return assay_fail(ASSAY_ERR_OVERFLOW, "%s: shape overflows", o->tensors[i].role);
    o->dense[i] = malloc(assay_tensor_bytes(&o->tensors[i]));
    if (!o->dense[i])
        return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory for %zu bytes", o->tensors[i].role,
                          assay_tensor_bytes(&o->tensors[i]));
    return ASSAY_OK;
}

assay_status assay_operands_create(const assay_case *c, assay_operands *out) {
    memset(out, 0, sizeof *out);
    assay_status status = c->op->describe(c, out->tensors, &out->count);
    for (size_t i = 0; i < out->count && !status; i++)
        if (out->tensors[i].present && !out->tensors[i].output) status = allocate(out, i);
    if (!status) c->op->generate(c, out->tensors, out->dense);
    if (status) assay_operands_free(out);
    return status;
}

void assay_operands_free(assay_operands *o) {
    for (size_t i = 0; i < o->count; i++) {
        free(o->dense[i]);
        o->dense[i] = NULL;
    }
}

assay_status assay_operands_slice(const assay_operands *whole, const assay_case *part,
                                  int64_t first, assay_operands *out) {
    memset(out, 0, sizeof *out);
    assay_status status = part->op->describe(part, out->tensors, &out->count);
    for (size_t i = 0; i < out->count && !status; i++) {
        if (!out->tensors[i].present || out->tensors[i].output) continue;
        status = allocate(out, i);
        if (status) break;
        const size_t unit_bytes = (size_t)assay_tensor_unit_size(&out->tensors[i]) *
                                  assay_dtype_size(out->tensors[i].dtype);
        const size_t skip = out->tensors[i].batched ? (size_t)first * unit_bytes : 0;
        memcpy(out->dense[i], (const char *)whole->dense[i] + skip,
               (size_t)assay_tensor_elements(&out->tensors[i]) *
                   assay_dtype_size(out->tensors[i].dtype));
    }
    if (status) assay_operands_free(out);
    return status;
}

void assay_hash_launch(const assay_operands *o, void *const *out, char inputs[ASSAY_HASH_TEXT],
                       char outputs[ASSAY_HASH_TEXT]) {
    assay_hash in = assay_hash_start(), result = assay_hash_start();
    for (size_t i = 0; i < o->count; i++) {
        if (out[i]) assay_hash_tensor(&result, &o->tensors[i], out[i]);
        if (o->dense[i]) assay_hash_tensor(&in, &o->tensors[i], o->dense[i]);
    }
    assay_hash_text(&in, inputs);
    assay_hash_text(&result, outputs);
}
