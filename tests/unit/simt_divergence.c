/* Rendezvous that cannot complete: each way is told apart, in every order. */
#include "simt_kit.h"

SITE(barrier_a, "dev_barrier", 12);
SITE(barrier_b, "dev_barrier", 19);
SITE(shuffle_a, "dev_shfl_xor", 88);
SITE(shuffle_b, "dev_shfl_xor", 90);
SITE(ballot, "dev_ballot", 95);
SITE(sync_site, "dev_sync_warp", 97);

static uint64_t exchange(uint64_t mask, uint32_t arg, uint32_t width, const assay_simt_site *site) {
    return assay_simt_warp(ASSAY_SIMT_SHFL_XOR, mask, 1, arg, width, site);
}

/* The lane that does something else than the rest. */
static uint32_t odd_thread = 19;
static bool odd(void) { return assay_simt_self->thread == odd_thread; }

static void barrier_exit(const void *p) {
    (void)p;
    if (!odd()) assay_simt_barrier(&barrier_a);
}
static void barrier_two_sites(const void *p) {
    (void)p;
    assay_simt_barrier(odd() ? &barrier_b : &barrier_a);
}
static void barrier_and_shuffle(const void *p) {
    (void)p;
    if (odd()) assay_simt_barrier(&barrier_a);
    exchange(UINT32_MAX, 1, 32, &shuffle_a);
    if (!odd()) assay_simt_barrier(&barrier_a);
}
static void shuffle_exit(const void *p) {
    (void)p;
    if (!odd()) exchange(UINT32_MAX, 1, 32, &shuffle_a);
}
static void shuffle_two_sites(const void *p) {
    (void)p;
    exchange(UINT32_MAX, 1, 32, odd() ? &shuffle_b : &shuffle_a);
}
static void shuffle_two_ops(const void *p) {
    (void)p;
    if (odd())
        assay_simt_warp(ASSAY_SIMT_BALLOT, UINT32_MAX, 1, 0, 32, &ballot);
    else
        exchange(UINT32_MAX, 1, 32, &shuffle_a);
}
static void one_site_two_ops(const void *p) {
    (void)p;
    assay_simt_warp(odd() ? ASSAY_SIMT_BALLOT : ASSAY_SIMT_ALL, UINT32_MAX, 1, 0, 32, &ballot);
}
static void shuffle_two_masks(const void *p) {
    (void)p;
    exchange(odd() ? 0x00ffffff : UINT32_MAX, 1, 32, &shuffle_a);
}
static void shuffle_two_widths(const void *p) {
    (void)p;
    exchange(UINT32_MAX, 1, odd() ? 16 : 32, &shuffle_a);
}
static void shuffle_not_in_mask(const void *p) {
    (void)p;
    exchange(~(UINT32_C(1) << 19), 0, 32, &shuffle_a);
}
static void shuffle_empty_mask(const void *p) {
    (void)p;
    exchange(0, 0, 32, &shuffle_a);
}
static void shuffle_bad_width(const void *p) {
    (void)p;
    exchange(UINT32_MAX, 1, 24, &shuffle_a);
}
static void shuffle_outside_mask(const void *p) {
    (void)p;
    if (assay_simt_self->lane < 16)
        exchange(0xffff, assay_simt_self->lane == 5 ? 16 : 1, 32, &shuffle_a);
}
static void trapped(const void *p) {
    (void)p;
    assay_simt_barrier(&barrier_a);
    if (odd()) assay_simt_trap("d is not a multiple of 8", &barrier_b);
    assay_simt_barrier(&barrier_a);
}

/* Lane 0 waits for 1, which waits for 2, which waits for 0: no two of them tell. */
static void circle(const void *p) {
    (void)p;
    uint32_t lane = assay_simt_self->lane;
    if (lane == 0) assay_simt_warp(ASSAY_SIMT_SYNC, 0x3, 0, 0, 32, &sync_site);
    if (lane == 1) assay_simt_warp(ASSAY_SIMT_SYNC, 0x6, 0, 0, 32, &sync_site);
    if (lane == 2) assay_simt_warp(ASSAY_SIMT_SYNC, 0x5, 0, 0, 32, &sync_site);
    if (lane == 3) assay_simt_barrier(&barrier_a);
}

