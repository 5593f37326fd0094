/* The report for people: failures as they come, a table by op and dtype, a verdict of one line. */
#ifndef ASSAY_HARNESS_REPORT_TABLE_H
#define ASSAY_HARNESS_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "op.h"
#include "result.h"

/* Full texts of one status word, unless all are wanted: the rest is only counted. */
#define ASSAY_REPORT_LIMIT 20

typedef struct assay_report_table_options {
    FILE *out;
    bool color;
    bool all;          /* no limit on failure texts */
    bool quiet;        /* no table: only failures and the verdict */
    const char *repro; /* "assay repro --backend simt": what reproduces a case, but for the case */
} assay_report_table_options;

typedef struct assay_report_table assay_report_table;

/* NULL when there is no memory. `repro` must live as long. */
assay_report_table *assay_report_table_start(const assay_report_table_options *options);

/* Prints what did not pass (of what was skipped only the first), and counts. */
void assay_report_table_add(assay_report_table *table, const assay_result *result);

/* True when the result is about to be printed: a progress line must make room. */
bool assay_report_table_prints(const assay_report_table *table, const assay_result *result);

/* Prints table and verdict, frees. */
void assay_report_table_finish(assay_report_table *table, const assay_totals *totals);

/* Frees without printing; NULL is allowed. */
void assay_report_table_discard(assay_report_table *table);

#endif
