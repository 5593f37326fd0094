/* Counting accesses of a launch, exactly, and the same whatever the order of lanes.
 *
 * Lanes run one after another, so the request of a warp is put together: it is the k-th time that
 * its lanes come to one access since all of them last met. Where lanes diverge in a loop, so that
 * the k-th times do not belong together, requests are fewer and wider than on a chip.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "count.h"

/* Only what a kernel uses of the tables takes memory. */
bool simt_count_create(simt_check *check) {
    void *map = mmap(NULL, sizeof(simt_count), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check->count = map != MAP_FAILED ? map : NULL;
    return check->count != NULL;
}

void simt_count_destroy(simt_check *check) {
    simt_count *c = check->count;
    if (c == NULL) return;
    for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++)
        for (uint32_t s = 0; s < SIMT_COUNT_SITES; s++) free(c->stream[w][s].at);
    munmap(c, sizeof *c);
    check->count = NULL;
}

void simt_count_reset(simt_check *check) {
    check->count->sum = (assay_simt_counters){0};
    check->loaded = check->stored = 0;
}

/* A launch: its sites are its own. */
void simt_count_begin(simt_count *count) {
    for (uint32_t w = 0; w < SIMT_MAX_WARPS; w++) {
        for (uint32_t i = 0; i < count->used_count[w]; i++)
            count->stream[w][count->used[w][i]].count = 0;
        count->used_count[w] = 0;
        count->round[w]++;
    }
    memset(count->site, 0, sizeof count->site);
}

/* The number of a site; SITES when the kernel has too many. */
static uint32_t site_of(simt_count *count, const void *pc) {
    uint32_t i = (uint32_t)(simt_order_mix((uintptr_t)pc) % SIMT_COUNT_SITES);
    for (uint32_t tries = 0; tries < SIMT_COUNT_SITES; tries++) {
        if (count->site[i] == NULL) count->site[i] = pc;
        if (count->site[i] == pc) return i;
        i = (i + 1) % SIMT_COUNT_SITES;
    }
    return SIMT_COUNT_SITES;
}

static simt_request *request_at(simt_count *count, uint32_t warp, uint32_t site, uint32_t k) {
    simt_stream *stream = &count->stream[warp][site];
    if (k >= stream->capacity) {
        const uint32_t capacity = stream->capacity != 0 ? 2 * stream->capacity : 8;
        simt_request *grown = realloc(stream->at, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        stream->at = grown;
        stream->capacity = capacity;
    }
    if (stream->count == 0) count->used[warp][count->used_count[warp]++] = (uint16_t)site;
    while (stream->count <= k) stream->at[stream->count++].lanes = 0;
    return &stream->at[k];
}

static void tally(assay_simt_counters *sum, size_t bytes, simt_access kind, bool shared) {
    sum->lane_operations++;
    if (shared) {
        *(kind == SIMT_READ    ? &sum->shared_loads
          : kind == SIMT_WRITE ? &sum->shared_stores
                               : &sum->shared_atomics) += 1;
        return;
    }
    switch (kind) {
    case SIMT_READ:
        sum->global_loads++;
        sum->bytes_loaded += bytes;
        break;
    case SIMT_WRITE:
        sum->global_stores++;
        sum->bytes_stored += bytes;
        break;
    default: sum->global_atomics++;
    }
}

void simt_count_access(simt_check *check, uintptr_t address, size_t bytes, simt_access kind,
                       bool shared, const void *pc) {
    simt_count *count = check->count;
    const simt_lane *lane = simt_self();
    const uint32_t warp = lane->self.warp, site = site_of(count, pc);
    simt_request alone = {.lanes = 0}, *r = &alone;
    tally(&count->sum, bytes, kind, shared);
    if (site < SIMT_COUNT_SITES) {
        uint32_t *round = &count->lane[lane->self.thread][site].round;
        uint32_t *times = &count->lane[lane->self.thread][site].times;
        if (*round != count->round[warp]) *round = count->round[warp], *times = 0;
        r = request_at(count, warp, site, (*times)++);
        if (r == NULL) r = &alone;
    }
    if (r->lanes == 0) {
        r->bytes = (uint32_t)bytes;
        r->kind = kind;
        r->shared = shared;
    }
    r->lanes |= simt_bit(lane->self.lane);
    r->address[lane->self.lane] = address;
    if (r == &alone) simt_count_request(&count->sum, r);
}

/* All lanes of a warp have met: its requests so far are complete. */
static void settle(simt_count *count, uint32_t warp) {
    for (uint32_t i = 0; i < count->used_count[warp]; i++) {
        simt_stream *stream = &count->stream[warp][count->used[warp][i]];
        for (uint32_t k = 0; k < stream->count; k++)
            simt_count_request(&count->sum, &stream->at[k]);
        stream->count = 0;
    }
    count->used_count[warp] = 0;
    count->round[warp]++;
}

void simt_count_meet(simt_count *count, uint32_t warp, uint64_t lanes, bool whole) {
    count->sum.warp_ops++;
    count->sum.lane_operations += (uint64_t)__builtin_popcountll(lanes);
    if (whole) settle(count, warp);
}

void simt_count_barrier(simt_count *count, uint32_t warps, uint32_t lanes) {
    count->sum.barriers++;
    count->sum.lane_operations += lanes;
    for (uint32_t w = 0; w < warps; w++) settle(count, w);
}

/* Of a part of the block; its warps' requests go on. */
void simt_count_named(simt_count *count, uint32_t lanes) {
    count->sum.barriers++;
    count->sum.lane_operations += lanes;
}

void simt_count_block(simt_count *count, uint32_t warps) {
    for (uint32_t w = 0; w < warps; w++) settle(count, w);
}

assay_simt_counters simt_count_totals(const simt_check *check) {
    assay_simt_counters sum = check->count->sum;
    sum.unique_loaded = check->loaded;
    sum.unique_stored = check->stored;
    return sum;
}
