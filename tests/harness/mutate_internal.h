/* What the files of mutation testing share. */
#ifndef ASSAY_HARNESS_MUTATE_INTERNAL_H
#define ASSAY_HARNESS_MUTATE_INTERNAL_H

#include "assay/chip.h"
#include "backend.h"
#include "mutate.h"
#include "op.h"

/* ---- The build directory (mutate_build.c) --------------------------------------------------- */

typedef struct mutate_object {
    char *object, *source; /* object relative to the build directory, source absolute */
    char *command;         /* that compiles it */
} mutate_object;

typedef struct mutate_build {
    char *folder, *root, *program; /* build directory, source tree, program: absolute */
    mutate_object *objects;
    size_t count;
    char *dependencies; /* what `ninja -t deps` prints */
    char *tests;        /* tests/unit/CTestTestfile.cmake */
} mutate_build;

assay_status mutate_build_open(const char *folder, const char *program, mutate_build *out);
void mutate_build_close(mutate_build *build);

/* Runs a shell command in the build directory; its output goes to `log`. The exit status, -1 when
 * it ended by a signal. */
int mutate_shell(const mutate_build *build, const char *command, const char *log);

/* Output of a shell command in `folder`; the caller frees it. NULL when it failed. */
char *mutate_output(const char *folder, const char *command);

/* The link command of a target of the build directory; NULL, with a message. */
char *mutate_link_command(const mutate_build *build, const char *target);

/* Whether the object depends on root/FILE. */
bool mutate_depends(const mutate_build *build, const mutate_object *object, const char *file);

/* A mutant while it is built: folder of its own, objects that were rebuilt. */
#define MUTATE_OBJECTS 32
typedef struct mutate_site {
    const mutate_build *build;
    const assay_mutant *mutant;
    char folder[2048]; /* build/mutants/ID */
    size_t count;
    const mutate_object *replaced[MUTATE_OBJECTS];
    char made[MUTATE_OBJECTS][2304]; /* the object that stands for replaced[i] */
} mutate_site;

/* Compiles one object from the overlay in site->folder/tree and adds it to the site. */
assay_status mutate_compile(mutate_site *site, const mutate_object *object);

/* Links kernel and launcher of `op`, those of them that depend on the mutant's file rebuilt, into
 * site->folder/kernels.so. */
assay_status mutate_kernel_library(mutate_site *site, const char *op, char *library, size_t size);

/* ---- Suites (mutate_suite.c) ---------------------------------------------------------------- */

typedef struct suite_failure {
    char test[128];    /* "suite::test"; "" when no test is named */
    char message[512]; /* the first line that names a failure */
} suite_failure;

/* Runs the suite with the mutant in it: its program linked anew, from the site's objects and those
 * of its own that depend on the mutant's file. *killed: it ran and failed. */
assay_status mutate_suite(mutate_site *site, const char *suite, bool *killed,
                          suite_failure *failure);

/* ERR_INTERNAL unless the suite passes as it was built. */
assay_status mutate_suite_baseline(const mutate_build *build, const char *suite);

/* True when the build has such a suite. */
bool mutate_suite_exists(const mutate_build *build, const char *suite);

/* ---- Kernels (mutate_witness.c, mutate_lanes.c) --------------------------------------------- */

/* "h200" or "h200 max_grid_x=3 max_block_threads=256". */
assay_status mutate_chip(const char *text, assay_chip *chip);

/* Whether the two kernels differ on a case under one of `seeds` schedules. */
assay_status mutate_compare(assay_device *device, const assay_case *c, void *kernels, int seeds,
                            bool *differs);

/* Whether the witness shows a difference between the library and the built-in kernels. */
assay_status mutate_admit(const assay_mutant *mutant, void *kernels, bool *differs);

/* Runs the unit lane's cases, the cheapest first, until one fails. */
assay_status mutate_lanes(const assay_op *op, void *kernels, assay_mutant_row *row, bool *killed);

/* Whether some case of the unit lane gives other bits than the built-in kernels. */
assay_status mutate_replay(const assay_op *op, void *kernels, bool *differs);

/* The op of a witness: its first word. NULL, with a message. */
const assay_op *mutate_witness_op(const assay_mutant *mutant);

/* ---- One mutant (mutate_one.c) -------------------------------------------------------------- */

/* Everything for one mutant, in this process. */
void mutate_one(const mutate_build *build, const assay_mutant *mutant, assay_mutant_row *row);

uint64_t mutate_hash(const mutate_build *build, const assay_mutant *mutant);
double mutate_now(void);

#endif