static void expect(void (*entry)(const void *), uint32_t threads, const char *const *texts,
                   const char *always) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        assay_simt_launch launch = make_launch(entry, NULL, 1, threads);
        if (seed == 0)
            expect_failure(simt, &launch, ASSAY_ERR_KERNEL, texts);
        else
            EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0) lane thread (", always);
        assay_simt_destroy(simt);
    }
}

/* In ascending order the whole message is known; in any order its key part is. */
#define EXPECT(entry, threads, always, ...)                                                        \
    expect(entry, threads, (const char *const[]){__VA_ARGS__, NULL}, always)

Test(simt_divergence, barrier_after_an_exit) {
    EXPECT(barrier_exit, 64, "divergent barrier: lane thread (19,0,0) [warp 0 lane 19] has already",
           "kernel<bf16>: block (0,0,0) lane thread (0,0,0) [warp 0 lane 0]: dev_barrier at "
           "kernel.cu:12: divergent barrier: lane thread (19,0,0) [warp 0 lane 19] has already "
           "returned; 19 of 64 lanes wait");
}
Test(simt_divergence, barrier_at_two_sites) {
    EXPECT(barrier_two_sites, 64, "divergent barrier: lane thread (",
           "lane thread (19,0,0) [warp 0 lane 19]: dev_barrier at kernel.cu:19: divergent barrier: "
           "lane thread (0,0,0) [warp 0 lane 0] waits in dev_barrier at kernel.cu:12");
}
Test(simt_divergence, barrier_against_a_warp_operation) {
    EXPECT(barrier_and_shuffle, 32,
           "lane 19 of the mask 0xffffffff waits in dev_barrier at kernel.cu:12",
           "lane thread (0,0,0) [warp 0 lane 0]: dev_shfl_xor at kernel.cu:88: lane 19 of the mask "
           "0xffffffff waits in dev_barrier at kernel.cu:12");
}
Test(simt_divergence, lane_that_returned) {
    EXPECT(shuffle_exit, 32, "lane 19 of the mask 0xffffffff has already returned",
           "lane thread (0,0,0) [warp 0 lane 0]: dev_shfl_xor at kernel.cu:88: lane 19 of the mask "
           "0xffffffff has already returned");
}
Test(simt_divergence, two_sites_of_a_warp_operation) {
    EXPECT(
        shuffle_two_sites, 32, "of the mask 0xffffffff waits in dev_shfl_xor at kernel.cu:",
        "lane thread (19,0,0) [warp 0 lane 19]: dev_shfl_xor at kernel.cu:90: lane 0 of the mask "
        "0xffffffff waits in dev_shfl_xor at kernel.cu:88");
}
Test(simt_divergence, two_operations) {
    EXPECT(shuffle_two_ops, 32, "of the mask 0xffffffff waits in dev_",
           "lane thread (19,0,0) [warp 0 lane 19]: dev_ballot at kernel.cu:95: lane 0 of the mask "
           "0xffffffff waits in dev_shfl_xor at kernel.cu:88");
}
Test(simt_divergence, two_operations_of_one_line) {
    EXPECT(one_site_two_ops, 32, "of the mask 0xffffffff waits in dev_ballot",
           "lane thread (19,0,0) [warp 0 lane 19]: dev_ballot at kernel.cu:95: lane 0 of the mask "
           "0xffffffff waits in dev_ballot at kernel.cu:95");
}
Test(simt_divergence, two_masks) {
    EXPECT(
        shuffle_two_masks, 32, "which needs this lane",
        "lane thread (19,0,0) [warp 0 lane 19]: dev_shfl_xor at kernel.cu:88: lane 0 of the mask "
        "0xffffff waits in dev_shfl_xor at kernel.cu:88 with the mask 0xffffffff, which needs "
        "this lane");
}
Test(simt_divergence, two_widths) {
    EXPECT(shuffle_two_widths, 32, "called with width ",
           "dev_shfl_xor at kernel.cu:88: called with width 16, but lane 0 with width 32");
}
Test(simt_divergence, caller_not_in_the_mask) {
    EXPECT(
        shuffle_not_in_mask, 32, "the calling lane 19 is not in the mask 0xfff7ffff",
        "lane thread (19,0,0) [warp 0 lane 19]: dev_shfl_xor at kernel.cu:88: the calling lane 19 "
        "is not in the mask 0xfff7ffff");
    EXPECT(shuffle_empty_mask, 32, "is not in the mask 0x0",
           "the calling lane 0 is not in the mask");
}
Test(simt_divergence, mask_names_lanes_that_do_not_exist) {
    EXPECT(shuffle_exit, 18, "the mask 0xffffffff names lane 18, which does not exist",
           "lane thread (0,0,0) [warp 0 lane 0]: dev_shfl_xor at kernel.cu:88: the mask 0xffffffff "
           "names lane 18, which does not exist: the warp has 18 lanes");
}
Test(simt_divergence, width_out_of_range) {
    EXPECT(shuffle_bad_width, 32, "width 24 is not a power of two from 1 to 32",
           "dev_shfl_xor at kernel.cu:88: width 24");
}
Test(simt_divergence, source_outside_the_mask) {
    EXPECT(
        shuffle_outside_mask, 32, "reads lane 21, which is outside the mask 0xffff",
        "lane thread (5,0,0) [warp 0 lane 5]: dev_shfl_xor at kernel.cu:88: reads lane 21, which "
        "is outside the mask 0xffff");
}
Test(simt_divergence, trap) {
    EXPECT(trapped, 64, "trap: d is not a multiple of 8",
           "lane thread (19,0,0) [warp 0 lane 19]: dev_barrier at kernel.cu:19: trap: d is not");
}

