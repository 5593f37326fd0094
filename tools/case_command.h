/* Commands about one case: assay explain, repro, shrink. What they share: the case's line and what
 * it runs on. */
#ifndef ASSAY_TOOLS_CASE_COMMAND_H
#define ASSAY_TOOLS_CASE_COMMAND_H

#include "options.h"
#include "runner.h"

enum {
    CASE_HELP = 1,
    CASE_BACKEND,
    CASE_CHIP,
    CASE_SEED,
    CASE_CONTRACT,
    CASE_KERNELS,
    CASE_CHECKED,
    CASE_OWN /* ids of a command's own options begin here */
};

/* clang-format off */
#define CASE_SPECS                                                                                 \
    {CASE_BACKEND, "--backend", "NAME", "simt (default), cuda or hip"},                            \
    {CASE_CHIP, "--chip", "NAME", "launch as for this chip (default h200; mi300x on hip)"},        \
    {CASE_SEED, "--seed", "N", "seed of the executor's schedules (default 0)"},                    \
    {CASE_CONTRACT, "--contract", "TEXT", "judge by this numerics contract"},                      \
    {CASE_KERNELS, "--kernels", "LIB", "shared object whose launchers replace the built-in ones"}, \
    {CASE_CHECKED, "--checked", NULL, "simt: look at every access of the kernels"},                 \
    {CASE_HELP, "--help", NULL, "this text"}
/* clang-format on */

typedef struct case_command {
    const char *command; /* "assay repro": begins messages */
    assay_run_options run;
    assay_case c;
    const char *backend, *chip, *seed, *kernels;
    char words[2 * ASSAY_CASE_LINE]; /* of the case, as given */
    char flags[1024];                /* " --backend simt ...": what else reproduces the run */
} case_command;

/* Takes a shared option, or a word of the case (a line is one argument or many); false, with a
 * message, when there is too much. */
bool case_command_take(case_command *k, int id, const char *value);

/* Reads the case and opens what it runs on; false, with a message. */
bool case_command_settle(case_command *k);

#endif
