/* Shared memory: bounds, reads of what was never written, and races.
 *
 * Two accesses to a byte race when they come from different lanes, at least one writes, not both
 * are atomic, no barrier lies between them, and no chain of warp operations leads from one to the
 * other. Kept per byte: the last write, and the reads that no later read of the set follows; what
 * an ordered access follows is dropped, for whoever follows it follows those as well. Words that
 * are only touched whole share one record.
 *
 * A set of lanes shares the earliest of its stamps, and lanes of several warps are told apart by
 * warp only: then a race can be missed where partial masks or named barriers are involved, but
 * never invented.
 */
#include <stdio.h>

#include "check_access.h"

typedef struct request {
    simt_check *check;
    const simt_lane *lane;
    size_t at, bytes; /* of the whole access */
    simt_access kind;
    const void *pc;
} request;

static _Noreturn void race(const request *r, size_t at, const simt_lane *other, const char *how,
                           const void *pc) {
    char text[160], where[160];
    simt_name_address(r->check, r->check->shared + at, text, sizeof text);
    simt_check_where(r->check, pc, where, sizeof where);
    const uint32_t *index = other->self.thread_idx;
    simt_check_fail(r->check, r->pc, r->bytes, r->kind,
                    "race: %s was %s by thread (%u,%u,%u) [warp %u lane %u]%s, and neither a "
                    "barrier nor a warp operation orders the two",
                    text, how, index[0], index[1], index[2], other->self.warp, other->self.lane,
                    where);
}

static void against_write(const request *r, const simt_touch *t, size_t at) {
    if (t->write_when != r->check->now || t->writer == r->lane->self.thread) return;
    const simt_lane *other = &r->check->worker->lane[t->writer];
    if (!simt_ordered(r->check, r->lane, other, t->write_stamp))
        race(r, at, other, "written", t->write_pc);
}

/* The first lane of a set, other than the asking one, whose access at `stamp` need not precede what
 * that one does now; NULL: all precede it. Of a set of several warps lane 0 stands for each warp,
 * and the asking lane's own warp for nobody it has not met. */
static const simt_lane *unordered(const request *r, const simt_lanes *set, uint32_t stamp) {
    const simt_worker *worker = r->check->worker;
    const bool one = (set->warps & (set->warps - 1)) == 0;
    for (uint32_t warps = set->warps; warps != 0; warps &= warps - 1) {
        const simt_warp *warp = &worker->warp[__builtin_ctz(warps)];
        if (!one && warp == r->lane->warp) continue;
        for (uint64_t rest = one ? set->lanes : 1; rest != 0; rest &= rest - 1) {
            const simt_lane *other = &warp->lane[simt_lowest(rest)];
            if (other != r->lane && !simt_ordered(r->check, r->lane, other, stamp)) return other;
        }
    }
    return NULL;
}

static void against(const request *r, const simt_lanes *set, size_t at, const char *how) {
    if (set->when != r->check->now) return;
    const simt_lane *other = unordered(r, set, set->first);
    if (other != NULL) race(r, at, other, how, set->pc);
}

static void join(const request *r, simt_lanes *set) {
    const simt_lane *me = r->lane;
    const uint32_t stamp = r->check->met[me->self.warp].time, warp = 1u << me->self.warp;
    const uint64_t bit = simt_bit(me->self.lane);
    const bool fresh = set->when != r->check->now;
    set->pc = r->pc;
    if (!fresh && set->warps == warp && stamp == set->first && stamp == set->last) {
        set->lanes |= bit;
    } else if (fresh || unordered(r, set, set->last) == NULL) {
        *set = (simt_lanes){r->pc, bit, warp, r->check->now, stamp, stamp};
    } else {
        set->lanes |= bit;
        set->warps |= warp;
        if (stamp < set->first) set->first = stamp;
        if (stamp > set->last) set->last = stamp;
    }
}

static void touch(const request *r, simt_touch *t, size_t at) {
    against_write(r, t, at);
    if (simt_is_atomic(r->kind)) {
        against(r, &t->reads, at, "read");
        join(r, &t->atomics);
        return;
    }
    against(r, &t->atomics, at, "used atomically");
    if (r->kind == SIMT_READ) {
        join(r, &t->reads);
        return;
    }
    against(r, &t->reads, at, "read");
    *t = (simt_touch){.write_pc = r->pc,
                      .write_when = r->check->now,
                      .write_stamp = r->check->met[r->lane->self.warp].time,
                      .writer = r->lane->self.thread};
}

/* From here to the next barrier the bytes of this word have records of their own. */
static void split(simt_check *check, size_t word) {
    const simt_touch *whole = &check->word[word];
    simt_touch *bytes = &check->byte[4 * word];
    for (size_t i = 0; i < 4; i++) bytes[i] = *whole;
    check->split[word] = check->now;
}

static void check_state(const request *r) {
    uint8_t *state = r->check->shared_state + r->at;
    char text[160];
    for (size_t i = 0; i < r->bytes; i++) {
        const bool inside = (state[i] & SIMT_ADDRESSABLE) != 0;
        if (inside && (!simt_reads(r->kind) || (state[i] & SIMT_WRITTEN) != 0)) continue;
        simt_name_address(r->check, r->check->shared + r->at + i, text, sizeof text);
        simt_check_fail(r->check, r->pc, r->bytes, r->kind, "%s%s", text,
                        inside ? " was never written" : "");
    }
    if (simt_writes(r->kind)) memset(state, SIMT_SOUND, r->bytes);
}

void simt_shared_access(simt_check *check, size_t at, size_t bytes, simt_access kind,
                        const void *pc) {
    const request r = {check, simt_self(), at, bytes, kind, pc};
    check_state(&r);
    const size_t base = at - check->worker->shared.margin, end = base + bytes;
    for (size_t i = base; i < end;) {
        const size_t word = i / 4, next = 4 * word + 4;
        const bool whole = i % 4 == 0 && next <= end;
        if (whole && check->split[word] != check->now) {
            touch(&r, &check->word[word], at + (i - base));
            i = next;
            continue;
        }
        if (check->split[word] != check->now) split(check, word);
        for (; i < next && i < end; i++) touch(&r, &check->byte[i], at + (i - base));
    }
}
