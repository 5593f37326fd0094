/* Warp operations: a rendezvous of the lanes of a mask.
 *
 * The last lane to arrive computes every lane's result and goes on; the others find theirs when
 * they run again. Operations over disjoint masks may be in flight together. What can be known to
 * be wrong is reported on arrival; a circle of lanes waiting for each other shows as a stall.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check.h"
#include "collective.h"

static const char *describe(const simt_lane *lane, char *text, size_t size) {
    snprintf(text, size, "waits in %s at %s:%d", lane->site->operation,
             simt_basename(lane->site->file), lane->site->line);
    return text;
}

/* The first lane into an operation: everything that holds for the mask alone. */
static void check_mask(const simt_lane *lane, uint64_t mask, uint32_t width,
                       const assay_simt_site *site) {
    const simt_warp *warp = lane->warp;
    if ((mask & ~warp->lanes) != 0)
        simt_fail(
            lane, site,
            "the mask 0x%" PRIx64 " names lane %u, which does not exist: the warp has %u lanes",
            mask, simt_lowest(mask & ~warp->lanes), (unsigned)__builtin_popcountll(warp->lanes));
    if ((mask & warp->returned) != 0)
        simt_fail(lane, site, "lane %u of the mask 0x%" PRIx64 " has already returned",
                  simt_lowest(mask & warp->returned), mask);
    if (width == 0 || (width & (width - 1)) != 0 || width > lane->self.warp_size)
        simt_fail(lane, site, "width %u is not a power of two from 1 to %u", width,
                  lane->self.warp_size);
    char text[200];
    if ((mask & warp->in_barrier) != 0) {
        uint32_t other = simt_lowest(mask & warp->in_barrier);
        simt_fail(lane, site, "lane %u of the mask 0x%" PRIx64 " %s", other, mask,
                  describe(&warp->lane[other], text, sizeof text));
    }
    /* A lane of the mask that waits in another operation may still come, unless that one needs
     * the caller. */
    for (uint64_t in_op = warp->in_op; in_op != 0; in_op &= in_op - 1) {
        const simt_group *group = &warp->group[simt_lowest(in_op)];
        if (group->arrived == 0 || (group->mask & simt_bit(lane->self.lane)) == 0) continue;
        if ((group->arrived & mask) == 0) continue;
        uint32_t other = simt_lowest(group->arrived & mask);
        simt_fail(lane, site,
                  "lane %u of the mask 0x%" PRIx64 " %s with the mask 0x%" PRIx64
                  ", which needs this lane",
                  other, mask, describe(&warp->lane[other], text, sizeof text), group->mask);
    }
}

/* A later lane, with the same mask, that does not do what the first one does. */
static void mismatch(const simt_lane *lane, const simt_group *group, assay_simt_warp_op op,
                     uint32_t width, const assay_simt_site *site) {
    uint32_t other = simt_lowest(group->arrived);
    char text[200];
    if (group->op != op || !simt_same_site(group->site, site))
        simt_fail(lane, site, "lane %u of the mask 0x%" PRIx64 " %s", other, group->mask,
                  describe(&lane->warp->lane[other], text, sizeof text));
    simt_fail(lane, site, "called with width %u, but lane %u with width %u", width, other,
              group->width);
}

/* The operation in flight over `mask`; NULL: none. */
static simt_group *find(simt_warp *warp, uint64_t mask) {
    simt_group *group = &warp->group[warp->slot[simt_lowest(mask)]];
    if (group->arrived != 0 && group->mask == mask) return group;
    for (uint64_t rest = warp->in_op; rest != 0; rest &= rest - 1) {
        group = &warp->group[simt_lowest(rest)];
        if (group->arrived != 0 && group->mask == mask) return group;
    }
    return NULL;
}

/* Which lane `lane` reads. */
static uint32_t source(assay_simt_warp_op op, uint32_t lane, uint32_t arg, uint32_t width) {
    uint32_t first = lane & ~(width - 1), last = first + width - 1;
    switch (op) {
    case ASSAY_SIMT_SHFL: return first + (arg & (width - 1));
    case ASSAY_SIMT_SHFL_UP: return arg > lane - first ? lane : lane - arg;
    case ASSAY_SIMT_SHFL_DOWN: return arg > last - lane ? lane : lane + arg;
    default: return (lane ^ arg) > last ? lane : lane ^ arg;
    }
}

