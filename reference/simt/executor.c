/* Creation, settings and destruction. One host thread uses an executor at a time; different
 * executors are independent. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { MAX_THREADS = 1024 };

assay_status assay_simt_create(const assay_simt_options *options, assay_simt **out) {
    static const assay_simt_options standard = {0};
    if (options == NULL) options = &standard;
    *out = NULL;
    assay_status status = simt_probe();
    if (status != ASSAY_OK) return status;
    if (options->host_threads < 0 || options->host_threads > MAX_THREADS)
        return assay_fail(ASSAY_ERR_ARGUMENT, "executor: host_threads is %d, expected 0 to %d",
                          options->host_threads, MAX_THREADS);

    assay_simt *simt = calloc(1, sizeof *simt);
    if (simt == NULL) return assay_fail(ASSAY_ERR_MEMORY, "executor: out of memory");
    assay_simt_set_chip(simt, options->chip);
    simt->seed = options->seed;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online < 1) online = 1;
    if (online > MAX_THREADS) online = MAX_THREADS;
    simt->worker_count = (uint32_t)(options->host_threads != 0 ? options->host_threads : online);
    status = simt_arena_create(&simt->arena, options->arena_bytes);
    if (status == ASSAY_OK && options->checked) {
        simt->worker_count = 1; /* one shadow, one history */
        status = simt_check_create(simt);
    }
    if (status == ASSAY_OK) status = simt_pool_create(simt);
    if (status != ASSAY_OK) {
        assay_simt_destroy(simt);
        return status;
    }
    *out = simt;
    return ASSAY_OK;
}

void assay_simt_destroy(assay_simt *simt) {
    if (simt == NULL) return;
    simt_pool_destroy(simt);
    simt_check_destroy(simt->check);
    simt_arena_destroy(&simt->arena);
    free(simt);
}

void assay_simt_set_chip(assay_simt *simt, const assay_chip *chip) {
    simt->chip = chip != NULL ? chip : assay_chip_find("h200");
}

void assay_simt_set_seed(assay_simt *simt, uint64_t seed) { simt->seed = seed; }

const assay_chip *assay_simt_chip(const assay_simt *simt) { return simt->chip; }

bool assay_simt_is_checked(const assay_simt *simt) { return simt != NULL && simt->check != NULL; }

bool assay_simt_set_counting(assay_simt *simt, bool counting) {
    simt_check *check = simt->check;
    if (check == NULL || (counting && check->count == NULL && !simt_count_create(check)))
        return !counting;
    check->counting = counting;
    if (counting) simt_count_reset(check);
    return true;
}

assay_simt_counters assay_simt_counted(const assay_simt *simt) {
    if (simt->check == NULL || !simt->check->counting) return (assay_simt_counters){0};
    return simt_count_totals(simt->check);
}
