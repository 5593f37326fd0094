/* Asynchronous copies to shared memory.
 *
 * Each lane has a queue of its copies, oldest first. A copy is issued by filling its destination
 * with 0xff and remembering it, and done at the wait that covers it: the last moment that the chips
 * allow. So whatever reads the destination too early, or still needed what was there before, sees
 * NaN or -1; and a source that changes in between is read too late.
 */
#include <stdlib.h>

#include "assay/simt_async.h"
#include "check.h"
#include "collective.h"

typedef struct copy {
    unsigned char *destination;
    const unsigned char *source;
    uint32_t bytes, valid;
    uint64_t group;       /* number of its group, from 0 */
    assay_simt_site site; /* the caller's may be gone by the time of an error */
} copy;

typedef struct queue {
    copy *copies;
    size_t first, count, capacity;
    uint64_t committed; /* groups */
} queue;

struct simt_async {
    queue lane[SIMT_MAX_LANES];
};

static queue *queue_of(const simt_lane *lane, const assay_simt_site *site) {
    simt_worker *worker = lane->worker;
    if (worker->async == NULL) worker->async = calloc(1, sizeof *worker->async);
    if (worker->async == NULL) simt_fail(lane, site, "no memory for asynchronous copies");
    return &worker->async->lane[lane->self.thread];
}

static void append(const simt_lane *lane, queue *q, copy one) {
    if (q->first + q->count == q->capacity && q->first > 0) {
        memmove(q->copies, q->copies + q->first, q->count * sizeof *q->copies);
        q->first = 0;
    }
    if (q->count == q->capacity) {
        const size_t capacity = q->capacity != 0 ? 2 * q->capacity : 16;
        copy *grown = realloc(q->copies, capacity * sizeof *grown);
        if (grown == NULL) simt_fail(lane, &one.site, "no memory for asynchronous copies");
        q->copies = grown;
        q->capacity = capacity;
    }
    q->copies[q->first + q->count++] = one;
}

static void check(const simt_lane *lane, const copy *one) {
    const assay_simt_site *site = &one->site;
    if (one->bytes != 4 && one->bytes != 8 && one->bytes != 16)
        simt_fail(lane, site, "%u bytes; there may be 4, 8 or 16", one->bytes);
    if (one->valid > one->bytes)
        simt_fail(lane, site, "%u of %u bytes are to be copied", one->valid, one->bytes);
    if ((uintptr_t)one->destination % one->bytes != 0)
        simt_fail(lane, site, "the destination is %u bytes past a multiple of %u",
                  (unsigned)((uintptr_t)one->destination % one->bytes), one->bytes);
    if ((uintptr_t)one->source % one->bytes != 0)
        simt_fail(lane, site, "the source is %u bytes past a multiple of %u",
                  (unsigned)((uintptr_t)one->source % one->bytes), one->bytes);
    if (!simt_in_shared(lane->worker, one->destination, one->bytes))
        simt_fail(lane, site, "the destination's %u bytes lie in no shared array", one->bytes);
    if (one->valid > 0 && !simt_in_device(lane->worker, one->source, one->valid))
        simt_fail(lane, site, "the source's %u bytes lie in no tensor", one->valid);
}

void assay_simt_cp_async(void *destination, const void *source, uint32_t bytes, uint32_t valid,
                         const assay_simt_site *site) {
    const simt_lane *lane = simt_self();
    queue *q = queue_of(lane, site);
    const copy one = {destination, source, bytes, valid, q->committed, *site};
    check(lane, &one);
    if (lane->worker->check != NULL)
        simt_check_copy_begin(lane->worker->check, lane, destination, bytes, source, valid, site);
    memset(destination, SIMT_POISON_BYTE, bytes);
    append(lane, q, one);
}

/* Of the running lane. */
static void complete(queue *q, uint64_t groups) {
    const simt_lane *lane = simt_self();
    simt_check *watch = lane->worker->check;
    while (q->count > 0 && q->copies[q->first].group < groups) {
        const copy *one = &q->copies[q->first++];
        if (watch != NULL)
            simt_check_copy_end(watch, lane, one->destination, one->bytes, &one->site);
        memcpy(one->destination, one->source, one->valid);
        memset(one->destination + one->valid, 0, one->bytes - one->valid);
        q->count--;
    }
    if (q->count == 0) q->first = 0;
}

void assay_simt_cp_async_commit(void) { queue_of(simt_self(), NULL)->committed++; }

void assay_simt_cp_async_wait(uint32_t pending) {
    queue *q = queue_of(simt_self(), NULL);
    if (q->committed > pending) complete(q, q->committed - pending);
}

void assay_simt_cp_async_wait_all(void) {
    queue *q = queue_of(simt_self(), NULL);
    complete(q, q->committed + 1);
}

void simt_async_begin(simt_worker *worker) {
    for (uint32_t i = 0; worker->async != NULL && i < worker->lanes; i++) {
        queue *q = &worker->async->lane[i];
        q->first = q->count = 0;
        q->committed = 0;
    }
    simt_named_begin(worker);
}

/* `lane` returned. */
void simt_async_leave(simt_lane *lane) {
    if (lane->worker->async == NULL) return;
    const queue *q = &lane->worker->async->lane[lane->self.thread];
    if (q->count == 0) return;
    const copy *one = &q->copies[q->first];
    simt_fail(lane, &one->site, "the lane returned with %zu copies pending, this one first; %s",
              q->count, one->group < q->committed ? "no wait covers it" : "it was not committed");
}

void simt_async_destroy(simt_worker *worker) {
    for (uint32_t i = 0; worker->async != NULL && i < SIMT_MAX_LANES; i++)
        free(worker->async->lane[i].copies);
    free(worker->async);
    free(worker->named);
}
