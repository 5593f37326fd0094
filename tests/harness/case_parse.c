/* A case from its text. */
#include <inttypes.h>
#include <string.h>

#include "case_internal.h"

#define BLANKS " \t\r\n"

bool case_next_word(const char **cursor, char word[ASSAY_CASE_LINE]) {
    *cursor += strspn(*cursor, BLANKS);
    size_t length = strcspn(*cursor, BLANKS);
    if (length == 0) return false;
    memcpy(word, *cursor, length);
    word[length] = '\0';
    *cursor += length;
    return true;
}

static assay_status too_long(void) {
    return assay_fail(ASSAY_ERR_ARGUMENT, "the case line is longer than %d characters",
                      ASSAY_CASE_LINE - 1);
}

/* Applies one "key=value"; `seen` has a flag for each attribute. */
static assay_status apply(assay_case *c, char *word, bool seen[ASSAY_MAX_ATTRS]) {
    const assay_op *op = c->op;
    char *equals = strchr(word, '=');
    if (!equals)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: expected key=value, found '%.64s'", op->name,
                          word);
    *equals = '\0';
    size_t i = case_attr_find(op, word);
    if (i == CASE_NO_ATTR) {
        char help[512];
        assay_name_help(word, case_key_at, op, help, sizeof help);
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: unknown key '%.64s'; %s", op->name, word, help);
    }
    if (seen[i])
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: key '%s' is given twice", op->name, word);
    seen[i] = true;

    const assay_attr *attr = &op->attrs[i];
    assay_status status = case_value_read(op, attr, equals + 1, &c->value[i]);
    if (status) return status;
    if (attr->kind == ASSAY_ATTR_INT && (c->value[i].i < attr->min || c->value[i].i > attr->max))
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%" PRId64 " is outside %" PRId64 "..%" PRId64,
                          op->name, attr->key, c->value[i].i, attr->min, attr->max);
    return ASSAY_OK;
}

assay_status assay_case_override(assay_case *c, const char *text) {
    if (strlen(text) >= ASSAY_CASE_LINE) return too_long();
    assay_case changed = *c; /* *c stays as it is when a later word is wrong */
    bool seen[ASSAY_MAX_ATTRS] = {false};
    char word[ASSAY_CASE_LINE];
    while (case_next_word(&text, word)) {
        assay_status status = apply(&changed, word, seen);
        if (status) return status;
    }
    if (case_write(&changed, NULL, NULL, 0) >= ASSAY_CASE_LINE) return too_long();
    *c = changed;
    return ASSAY_OK;
}

assay_status assay_case_parse(const char *line, assay_case *out) {
    char name[ASSAY_CASE_LINE];
    if (strlen(line) >= ASSAY_CASE_LINE) return too_long();
    if (!case_next_word(&line, name))
        return assay_fail(ASSAY_ERR_ARGUMENT, "empty case line: expected OP key=value ...");
    const assay_op *op = assay_op_find(name);
    if (!op) {
        char help[512];
        assay_name_help(name, case_op_name_at, NULL, help, sizeof help);
        return assay_fail(ASSAY_ERR_ARGUMENT, "unknown op '%.64s'; %s", name, help);
    }
    assay_case c = assay_case_default(op);
    assay_status status = assay_case_override(&c, line);
    if (status == ASSAY_OK) *out = c;
    return status;
}
