/* Host threads. The caller of assay_simt_run is worker 0; helpers are started when a launch first
 * has use for them, and sleep between launches.
 *
 * A job is open while helpers may join it. The caller closes it when no block is left to hand out
 * and waits for those inside: a helper that wakes late finds it closed, so a small launch never
 * waits for one.
 */
#include <signal.h>
#include <stdlib.h>

#include "collective.h"

assay_status simt_pool_create(assay_simt *simt) {
    simt->worker = calloc(simt->worker_count, sizeof *simt->worker);
    simt->thread = calloc(simt->worker_count, sizeof *simt->thread);
    if (simt->worker == NULL || simt->thread == NULL)
        return assay_fail(ASSAY_ERR_MEMORY, "executor: no memory for %u workers",
                          simt->worker_count);
    pthread_mutex_init(&simt->lock, NULL);
    pthread_cond_init(&simt->work, NULL);
    pthread_cond_init(&simt->done, NULL);
    simt->pool_made = true;
    return ASSAY_OK;
}

static void free_worker(simt_worker *worker) {
    if (worker == NULL) return;
    simt_stacks_destroy(&worker->stacks);
    simt_shared_destroy(&worker->shared);
    simt_async_destroy(worker);
    free(worker->altstack.own);
    free(worker->seen_windows);
    free(worker);
}

void simt_pool_destroy(assay_simt *simt) {
    if (simt->pool_made) {
        pthread_mutex_lock(&simt->lock);
        simt->quit = true;
        pthread_cond_broadcast(&simt->work);
        pthread_mutex_unlock(&simt->lock);
        for (uint32_t i = 1; i <= simt->threads; i++) pthread_join(simt->thread[i], NULL);
        for (uint32_t i = 0; i < simt->worker_count; i++) free_worker(simt->worker[i]);
        pthread_mutex_destroy(&simt->lock);
        pthread_cond_destroy(&simt->work);
        pthread_cond_destroy(&simt->done);
    }
    free(simt->worker);
    free(simt->thread);
}

simt_worker *simt_pool_worker(assay_simt *simt, uint32_t index) {
    if (simt->worker[index] != NULL) return simt->worker[index];
    simt_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) return NULL;
    worker->simt = simt;
    worker->seen_windows = calloc(simt->worker_count, sizeof *worker->seen_windows);
    if (worker->seen_windows == NULL) {
        free(worker);
        return NULL;
    }
    return simt->worker[index] = worker;
}

/* Runs blocks until none is left, or an earlier one than those left has failed. */
void simt_work(simt_worker *worker, simt_job *job) {
    uint64_t next;
    while ((next = atomic_fetch_add(&job->next, 1)) < job->blocks &&
           next < atomic_load(&job->failed)) {
        worker->position = next;
        atomic_store(&worker->in_block, true);
        simt_block_run(worker, simt_order_block(job->seed, next, job->blocks));
        atomic_store(&worker->in_block, false);
        atomic_fetch_add(&job->finished, 1);
    }
}

static void *help(void *argument) {
    simt_worker *worker = argument;
    assay_simt *simt = worker->simt;
    uint64_t joined = 0;
    simt_float_environment_enter();
    pthread_mutex_lock(&simt->lock);
    for (;;) {
        while (!simt->quit && (simt->job == NULL || simt->generation == joined))
            pthread_cond_wait(&simt->work, &simt->lock);
        if (simt->quit) break;
        simt_job *job = simt->job;
        joined = simt->generation;
        simt->inside++;
        pthread_mutex_unlock(&simt->lock);

        /* Without memory for its stacks a helper leaves the work to the others. */
        bool prepared = simt_worker_prepare(worker, job);
        if (prepared && simt_altstack_enter(&worker->altstack)) {
            simt_work(worker, job);
            simt_altstack_leave(&worker->altstack);
        }

        pthread_mutex_lock(&simt->lock);
        if (prepared) simt_stats_add(&simt->stats, &worker->stats);
        if (--simt->inside == 0) pthread_cond_signal(&simt->done);
    }
    pthread_mutex_unlock(&simt->lock);
    return NULL;
}

/* With the lock held. Only signals that a lane raises are for a helper. */
static void start_threads(assay_simt *simt) {
    if (simt->threads + 1 >= simt->worker_count) return;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (simt->threads + 1 < simt->worker_count) {
        uint32_t index = simt->threads + 1;
        if (simt_pool_worker(simt, index) == NULL) break;
        if (pthread_create(&simt->thread[index], NULL, help, simt->worker[index]) != 0) break;
        simt->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Lets helpers join the job. Also called by a block that waits for one not yet started. */
void simt_pool_open(assay_simt *simt, simt_job *job) {
    if (simt->worker_count == 1) return;
    pthread_mutex_lock(&simt->lock);
    if (simt->job == NULL && !job->closed) {
        start_threads(simt);
        simt->job = job;
        simt->generation++;
        pthread_cond_broadcast(&simt->work);
    }
    pthread_mutex_unlock(&simt->lock);
}

void simt_pool_close(assay_simt *simt, simt_job *job) {
    pthread_mutex_lock(&simt->lock);
    job->closed = true; /* a block that still polls may call for helpers */
    simt->job = NULL;
    while (simt->inside > 0) pthread_cond_wait(&simt->done, &simt->lock);
    pthread_mutex_unlock(&simt->lock);
}
