/* What precedes what between two barriers of the block.
 *
 * A clock counts the times that lanes meet; what a lane does is stamped with the time when lanes of
 * its warp last met. known[j][i] is the time when lane j last heard of lane i of its warp, directly
 * or through others: what i did before, with a smaller stamp, precedes all that j does now. While
 * only operations over the whole warp happen, one number says it all. heard[v] says the same of
 * whole warps, which named barriers bring together.
 *
 * A shuffle or vote counts as a meeting, as dev_warp_sync does. CUDA promises the order of memory
 * accesses for the latter only.
 */
#include <stdlib.h>

#include "check.h"

bool simt_met_create(simt_check *check) {
    for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) {
        check->met[w].known = calloc(SIMT_MAX_WARP, sizeof *check->met[w].known);
        if (check->met[w].known == NULL) return false;
        check->met[w].uniform = true;
    }
    return true;
}

void simt_met_destroy(simt_check *check) {
    for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) free(check->met[w].known);
}

/* A block begins: times of an earlier one matter to nothing, so the clock may start again. */
void simt_met_begin(simt_check *check) {
    if (check->clock < UINT32_MAX / 2) return;
    check->clock = 0;
    for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++)
        check->met[w] = (simt_met){.uniform = true, .known = check->met[w].known};
}

/* A new interval: nothing of an earlier one is in conflict with anything. */
void simt_check_barrier(simt_check *check) {
    if (++check->now != 0) return;
    memset(check->split, 0, check->shadowed / 4 * sizeof *check->split);
    memset(check->word, 0, check->shadowed / 4 * sizeof *check->word);
    check->now = 1; /* bytes take their records from the words */
}

static void join(simt_met *met, uint64_t mask, uint32_t now) {
    if (met->uniform)
        for (uint32_t j = 0; j < SIMT_MAX_WARP; j++)
            for (uint32_t i = 0; i < SIMT_MAX_WARP; i++) met->known[j][i] = met->all;
    met->uniform = false;
    uint32_t joined[SIMT_MAX_WARP] = {0};
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        const uint32_t *known = met->known[simt_lowest(rest)];
        for (uint32_t i = 0; i < SIMT_MAX_WARP; i++)
            if (known[i] > joined[i]) joined[i] = known[i];
    }
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) joined[simt_lowest(rest)] = now;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
        memcpy(met->known[simt_lowest(rest)], joined, sizeof joined);
}

static void meet(simt_check *check, const simt_warp *warp, uint64_t mask) {
    simt_met *met = &check->met[warp->index];
    const uint32_t now = met->time = ++check->clock;
    if (mask != warp->lanes) {
        join(met, mask, now);
        return;
    }
    met->uniform = true;
    met->all = now;
}

void simt_check_meet(simt_check *check, const simt_warp *warp, uint64_t mask) {
    if (check->counting) simt_count_meet(check->count, warp->index, mask, mask == warp->lanes);
    meet(check, warp, mask);
}

/* A named barrier: lanes of the warps in `came` arrived, those in waited[warp] go on from it. */
void simt_check_named(simt_check *check, uint32_t came, const uint64_t *waited) {
    const simt_worker *worker = check->worker;
    uint32_t heard[SIMT_MAX_WARPS] = {0};
    for (uint32_t w = 0; w < worker->warps; w++)
        if (waited[w] != 0) meet(check, &worker->warp[w], waited[w]);
    const uint32_t now = ++check->clock;
    for (uint32_t w = 0; w < worker->warps; w++) {
        if ((came >> w & 1) == 0) continue;
        for (uint32_t v = 0; v < worker->warps; v++)
            if (check->met[w].heard[v] > heard[v]) heard[v] = check->met[w].heard[v];
        heard[w] = now;
        check->met[w].time = now;
    }
    for (uint32_t w = 0; w < worker->warps; w++)
        if (waited[w] != 0) memcpy(check->met[w].heard, heard, sizeof heard);
}

/* `other` did something at `stamp`: does it precede what `lane` does now? */
bool simt_ordered(const simt_check *check, const simt_lane *lane, const simt_lane *other,
                  uint32_t stamp) {
    const simt_met *met = &check->met[lane->self.warp];
    if (lane->warp != other->warp) return stamp < met->heard[other->self.warp];
    return stamp < (met->uniform ? met->all : met->known[lane->self.lane][other->self.lane]);
}
