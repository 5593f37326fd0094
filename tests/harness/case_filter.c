/* Filters: which cases a list of words selects. */
#include <string.h>

#include "case_internal.h"

typedef enum comparison { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL } comparison;

/* "d>=4096" taken apart. */
typedef struct term {
    char key[ASSAY_CASE_LINE];
    comparison how;
    const char *value;
} term;

/* False: there is no comparison in the word, so it is a substring to look for. */
static bool take_apart(const char *word, term *t) {
    size_t length = strcspn(word, "=<>!");
    const char *sign = word + length;
    if (!*sign) return false;
    memcpy(t->key, word, length);
    t->key[length] = '\0';
    bool equals = sign[1] == '=';
    switch (*sign) {
    case '<': t->how = equals ? LESS_EQUAL : LESS; break;
    case '>': t->how = equals ? GREATER_EQUAL : GREATER; break;
    case '!':
        if (!equals) return false;
        t->how = NOT_EQUAL;
        break;
    default: equals = false; t->how = EQUAL;
    }
    t->value = sign + 1 + equals;
    return true;
}

static bool ordered(comparison how) { return how != EQUAL && how != NOT_EQUAL; }

static bool holds(comparison how, int order) {
    switch (how) {
    case EQUAL:
    case NOT_EQUAL: return order == 0; /* of one alternative; the caller negates */
    case LESS: return order < 0;
    case LESS_EQUAL: return order <= 0;
    case GREATER: return order > 0;
    case GREATER_EQUAL: return order >= 0;
    }
    return false;
}

/* The next of the comma-separated alternatives. */
static bool next_alternative(const char **cursor, char text[ASSAY_CASE_LINE]) {
    if (!*cursor) return false;
    size_t length = strcspn(*cursor, ",");
    memcpy(text, *cursor, length);
    text[length] = '\0';
    *cursor = (*cursor)[length] ? *cursor + length + 1 : NULL;
    return true;
}

/* Whether `op` understands the term, and whether `value` (NULL: do not ask) satisfies it. */
static assay_status judge(const assay_op *op, size_t index, const term *t, const assay_value *value,
                          bool *matches) {
    const assay_attr *attr = &op->attrs[index];
    if (ordered(t->how) && attr->kind == ASSAY_ATTR_WORD)
        return assay_fail(ASSAY_ERR_ARGUMENT, "filter: %s is a word; it has no < or >", t->key);
    if (ordered(t->how) && strchr(t->value, ','))
        return assay_fail(ASSAY_ERR_ARGUMENT, "filter: < and > of %s take one value, not '%.64s'",
                          t->key, t->value);
    bool any = false;
    const char *cursor = t->value;
    char text[ASSAY_CASE_LINE];
    while (next_alternative(&cursor, text)) {
        assay_value wanted;
        assay_status status = case_value_read(op, attr, text, &wanted);
        if (status) return status;
        if (!value) continue;
        int order = attr->kind == ASSAY_ATTR_REAL ? (value->r > wanted.r) - (value->r < wanted.r)
                                                  : (value->i > wanted.i) - (value->i < wanted.i);
        any = any || holds(t->how, order);
    }
    *matches = t->how == NOT_EQUAL ? !any : any;
    return ASSAY_OK;
}

/* The filter's own key: op=NAME,NAME. */
static assay_status judge_op(const assay_case *c, const term *t, bool *matches) {
    if (ordered(t->how)) return assay_fail(ASSAY_ERR_ARGUMENT, "filter: op has no < or >");
    bool any = false;
    const char *cursor = t->value;
    char name[ASSAY_CASE_LINE];
    while (next_alternative(&cursor, name)) {
        bool own = strcmp(name, c->op->name) == 0;
        if (!own && !assay_op_find(name)) {
            char help[512];
            assay_name_help(name, case_op_name_at, NULL, help, sizeof help);
            return assay_fail(ASSAY_ERR_ARGUMENT, "filter: unknown op '%.64s'; %s", name, help);
        }
        any = any || own;
    }
    *matches = t->how == NOT_EQUAL ? !any : any;
    return ASSAY_OK;
}

/* The case's op does not understand the term. When another op does, the case is merely not meant;
 * when none does, it is a typing mistake, and a selection made with it would mislead. */
static assay_status not_meant(const assay_case *c, const term *t, bool *matches) {
    for (size_t k = 0; k < assay_op_count(); k++) {
        const assay_op *op = assay_op_at(k);
        size_t index = case_attr_find(op, t->key);
        bool ignored;
        if (op == c->op || index == CASE_NO_ATTR || judge(op, index, t, NULL, &ignored)) continue;
        *matches = false;
        return ASSAY_OK;
    }
    size_t index = case_attr_find(c->op, t->key);
    if (index != CASE_NO_ATTR) return judge(c->op, index, t, NULL, matches); /* for its message */
    for (size_t k = 0; k < assay_op_count(); k++) {
        index = case_attr_find(assay_op_at(k), t->key);
        if (index != CASE_NO_ATTR) return judge(assay_op_at(k), index, t, NULL, matches);
    }
    char help[512];
    assay_name_help(t->key, case_key_at, c->op, help, sizeof help);
    return assay_fail(ASSAY_ERR_ARGUMENT, "filter: no op has the key '%.64s'; of %s, %s", t->key,
                      c->op->name, help);
}

static assay_status word_matches(const assay_case *c, const char *line, const char *word,
                                 bool *matches) {
    term t;
    if (strlen(word) >= ASSAY_CASE_LINE)
        return assay_fail(ASSAY_ERR_ARGUMENT, "filter: '%.32s...' is longer than %d characters",
                          word, ASSAY_CASE_LINE - 1);
    if (!take_apart(word, &t)) {
        *matches = strstr(line, word) != NULL;
        return ASSAY_OK;
    }
    size_t index = case_attr_find(c->op, t.key);
    if (index == CASE_NO_ATTR && strcmp(t.key, "op") == 0) return judge_op(c, &t, matches);
    if (index != CASE_NO_ATTR && !judge(c->op, index, &t, &c->value[index], matches))
        return ASSAY_OK;
    return not_meant(c, &t, matches);
}

/* Every word is looked at even when an earlier one rules the case out, so that a wrong word is
 * reported whatever the others say. */
assay_status assay_case_matches(const assay_case *c, const char *const *words, size_t count,
                                bool *matches) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(c, line);
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        bool one = false;
        assay_status status = word_matches(c, line, words[i], &one);
        if (status) return status;
        all = all && one;
    }
    *matches = all;
    return ASSAY_OK;
}
