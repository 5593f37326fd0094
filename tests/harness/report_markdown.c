/* A Markdown comment, short enough to be read on a change. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "markup.h"
#include "report_files.h"
#include "whole_file.h"

#define FAILURES 5 /* texts; the rest is counted */

/* A fence that the text cannot close: longer than any run of back quotes in it. */
static int fence_for(const char *text) {
    int longest = 2, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest + 1;
}

static void put_fence(FILE *out, int length) {
    for (int i = 0; i < length; i++) fputc('`', out);
}

static void put_slack(FILE *out, double slack, bool known) {
    if (known)
        fprintf(out, "%.3g", slack);
    else
        fputs("-", out);
}

static void put_group(FILE *out, const assay_report_group *g) {
    const assay_totals *t = &g->totals;
    const int64_t *w = t->words;
    fprintf(
        out, "| %s | %s | %s | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64,
        g->op, g->dtype, g->convention, t->cases, w[ASSAY_PASSED], w[ASSAY_FAILED],
        w[ASSAY_MISTRUSTED], t->cases - w[ASSAY_PASSED] - w[ASSAY_FAILED] - w[ASSAY_MISTRUSTED]);
    fputs(" | ", out);
    assay_markup_count(out, t->outputs);
    fputs(" | ", out);
    put_slack(out, t->max_slack, g->slack_known);
    fputs(" |\n", out);
}

static void put_table(FILE *out, const assay_report *report) {
    static _Thread_local assay_report_group groups[ASSAY_REPORT_GROUPS];
    const size_t count = assay_report_groups(report->rows, groups);
    fputs("| op | dtype | convention | cases | passed | failed | mistrusted | other | outputs "
          "| max slack |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          out);
    for (size_t g = 0; g < count; g++) put_group(out, &groups[g]);
}

static void put_failure(FILE *out, const assay_report *report, const assay_report_row *row) {
    char line[ASSAY_CASE_LINE], repro[2048];
    const char *message = row->message ? row->message : "";
    const int fence = fence_for(message);
    assay_case_format(&row->c, line);
    assay_report_repro(report->repro, row->word, &row->c, repro, sizeof repro);
    fprintf(out, "\n**%s** `%s`\n\n", assay_word_name(row->word), line);
    put_fence(out, fence);
    fputs("text\n", out);
    if (row->check[0]) fprintf(out, "check: %s\n", row->check);
    assay_markup_plain(out, message);
    fputs("\nrepro: ", out);
    assay_markup_plain(out, repro);
    fputs("\n", out);
    put_fence(out, fence);
    fputs("\n", out);
}

static void put_failures(FILE *out, const assay_report *report) {
    int64_t shown = 0, more = 0;
    for (size_t i = 0; i < report->rows->count; i++) {
        const assay_report_row *row = &report->rows->rows[i];
        if (row->word == ASSAY_PASSED || row->word == ASSAY_SKIPPED) continue;
        if (shown == FAILURES) {
            more++;
            continue;
        }
        if (shown++ == 0) fputs("\n#### First failures\n", out);
        put_failure(out, report, row);
    }
    if (more) fprintf(out, "\n%" PRId64 " more did not pass.\n", more);
}

static void put_largest_slack(FILE *out, const assay_report_rows *rows) {
    const assay_report_row *largest = NULL;
    char line[ASSAY_CASE_LINE];
    for (size_t i = 0; i < rows->count; i++)
        if (!isnan(rows->rows[i].slack) && (!largest || rows->rows[i].slack > largest->slack))
            largest = &rows->rows[i];
    if (!largest) return;
    assay_case_format(&largest->c, line);
    fprintf(out, "\nLargest slack (error over bound): %.3g, in `%s`\n", largest->slack, line);
}

assay_status assay_report_markdown(const char *path, const assay_report *report) {
    assay_whole_file file;
    char summary[512];
    if (report->rows->lost)
        return assay_fail(ASSAY_ERR_MEMORY, "no memory for the report %s", path);
    const assay_status status = assay_whole_file_open(path, stdout, &file);
    if (status) return status;
    FILE *out = file.file;
    assay_report_summary(report->totals, summary, sizeof summary);
    fprintf(out, "### assay check: %s\n\n%s on %s (%s), %.1f s.\n\n",
            assay_word_name(assay_report_verdict(report->totals)), summary, report->head->chip,
            report->head->backend, report->totals->seconds);
    put_table(out, report);
    put_failures(out, report);
    put_largest_slack(out, report->rows);
    return assay_whole_file_keep(&file, 0);
}
