/* A made-up finished run with a result of every kind, its texts hostile. */
#ifndef ASSAY_UNIT_REPORT_KIT_H
#define ASSAY_UNIT_REPORT_KIT_H

#include "report.h"

typedef struct report_kit {
    assay_report_rows rows;
    assay_totals totals;
    assay_report report;
    char folder[64], path[80];
    char *text; /* of the file that report_kit_write read back */
} report_kit;

/* Seven rows: passed (slack 0.75), failed, harness error, mistrusted and passed in f32, refused in
 * bf16, and one of another op that was skipped. */
void report_kit_start(report_kit *k);
void report_kit_end(report_kit *k);

/* Ten outputs, half a second; NaN: the slack is not known. */
void report_kit_add(report_kit *k, const char *line, assay_word word, const char *check,
                    const char *message, double slack);

/* Writes the report to a file, which must appear whole, and returns its text. */
const char *report_kit_write(report_kit *k,
                             assay_status (*write)(const char *, const assay_report *));

int report_kit_count(const char *text, const char *part);

#endif
