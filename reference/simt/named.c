/* Named barriers: bar.sync and bar.arrive of a part of the block.
 *
 * A barrier completes when as many lanes as it was told of have arrived, waiting or not, and is
 * then free for the next use. Lanes that never come show as a stall.
 */
#include <stdlib.h>

#include "assay/simt_async.h"
#include "check.h"
#include "collective.h"

enum { BARRIERS = 16 };

typedef struct barrier {
    uint32_t lanes, arrived;
    const simt_lane *first; /* to arrive */
    assay_simt_site site;   /* of the first */
    uint64_t waiting[SIMT_MAX_WARPS];
    uint32_t came; /* warps of all that arrived */
} barrier;

struct simt_named {
    barrier barrier[BARRIERS];
};

void simt_named_begin(simt_worker *worker) {
    if (worker->named != NULL) memset(worker->named, 0, sizeof *worker->named);
}

/* Counts the lane in; true when it was the last. */
static bool arrive(simt_lane *lane, uint32_t id, uint32_t lanes, const assay_simt_site *site,
                   barrier **out) {
    simt_worker *worker = lane->worker;
    if (id == 0 || id >= BARRIERS)
        simt_fail(lane, site, "barrier %u; there are 1 to %d, and 0 is the block's own", id,
                  BARRIERS - 1);
    if (lanes == 0 || lanes % lane->self.warp_size != 0 || lanes > worker->lanes)
        simt_fail(lane, site, "%u lanes: expected a multiple of %u up to the block's %u", lanes,
                  lane->self.warp_size, worker->lanes);
    if (worker->named == NULL) worker->named = calloc(1, sizeof *worker->named);
    if (worker->named == NULL) simt_fail(lane, site, "no memory for named barriers");
    barrier *b = &worker->named->barrier[id];
    *out = b;
    if (b->arrived == 0) {
        b->lanes = lanes;
        b->first = lane;
        b->site = *site;
    } else if (b->lanes != lanes) {
        char place[120];
        simt_place(b->first, place, sizeof place);
        simt_fail(lane, site, "barrier %u is of %u lanes here, of %u for %s in %s at %s:%d", id,
                  lanes, b->lanes, place, b->site.operation, simt_basename(b->site.file),
                  b->site.line);
    }
    if (lane->warp->in_op != 0) simt_warp_leave(lane, NULL, site);
    b->came |= 1u << lane->self.warp;
    return ++b->arrived == b->lanes;
}

/* Lets everybody go. `last`: goes on as the others do, without having waited; NULL: nobody does. */
static void release(simt_worker *worker, barrier *b, const simt_lane *last) {
    if (worker->check != NULL) {
        uint64_t going[SIMT_MAX_WARPS];
        memcpy(going, b->waiting, sizeof going);
        if (last != NULL) going[last->self.warp] |= simt_bit(last->self.lane);
        simt_check_named(worker->check, b->came, going);
        if (worker->check->counting) simt_count_named(worker->check->count, b->lanes);
    }
    for (uint32_t w = 0; w < worker->warps; w++)
        simt_ready(worker, &worker->warp[w], b->waiting[w]);
    memset(b, 0, sizeof *b);
    worker->stats.barriers++;
    if (worker->passed_atomic) simt_rendezvous(worker);
}

void assay_simt_named_barrier(uint32_t id, uint32_t lanes, const assay_simt_site *site) {
    simt_lane *lane = simt_self();
    barrier *b;
    if (arrive(lane, id, lanes, site, &b)) {
        release(lane->worker, b, lane);
        return;
    }
    b->waiting[lane->self.warp] |= simt_bit(lane->self.lane);
    simt_wait(lane, SIMT_IN_BARRIER, site);
}

void assay_simt_named_arrive(uint32_t id, uint32_t lanes, const assay_simt_site *site) {
    simt_lane *lane = simt_self();
    barrier *b;
    if (arrive(lane, id, lanes, site, &b)) release(lane->worker, b, NULL);
}
