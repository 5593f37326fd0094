/* A block in which no lane can run: who waits where. */
#include <inttypes.h>
#include <stdio.h>

#include "internal.h"

enum { PLACES = 4 };

static bool same_wait(const simt_lane *a, const simt_lane *b) {
    if (a->state != b->state) return false;
    if (a->state == SIMT_NOT_STARTED || a->state == SIMT_RETURNED) return true;
    return simt_same_site(a->site, b->site);
}

static int describe(const simt_lane *lane, uint32_t count, char *text, size_t size) {
    const uint32_t *first = lane->self.thread_idx;
    const char *lanes = count == 1 ? "lane" : "lanes";
    if (lane->state == SIMT_RETURNED) return snprintf(text, size, "%u %s returned", count, lanes);
    if (lane->state == SIMT_NOT_STARTED)
        return snprintf(text, size, "%u %s not started", count, lanes);
    return snprintf(text, size, "%u %s %s %s at %s:%d (first: thread (%u,%u,%u))", count, lanes,
                    lane->state == SIMT_POLLING ? "polling in" : "waiting in",
                    lane->site->operation, simt_basename(lane->site->file), lane->site->line,
                    first[0], first[1], first[2]);
}

/* "31 lanes waiting in dev_barrier at k.cu:12 (first: ...), 1 lane returned" */
void simt_census(const simt_worker *worker, char *text, size_t size) {
    const simt_lane *place[PLACES];
    uint32_t count[PLACES] = {0}, places = 0, more = 0;
    for (uint32_t i = 0; i < worker->lanes; i++) {
        uint32_t p = 0;
        while (p < places && !same_wait(place[p], &worker->lane[i])) p++;
        if (p == PLACES) {
            more++;
            continue;
        }
        if (p == places) place[places++] = &worker->lane[i];
        count[p]++;
    }
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t p = 0; p < places && used < size; p++) {
        if (p > 0) used += (size_t)snprintf(text + used, size - used, ", ");
        if (used < size) used += (size_t)describe(place[p], count[p], text + used, size - used);
    }
    if (more > 0 && used < size) snprintf(text + used, size - used, ", %u more elsewhere", more);
}

/* Arrival checks find what two operations alone decide, so this is a circle of three or more. */
void simt_stalled(simt_worker *worker) {
    char census[400];
    simt_census(worker, census, sizeof census);
    for (uint32_t w = 0; w < worker->warps; w++) {
        const simt_warp *warp = &worker->warp[w];
        for (uint64_t rest = warp->in_op; rest != 0; rest &= rest - 1) {
            const simt_group *group = &warp->group[simt_lowest(rest)];
            if (group->arrived == 0) continue;
            simt_fail(&warp->lane[simt_lowest(group->arrived)], group->site,
                      "deadlock: no lane of the block can run; lane %u of the mask 0x%" PRIx64
                      " is missing: %s",
                      simt_lowest(group->mask & ~group->arrived), group->mask, census);
        }
    }
    simt_fail(worker->running, NULL, "deadlock: no lane of the block can run: %s", census);
}
