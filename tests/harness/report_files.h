/* Reports for other programs and for review: JUnit XML and Markdown. */
#ifndef ASSAY_HARNESS_REPORT_FILES_H
#define ASSAY_HARNESS_REPORT_FILES_H

#include "report.h"

/* Each writes a whole file at `path`, or on standard output when it is "-". ERR_IO says why not,
 * ERR_MEMORY when rows were lost. */

/* A test suite for each op and storage type; a test case is named by its canonical line. What is
 * FAILED, MISTRUSTED, ILL_CONDITIONED or REFUSED is a failure, HARNESS_ERROR an error. */
assay_status assay_report_junit(const char *path, const assay_report *report);

/* A comment on a change: verdict, table, the first failures, the largest slack. */
assay_status assay_report_markdown(const char *path, const assay_report *report);

#endif
