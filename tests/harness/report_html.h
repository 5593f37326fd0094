/* The HTML report: one page that needs nothing else. No script, no request; light and dark; from a
 * phone's width up. */
#ifndef ASSAY_HARNESS_REPORT_HTML_H
#define ASSAY_HARNESS_REPORT_HTML_H

#include "error_map.h"
#include "report.h"

typedef struct assay_report_page {
    const assay_report *report;
    const assay_error_map *map; /* of the worst case; NULL: no picture */
    const char *mutants;        /* a report of assay mutate --json; NULL: no kill matrix */
    const char *date;           /* shown as it is; NULL: none */
} assay_report_page;

/* Writes a whole file at `path`, or on standard output when it is "-". ERR_IO for either file,
 * ERR_FORMAT when `mutants` is no such report. */
assay_status assay_report_html(const char *path, const assay_report_page *page);

#endif
