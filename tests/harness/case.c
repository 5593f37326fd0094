/* Attributes of a case by name. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_internal.h"

size_t case_attr_find(const assay_op *op, const char *key) {
    for (size_t i = 0; i < op->attr_count; i++)
        if (strcmp(op->attrs[i].key, key) == 0) return i;
    return CASE_NO_ATTR;
}

const char *case_op_name_at(const void *table, size_t index) {
    (void)table;
    return index < assay_op_count() ? assay_op_at(index)->name : NULL;
}

const char *case_key_at(const void *op, size_t index) {
    const assay_op *o = op;
    return index < o->attr_count ? o->attrs[index].key : NULL;
}

assay_case assay_case_default(const assay_op *op) {
    assay_case c = {.op = op};
    for (size_t i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].kind == ASSAY_ATTR_REAL)
            c.value[i].r = op->attrs[i].real_fallback;
        else
            c.value[i].i = op->attrs[i].fallback;
    }
    return c;
}

/* A wrong key or kind is a mistake in an op's file; going on would test another case. */
static size_t declared(const assay_case *c, const char *key, assay_attr_kind kind) {
    size_t i = case_attr_find(c->op, key);
    if (i == CASE_NO_ATTR || c->op->attrs[i].kind != kind) abort();
    return i;
}

int64_t assay_case_int(const assay_case *c, const char *key) {
    return c->value[declared(c, key, ASSAY_ATTR_INT)].i;
}

double assay_case_real(const assay_case *c, const char *key) {
    return c->value[declared(c, key, ASSAY_ATTR_REAL)].r;
}

const char *assay_case_word(const assay_case *c, const char *key) {
    size_t i = declared(c, key, ASSAY_ATTR_WORD);
    return c->op->attrs[i].words[c->value[i].i];
}

int64_t assay_case_index(const assay_case *c, const char *key) {
    return c->value[declared(c, key, ASSAY_ATTR_WORD)].i;
}
