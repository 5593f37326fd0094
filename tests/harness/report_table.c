#include "report_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* The cases of one op with one storage type. */
typedef struct group {
    char name[64], dtype[16];
    assay_totals totals;
    bool slack_known;
} group;

struct assay_report_table {
    assay_report_table_options options;
    group *groups;
    size_t count;
    bool slack_known;
    int64_t shown[ASSAY_WORD_COUNT];
};

#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"

static const char *color_of(assay_word word) {
    if (word == ASSAY_PASSED) return GREEN;
    return word == ASSAY_FAILED || word == ASSAY_HARNESS_ERROR ? RED : YELLOW;
}

static void put_word(const assay_report_table *t, assay_word word) {
    fprintf(t->options.out, "%s%s%s", t->options.color ? color_of(word) : "", assay_word_name(word),
            t->options.color ? PLAIN : "");
}

assay_report_table *assay_report_table_start(const assay_report_table_options *options) {
    assay_report_table *t = calloc(1, sizeof *t);
    if (t) t->options = *options;
    return t;
}

/* The group of a result; NULL without memory: then only the total knows of it. */
static group *group_of(assay_report_table *t, const assay_result *result) {
    const char *dtype = "-";
    for (size_t i = 0; i < result->c.op->attr_count; i++) {
        const assay_attr *attr = &result->c.op->attrs[i];
        if (attr->kind == ASSAY_ATTR_WORD && strcmp(attr->key, "dt") == 0)
            dtype = attr->words[result->c.value[i].i];
    }
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->groups[i].name, result->c.op->name) == 0 &&
            strcmp(t->groups[i].dtype, dtype) == 0)
            return &t->groups[i];
    group *grown = realloc(t->groups, (t->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    t->groups = grown;
    group *g = &t->groups[t->count++];
    *g = (group){.totals.cases = 0};
    snprintf(g->name, sizeof g->name, "%s", result->c.op->name);
    snprintf(g->dtype, sizeof g->dtype, "%s", dtype);
    return g;
}

bool assay_report_table_prints(const assay_report_table *t, const assay_result *result) {
    if (result->word == ASSAY_PASSED) return false;
    int64_t limit = result->word == ASSAY_SKIPPED ? 1 : ASSAY_REPORT_LIMIT;
    return t->options.all || t->shown[result->word] <= limit; /* at the limit: says so */
}

/* Every line of the message on a line of its own, indented. */
static void put_message(FILE *out, const char *message) {
    while (*message) {
        size_t length = strcspn(message, "\n");
        fprintf(out, "  %.*s\n", (int)length, message);
        message += length + (message[length] == '\n');
    }
}

static void put_result(assay_report_table *t, const assay_result *result) {
    FILE *out = t->options.out;
    int64_t limit = result->word == ASSAY_SKIPPED ? 1 : ASSAY_REPORT_LIMIT;
    int64_t shown = t->shown[result->word]++;
    if (shown > limit && !t->options.all) return;
    if (shown == limit && !t->options.all) {
        fprintf(out, "(more that are ");
        put_word(t, result->word);
        fprintf(out, " are counted only; --all shows them)\n");
        return;
    }
    char line[ASSAY_CASE_LINE];
    assay_case_format(&result->c, line);
    put_word(t, result->word);
    fprintf(out, " %s\n", line);
    if (result->check && result->check[0]) fprintf(out, "  check: %s\n", result->check);
    if (result->kernel[0]) fprintf(out, "  kernel: %s\n", result->kernel);
    put_message(out, result->message);
    if (result->word == ASSAY_SKIPPED) return;
    char repro[2048];
    assay_report_repro(t->options.repro, result->word, &result->c, repro, sizeof repro);
    fprintf(out, "  repro: %s\n", repro);
}

void assay_report_table_add(assay_report_table *t, const assay_result *result) {
    if (result->word != ASSAY_PASSED) put_result(t, result);
    t->slack_known = t->slack_known || result->slack_known;
    group *g = group_of(t, result);
    if (!g) return;
    assay_totals_add(&g->totals, result);
    g->slack_known = g->slack_known || result->slack_known;
}

static void put_row(FILE *out, const char *name, const char *dtype, const assay_totals *s,
                    bool slack_known) {
    const int64_t *w = s->words;
    int64_t other = s->cases - w[ASSAY_PASSED] - w[ASSAY_FAILED] - w[ASSAY_MISTRUSTED];
    char slack[32] = "-";
    if (slack_known) snprintf(slack, sizeof slack, "%.3g", s->max_slack);
    fprintf(out,
            "%-20s %-6s %7" PRId64 " %7" PRId64 " %7" PRId64 " %10" PRId64 " %7" PRId64
            " %13" PRId64 " %9s %9.2f\n",
            name, dtype, s->cases, w[ASSAY_PASSED], w[ASSAY_FAILED], w[ASSAY_MISTRUSTED], other,
            s->outputs, slack, s->seconds);
}

static void put_table(const assay_report_table *t, const assay_totals *totals) {
    FILE *out = t->options.out;
    fprintf(out, "%-20s %-6s %7s %7s %7s %10s %7s %13s %9s %9s\n", "op", "dtype", "cases", "passed",
            "failed", "mistrusted", "other", "outputs", "max slack", "seconds");
    for (size_t i = 0; i < t->count; i++) {
        const group *g = &t->groups[i];
        put_row(out, g->name, g->dtype, &g->totals, g->slack_known);
    }
    put_row(out, "total", "", totals, t->slack_known);
}

/* The word that decides the exit code, then what else there was. */
static void put_verdict(const assay_report_table *t, const assay_totals *totals) {
    static const assay_word order[] = {ASSAY_HARNESS_ERROR,   ASSAY_FAILED,  ASSAY_MISTRUSTED,
                                       ASSAY_ILL_CONDITIONED, ASSAY_REFUSED, ASSAY_PASSED,
                                       ASSAY_SKIPPED};
    const char *before = "";
    FILE *out = t->options.out;
    if (totals->cases == 0) {
        fprintf(out, "nothing ran\n");
        return;
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (totals->words[order[i]] == 0) continue;
        if (!*before) {
            put_word(t, order[i]);
            before = ": ";
        }
        fprintf(out, "%s%" PRId64 " %s", before, totals->words[order[i]], assay_word_key(order[i]));
        before = ", ";
    }
    fprintf(out, " of %" PRId64 " cases; %" PRId64 " outputs compared\n", totals->cases,
            totals->outputs);
}

void assay_report_table_finish(assay_report_table *t, const assay_totals *totals) {
    if (!t->options.quiet) put_table(t, totals);
    put_verdict(t, totals);
    assay_report_table_discard(t);
}

void assay_report_table_discard(assay_report_table *t) {
    if (!t) return;
    free(t->groups);
    free(t);
}
