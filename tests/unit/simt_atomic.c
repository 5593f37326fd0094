/* Atomic points: lanes and blocks that communicate by polling. */
#include "simt_kit.h"

SITE(add_site, "dev_atomic_add", 10);
SITE(poll_site, "dev_atomic_load", 11);
SITE(barrier_site, "dev_barrier", 12);
SITE(any_site, "dev_any", 13);

static void count(const void *params) {
    _Atomic uint32_t *counter = *(_Atomic uint32_t *const *)params;
    for (int i = 0; i < 3; i++) {
        assay_simt_atomic_point(&add_site);
        atomic_fetch_add(counter, 1);
    }
}

Test(simt_atomic, counters_add_up_across_blocks) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        assay_simt *simt = make_simt("h200", 4, seed);
        _Atomic uint32_t *counter = make_tensor(simt, "counter", 4);
        atomic_init(counter, 0);
        run_ok(simt, count, &counter, 300, 100);
        cr_expect_eq(atomic_load(counter), 300 * 100 * 3);
        assay_simt_destroy(simt);
    }
}

/* A lock that every lane takes, and gives back some atomic operations later. */
static void locked(const void *params) {
    _Atomic uint32_t *lock = *(_Atomic uint32_t *const *)params, *value = lock + 1;
    for (uint32_t expected = 0; !atomic_compare_exchange_weak(lock, &expected, 1); expected = 0)
        assay_simt_atomic_point(&poll_site);
    uint32_t before = atomic_load(value);
    for (int i = 0; i < 20; i++) assay_simt_atomic_point(&add_site);
    atomic_store(value, before + 1);
    assay_simt_atomic_point(&add_site);
    atomic_store(lock, 0);
}

Test(simt_atomic, a_spin_lock_lets_every_lane_through) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        assay_simt *simt = make_simt("h200", 2, seed);
        _Atomic uint32_t *lock = make_tensor(simt, "lock", 8);
        atomic_init(&lock[0], 0);
        atomic_init(&lock[1], 0);
        run_ok(simt, locked, &lock, 4, 64);
        cr_expect_eq(atomic_load(&lock[1]), 4 * 64);
        assay_simt_destroy(simt);
    }
}

typedef struct {
    _Atomic uint32_t *flag;
    uint32_t waits; /* the block that waits */
    uint64_t work;
} flag_params;

static void wait_for_block(const void *params) {
    const flag_params *p = params;
    if (assay_simt_self->block_idx[0] != p->waits) {
        for (volatile uint64_t i = 0; i < p->work; i++) continue;
        assay_simt_atomic_point(&add_site);
        atomic_fetch_add(p->flag, 1);
        return;
    }
    while (assay_simt_atomic_point(&poll_site), atomic_load(p->flag) == 0) continue;
}

/* Long enough that the waiting block goes through many windows; small enough that no helper was
 * woken when the launch began. */
Test(simt_atomic, a_block_may_wait_for_one_that_runs) {
    assay_simt *simt = make_simt("h200", 2, 0);
    flag_params p = {make_tensor(simt, "flag", 4), 0, 100000000};
    atomic_init(p.flag, 0);
    run_ok(simt, wait_for_block, &p, 2, 1);
    assay_simt_destroy(simt);
}

Test(simt_atomic, a_block_may_not_wait_for_one_that_has_no_thread) {
    assay_simt *simt = make_simt("h200", 1, 0);
    flag_params p = {make_tensor(simt, "flag", 4), 0, 0};
    atomic_init(p.flag, 0);
    assay_simt_launch launch = make_launch(wait_for_block, &p, 3, 1);
    EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0) lane thread (0,0,0)",
                        "dev_atomic_load at kernel.cu:11: deadlock", "2 blocks have not started");
    p.waits = 2;
    run_ok(simt, wait_for_block, &p, 3, 1);
    assay_simt_destroy(simt);
}

static void poll_for_ever(const void *params) {
    (void)params;
    if (assay_simt_self->thread % 2 == 0) assay_simt_barrier(&barrier_site);
    for (;;) assay_simt_atomic_point(&poll_site);
}

