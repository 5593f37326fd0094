#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

void assay_report_rows_add(assay_report_rows *rows, const assay_result *r) {
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
        assay_report_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown) {
            rows->lost = true;
            return;
        }
        rows->rows = grown;
        rows->capacity = capacity;
    }
    assay_report_row *row = &rows->rows[rows->count++];
    *row = (assay_report_row){.c = r->c,
                              .word = r->word,
                              .check = r->check ? r->check : "",
                              .message = r->message[0] ? strdup(r->message) : NULL,
                              .outputs = r->outputs,
                              .failed = r->tally.failed,
                              .slack = r->slack_known ? r->tally.max_slack : (double)NAN,
                              .seconds = r->seconds};
    if (r->message[0] && !row->message) rows->lost = true;
    snprintf(row->kernel, sizeof row->kernel, "%s", r->kernel);
}

void assay_report_rows_free(assay_report_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) free(rows->rows[i].message);
    free(rows->rows);
    *rows = (assay_report_rows){.rows = NULL};
}

static const char *word_of(const assay_case *c, const char *key) {
    for (size_t i = 0; i < c->op->attr_count; i++) {
        const assay_attr *attr = &c->op->attrs[i];
        if (attr->kind == ASSAY_ATTR_WORD && strcmp(attr->key, key) == 0)
            return attr->words[c->value[i].i];
    }
    return "-";
}

/* Words are the op's own strings: equal text, equal pointer. */
bool assay_report_in_group(const assay_report_row *row, const assay_report_group *g) {
    return row->c.op->name == g->op && word_of(&row->c, "dt") == g->dtype &&
           word_of(&row->c, "conv") == g->convention;
}

static void add(assay_totals *totals, const assay_report_row *row) {
    totals->words[(unsigned)row->word < ASSAY_WORD_COUNT ? row->word : ASSAY_HARNESS_ERROR]++;
    totals->cases++;
    totals->outputs += row->outputs;
    totals->seconds += row->seconds;
    if (row->slack > totals->max_slack) totals->max_slack = row->slack;
}

static int by_name(const void *a, const void *b) {
    const assay_report_group *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    if (order == 0) order = strcmp(x->dtype, y->dtype);
    return order ? order : strcmp(x->convention, y->convention);
}

size_t assay_report_groups(const assay_report_rows *rows,
                           assay_report_group groups[ASSAY_REPORT_GROUPS]) {
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const assay_report_row *row = &rows->rows[i];
        size_t g = 0;
        while (g < count && !assay_report_in_group(row, &groups[g])) g++;
        if (g == ASSAY_REPORT_GROUPS) continue;
        if (g == count)
            groups[count++] = (assay_report_group){.op = row->c.op->name,
                                                   .dtype = word_of(&row->c, "dt"),
                                                   .convention = word_of(&row->c, "conv")};
        add(&groups[g].totals, row);
        groups[g].slack_known = groups[g].slack_known || !isnan(row->slack);
    }
    qsort(groups, count, sizeof *groups, by_name);
    return count;
}

static const assay_word by_weight[] = {ASSAY_HARNESS_ERROR,   ASSAY_FAILED,  ASSAY_MISTRUSTED,
                                       ASSAY_ILL_CONDITIONED, ASSAY_REFUSED, ASSAY_PASSED,
                                       ASSAY_SKIPPED};

assay_word assay_report_verdict(const assay_totals *totals) {
    for (size_t i = 0; i < ASSAY_WORD_COUNT; i++)
        if (totals->words[by_weight[i]]) return by_weight[i];
    return ASSAY_SKIPPED;
}

void assay_report_summary(const assay_totals *totals, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ASSAY_WORD_COUNT && used < size; i++) {
        const int64_t count = totals->words[by_weight[i]];
        if (count == 0) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 " %s", used ? ", " : "",
                                 count, assay_word_key(by_weight[i]));
    }
    if (used < size)
        snprintf(text + used, size - used, "%s of %" PRId64 " cases; %" PRId64 " outputs compared",
                 used ? "" : "none", totals->cases, totals->outputs);
}

void assay_report_repro(const char *command, assay_word word, const assay_case *c, char *text,
                        size_t size) {
    char line[ASSAY_CASE_LINE];
    const bool ask = word == ASSAY_MISTRUSTED && strncmp(command, "assay repro", 11) == 0;
    assay_case_format(c, line);
    snprintf(text, size, "%s%s '%s'", command, ask ? " --trust" : "", line);
}

const assay_report_row *assay_report_worst(const assay_report_rows *rows, int64_t limit) {
    const assay_report_row *worst = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const assay_report_row *row = &rows->rows[i];
        if (row->outputs <= 0 || row->outputs > limit) continue;
        if (row->word == ASSAY_FAILED && row->failed > 0) return row;
        if (row->word != ASSAY_PASSED || isnan(row->slack)) continue;
        if (!worst || row->slack > worst->slack ||
            (row->slack == worst->slack && row->outputs > worst->outputs))
            worst = row;
    }
    return worst;
}
