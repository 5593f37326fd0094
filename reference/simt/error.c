/* How a kernel error is worded, recorded and left.
 *
 *   rms_norm<bf16>: block (3,0,0) lane thread (17,0,0) [warp 0 lane 17]: dev_shfl_xor at
 *   rms_norm.cu:88: lane 19 of the mask 0xffffffff has already returned
 */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

const char *simt_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void simt_place(const simt_lane *lane, char *text, size_t size) {
    const uint32_t *thread = lane->self.thread_idx;
    snprintf(text, size, "lane thread (%u,%u,%u) [warp %u lane %u]", thread[0], thread[1],
             thread[2], lane->self.warp, lane->self.lane);
}

/* Keeps the error of the earliest failed block in visiting order. Every earlier block was handed
 * out before and runs to its end, so the same one is reported whatever the threads' timing. */
static void record(simt_worker *worker, assay_status status) {
    simt_job *job = worker->job;
    worker->outcome = SIMT_FAILED;
    pthread_mutex_lock(&job->lock);
    if (worker->position < atomic_load(&job->failed)) {
        atomic_store(&job->failed, worker->position);
        job->status = status;
        memcpy(job->message, worker->message, sizeof job->message);
    }
    pthread_mutex_unlock(&job->lock);
}

static _Noreturn void leave(simt_worker *worker) {
    simt_fiber_leave(worker->running->fiber, &worker->base);
}

/* Appends to a worker's message and returns its new length. */
static size_t append(simt_worker *worker, size_t used, const char *format, va_list args) {
    size_t room = sizeof worker->message - used;
    int length = vsnprintf(worker->message + used, room, format, args);
    return length < 0 ? used : used + ((size_t)length < room ? (size_t)length : room - 1);
}

static size_t add(simt_worker *worker, size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static size_t add(simt_worker *worker, size_t used, const char *format, ...) {
    va_list args;
    va_start(args, format);
    used = append(worker, used, format, args);
    va_end(args);
    return used;
}

static size_t begin(simt_worker *worker) {
    const uint32_t *block = worker->lane[0].self.block_idx;
    return add(worker, 0, "%.120s: block (%u,%u,%u)", worker->job->launch->name, block[0], block[1],
               block[2]);
}

/* `lane` is whom the message names; the caller is the running lane. */
void simt_fail(const simt_lane *lane, const assay_simt_site *site, const char *format, ...) {
    simt_worker *worker = lane->worker;
    char place[120];
    simt_place(lane, place, sizeof place);
    size_t used = add(worker, begin(worker), " %s: ", place);
    if (site != NULL)
        used = add(worker, used, "%s at %s:%d: ", site->operation, simt_basename(site->file),
                   site->line);
    va_list args;
    va_start(args, format);
    append(worker, used, format, args);
    va_end(args);
    record(worker, ASSAY_ERR_KERNEL);
    leave(worker);
}

/* An error of the block as a whole, found on the worker's own stack. */
void simt_block_fail(simt_worker *worker, const char *format, ...) {
    size_t used = add(worker, begin(worker), ": ");
    va_list args;
    va_start(args, format);
    append(worker, used, format, args);
    va_end(args);
    record(worker, ASSAY_ERR_KERNEL);
}

/* An earlier block has failed: this one no longer matters. */
bool simt_should_abandon(const simt_worker *worker) {
    return atomic_load_explicit(&worker->job->failed, memory_order_relaxed) < worker->position;
}

void simt_abandon(simt_worker *worker) {
    worker->outcome = SIMT_ABANDONED;
    leave(worker);
}

void assay_simt_trap(const char *message, const assay_simt_site *site) {
    simt_fail(simt_self(), site, "trap: %s", message);
}