Test(simt_atomic, a_spin_nobody_ends_is_a_deadlock) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(poll_for_ever, NULL, 1, 64);
    EXPECT_KERNEL_ERROR(simt, &launch, "dev_atomic_load at kernel.cu:11: deadlock",
                        "32 lanes waiting in dev_barrier at kernel.cu:12 (first: thread (0,0,0)",
                        "32 lanes polling in dev_atomic_load at kernel.cu:11");
    assay_simt_destroy(simt);
}

/* Two blocks on two threads, each waiting for the other. */
Test(simt_atomic, blocks_that_spin_for_each_other_are_a_deadlock) {
    assay_simt *simt = make_simt("h200", 2, 0);
    assay_simt_launch launch = make_launch(poll_for_ever, NULL, 2, 1024);
    EXPECT_KERNEL_ERROR(simt, &launch, "dev_atomic_load at kernel.cu:11: deadlock");
    assay_simt_destroy(simt);
}

/* The caller is done, and one helper polls while another sleeps: the launch is over for both. */
static void last_block_polls(const void *params) {
    _Atomic uint32_t *started = *(_Atomic uint32_t *const *)params;
    uint32_t last = assay_simt_self->grid_dim[0] - 1;
    if (assay_simt_self->block_idx[0] == last)
        for (atomic_store(started, 1);;) assay_simt_atomic_point(&poll_site);
    while (atomic_load(started) == 0) assay_simt_atomic_point(&any_site);
}

Test(simt_atomic, a_helper_that_spins_alone_is_a_deadlock) {
    assay_simt *simt = make_simt("h200", 3, 0);
    _Atomic uint32_t *started = make_tensor(simt, "started", 4);
    for (int i = 0; i < 2; i++) {
        atomic_init(started, 0);
        assay_simt_launch launch = make_launch(last_block_polls, &started, 2, 1);
        EXPECT_KERNEL_ERROR(simt, &launch, "block (1,0,0)",
                            "dev_atomic_load at kernel.cu:11: deadlock",
                            "1 lane polling in dev_atomic_load");
    }
    assay_simt_destroy(simt);
}

/* Six places, of which four are told. */
static void poll_everywhere(const void *params) {
    static assay_simt_site sites[6];
    (void)params;
    assay_simt_site *mine = &sites[assay_simt_self->thread % 6];
    *mine =
        (assay_simt_site){"dev_atomic_load", "kernel.cu", 100 + (int)(assay_simt_self->thread % 6)};
    if (assay_simt_self->thread == 63) return;
    for (;;) assay_simt_atomic_point(mine);
}

Test(simt_atomic, a_census_is_short) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(poll_everywhere, NULL, 1, 64);
    EXPECT_KERNEL_ERROR(simt, &launch, "lanes polling in dev_atomic_load at kernel.cu:100 (first: ",
                        "more elsewhere");
    assay_simt_destroy(simt);
}

/* Polls that meet the rest of the warp, or the block, every time round. */
static void poll_together(const void *params) {
    const uint32_t *block_wide = params;
    for (;;) {
        if (assay_simt_self->lane == 0) assay_simt_atomic_point(&poll_site);
        if (*block_wide)
            assay_simt_barrier(&barrier_site);
        else
            assay_simt_warp(ASSAY_SIMT_ANY, 0xf, 0, 0, 32, &any_site);
    }
}

Test(simt_atomic, a_spin_through_a_rendezvous_is_a_deadlock_too) {
    assay_simt *simt = make_simt("h200", 1, 0);
    for (uint32_t block_wide = 0; block_wide < 2; block_wide++) {
        assay_simt_launch launch = make_launch(poll_together, &block_wide, 1, 4);
        EXPECT_KERNEL_ERROR(simt, &launch, "dev_atomic_load at kernel.cu:11: deadlock",
                            block_wide ? "dev_barrier at kernel.cu:12" : "dev_any at kernel.cu:13");
    }
    assay_simt_destroy(simt);
}
