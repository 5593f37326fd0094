/* Values of attributes as text. strtod and printf are used in the C locale only: nothing in assay
 * calls setlocale. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_internal.h"

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

void case_real_text(double value, char text[CASE_REAL_TEXT]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, CASE_REAL_TEXT, "%.*g", digits, value);
        if (same_bits(strtod(text, NULL), value)) break;
    }
    char *exponent = strchr(text, 'e');
    if (!exponent) return;
    char *digit = exponent + 1; /* "e-06" becomes "e-6", "e+10" becomes "e10" */
    if (*digit == '+') memmove(digit, digit + 1, strlen(digit));
    if (*digit == '-') digit++;
    while (*digit == '0' && digit[1]) memmove(digit, digit + 1, strlen(digit));
}

static assay_status read_int(const assay_op *op, const assay_attr *attr, const char *text,
                             int64_t *value) {
    bool negative = *text == '-';
    const char *digit = text + negative;
    int64_t n = 0;
    if (!*digit) goto malformed;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9') goto malformed;
        int64_t step = negative ? '0' - *digit : *digit - '0';
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, step, &n))
            return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%.64s does not fit 64 bits", op->name,
                              attr->key, text);
    }
    *value = n;
    return ASSAY_OK;
malformed:
    return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%.64s is not a decimal integer", op->name,
                      attr->key, text);
}

/* Plain decimals only: strtod would also take "nan", "inf", hexadecimal and leading blanks. */
static assay_status read_real(const assay_op *op, const assay_attr *attr, const char *text,
                              double *value) {
    char *end = NULL;
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%.64s is not a decimal number", op->name,
                          attr->key, text);
    double r = strtod(text, &end);
    if (*end)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%.64s is not a decimal number", op->name,
                          attr->key, text);
    size_t significand = strcspn(text, "eE");
    bool zero = strcspn(text, "123456789") >= significand;
    if (isinf(r) || (r == 0 && !zero))
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %s=%.64s is outside the range of a double",
                          op->name, attr->key, text);
    *value = r;
    return ASSAY_OK;
}

static assay_status read_word(const assay_op *op, const assay_attr *attr, const char *text,
                              int64_t *value) {
    for (int64_t i = 0; attr->words[i]; i++) {
        if (strcmp(attr->words[i], text) == 0) {
            *value = i;
            return ASSAY_OK;
        }
    }
    char help[512];
    assay_name_help(text, assay_name_in_array, attr->words, help, sizeof help);
    return assay_fail(ASSAY_ERR_ARGUMENT, "%s: unknown word in %s=%.64s; %s", op->name, attr->key,
                      text, help);
}

assay_status case_value_read(const assay_op *op, const assay_attr *attr, const char *text,
                             assay_value *value) {
    switch (attr->kind) {
    case ASSAY_ATTR_INT: return read_int(op, attr, text, &value->i);
    case ASSAY_ATTR_REAL: return read_real(op, attr, text, &value->r);
    case ASSAY_ATTR_WORD: return read_word(op, attr, text, &value->i);
    }
    return assay_fail(ASSAY_ERR_INTERNAL, "%s: attribute %s has no kind", op->name, attr->key);
}
