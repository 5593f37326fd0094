/* A progress line that rewrites itself. */
#ifndef ASSAY_HARNESS_PROGRESS_H
#define ASSAY_HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct assay_progress {
    FILE *out; /* NULL: no progress is wanted */
    bool visible;
    double started, drawn; /* seconds of a monotonic clock */
} assay_progress;

/* Wanted when `out` is a terminal and CI is not set in the environment. */
void assay_progress_start(assay_progress *progress, FILE *out);
void assay_progress_update(assay_progress *progress, int64_t done, int64_t total, const char *line);

/* Removes the line; the next update draws it again. */
void assay_progress_clear(assay_progress *progress);

/* The line: bar, done/total, elapsed, time left, current case, in at most `width` characters. */
void assay_progress_text(char *text, size_t size, size_t width, int64_t done, int64_t total,
                         double elapsed, const char *line);

#endif
