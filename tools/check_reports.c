#include "check_reports.h"

#include <stdio.h>
#include <string.h>

#include "report_files.h"

static bool wanted(const check_reports *r) { return r->junit || r->markdown; }

void check_reports_add(check_reports *r, const assay_result *result) {
    if (wanted(r)) assay_report_rows_add(&r->rows, result);
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

bool check_reports_on_stdout(const check_reports *r) {
    return is_stdout(r->junit) || is_stdout(r->markdown);
}

static bool write_one(const char *command, const char *path, const assay_report *report,
                      assay_status (*write)(const char *, const assay_report *)) {
    if (!path || write(path, report) == ASSAY_OK) return true;
    fprintf(stderr, "%s: %s\n", command, assay_last_error());
    return false;
}

bool check_reports_write(const check_reports *r, const char *command, const assay_run_options *run,
                         const assay_report_head *head, const assay_totals *totals,
                         const char *repro) {
    (void)run;
    const assay_report report = {.head = head, .totals = totals, .rows = &r->rows, .repro = repro};
    bool right = write_one(command, r->junit, &report, assay_report_junit);
    right &= write_one(command, r->markdown, &report, assay_report_markdown);
    return right;
}

void check_reports_free(check_reports *r) { assay_report_rows_free(&r->rows); }
