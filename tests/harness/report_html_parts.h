/* The parts of the HTML report: each writes one section, or nothing when there is nothing to show.
 * Internal. */
#ifndef ASSAY_HARNESS_REPORT_HTML_PARTS_H
#define ASSAY_HARNESS_REPORT_HTML_PARTS_H

#include <cjson/cJSON.h>

#include "report_html.h"

extern const char html_style[];

/* "<span class=...>PASSED</span>" */
void html_word(FILE *out, assay_word word);

/* "12 failed, 268 passed of 280 cases" */
void html_summary(FILE *out, const assay_totals *totals);

void html_closeness(FILE *out, const assay_report_page *page); /* histograms, error map */
void html_map(FILE *out, const assay_error_map *map);
void html_histogram(FILE *out, const assay_histogram *h, const char *title, const char *what);
void html_failures(FILE *out, const assay_report_page *page);
void html_cases(FILE *out, const assay_report *report);
void html_kills(FILE *out, const cJSON *mutants);

/* Opens and closes a box that scrolls by itself when its content is wider than the page. */
void html_scroll(FILE *out, const char *label);
void html_scroll_end(FILE *out);

#endif
