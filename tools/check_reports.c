#include "check_reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error_map.h"
#include "report_files.h"
#include "report_html.h"

/* Outputs of a case that is run again for its picture. */
#define MAP_LIMIT (INT64_C(1) << 23)

static bool wanted(const check_reports *r) { return r->junit || r->markdown || r->html; }

void check_reports_add(check_reports *r, const assay_result *result) {
    if (wanted(r)) assay_report_rows_add(&r->rows, result);
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

bool check_reports_on_stdout(const check_reports *r) {
    return is_stdout(r->junit) || is_stdout(r->markdown) || is_stdout(r->html);
}

static bool write_one(const char *command, const char *path, const assay_report *report,
                      assay_status (*write)(const char *, const assay_report *)) {
    if (!path || write(path, report) == ASSAY_OK) return true;
    fprintf(stderr, "%s: %s\n", command, assay_last_error());
    return false;
}

/* The error map needs the elements of a case that ran long ago: it runs once more. */
static bool write_page(const check_reports *r, const char *command, const assay_run_options *run,
                       const assay_report *report) {
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    if (!r->html) return true;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    assay_error_map *map = malloc(sizeof *map);
    const assay_report_row *worst = assay_report_worst(&r->rows, MAP_LIMIT);
    const bool drawn = map && worst && assay_error_map_make(run, &worst->c, map) == ASSAY_OK;
    const assay_report_page page = {
        .report = report, .map = drawn ? map : NULL, .mutants = r->mutants, .date = date};
    const assay_status status = assay_report_html(r->html, &page);
    if (status) fprintf(stderr, "%s: %s\n", command, assay_last_error());
    free(map);
    return status == ASSAY_OK;
}

bool check_reports_write(const check_reports *r, const char *command, const assay_run_options *run,
                         const assay_report_head *head, const assay_totals *totals,
                         const char *repro) {
    const assay_report report = {.head = head, .totals = totals, .rows = &r->rows, .repro = repro};
    bool right = write_one(command, r->junit, &report, assay_report_junit);
    right &= write_one(command, r->markdown, &report, assay_report_markdown);
    right &= write_page(r, command, run, &report);
    return right;
}

void check_reports_free(check_reports *r) { assay_report_rows_free(&r->rows); }
