#include "report_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report_html_parts.h"
#include "text_file.h"
#include "version.h"
#include "whole_file.h"

void html_word(FILE *out, assay_word word) {
    const char *class = word == ASSAY_PASSED                                  ? "good"
                        : word == ASSAY_FAILED || word == ASSAY_HARNESS_ERROR ? "bad"
                                                                              : "warn";
    fprintf(out, "<span class=%s>%s</span>", class, assay_word_name(word));
}

void html_summary(FILE *out, const assay_totals *totals) {
    char text[512];
    assay_report_summary(totals, text, sizeof text);
    text[strcspn(text, ";")] = '\0'; /* outputs have a place of their own */
    fputs(text, out);
}

void html_scroll(FILE *out, const char *label) {
    fputs("<div class=scroll tabindex=0 role=region aria-label=\"", out);
    assay_markup_attribute(out, label);
    fputs("\">\n", out);
}

void html_scroll_end(FILE *out) { fputs("</div>\n", out); }

/* The policy makes a promise of the page checkable: nothing is fetched and nothing runs. */
static void put_head(FILE *out, assay_word verdict) {
    fprintf(out,
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
            "img-src data:; style-src 'unsafe-inline'\">\n"
            "<link rel=icon href=\"data:,\">\n<title>assay check: %s</title>\n<style>\n%s</style>"
            "</head>\n<body>\n",
            assay_word_name(verdict), html_style);
}

static void put_tile(FILE *out, const char *name) { fprintf(out, "<div><dt>%s</dt><dd>", name); }

static void put_tiles(FILE *out, const assay_report *report) {
    const assay_totals *t = report->totals;
    bool known = false;
    for (size_t i = 0; i < report->rows->count; i++) known |= !isnan(report->rows->rows[i].slack);
    fputs("<dl class=tiles>", out);
    put_tile(out, "cases");
    assay_markup_count(out, t->cases);
    fputs("</dd></div>", out);
    put_tile(out, "outputs compared");
    assay_markup_count(out, t->outputs);
    fputs("</dd></div>", out);
    put_tile(out, "launches");
    assay_markup_count(out, t->launches);
    fputs("</dd></div>", out);
    put_tile(out, "largest slack");
    fprintf(out, known ? "%.3g</dd></div>" : "-</dd></div>", t->max_slack);
    put_tile(out, "ran as");
    assay_markup_text(out, report->head->chip);
    fputs(", ", out);
    assay_markup_text(out, report->head->backend);
    fputs("</dd></div>", out);
    put_tile(out, "time");
    fprintf(out, "%.1f s</dd></div></dl>\n", t->seconds);
}

static void put_numbers(FILE *out, const assay_totals *t, bool slack_known) {
    const int64_t *w = t->words;
    const int64_t other = t->cases - w[ASSAY_PASSED] - w[ASSAY_FAILED] - w[ASSAY_MISTRUSTED];
    const int64_t counts[] = {t->cases, w[ASSAY_PASSED], w[ASSAY_FAILED], w[ASSAY_MISTRUSTED],
                              other,    t->outputs};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fprintf(out, i >= 2 && i <= 4 && counts[i] ? "<td class=\"n bad\">" : "<td class=n>");
        assay_markup_count(out, counts[i]);
    }
    if (slack_known)
        fprintf(out, "<td class=n>%.3g", t->max_slack);
    else
        fputs("<td class=n>-", out);
    fprintf(out, "<td class=n>%.2f\n", t->seconds);
}

