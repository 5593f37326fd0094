/* Mutants: one planted fault each, written as a small text file (see docs/mutants.md).
 *
 *     id: eps_dropped
 *     title: eps left out of the root
 *     file: kernels/norm/rms_norm.cu
 *     class: SPEC
 *     source: planted
 *     witness: rms_norm dt=f32 rows=2 d=64 eps=1e-6 data=near_eps seed=1
 *     fault: what it does; a line that begins with a blank
 *       continues the line before
 *     anchor:
 *     |the text to replace, found exactly once in the file, bars removed
 *     replacement:
 *     |the text to put there; nothing deletes
 */
#ifndef ASSAY_HARNESS_MUTANT_H
#define ASSAY_HARNESS_MUTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/status.h"

typedef struct assay_mutant {
    char *path;        /* of the mutant's own file */
    char *id, *title;  /* id: the file's name without .mutant */
    char *file;        /* the source to change, relative to the root of the tree */
    char *class;       /* fault classes, blank-separated: "STRIDE OOB" */
    char *source;      /* "vllm-project/vllm#24247", or "planted" */
    char *witness;     /* a kernel mutant: the case that shows it, or "OP refusals" */
    char *chip;        /* the witness's chip, "h200 max_grid_x=3"; NULL: h200 */
    char *suites;      /* a harness mutant: the unit suites that may kill it, blank-separated */
    char *equivalent;  /* why no input can show it; NULL */
    char *fault;       /* in words */
    char *anchor;      /* without a newline at its end */
    char *replacement; /* likewise; "" deletes */
    uint64_t hash;     /* of the mutant's text */
} assay_mutant;

/* ERR_FORMAT: "FILE:LINE: what is wrong". On failure *out is empty but for path and id, which can
 * be freed and reported. */
assay_status assay_mutant_read(const char *path, assay_mutant *out);
void assay_mutant_free(assay_mutant *mutant);

/* How often `anchor` occurs in `text`, overlapping places counted; *at is the first. */
int assay_anchor_count(const char *text, const char *anchor, const char **at);

/* Writes root/FILE, changed, to folder/FILE; folder NULL: only looks whether it could. ERR_FORMAT
 * when the anchor does not match exactly once or the replacement changes nothing. */
assay_status assay_mutant_plant(const assay_mutant *mutant, const char *root, const char *folder);

#endif
