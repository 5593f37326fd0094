/* Recording digests of a run: one file an op, FOLDER/OP.json. */
#ifndef ASSAY_TOOLS_DIGEST_FOLDER_H
#define ASSAY_TOOLS_DIGEST_FOLDER_H

#include "digests.h"

#define DIGEST_OPS 64

typedef struct digest_folder {
    const char *folder; /* NULL: record nothing */
    const char *chip;
    assay_backend backend;
    assay_digest_writer *writers[DIGEST_OPS]; /* by the op's index */
    assay_status status;                      /* the first trouble */
} digest_folder;

/* Adds a result; trouble shows in digest_folder_finish. */
void digest_folder_add(digest_folder *d, const assay_result *r);

/* Completes the files, or removes what was written when `keep` is false. */
assay_status digest_folder_finish(digest_folder *d, bool keep);

#endif
