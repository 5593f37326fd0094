/* The JSON report: schema assay.check/1.
 *
 * Rows are written as they come, so that a report of 10^4 rows needs no memory; the totals follow
 * them. A file appears under its name only when it is whole. Counts are exact integers; a number
 * that is not finite is null.
 */
#ifndef ASSAY_HARNESS_REPORT_JSON_H
#define ASSAY_HARNESS_REPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "assay/status.h"
#include "result.h"

/* What the report says of the run before its rows. */
typedef struct assay_report_head {
    const char *command; /* as typed */
    const char *backend, *chip, *level;
    uint64_t seed;
    const char *const *environment; /* "NAME=value" that were heeded; NULL-terminated, or NULL */
} assay_report_head;

typedef struct assay_report_json assay_report_json;

/* Starts a report at `path`, or on `out` when path is "-". Anything but a regular file (a pipe,
 * /dev/null) is written in place. `head` must live as long. ERR_IO names the path. */
assay_status assay_report_json_start(const char *path, FILE *out, const assay_report_head *head,
                                     assay_report_json **report);

/* A write error shows in assay_report_json_finish. */
void assay_report_json_row(assay_report_json *report, const assay_result *result);

/* Writes the totals, moves the file to its name, frees the report. */
assay_status assay_report_json_finish(assay_report_json *report, const assay_totals *totals);

/* Removes what was written and frees the report; NULL is allowed. */
void assay_report_json_discard(assay_report_json *report);

#endif
