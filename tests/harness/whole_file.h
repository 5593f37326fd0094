/* Files that are whole or not there: written under a temporary name, then renamed. */
#ifndef ASSAY_HARNESS_WHOLE_FILE_H
#define ASSAY_HARNESS_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "assay/status.h"

#define ASSAY_PATH 4096

typedef struct assay_whole_file {
    FILE *file;                 /* NULL: not open */
    bool shared;                /* the caller's stream: not ours to close */
    char path[ASSAY_PATH];      /* final name; "" when written in place */
    char temporary[ASSAY_PATH]; /* name until then */
} assay_whole_file;

/* Opens `path` for writing, or takes `shared` when path is "-". What is no regular file (a pipe,
 * /dev/null) is written in place; a symbolic link stays one. ERR_IO names the path. */
assay_status assay_whole_file_open(const char *path, FILE *shared, assay_whole_file *out);

/* Moves the file to its name, or removes it when a write failed; `error` is an errno that the
 * caller met on its way, 0: none. */
assay_status assay_whole_file_keep(assay_whole_file *w, int error);

/* Removes what was written; does nothing after keep. */
void assay_whole_file_drop(assay_whole_file *w);

#endif
