/* The block barrier: every lane of the block, at one site. */
#include "check.h"

static const simt_lane *first_returned(const simt_worker *worker) {
    for (uint32_t i = 0; i < worker->lanes; i++)
        if (worker->lane[i].state == SIMT_RETURNED) return &worker->lane[i];
    return NULL;
}

static void release(simt_worker *worker, const simt_lane *last) {
    for (uint32_t w = 0; w < worker->warps; w++) {
        simt_warp *warp = &worker->warp[w];
        uint64_t waiting = warp->in_barrier;
        if (warp == last->warp) waiting &= ~simt_bit(last->self.lane);
        warp->in_barrier = 0;
        simt_ready(worker, warp, waiting);
    }
    worker->at_barrier = 0;
    worker->stats.barriers++;
    if (worker->check != NULL) {
        simt_check_barrier(worker->check);
        if (worker->check->counting)
            simt_count_barrier(worker->check->count, worker->warps, worker->lanes);
    }
}

void assay_simt_barrier(const assay_simt_site *site) {
    simt_lane *lane = simt_self();
    simt_worker *worker = lane->worker;
    char place[120];
    if (worker->live != worker->lanes) {
        simt_place(first_returned(worker), place, sizeof place);
        simt_fail(lane, site, "divergent barrier: %s has already returned", place);
    }
    if (worker->at_barrier == 0) {
        worker->barrier_site = site;
        worker->barrier_first = lane;
    } else if (!simt_same_site(worker->barrier_site, site)) {
        simt_place(worker->barrier_first, place, sizeof place);
        simt_fail(lane, site, "divergent barrier: %s waits in %s at %s:%d", place,
                  worker->barrier_site->operation, simt_basename(worker->barrier_site->file),
                  worker->barrier_site->line);
    }
    if (lane->warp->in_op != 0) simt_warp_leave(lane, NULL, site);

    lane->warp->in_barrier |= simt_bit(lane->self.lane);
    if (++worker->at_barrier < worker->lanes) {
        simt_wait(lane, SIMT_IN_BARRIER, site);
        return;
    }
    release(worker, lane);
    if (worker->passed_atomic) simt_rendezvous(worker);
    if (simt_should_abandon(worker)) simt_abandon(worker);
}

/* `lane` returned while others wait. */
void simt_barrier_leave(const simt_lane *lane) {
    const simt_worker *worker = lane->worker;
    char place[120];
    simt_place(lane, place, sizeof place);
    simt_fail(worker->barrier_first, worker->barrier_site,
              "divergent barrier: %s has already returned; %u of %u lanes wait", place,
              worker->at_barrier, worker->lanes);
}
