/* The canonical line of a case. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_internal.h"

static bool listed(const char *const *keys, const char *key) {
    for (; keys && *keys; keys++)
        if (strcmp(*keys, key) == 0) return true;
    return false;
}

static bool is_default(const assay_attr *attr, assay_value value) {
    if (attr->kind == ASSAY_ATTR_REAL) /* by bits: -0 is not the default 0 */
        return memcmp(&value.r, &attr->real_fallback, sizeof value.r) == 0;
    return value.i == attr->fallback;
}

__attribute__((format(printf, 4, 5))) static void append(char *line, size_t size, size_t *used,
                                                         const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = *used < size ? size - *used : 0;
    int n = vsnprintf(room ? line + *used : NULL, room, format, args);
    va_end(args);
    if (n > 0) *used += (size_t)n;
}

size_t case_write(const assay_case *c, const char *const *skip, char *line, size_t size) {
    size_t used = 0;
    append(line, size, &used, "%s", c->op->name);
    for (size_t i = 0; i < c->op->attr_count; i++) {
        const assay_attr *attr = &c->op->attrs[i];
        assay_value value = c->value[i];
        if (listed(skip, attr->key) || (!attr->always && is_default(attr, value))) continue;
        append(line, size, &used, " %s=", attr->key);
        char real[CASE_REAL_TEXT];
        switch (attr->kind) {
        case ASSAY_ATTR_INT: append(line, size, &used, "%" PRId64, value.i); break;
        case ASSAY_ATTR_WORD: append(line, size, &used, "%s", attr->words[value.i]); break;
        case ASSAY_ATTR_REAL:
            case_real_text(value.r, real);
            append(line, size, &used, "%s", real);
            break;
        }
    }
    return used;
}

void assay_case_format(const assay_case *c, char line[ASSAY_CASE_LINE]) {
    assay_case_format_without(c, NULL, line);
}

/* Parsing refuses a case whose line would be too long, so only an op whose own grid makes one gets
 * here; a line cut short would name another case. */
void assay_case_format_without(const assay_case *c, const char *const *keys,
                               char line[ASSAY_CASE_LINE]) {
    if (case_write(c, keys, line, ASSAY_CASE_LINE) >= ASSAY_CASE_LINE) abort();
}
