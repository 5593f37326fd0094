/* Mutation testing: plants each mutant, shows that it makes a difference, and lets what the unit
 * lane runs try to find it. What the statuses mean is in docs/mutants.md. */
#ifndef ASSAY_HARNESS_MUTATE_H
#define ASSAY_HARNESS_MUTATE_H

#include "case.h"
#include "mutant.h"

typedef enum assay_mutant_status {
    ASSAY_MUTANT_KILLED = 0,
    ASSAY_MUTANT_SURVIVED,
    ASSAY_MUTANT_EQUIVALENT, /* the witness shows no difference */
    ASSAY_MUTANT_REFUSED,    /* a malformed entry, or an anchor that does not match once */
    ASSAY_MUTANT_NOT_RUN,    /* it does not build, it timed out, the tool crashed */
    ASSAY_MUTANT_STATUS_COUNT
} assay_mutant_status;

/* "killed", ...: in tables and JSON alike. */
const char *assay_mutant_status_name(assay_mutant_status status);

/* What came of one mutant. Plain bytes: it travels through a pipe. */
typedef struct assay_mutant_row {
    char id[64], class[64], file[128], source[160];
    assay_mutant_status status;
    bool declared;      /* an equivalent that its entry declares, with a reason */
    bool replay_only;   /* a survivor whose bits differ from the unmutated kernel's in some case */
    char killed_by[64]; /* the check: "bounds", "execution", ..., or "unit.SUITE" */
    char line[ASSAY_CASE_LINE]; /* the first case that killed it, with its chip when not h200 */
    char message[512];          /* first line of the failure, or why it was refused or not run */
    double seconds, build_seconds;
    uint64_t hash; /* of mutant, source, program and suites: what a resumed run compares */
} assay_mutant_row;

typedef struct assay_mutate_totals {
    int64_t applied; /* planted and not equivalent: killed + survived + not_run */
    int64_t statuses[ASSAY_MUTANT_STATUS_COUNT];
    int64_t replay_only, undeclared; /* of the survivors; of the equivalents */
    double seconds;
} assay_mutate_totals;

void assay_mutate_count(assay_mutate_totals *totals, const assay_mutant_row *row);

/* 0 all applied mutants were killed, 1 some survived, 2 nothing selected, 3 an entry was refused or
 * not run, or shows no difference without saying why. */
int assay_mutate_exit_code(const assay_mutate_totals *totals);

typedef struct assay_mutate_options {
    const char *build;             /* build directory (Ninja), up to date */
    const char *program;           /* the running program */
    int jobs;                      /* mutants at a time; 0: one per CPU */
    double timeout;                /* seconds a mutant */
    const assay_mutant_row *known; /* rows of an earlier run */
    size_t known_count;
    /* In order of completion, from the calling thread. */
    void (*on_row)(const assay_mutant_row *row, int64_t done, int64_t total, void *context);
    void *context;
} assay_mutate_options;

/* The root of the source tree that `build` was configured from; the caller frees it. */
assay_status assay_mutate_root(const char *build, char **root);

/* Reads every .mutant file of a folder, ordered by name. An entry that cannot be read has only path
 * and id, and its trouble in troubles[i] (else NULL). */
typedef struct assay_catalogue {
    assay_mutant *mutants;
    char **troubles;
    size_t count;
} assay_catalogue;
assay_status assay_catalogue_read(const char *folder, assay_catalogue *out);
void assay_catalogue_free(assay_catalogue *catalogue);

/* Whether every word is a part of the mutant's id, class, file, source or title. */
bool assay_mutant_matches(const assay_mutant *mutant, const char *const *words, size_t count);

/* Runs the mutants of a catalogue for which selected[i]. */
assay_status assay_mutate(const assay_mutate_options *options, const assay_catalogue *catalogue,
                          const bool *selected, assay_mutate_totals *totals);

#endif
