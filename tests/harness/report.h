/* What the reports of a finished run are made from: JUnit, Markdown and HTML read the same rows. */
#ifndef ASSAY_HARNESS_REPORT_H
#define ASSAY_HARNESS_REPORT_H

#include "op.h"
#include "report_json.h"
#include "result.h"

/* A result without the buffers that most results leave empty. */
typedef struct assay_report_row {
    assay_case c;
    assay_word word;
    const char *check;
    char kernel[96];
    char *message; /* NULL: none */
    int64_t outputs, failed;
    double slack; /* largest error over bound; NaN where storage rounds */
    double seconds;
} assay_report_row;

typedef struct assay_report_rows {
    assay_report_row *rows;
    size_t count, capacity;
    bool lost; /* memory ran out: reports would not be whole */
} assay_report_rows;

void assay_report_rows_add(assay_report_rows *rows, const assay_result *result);
void assay_report_rows_free(assay_report_rows *rows);

typedef struct assay_report {
    const assay_report_head *head;
    const assay_totals *totals;
    const assay_report_rows *rows;
    const char *repro; /* "assay repro --backend simt": what reproduces a case, but for the case */
} assay_report;

/* Rows that agree in op, storage type and rounding convention. Ops without one of these attributes
 * have "-" for it. */
typedef struct assay_report_group {
    const char *op, *dtype, *convention;
    assay_totals totals;
    bool slack_known;
} assay_report_group;

#define ASSAY_REPORT_GROUPS 256

/* The groups in order of their names; rows beyond the last group are left out of all of them. */
size_t assay_report_groups(const assay_report_rows *rows,
                           assay_report_group groups[ASSAY_REPORT_GROUPS]);
bool assay_report_in_group(const assay_report_row *row, const assay_report_group *group);

/* The word that decides the exit code; PASSED or SKIPPED only when nothing worse came. */
assay_word assay_report_verdict(const assay_totals *totals);

/* "12 failed, 3205 passed of 3217 cases; 43598334 outputs compared" */
void assay_report_summary(const assay_totals *totals, char *text, size_t size);

/* "assay repro --backend simt 'LINE'", `command` being all but the case. A MISTRUSTED case is so
 * again only when assay repro is told to ask. */
void assay_report_repro(const char *command, assay_word word, const assay_case *c, char *text,
                        size_t size);

/* The row worth a picture: the first that fails its bounds, else the largest slack (ties: the most
 * outputs) among those of at most `limit` outputs; NULL when no row has either. */
const assay_report_row *assay_report_worst(const assay_report_rows *rows, int64_t limit);

#endif
