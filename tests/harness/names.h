/* What to say when a name is unknown: what exists, and what was probably meant. */
#ifndef ASSAY_HARNESS_NAMES_H
#define ASSAY_HARNESS_NAMES_H

#include <stddef.h>

/* Entry `index` of a table of names; NULL past its end. */
typedef const char *assay_name_at(const void *table, size_t index);

/* For a table that is a NULL-terminated array of strings. */
const char *assay_name_in_array(const void *table, size_t index);

/* The name nearest to `word`, at most a third of its letters away (a swap of neighbours is one);
 * NULL when none is. */
const char *assay_name_nearest(const char *word, assay_name_at *at, const void *table);

/* "did you mean 'rows'? known: dt, rows, d" */
void assay_name_help(const char *word, assay_name_at *at, const void *table, char *text,
                     size_t size);

#endif
