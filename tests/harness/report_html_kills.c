/* Planted faults and what finds them, from a report of assay mutate. */
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report_html_parts.h"

#define NAMES 48
#define NAME 64

/* Names in order of appearance. */
typedef struct names {
    char at[NAMES][NAME];
    int count;
} names;

typedef struct kills {
    names classes, checks;
    int hits[NAMES][NAMES]; /* mutants of a class by what killed them; the last column: nothing */
} kills;

static const char *text_of(const cJSON *row, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(row, key));
    return text ? text : "";
}

static int index_of(names *n, const char *name, size_t length) {
    char wanted[NAME];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < NAME ? length : NAME - 1), name);
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->at[i], wanted) == 0) return i;
    if (n->count == NAMES - 1) return -1; /* the list of mutants still has it */
    memcpy(n->at[n->count], wanted, sizeof wanted);
    return n->count++;
}

static bool is(const cJSON *row, const char *status) {
    return strcmp(text_of(row, "status"), status) == 0;
}

/* A mutant counts in each of its classes. */
static void count_row(kills *k, const cJSON *row) {
    if (!is(row, "killed") && !is(row, "survived")) return;
    const char *by = text_of(row, "killed_by"), *classes = text_of(row, "class");
    const int column = is(row, "killed") ? index_of(&k->checks, by, strlen(by)) : NAMES - 1;
    while (*classes && column >= 0) {
        const size_t length = strcspn(classes, " ");
        const int line = length ? index_of(&k->classes, classes, length) : -1;
        if (line >= 0) k->hits[line][column]++;
        classes += length + (classes[length] == ' ');
    }
}

static void put_head(FILE *out, const kills *k) {
    fputs("<table class=kills><caption>Faults of each class by the check that found them first"
          "</caption><thead><tr><th scope=col>class",
          out);
    for (int c = 0; c < k->checks.count; c++) {
        fputs("<th scope=col class=n>", out);
        assay_markup_text(out, k->checks.at[c]);
    }
    fputs("<th scope=col class=n>survived</thead><tbody>\n", out);
}

static void put_line(FILE *out, const kills *k, int line) {
    fputs("<tr><th scope=row>", out);
    assay_markup_text(out, k->classes.at[line]);
    for (int c = 0; c < k->checks.count; c++)
        fprintf(out, k->hits[line][c] ? "<td class=\"n good\">%d" : "<td class=\"n quiet\">-",
                k->hits[line][c]);
    const int survived = k->hits[line][NAMES - 1];
    fprintf(out, "<td class=\"n %s\">%d\n", survived ? "bad" : "quiet", survived);
}

static void put_mutant(FILE *out, const cJSON *row) {
    const bool killed = is(row, "killed");
    fputs("<tr><th scope=row>", out);
    assay_markup_text(out, text_of(row, "id"));
    fputs("<td>", out);
    assay_markup_text(out, text_of(row, "class"));
    fprintf(out, "<td class=%s>", killed ? "good" : is(row, "equivalent") ? "quiet" : "bad");
    assay_markup_text(out, text_of(row, "status"));
    fputs("<td>", out);
    assay_markup_text(out, text_of(row, "killed_by"));
    fputs("<td class=c>", out);
    assay_markup_text(out, text_of(row, killed ? "case" : "message"));
    fputs("\n", out);
}

static void put_totals(FILE *out, const cJSON *mutants) {
    static const char *const keys[] = {"killed", "survived", "equivalent", "refused", "not_run"};
    const cJSON *totals = cJSON_GetObjectItem(mutants, "totals");
    fprintf(out, "<p>%.0f planted faults",
            cJSON_GetNumberValue(cJSON_GetObjectItem(totals, "applied")));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const cJSON *n = cJSON_GetObjectItem(totals, keys[i]);
        if (!cJSON_IsNumber(n)) continue;
        fprintf(out, "%s %.0f ", i ? "," : ":", n->valuedouble);
        for (const char *p = keys[i]; *p; p++) fputc(*p == '_' ? ' ' : *p, out);
    }
    fputs(".</p>\n", out);
}

void html_kills(FILE *out, const cJSON *mutants) {
    if (!mutants) return;
    kills *k = calloc(1, sizeof *k);
    if (!k) return;
    const cJSON *rows = cJSON_GetObjectItem(mutants, "rows"), *row;
    cJSON_ArrayForEach(row, rows) count_row(k, row);
    fputs("<h2>Planted faults</h2>\n", out);
    put_totals(out, mutants);
    html_scroll(out, "Planted faults by class");
    put_head(out, k);
    for (int line = 0; line < k->classes.count; line++) put_line(out, k, line);
    fputs("</tbody></table>", out);
    html_scroll_end(out);
    fputs("<details><summary>Every fault</summary>\n", out);
    html_scroll(out, "Every planted fault");
    fputs("<table><thead><tr><th scope=col>fault<th scope=col>class<th scope=col>status"
          "<th scope=col>found by<th scope=col>first case, or reason</thead><tbody>\n",
          out);
    cJSON_ArrayForEach(row, rows) put_mutant(out, row);
    fputs("</tbody></table>", out);
    html_scroll_end(out);
    fputs("</details>\n", out);
    free(k);
}
