/* The report of assay mutate: schema assay.mutate/1, and reading one back to resume. */
#ifndef ASSAY_TOOLS_MUTATE_REPORT_H
#define ASSAY_TOOLS_MUTATE_REPORT_H

#include <stdio.h>

#include "mutate.h"

typedef struct mutate_report {
    assay_mutant_row *rows;
    size_t count, capacity;
} mutate_report;

bool mutate_report_add(mutate_report *report, const assay_mutant_row *row);

/* Writes the report whole; `complete` is false while mutants are outstanding. */
bool mutate_report_write(const mutate_report *report, const char *path, const char *line,
                         const assay_mutate_totals *totals, bool complete);

/* Rows of an earlier report. False, with a message, when it is not one. */
bool mutate_report_read(const char *path, mutate_report *report);

/* Mutant, class, status, killed by, case. */
void mutate_report_print(const mutate_report *report, FILE *out, bool color);

#endif
