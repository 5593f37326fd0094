/* One launch: its limits, its blocks handed to the workers, its outcome. */
#include <stdio.h>

#include "check.h"

/* Helpers are woken at once for launches of at least this many lanes; waking costs microseconds. */
enum { WORTH_WAKING = 2048 };

/* CUDA's limits on the single dimensions, which no NVIDIA chip so far has changed. */
enum { NVIDIA_GRID_YZ = 65535, NVIDIA_BLOCK_Z = 64 };

static assay_status refuse(const assay_simt_launch *launch, const assay_chip *chip,
                           const char *what) {
    const uint32_t *grid = launch->geometry.grid, *block = launch->geometry.block;
    return assay_fail(ASSAY_ERR_ARGUMENT, "%.120s: grid (%u,%u,%u) block (%u,%u,%u) on %s: %s",
                      launch->name, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                      chip->name, what);
}

/* The number of blocks and of lanes a block, or why this chip would refuse the launch. */
static assay_status measure(const assay_simt_launch *launch, const assay_chip *chip,
                            uint64_t *blocks, uint32_t *lanes) {
    const uint32_t *grid = launch->geometry.grid, *block = launch->geometry.block;
    bool nvidia = strcmp(chip->vendor, "nvidia") == 0;
    char text[160];
    if (chip->warp_size != 32 && chip->warp_size != 64)
        return refuse(launch, chip, "the chip's warp size is neither 32 nor 64");
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0) return refuse(launch, chip, "a grid dimension is 0");
        if (block[i] == 0) return refuse(launch, chip, "a block dimension is 0");
    }
    uint32_t limit = chip->max_block_threads;
    if (limit > SIMT_MAX_LANES) limit = SIMT_MAX_LANES;
    uint64_t threads = (uint64_t)block[0] * block[1];
    if (threads > limit || threads * block[2] > limit) {
        snprintf(text, sizeof text, "the block has more than %u threads", limit);
        return refuse(launch, chip, text);
    }
    threads *= block[2];
    if (nvidia && block[2] > NVIDIA_BLOCK_Z)
        return refuse(launch, chip, "the block's z dimension exceeds 64");
    if (grid[0] > chip->max_grid_x) {
        snprintf(text, sizeof text, "the grid's x dimension exceeds %u", chip->max_grid_x);
        return refuse(launch, chip, text);
    }
    if (nvidia && (grid[1] > NVIDIA_GRID_YZ || grid[2] > NVIDIA_GRID_YZ))
        return refuse(launch, chip, "the grid's y or z dimension exceeds 65535");
    uint64_t xy = (uint64_t)grid[0] * grid[1], most = chip->max_grid_threads / threads;
    if (xy > most || (xy > 0 && grid[2] > most / xy)) {
        snprintf(text, sizeof text, "the grid has more than %llu threads",
                 (unsigned long long)chip->max_grid_threads);
        return refuse(launch, chip, text);
    }
    if (launch->geometry.shared_bytes > chip->max_shared_bytes) {
        snprintf(text, sizeof text, "%zu bytes of dynamic shared memory exceed the limit of %u",
                 launch->geometry.shared_bytes, chip->max_shared_bytes);
        return refuse(launch, chip, text);
    }
    *blocks = xy * grid[2];
    *lanes = (uint32_t)threads;
    return ASSAY_OK;
}

void simt_stats_add(assay_simt_stats *sum, const assay_simt_stats *more) {
    sum->blocks += more->blocks;
    sum->lanes += more->lanes;
    sum->barriers += more->barriers;
    sum->warp_ops += more->warp_ops;
    sum->switches += more->switches;
}

static assay_status run(assay_simt *simt, simt_job *job, simt_worker *worker) {
    if (!simt_worker_prepare(worker, job) || !simt_altstack_enter(&worker->altstack))
        return assay_fail(ASSAY_ERR_MEMORY, "%.120s: no memory for stacks and shared memory",
                          job->launch->name);
    worker->check = simt->check;
    if (simt->check != NULL && !simt_check_begin(simt->check, worker))
        return assay_fail(ASSAY_ERR_MEMORY, "%.120s: no memory for the shadow of shared memory",
                          job->launch->name);
    simt_float_environment environment = simt_float_environment_enter();
    simt_fault_install();
    if (job->blocks > 1 && job->blocks * job->lanes >= WORTH_WAKING) simt_pool_open(simt, job);
    simt_work(worker, job);
    simt_pool_close(simt, job);
    simt_fault_remove();
    simt_float_environment_leave(environment);
    simt_altstack_leave(&worker->altstack);
    if (simt->check != NULL) simt_check_end(simt->check);
    simt_stats_add(&simt->stats, &worker->stats);

    assay_status guards = simt_guard_check(&simt->arena, job->launch->name);
    if (job->status != ASSAY_OK) return assay_fail(job->status, "%s", job->message);
    return guards;
}

assay_status assay_simt_run(assay_simt *simt, const assay_simt_launch *launch) {
    simt->stats = (assay_simt_stats){0};
    simt_job job = {.launch = launch, .chip = simt->chip, .seed = simt->seed};
    assay_simt_launch named = *launch;
    if (launch->name == NULL) {
        named.name = "kernel";
        job.launch = &named;
    }
    if (assay_simt_self != NULL)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%.120s: launched from inside a kernel",
                          job.launch->name);
    assay_status status = measure(job.launch, job.chip, &job.blocks, &job.lanes);
    if (status != ASSAY_OK) return status;
    simt_worker *worker = simt_pool_worker(simt, 0);
    if (worker == NULL)
        return assay_fail(ASSAY_ERR_MEMORY, "%.120s: no memory for a worker", job.launch->name);
    atomic_init(&job.failed, UINT64_MAX);
    pthread_mutex_init(&job.lock, NULL);
    status = run(simt, &job, worker);
    pthread_mutex_destroy(&job.lock);
    return status;
}

assay_simt_stats assay_simt_last_stats(const assay_simt *simt) { return simt->stats; }
