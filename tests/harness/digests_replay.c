/* Replaying digests: one launch a row on the executor, rows spread over host threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digests.h"
#include "run_case.h"

typedef struct replay_state {
    const assay_digest_file *file;
    const assay_chip *chip;
    atomic_size_t next;
    struct replay_outcome {
        int64_t outputs;
        bool ran, inputs_changed, differs;
        char message[256];
    } * outcomes;
} replay_state;

static void replay_row(replay_state *s, assay_device *device, size_t i) {
    const assay_digest *row = &s->file->rows[i];
    struct replay_outcome *out = &s->outcomes[i];
    assay_operands o;
    assay_launched l;
    const char *check;
    assay_status status = assay_operands_create(&row->c, &o);
    if (!status) {
        status = assay_launch_once(device, &row->c, &o, 0xff, 0, &l, &check);
        if (!status) {
            char inputs[ASSAY_HASH_TEXT], outputs[ASSAY_HASH_TEXT];
            assay_hash_launch(&o, l.out, inputs, outputs);
            for (size_t t = 0; t < o.count; t++)
                if (l.out[t]) out->outputs += assay_tensor_elements(&o.tensors[t]);
            out->ran = true;
            out->inputs_changed = strcmp(inputs, row->inputs) != 0;
            out->differs = strcmp(outputs, row->outputs) != 0;
            assay_launched_free(&l);
        }
        assay_operands_free(&o);
    }
    if (status) snprintf(out->message, sizeof out->message, "%.255s", assay_last_error());
}

static void *replay_worker(void *context) {
    replay_state *s = context;
    assay_device device;
    if (assay_device_open(ASSAY_SIMT, s->chip, &device)) return NULL;
    for (;;) {
        const size_t i = atomic_fetch_add(&s->next, 1);
        if (i >= s->file->count) break;
        replay_row(s, &device, i);
    }
    device.close(&device);
    return NULL;
}

static void run_all(replay_state *s, int jobs) {
    pthread_t threads[64];
    long n = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    if (n > 64) n = 64;
    for (long i = 1; i < n; i++)
        if (pthread_create(&threads[started], NULL, replay_worker, s) == 0) started++;
    replay_worker(s);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

assay_status assay_digests_replay(const assay_digest_file *file, int jobs, assay_replay_row *on_row,
                                  void *context, assay_replay_totals *totals) {
    replay_state s = {.file = file, .chip = assay_chip_find(file->chip)};
    if (!s.chip)
        return assay_fail(ASSAY_ERR_FORMAT, "%s: chip: \"%s\" has no record", file->path,
                          file->chip);
    s.outcomes = calloc(file->count, sizeof *s.outcomes);
    if (!s.outcomes) return assay_fail(ASSAY_ERR_MEMORY, "%s: no memory", file->path);
    run_all(&s, jobs);
    assay_status status = ASSAY_OK;
    for (size_t i = 0; i < file->count; i++) {
        const assay_digest *row = &file->rows[i];
        const struct replay_outcome *out = &s.outcomes[i];
        totals->digests++;
        totals->outputs += out->outputs;
        if (row->stale) {
            totals->stale++;
            on_row(row, "STALE", row->reason, context);
        } else if (!out->ran) {
            totals->differing++;
            on_row(row, "FAILED", out->message[0] ? out->message : "did not run", context);
        } else if (out->inputs_changed) {
            totals->changed_inputs++;
            on_row(row, "HARNESS_ERROR", "the data of this case changed; record it again", context);
        } else if (out->differs) {
            totals->differing++;
            on_row(row, "FAILED", "the executor's outputs differ from the chip's", context);
        }
    }
    free(s.outcomes);
    return status;
}