static void shuffle(simt_warp *warp, const simt_group *group) {
    for (uint64_t rest = group->mask; rest != 0; rest &= rest - 1) {
        uint32_t to = simt_lowest(rest);
        uint32_t from = source(group->op, to, warp->arg[to], group->width);
        if ((group->mask >> from & 1) == 0)
            simt_fail(&warp->lane[to], group->site,
                      "reads lane %u, which is outside the mask 0x%" PRIx64, from, group->mask);
        warp->result[to] = warp->value[from];
    }
}

static void vote(simt_warp *warp, const simt_group *group) {
    uint64_t ballot = 0;
    for (uint64_t rest = group->mask; rest != 0; rest &= rest - 1)
        if (warp->value[simt_lowest(rest)] != 0) ballot |= rest & -rest;
    uint64_t result = 0;
    if (group->op == ASSAY_SIMT_BALLOT) result = ballot;
    if (group->op == ASSAY_SIMT_ANY) result = ballot != 0;
    if (group->op == ASSAY_SIMT_ALL) result = ballot == group->mask;
    for (uint64_t rest = group->mask; rest != 0; rest &= rest - 1)
        warp->result[simt_lowest(rest)] = result;
}

uint64_t assay_simt_warp(assay_simt_warp_op op, uint64_t mask, uint64_t value, uint32_t arg,
                         uint32_t width, const assay_simt_site *site) {
    simt_lane *lane = simt_self();
    simt_warp *warp = lane->warp;
    uint32_t index = lane->self.lane;
    if ((mask >> index & 1) == 0)
        simt_fail(lane, site, "the calling lane %u is not in the mask 0x%" PRIx64, index, mask);

    simt_group *group = find(warp, mask);
    if (group == NULL) {
        check_mask(lane, mask, width, site);
        warp->slot[simt_lowest(mask)] = (uint8_t)index;
        group = &warp->group[index];
        *group = (simt_group){.mask = mask, .site = site, .op = op, .width = width};
    } else if (group->op != op || group->width != width || !simt_same_site(group->site, site)) {
        mismatch(lane, group, op, width, site);
    }
    warp->value[index] = value;
    warp->arg[index] = arg;
    group->arrived |= simt_bit(index);
    if (group->arrived != mask) {
        warp->in_op |= simt_bit(index);
        simt_wait(lane, SIMT_IN_WARP_OP, site);
        return op == ASSAY_SIMT_SYNC ? 0 : warp->result[index];
    }

    if (op == ASSAY_SIMT_BALLOT || op == ASSAY_SIMT_ANY || op == ASSAY_SIMT_ALL)
        vote(warp, group);
    else if (op == SIMT_COLLECTIVE)
        simt_collect(warp, group);
    else if (op != ASSAY_SIMT_SYNC)
        shuffle(warp, group);
    group->arrived = 0;
    warp->in_op &= ~mask;
    simt_ready(lane->worker, warp, mask & ~simt_bit(index));
    lane->worker->stats.warp_ops++;
    if (lane->worker->check != NULL) simt_check_meet(lane->worker->check, warp, mask);
    if (lane->worker->passed_atomic) simt_rendezvous(lane->worker);
    return op == ASSAY_SIMT_SYNC ? 0 : warp->result[index];
}

/* `lane` returned or reached a barrier (`site`): no operation in flight may still need it. */
void simt_warp_leave(const simt_lane *lane, const char *how, const assay_simt_site *site) {
    const simt_warp *warp = lane->warp;
    char text[200];
    if (site != NULL) {
        snprintf(text, sizeof text, "waits in %s at %s:%d", site->operation,
                 simt_basename(site->file), site->line);
        how = text;
    }
    for (uint32_t g = 0; g < SIMT_MAX_WARP; g++) {
        const simt_group *group = &warp->group[g];
        if (group->arrived == 0 || (group->mask >> lane->self.lane & 1) == 0) continue;
        simt_fail(&warp->lane[simt_lowest(group->arrived)], group->site,
                  "lane %u of the mask 0x%" PRIx64 " %s", lane->self.lane, group->mask, how);
    }
}
