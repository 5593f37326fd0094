/* Command line options: "--name value", "--name=value", flags, "--" before the first argument that
 * only looks like one. The functions write what is wrong to stderr.
 */
#ifndef ASSAY_TOOLS_OPTIONS_H
#define ASSAY_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "names.h"

typedef struct option_spec {
    int id;            /* > 0; 0 ends a table */
    const char *name;  /* "--seed" */
    const char *value; /* what follows, for the help: "N"; NULL: a flag */
    const char *help;
} option_spec;

enum { OPTION_END = 0, OPTION_ARGUMENT = -1, OPTION_WRONG = -2 };

typedef struct options {
    const char *command; /* "assay check": begins messages */
    const option_spec *specs;
    int argc;
    char **argv;
    int next;
    bool only_arguments; /* after "--" */
} options;

options options_start(const char *command, const option_spec *specs, int argc, char **argv);

/* The id of the next option, OPTION_ARGUMENT, OPTION_END or OPTION_WRONG; *value is the option's
 * value or the argument itself. A lone "-" is an argument. */
int options_next(options *o, const char **value);

/* One line an option. */
void options_help(FILE *out, const option_spec *specs);

/* Decimal without sign; false, with a message naming `what`, for anything else. */
bool options_number(const char *command, const char *what, const char *text, uint64_t max,
                    uint64_t *number);

/* "assay check: unknown level 'x'; known: ..." */
void options_unknown(const char *command, const char *kind, const char *word, assay_name_at *at,
                     const void *table);

/* Index of `word` in the NULL-terminated `names`, or -1 with a message. */
int options_choice(const char *command, const char *kind, const char *word,
                   const char *const *names);

#endif
