/* Any text as a case line: it is refused with a message, or its canonical form is a fixed point, as
 * short as promised, and a filter that selects the case. The second line, if any, is taken for
 * overrides and for a filter. */
#include "case.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(int holds, const char *what, const char *line) {
    if (holds) return;
    fprintf(stderr, "does not hold: %s: '%s' (last message: %s)\n", what, line, assay_last_error());
    abort();
}

static void check_canonical(const assay_case *c) {
    char line[ASSAY_CASE_LINE], again[ASSAY_CASE_LINE];
    assay_case back;
    assay_case_format(c, line);
    demand(strlen(line) < ASSAY_CASE_LINE, "the line fits", line);
    demand(assay_case_parse(line, &back) == ASSAY_OK, "the canonical line is read", line);
    assay_case_format(&back, again);
    demand(strcmp(line, again) == 0, "the canonical line is a fixed point", line);

    char words[ASSAY_CASE_LINE];
    memcpy(words, line, sizeof words);
    const char *list[ASSAY_MAX_ATTRS + 1];
    size_t count = 0;
    for (char *rest = words, *word; (word = strtok_r(rest, " ", &rest));) list[count++] = word;
    bool matches = false;
    demand(assay_case_matches(c, list, count, &matches) == ASSAY_OK && matches,
           "a case is selected by its own line", line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    char *second = strchr(text, '\n');
    if (second) *second++ = '\0';

    assay_case c;
    if (assay_case_parse(text, &c)) {
        demand(*assay_last_error() != '\0', "a refusal says why", text);
    } else {
        check_canonical(&c);
        if (second) {
            const char *filter[] = {second};
            bool matches;
            if (assay_case_matches(&c, filter, 1, &matches))
                demand(*assay_last_error() != '\0', "a refusal says why", second);
            if (assay_case_override(&c, second) == ASSAY_OK) check_canonical(&c);
        }
    }
    free(text);
    return 0;
}
