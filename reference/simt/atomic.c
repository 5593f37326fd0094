/* Atomic points: where a lane may be waiting, by polling, for another one.
 *
 * A spin cannot be told from work, so it is bounded by counts: a block in which nothing but atomic
 * points has happened for a window of WINDOW points is suspected. It is dead when every other block
 * that is running is under the same suspicion and has gone through two further windows, with no
 * block finished meanwhile. A rendezvous counts as progress, but only POLLS times with an atomic
 * point before each, or a loop that polls a flag and meets at a barrier would spin for ever.
 */
#include <stdio.h>

#include "internal.h"

enum { WINDOW = 1 << 22, POLLS = 1 << 18, POLL_COST = WINDOW / 512, YIELD = 16 };

static void reset(simt_worker *worker) {
    worker->spins = 0;
    worker->seen = false;
    if (atomic_load_explicit(&worker->windows, memory_order_relaxed) != 0)
        atomic_store(&worker->windows, 0);
}

/* A lane returned. */
void simt_lane_progress(simt_worker *worker) {
    worker->passed_atomic = false;
    worker->alternations = 0;
    reset(worker);
}

/* A rendezvous completed, after atomic points. */
void simt_rendezvous(simt_worker *worker) {
    worker->passed_atomic = false;
    if (++worker->alternations < POLLS)
        reset(worker);
    else
        worker->spins += POLL_COST;
}

/* Remembers how far the other workers are; true when all those that are in a block have spun for
 * two windows since they were last remembered. */
static bool all_spin(simt_worker *worker) {
    const assay_simt *simt = worker->simt;
    uint64_t finished = atomic_load(&worker->job->finished);
    bool fresh = worker->seen && worker->seen_finished == finished, stuck = fresh;
    for (uint32_t i = 0; i < simt->worker_count; i++) {
        const simt_worker *other = simt->worker[i];
        if (other == NULL || !atomic_load(&other->in_block)) continue;
        uint64_t windows = atomic_load(&other->windows);
        if (fresh && windows >= worker->seen_windows[i]) {
            if (windows < worker->seen_windows[i] + 2) stuck = false;
        } else {
            fresh = stuck = false;
        }
    }
    if (!fresh) {
        for (uint32_t i = 0; i < simt->worker_count; i++)
            worker->seen_windows[i] =
                simt->worker[i] != NULL ? atomic_load(&simt->worker[i]->windows) : 0;
        worker->seen_finished = finished;
        worker->seen = true;
    }
    return stuck;
}

static void window_over(simt_worker *worker, const simt_lane *lane) {
    simt_job *job = worker->job;
    worker->spins = 0;
    if (atomic_load(&job->failed) != UINT64_MAX) simt_abandon(worker);
    /* What this block waits for may be a block that has not started. */
    simt_pool_open(worker->simt, job);
    if (atomic_fetch_add(&worker->windows, 1) == 0 || !all_spin(worker)) return;

    uint64_t started = atomic_load(&job->next);
    char census[400], waiting[120] = "";
    simt_census(worker, census, sizeof census);
    if (started < job->blocks)
        snprintf(waiting, sizeof waiting,
                 "; %llu blocks have not started, and a block may not wait for one of those",
                 (unsigned long long)(job->blocks - started));
    simt_fail(lane, lane->site,
              "deadlock: millions of atomic operations without progress in any running block%s: %s",
              waiting, census);
}

void assay_simt_atomic_point(const assay_simt_site *site) {
    simt_lane *lane = simt_self();
    simt_worker *worker = lane->worker;
    worker->passed_atomic = true;
    if (++worker->points < worker->yield_at) return;

    lane->state = SIMT_POLLING;
    lane->site = site;
    worker->spins += worker->points;
    worker->points = 0;
    worker->yield_at = worker->random != 0 ? 1 + simt_order_random(&worker->random) % 32 : YIELD;
    if (simt_should_abandon(worker)) simt_abandon(worker);
    if (worker->spins >= WINDOW) window_over(worker, lane);
    simt_yield(lane);
}
