/* A runner that runs nothing, and a kernel table of two, for tests of the command line. The seed
 * of a toy case decides what comes of it: 100 + assay_word; all others pass. */
#ifndef ASSAY_UNIT_TOY_RUN_H
#define ASSAY_UNIT_TOY_RUN_H

#include "runner.h"

/* The options of the last run. */
extern assay_run_options toy_run_seen;

/* Fails after so many cases with this status; ASSAY_OK: does not. */
extern int64_t toy_run_stops_after;
extern assay_status toy_run_stops_with;

/* The stub of a command that ran last. */
extern const char *toy_command_ran;

/* Digests: results noted of the last run, whether they were kept; what keeping them gives. */
extern int toy_digests_noted;
extern bool toy_digests_kept;
extern assay_status toy_digests_status;

/* Reports: results noted, times written; whether writing fails. */
extern int toy_reports_noted, toy_reports_written;
extern bool toy_reports_fail;

#endif
