/* Digests: what a chip gave, recorded once, so that every later run of the executor can be held
 * against it with no chip at hand.
 *
 * A file is one op on one chip, JSON: `schema` "assay.digests/1", `op`, `chip`, `device`, `driver`,
 * `toolkit`, `date`, `source` (hash of the kernel's sources, as information) and `rows` of `case`,
 * `inputs`, `outputs` (hash.h). Beside the files of a folder stale.json may name cases whose bits
 * were changed on purpose: rows of `case` (a case line) and `reason`.
 */
#ifndef ASSAY_HARNESS_DIGESTS_H
#define ASSAY_HARNESS_DIGESTS_H

#include <stdbool.h>
#include <stdio.h>

#include "result.h"

typedef struct assay_digest {
    assay_case c;
    char inputs[ASSAY_HASH_TEXT], outputs[ASSAY_HASH_TEXT];
    bool stale;
    char reason[128]; /* of staleness */
} assay_digest;

typedef struct assay_digest_file {
    char path[512];
    char chip[32], device[96], driver[48], toolkit[48], date[32], source[80];
    assay_digest *rows;
    size_t count;
} assay_digest_file;

/* Reads one file and marks its stale rows from stale.json in the same folder, when there is one.
 * ERR_IO, ERR_FORMAT (file, row and field named). */
assay_status assay_digests_read(const char *path, assay_digest_file *out);
void assay_digests_free(assay_digest_file *file);

/* What a device says of itself, for the head of a file. */
typedef struct assay_provenance { /* "" where unknown */
    char device[96], driver[48], toolkit[48];
} assay_provenance;
void assay_backend_provenance(assay_backend backend, assay_provenance *out);

/* Writes a file of passed results. Rows come as results do; the file appears under its name only
 * when it is whole. */
typedef struct assay_digest_writer assay_digest_writer;
assay_status assay_digests_start(const char *path, const char *op, const char *chip,
                                 assay_backend backend, assay_digest_writer **out);
void assay_digests_row(assay_digest_writer *w, const assay_result *r);
assay_status assay_digests_finish(assay_digest_writer *w);
void assay_digests_discard(assay_digest_writer *w);

/* The hash of the sources that the op's kernels are built from, as of this build. */
const char *assay_kernel_source_hash(void);

/* What replaying a file gave. */
typedef struct assay_replay_totals {
    int64_t digests, outputs, differing, stale, changed_inputs;
} assay_replay_totals;

/* Replays every row on the executor, for the file's chip, on `jobs` host threads (0: one per CPU).
 * on_row is told of every row that differs, is stale, or could not run (message). */
typedef void assay_replay_row(const assay_digest *digest, const char *word, const char *message,
                              void *context);
assay_status assay_digests_replay(const assay_digest_file *file, int jobs, assay_replay_row *on_row,
                                  void *context, assay_replay_totals *totals);

#endif