static void put_verdicts(FILE *out, const assay_report *report) {
    static _Thread_local assay_report_group groups[ASSAY_REPORT_GROUPS];
    const size_t count = assay_report_groups(report->rows, groups);
    bool known = false;
    fputs("<h2>Verdicts</h2>\n", out);
    html_scroll(out, "Verdicts by op, storage type and convention");
    fputs("<table><thead><tr><th scope=col>op<th scope=col>dtype<th scope=col>conv"
          "<th scope=col class=n>cases<th scope=col class=n>passed<th scope=col class=n>failed"
          "<th scope=col class=n>mistrusted<th scope=col class=n>other"
          "<th scope=col class=n>outputs<th scope=col class=n>max slack"
          "<th scope=col class=n>seconds</thead><tbody>\n",
          out);
    for (size_t g = 0; g < count; g++) {
        fprintf(out, "<tr><th scope=row>%s<td>%s<td>%s", groups[g].op, groups[g].dtype,
                groups[g].convention);
        put_numbers(out, &groups[g].totals, groups[g].slack_known);
        known = known || groups[g].slack_known;
    }
    fputs("</tbody><tfoot><tr><th scope=row>total<td><td>", out);
    put_numbers(out, report->totals, known);
    fputs("</tfoot></table>", out);
    html_scroll_end(out);
}

static void put_fact(FILE *out, const char *name, const char *value) {
    if (!value || !*value) return;
    fprintf(out, "<dt>%s</dt><dd><code>", name);
    assay_markup_text(out, value);
    fputs("</code></dd>\n", out);
}

static void put_run(FILE *out, const assay_report_page *page) {
    const assay_report_head *head = page->report->head;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, head->seed);
    fputs("<h2>This run</h2>\n<dl class=run>\n", out);
    put_fact(out, "command", head->command);
    put_fact(out, "tool", "assay " ASSAY_VERSION);
    put_fact(out, "back end", head->backend);
    put_fact(out, "chip", head->chip);
    put_fact(out, "level", head->level);
    put_fact(out, "seed", seed);
    for (size_t i = 0; head->environment && head->environment[i]; i++)
        put_fact(out, "environment", head->environment[i]);
    put_fact(out, "date", page->date);
    fputs("</dl>\n", out);
}

static void write_page(FILE *out, const assay_report_page *page, const cJSON *mutants) {
    const assay_report *report = page->report;
    const assay_word verdict = assay_report_verdict(report->totals);
    put_head(out, verdict);
    fputs("<header><h1>assay check: ", out);
    html_word(out, verdict);
    fputs("</h1>\n<p>", out);
    html_summary(out, report->totals);
    fputs("</p>\n", out);
    put_tiles(out, report);
    fputs("</header>\n<main>\n", out);
    put_verdicts(out, report);
    html_failures(out, page);
    html_closeness(out, page);
    html_kills(out, mutants);
    html_cases(out, report);
    put_run(out, page);
    fputs("</main></body></html>\n", out);
}

static assay_status read_mutants(const char *path, cJSON **mutants) {
    char *text;
    size_t size;
    assay_status status = assay_text_read(path, &text, &size);
    if (status) return status;
    *mutants = cJSON_ParseWithLength(text, size);
    free(text);
    const char *schema = cJSON_GetStringValue(cJSON_GetObjectItem(*mutants, "schema"));
    if (schema && strcmp(schema, "assay.mutate/1") == 0) return ASSAY_OK;
    status = assay_fail(ASSAY_ERR_FORMAT, "%s: schema: found %.64s, expected assay.mutate/1", path,
                        schema ? schema : "none");
    cJSON_Delete(*mutants);
    *mutants = NULL;
    return status;
}

assay_status assay_report_html(const char *path, const assay_report_page *page) {
    assay_whole_file file;
    cJSON *mutants = NULL;
    assay_status status = ASSAY_OK;
    if (page->report->rows->lost)
        return assay_fail(ASSAY_ERR_MEMORY, "no memory for the report %s", path);
    if (page->mutants) status = read_mutants(page->mutants, &mutants);
    if (!status) status = assay_whole_file_open(path, stdout, &file);
    if (!status) {
        write_page(file.file, page, mutants);
        status = assay_whole_file_keep(&file, 0);
    }
    cJSON_Delete(mutants);
    return status;
}