/* In ascending order the odd lane is now the first to run, and the others come to find it gone. */
Test(simt_divergence, the_odd_lane_comes_first) {
    odd_thread = 0;
    EXPECT(
        barrier_exit, 64, "divergent barrier: lane thread (0,0,0) [warp 0 lane 0] has already",
        "lane thread (1,0,0) [warp 0 lane 1]: dev_barrier at kernel.cu:12: divergent barrier: lane "
        "thread (0,0,0) [warp 0 lane 0] has already returned");
    EXPECT(barrier_and_shuffle, 32,
           "lane 0 of the mask 0xffffffff waits in dev_barrier at kernel.cu:12",
           "lane thread (1,0,0) [warp 0 lane 1]: dev_shfl_xor at kernel.cu:88: lane 0 of the mask "
           "0xffffffff waits in dev_barrier at kernel.cu:12");
    EXPECT(shuffle_exit, 32, "lane 0 of the mask 0xffffffff has already returned",
           "lane thread (1,0,0) [warp 0 lane 1]: dev_shfl_xor at kernel.cu:88: lane 0 of the mask "
           "0xffffffff has already returned");
}
Test(simt_divergence, deadlock_of_three) {
    EXPECT(
        circle, 4, "deadlock: no lane of the block can run",
        "lane thread (0,0,0) [warp 0 lane 0]: dev_sync_warp at kernel.cu:97: deadlock: no lane of "
        "the block can run; lane 1 of the mask 0x3 is missing",
        "3 lanes waiting in dev_sync_warp at kernel.cu:97 (first: thread (0,0,0)",
        "1 lane waiting in dev_barrier at kernel.cu:12 (first: thread (3,0,0)");
}

/* A launch that failed in the middle of many lanes leaves nothing behind, on any thread. */
Test(simt_divergence, the_executor_is_usable_after_each) {
    static void (*const kernels[])(const void *) = {
        barrier_exit,      barrier_two_sites, barrier_and_shuffle, shuffle_exit,
        shuffle_two_sites, shuffle_two_ops,   shuffle_two_masks,   shuffle_two_widths,
        trapped,           shuffle_bad_width, shuffle_not_in_mask, shuffle_outside_mask,
    };
    for (uint64_t seed = 0; seed < 4; seed++) {
        assay_simt *simt = make_simt("h200", 3, seed);
        for (size_t i = 0; i < MEMBERS(kernels); i++) {
            assay_simt_launch launch = make_launch(kernels[i], NULL, 64, 64);
            EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (");
        }
        assay_simt_destroy(simt);
    }
}
