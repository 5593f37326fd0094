/* The words of a filter as they are gathered from a command line. */
#ifndef ASSAY_TOOLS_FILTER_H
#define ASSAY_TOOLS_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#define FILTER_WORDS 64
#define FILTER_TEXT 4096

typedef struct filter {
    const char *words[FILTER_WORDS];
    size_t count;
    char text[FILTER_TEXT]; /* what the words point into: a filter is not copied */
    size_t used;
} filter;

/* "smoke", "ci", "nightly": indexed by assay_level, NULL-terminated. */
extern const char *const filter_levels[];

/* Adds the blank-separated words of an argument; false, with a message, when there are too many. */
bool filter_add(filter *f, const char *command, const char *argument);

/* Adds the one word "key=value". */
bool filter_add_key(filter *f, const char *command, const char *key, const char *value);

#endif
