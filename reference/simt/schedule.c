/* Which lane runs next.
 *
 * A lane runs until it waits or returns. Then the lowest lane of the same warp that can run goes
 * on, else one of the lowest warp that has one. A seed makes every choice random instead, and now
 * and then leaves a warp that still could run, so that warps interleave too.
 *
 * One switch per wait: the lane that waits jumps straight to the next one's stack. Whoever
 * completes a rendezvous keeps running.
 */
#include "internal.h"

void simt_ready(simt_worker *worker, simt_warp *warp, uint64_t lanes) {
    if (lanes == 0) return;
    warp->ready |= lanes;
    worker->ready_warps |= simt_bit(warp->index);
}

static simt_lane *take(simt_worker *worker, simt_warp *warp, uint32_t lane) {
    warp->ready &= ~simt_bit(lane);
    if (warp->ready == 0) worker->ready_warps &= ~simt_bit(warp->index);
    return &warp->lane[lane];
}

/* The lowest bit at or after `start`, going round. */
static uint32_t after(uint64_t mask, uint32_t start) {
    uint64_t upper = mask >> start << start;
    return simt_lowest(upper != 0 ? upper : mask);
}

/* NULL: no lane can run. */
simt_lane *simt_next(simt_worker *worker) {
    if (worker->ready_warps == 0) return NULL;
    simt_warp *warp = worker->running != NULL ? worker->running->warp : &worker->warp[0];
    if (worker->random != 0) {
        uint32_t draw = simt_order_random(&worker->random);
        if (warp->ready == 0 || (draw & 0x700) == 0)
            warp = &worker->warp[after(worker->ready_warps, (draw >> 16) % 64)];
        return take(worker, warp, after(warp->ready, draw % 64));
    }
    if (warp->ready == 0) warp = &worker->warp[simt_lowest(worker->ready_warps)];
    return take(worker, warp, simt_lowest(warp->ready));
}

static void switch_to(simt_worker *worker, simt_lane *from, simt_lane *to) {
    if (to->fiber == NULL) {
        to->fiber = simt_fiber_take(&worker->stacks);
        if (to->fiber == NULL) simt_fail(to, NULL, "no memory for the lane's stack");
    }
    worker->running = to;
    assay_simt_self = &to->self;
    worker->stats.switches++;
    simt_fiber_switch(from->fiber, to->fiber);
}

/* Stops the running lane until somebody makes it ready. */
void simt_wait(simt_lane *lane, simt_state state, const assay_simt_site *site) {
    simt_worker *worker = lane->worker;
    lane->state = state;
    lane->site = site;
    simt_lane *next = simt_next(worker);
    if (next == NULL) simt_stalled(worker);
    switch_to(worker, lane, next);
}

/* Lets another lane run. Successive yields go round all lanes of the block, so each one that can
 * run gets its turn whatever the others do. */
void simt_yield(simt_lane *lane) {
    simt_worker *worker = lane->worker;
    simt_ready(worker, lane->warp, simt_bit(lane->self.lane));
    simt_warp *warp = &worker->warp[worker->yield_warp];
    uint32_t start = worker->yield_lane + 1;
    if (start >= SIMT_MAX_WARP || warp->ready >> start == 0) {
        warp = &worker->warp[after(worker->ready_warps, (worker->yield_warp + 1) % 64)];
        start = 0;
    }
    simt_lane *next = take(worker, warp, after(warp->ready, start));
    worker->yield_warp = warp->index;
    worker->yield_lane = next->self.lane;
    if (next != lane) switch_to(worker, lane, next);
}
