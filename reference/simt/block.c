/* One block: its lanes laid out, started, run to their end. */
#include "check.h"
#include "collective.h"

__thread const assay_simt_lane *assay_simt_self = NULL;

/* Everything about a lane that does not change from block to block. */
static void lay_out(simt_worker *worker, const assay_geometry *geometry, uint32_t warp_size) {
    const uint32_t *block = geometry->block;
    uint32_t index = 0;
    worker->lanes = block[0] * block[1] * block[2];
    worker->warps = (worker->lanes + warp_size - 1) / warp_size;
    for (uint32_t z = 0; z < block[2]; z++)
        for (uint32_t y = 0; y < block[1]; y++)
            for (uint32_t x = 0; x < block[0]; x++, index++) {
                simt_lane *lane = &worker->lane[index];
                lane->worker = worker;
                lane->warp = &worker->warp[index / warp_size];
                lane->self = (assay_simt_lane){
                    .thread_idx = {x, y, z},
                    .block_dim = {block[0], block[1], block[2]},
                    .grid_dim = {geometry->grid[0], geometry->grid[1], geometry->grid[2]},
                    .warp_size = warp_size,
                    .lane = index % warp_size,
                    .warp = index / warp_size,
                    .thread = index,
                };
            }
    for (uint32_t w = 0; w < worker->warps; w++) {
        simt_warp *warp = &worker->warp[w];
        uint32_t first = w * warp_size;
        uint32_t count = worker->lanes - first < warp_size ? worker->lanes - first : warp_size;
        warp->lanes = ~UINT64_C(0) >> (64 - count);
        warp->lane = &worker->lane[first];
        warp->index = w;
    }
    worker->geometry = *geometry;
    worker->warp_size = warp_size;
}

static bool laid_out(const simt_worker *worker, const assay_geometry *geometry,
                     uint32_t warp_size) {
    return worker->warp_size == warp_size &&
           memcmp(worker->geometry.block, geometry->block, sizeof geometry->block) == 0 &&
           memcmp(worker->geometry.grid, geometry->grid, sizeof geometry->grid) == 0;
}

/* Before a worker's first block of a launch. False: no memory. */
bool simt_worker_prepare(simt_worker *worker, simt_job *job) {
    worker->job = job;
    if (!laid_out(worker, &job->launch->geometry, job->chip->warp_size))
        lay_out(worker, &job->launch->geometry, job->chip->warp_size);
    if (worker->stacks.base == NULL && !simt_stacks_create(&worker->stacks)) return false;
    worker->stats = (assay_simt_stats){0};
    return simt_shared_create(&worker->shared, job->chip) == ASSAY_OK;
}

static void begin(simt_worker *worker, uint64_t block) {
    const simt_job *job = worker->job;
    const uint32_t *grid = job->launch->geometry.grid;
    uint32_t x = (uint32_t)(block % grid[0]);
    uint32_t y = (uint32_t)(block / grid[0] % grid[1]);
    uint32_t z = (uint32_t)(block / grid[0] / grid[1]);
    for (uint32_t i = 0; i < worker->lanes; i++) {
        simt_lane *lane = &worker->lane[i];
        lane->self.block_idx[0] = x;
        lane->self.block_idx[1] = y;
        lane->self.block_idx[2] = z;
        lane->fiber = NULL;
        lane->state = SIMT_NOT_STARTED;
    }
    worker->ready_warps = 0;
    for (uint32_t w = 0; w < worker->warps; w++) {
        simt_warp *warp = &worker->warp[w];
        warp->returned = warp->in_op = warp->in_barrier = warp->ready = 0;
        simt_ready(worker, warp, warp->lanes);
    }
    worker->running = NULL;
    worker->live = worker->lanes;
    worker->random = job->seed != 0 ? simt_order_mix(job->seed ^ simt_order_mix(block)) | 1 : 0;
    worker->yield_warp = worker->yield_lane = 0;
    worker->at_barrier = 0;
    worker->points = 0;
    worker->yield_at = 1;
    simt_lane_progress(worker);
    if (worker->check != NULL) {
        simt_check_uncarve(worker->check, &worker->shared);
        simt_check_block(worker->check, block);
    }
    simt_shared_begin(&worker->shared);
    simt_async_begin(worker);
    worker->outcome = SIMT_FINISHED;
}

static void returned(simt_lane *lane) {
    simt_worker *worker = lane->worker;
    simt_warp *warp = lane->warp;
    simt_async_leave(lane);
    lane->state = SIMT_RETURNED;
    warp->returned |= simt_bit(lane->self.lane);
    worker->live--;
    if (warp->in_op != 0) simt_warp_leave(lane, "has already returned", NULL);
    if (worker->at_barrier != 0) simt_barrier_leave(lane);
    if (worker->passed_atomic) simt_lane_progress(worker);
    if (simt_should_abandon(worker)) simt_abandon(worker);
}

/* What every fiber runs, for ever: a lane, and then the next that has not started, or else it goes
 * idle and hands over to one that has. */
void simt_fiber_main(void) {
    for (;;) {
        simt_lane *lane = simt_self();
        simt_worker *worker = lane->worker;
        simt_fiber *fiber = lane->fiber;
        const assay_simt_launch *launch = worker->job->launch;
        launch->entry(launch->params);
        returned(lane);

        simt_lane *next = simt_next(worker);
        if (next == NULL && worker->live > 0) simt_stalled(worker);
        if (next != NULL && next->fiber == NULL) {
            next->fiber = fiber;
            worker->running = next;
            assay_simt_self = &next->self;
            continue;
        }
        worker->stacks.idle[worker->stacks.idle_count++] = fiber;
        worker->stats.switches++;
        worker->running = next;
        assay_simt_self = next != NULL ? &next->self : NULL;
        simt_fiber_switch(fiber, next != NULL ? next->fiber : &worker->base);
    }
}

/* For what needs more stack than a lane has. The errand may not fail, wait or switch. */
void simt_run_deep(simt_lane *lane, void (*errand)(void *context), void *context) {
    lane->worker->errand = errand;
    lane->worker->errand_context = context;
    simt_fiber_switch(lane->fiber, &lane->worker->base);
}

void simt_block_run(simt_worker *worker, uint64_t block) {
    begin(worker, block);
    simt_lane *first = simt_next(worker);
    first->fiber = simt_fiber_take(&worker->stacks);
    worker->running = first;
    if (first->fiber == NULL) {
        simt_block_fail(worker, "no memory for the stacks of %u lanes", worker->lanes);
        return;
    }
    worker->stats.switches++;
    assay_simt_self = &first->self;
    simt_fiber_switch(&worker->base, first->fiber);
    while (worker->errand != NULL) {
        worker->errand(worker->errand_context);
        worker->errand = NULL;
        simt_fiber_switch(&worker->base, worker->running->fiber);
    }
    assay_simt_self = NULL;

    worker->running = NULL;
    if (worker->check != NULL && worker->check->counting)
        simt_count_block(worker->check->count, worker->warps);
    if (worker->outcome == SIMT_FINISHED) simt_shared_check(worker);
    if (worker->outcome == SIMT_FINISHED) {
        worker->stats.blocks++;
        worker->stats.lanes += worker->lanes;
        return;
    }
    simt_stacks_abandon(&worker->stacks);
    for (uint32_t w = 0; w < worker->warps; w++)
        for (uint32_t g = 0; g < SIMT_MAX_WARP; g++) worker->warp[w].group[g].arrived = 0;
}
