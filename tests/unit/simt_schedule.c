/* The seed permutes lanes, warps and blocks, and nothing else. */
#include "simt_kit.h"

enum { THREADS = 96, BLOCKS = 40 };

typedef struct {
    _Atomic uint32_t *next;
    uint32_t *log; /* global thread numbers in the order in which they ran */
    uint64_t *sum;
} log_params;

static void log_order(const void *params) {
    SITE(shuffle, "dev_shfl_down", 10);
    const log_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    uint32_t me = s->block_idx[0] * THREADS + s->thread;
    p->log[atomic_fetch_add(p->next, 1)] = me;
    uint64_t sum = me;
    for (uint32_t step = 16; step > 0; step /= 2)
        sum += assay_simt_warp(ASSAY_SIMT_SHFL_DOWN, UINT32_MAX, sum, step, 32, &shuffle);
    if (s->lane == 0) p->sum[me / 32] = sum;
}

static void run_logged(uint64_t seed, uint32_t *log, uint64_t *sum) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_set_seed(simt, seed);
    enum { TOTAL = THREADS * BLOCKS };
    log_params p = {make_tensor(simt, "next", 4), make_tensor(simt, "log", TOTAL * 4),
                    make_tensor(simt, "sum", TOTAL / 32 * 8)};
    atomic_init(p.next, 0);
    run_ok(simt, log_order, &p, BLOCKS, THREADS);
    memcpy(log, p.log, TOTAL * 4);
    memcpy(sum, p.sum, TOTAL / 32 * 8);
    assay_simt_destroy(simt);
}

static uint32_t logs[4][THREADS * BLOCKS];
static uint64_t sums[4][THREADS * BLOCKS / 32];

Test(simt_schedule, seed_0_is_ascending) {
    run_logged(0, logs[0], sums[0]);
    for (uint32_t i = 0; i < THREADS * BLOCKS; i++) cr_assert_eq(logs[0][i], i);
}

Test(simt_schedule, a_seed_repeats_itself) {
    run_logged(5, logs[0], sums[0]);
    run_logged(5, logs[1], sums[1]);
    cr_expect_arr_eq(logs[0], logs[1], sizeof logs[0]);
}

Test(simt_schedule, seeds_change_the_order_and_not_the_result) {
    static const uint64_t seeds[4] = {0, 1, 2, UINT64_MAX};
    for (int k = 0; k < 4; k++) run_logged(seeds[k], logs[k], sums[k]);
    for (int k = 1; k < 4; k++) {
        cr_expect_arr_eq(sums[k], sums[0], sizeof sums[0], "seed %d", k);
        for (int other = 0; other < k; other++)
            cr_expect_arr_neq(logs[k], logs[other], sizeof logs[0]);
    }
}

/* Lanes within a warp, warps within a block and blocks are each out of order, and complete. */
Test(simt_schedule, a_seed_permutes_all_three_levels) {
    run_logged(3, logs[0], sums[0]);
    uint32_t lane_steps_back = 0, warp_steps_back = 0, block_steps_back = 0;
    static bool seen[THREADS * BLOCKS];
    for (uint32_t i = 0; i < THREADS * BLOCKS; i++) {
        uint32_t now = logs[0][i], before = i > 0 ? logs[0][i - 1] : 0;
        cr_assert_not(seen[now]);
        seen[now] = true;
        if (now / 32 == before / 32 && now < before) lane_steps_back++;
        if (now / THREADS == before / THREADS && now / 32 < before / 32) warp_steps_back++;
        if (now / THREADS < before / THREADS) block_steps_back++;
    }
    cr_expect_gt(lane_steps_back, BLOCKS);
    cr_expect_gt(warp_steps_back, BLOCKS / 4);
    cr_expect_gt(block_steps_back, BLOCKS / 4);
}

/* With atomic points, which let others in, and twice on one executor: nothing is carried over. */
static void log_often(const void *params) {
    SITE(add, "dev_atomic_add", 11);
    const log_params *p = params;
    uint32_t me = assay_simt_self->block_idx[0] * THREADS + assay_simt_self->thread;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 5; k++) assay_simt_atomic_point(&add);
        p->log[atomic_fetch_add(p->next, 1)] = me;
    }
}

Test(simt_schedule, a_seed_repeats_itself_on_one_executor) {
    enum { TOTAL = 3 * THREADS * 3 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        log_params p = {make_tensor(simt, "next", 4), make_tensor(simt, "log", TOTAL * 4), NULL};
        for (int k = 0; k < 2; k++) {
            atomic_init(p.next, 0);
            run_ok(simt, log_often, &p, 3, THREADS);
            memcpy(logs[k], p.log, TOTAL * 4);
        }
        cr_expect_arr_eq(logs[0], logs[1], TOTAL * 4, "seed %d", (int)seed);
        assay_simt_destroy(simt);
    }
}

/* A missing barrier: in ascending order each lane finds its left neighbour's value there. */
static void racy(const void *params) {
    SITE(array, "dev_shared", 20);
    uint32_t me = assay_simt_self->thread, *out = *(uint32_t *const *)params;
    uint32_t *tile = assay_simt_shared("tile", 256 * sizeof *tile, 4, &array);
    tile[me] = me;
    out[me] = me == 0 ? 0 : tile[me - 1] + 1;
}

Test(simt_schedule, a_missing_barrier_shows_under_a_seed) {
    uint32_t wrong[4] = {0};
    for (uint64_t seed = 0; seed < 4; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        uint32_t *out = make_tensor(simt, "out", 256 * sizeof *out);
        run_ok(simt, racy, &out, 1, 256);
        for (uint32_t i = 0; i < 256; i++) wrong[seed] += out[i] != i;
        assay_simt_destroy(simt);
    }
    cr_expect_eq(wrong[0], 0, "the order hides it");
    for (int seed = 1; seed < 4; seed++) cr_expect_gt(wrong[seed], 0, "seed %d", seed);
}
