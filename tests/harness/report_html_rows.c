/* Failures and the list of all cases in the HTML report. */
#include <inttypes.h>
#include <math.h>

#include "markup.h"
#include "report_html_parts.h"

#define FAILURES 50 /* full texts: a broken kernel fails thousands of cases the same way */
#define OPEN 3      /* of which so many need no click */

static void put_failure(FILE *out, const assay_report *report, const assay_report_row *row) {
    char line[ASSAY_CASE_LINE], repro[2048];
    assay_case_format(&row->c, line);
    assay_report_repro(report->repro, row->word, &row->c, repro, sizeof repro);
    fputs("<article><h3>", out);
    html_word(out, row->word);
    fputs(" <code>", out);
    assay_markup_text(out, line);
    fputs("</code></h3>\n<p class=quiet>", out);
    if (row->check[0]) fputs("check: ", out);
    assay_markup_text(out, row->check);
    if (row->kernel[0]) fprintf(out, "%skernel: ", row->check[0] ? "; " : "");
    assay_markup_text(out, row->kernel);
    fputs("</p>\n", out);
    if (row->message) {
        fputs("<pre>", out);
        assay_markup_text(out, row->message);
        fputs("</pre>\n", out);
    }
    fputs("<p>To see it again: <code>", out);
    assay_markup_text(out, repro);
    fputs("</code></p></article>\n", out);
}

static bool is_failure(const assay_report_row *row) {
    return row->word != ASSAY_PASSED && row->word != ASSAY_SKIPPED;
}

void html_failures(FILE *out, const assay_report_page *page) {
    const assay_report *report = page->report;
    int64_t failures = 0, shown = 0;
    for (size_t i = 0; i < report->rows->count; i++) failures += is_failure(&report->rows->rows[i]);
    if (failures == 0) return;
    fputs("<h2>What did not pass</h2>\n", out);
    if (page->map && page->map->failures) html_map(out, page->map);
    for (size_t i = 0; i < report->rows->count && shown < FAILURES; i++) {
        if (!is_failure(&report->rows->rows[i])) continue;
        if (shown++ == OPEN)
            fprintf(out, "<details><summary>%" PRId64 " more</summary>\n",
                    (failures < FAILURES ? failures : FAILURES) - OPEN);
        put_failure(out, report, &report->rows->rows[i]);
    }
    if (failures > OPEN) fputs("</details>\n", out);
    if (failures <= FAILURES) return;
    fputs("<p>", out);
    assay_markup_count(out, failures - FAILURES);
    fputs(" others did not pass; the list of cases has them all.</p>\n", out);
}

/* End tags that HTML lets one leave out are left out: there are thousands of rows. */
static void put_row(FILE *out, const assay_report_row *row) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(&row->c, line);
    fputs("<tr><td class=c>", out);
    assay_markup_text(out, line);
    fputs("<td>", out);
    html_word(out, row->word);
    fputs("<td class=n>", out);
    assay_markup_count(out, row->outputs);
    if (isnan(row->slack))
        fputs("<td class=n>-", out);
    else
        fprintf(out, "<td class=n>%.3g", row->slack);
    fprintf(out, "<td class=n>%.1f\n", 1e3 * row->seconds);
}

static void put_group(FILE *out, const assay_report *report, const assay_report_group *g) {
    char label[96];
    snprintf(label, sizeof label, "%s %s %s", g->op, g->dtype, g->convention);
    fprintf(out, "<details><summary>%s <span class=quiet>", label);
    html_summary(out, &g->totals);
    fputs("</span></summary>\n", out);
    html_scroll(out, label);
    fputs("<table><thead><tr><th scope=col>case<th scope=col>verdict<th scope=col class=n>outputs"
          "<th scope=col class=n>max slack<th scope=col class=n>ms</thead><tbody>\n",
          out);
    for (size_t i = 0; i < report->rows->count; i++)
        if (assay_report_in_group(&report->rows->rows[i], g)) put_row(out, &report->rows->rows[i]);
    fputs("</tbody></table>", out);
    html_scroll_end(out);
    fputs("</details>\n", out);
}

void html_cases(FILE *out, const assay_report *report) {
    static _Thread_local assay_report_group groups[ASSAY_REPORT_GROUPS];
    const size_t count = assay_report_groups(report->rows, groups);
    fputs("<h2>All cases</h2>\n", out);
    for (size_t g = 0; g < count; g++) put_group(out, report, &groups[g]);
}
