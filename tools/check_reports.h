/* The reports that assay check writes when a run is over. */
#ifndef ASSAY_TOOLS_CHECK_REPORTS_H
#define ASSAY_TOOLS_CHECK_REPORTS_H

#include "report.h"
#include "runner.h"

typedef struct check_reports {
    const char *junit, *markdown, *html; /* paths; NULL: not wanted */
    const char *mutants;                 /* report of assay mutate, for the page */
    assay_report_rows rows;
} check_reports;

/* Keeps a result when some report is wanted. */
void check_reports_add(check_reports *reports, const assay_result *result);

/* True when one goes to standard output, so that nothing else may. */
bool check_reports_on_stdout(const check_reports *reports);

/* Writes what is wanted; false, with messages, when a report could not be written. */
bool check_reports_write(const check_reports *reports, const char *command,
                         const assay_run_options *run, const assay_report_head *head,
                         const assay_totals *totals, const char *repro);

void check_reports_free(check_reports *reports);

#endif
