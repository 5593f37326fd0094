/* Every lane of every block runs once, at its own place. */
#include <fenv.h>
#include <math.h>
#include <signal.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simt_kit.h"

typedef struct {
    uint32_t *visits;
    _Atomic uint32_t *wrong;
} visit_params;

static void visit(const void *params) {
    const visit_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    const uint32_t *g = s->grid_dim, *b = s->block_dim;
    uint32_t block = (s->block_idx[2] * g[1] + s->block_idx[1]) * g[0] + s->block_idx[0];
    uint32_t thread = (s->thread_idx[2] * b[1] + s->thread_idx[1]) * b[0] + s->thread_idx[0];
    bool right = s->thread == thread && s->lane == thread % s->warp_size &&
                 s->warp == thread / s->warp_size && s->block_idx[0] < g[0] &&
                 s->block_idx[1] < g[1] && s->block_idx[2] < g[2] && s->thread_idx[0] < b[0] &&
                 s->thread_idx[1] < b[1] && s->thread_idx[2] < b[2];
    if (!right) atomic_fetch_add(p->wrong, 1);
    p->visits[block * (b[0] * b[1] * b[2]) + thread]++;
}

static void every_lane_once(const char *chip, int threads, uint64_t seed,
                            const assay_geometry *geometry) {
    assay_simt *simt = make_simt(chip, threads, seed);
    const uint32_t *g = geometry->grid, *b = geometry->block;
    uint32_t blocks = g[0] * g[1] * g[2], lanes = b[0] * b[1] * b[2], total = blocks * lanes;
    visit_params p = {make_tensor(simt, "visits", total * sizeof(uint32_t)),
                      make_tensor(simt, "wrong", sizeof(uint32_t))};
    memset(p.visits, 0, total * sizeof(uint32_t));
    atomic_init(p.wrong, 0);
    assay_simt_launch launch = {"visit", visit, &p, *geometry};
    cr_assert_eq(assay_simt_run(simt, &launch), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(atomic_load(p.wrong), 0);
    for (uint32_t i = 0; i < total; i++) cr_assert_eq(p.visits[i], 1, "lane %u", i);
    assay_simt_stats stats = assay_simt_last_stats(simt);
    cr_expect_eq(stats.blocks, blocks);
    cr_expect_eq(stats.lanes, total);
    cr_expect_eq(stats.barriers + stats.warp_ops, 0);
    assay_simt_destroy(simt);
}

Test(simt_geometry, every_lane_runs_once) {
    static const assay_geometry cases[] = {
        {{1, 1, 1}, {1, 1, 1}, 0},  {{7, 1, 1}, {33, 1, 1}, 0},  {{3, 5, 2}, {4, 3, 5}, 0},
        {{2, 3, 4}, {1, 70, 2}, 0}, {{1, 1, 9}, {2, 2, 64}, 0},  {{5, 1, 1}, {1024, 1, 1}, 0},
        {{1, 4, 1}, {31, 1, 1}, 0}, {{2, 2, 2}, {32, 32, 1}, 0},
    };
    for (size_t i = 0; i < MEMBERS(cases); i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            every_lane_once("h200", 1, seed, &cases[i]);
            every_lane_once("mi300x", 2, seed, &cases[i]);
        }
}

Test(simt_geometry, many_blocks_over_threads) {
    every_lane_once("h200", 4, 0, &(assay_geometry){{2003, 1, 1}, {64, 1, 1}, 0});
    every_lane_once("h200", 4, 9, &(assay_geometry){{100, 7, 3}, {64, 1, 1}, 0});
}

Test(simt_geometry, launches_of_different_shape_follow_each_other) {
    assay_simt *simt = make_simt("h200", 1, 0);
    visit_params p = {make_tensor(simt, "visits", 4096), make_tensor(simt, "wrong", 4)};
    atomic_init(p.wrong, 0);
    static const uint32_t sizes[] = {256, 5, 64, 1, 256};
    for (size_t i = 0; i < MEMBERS(sizes); i++) {
        memset(p.visits, 0, 4096);
        run_ok(simt, visit, &p, 2, sizes[i]);
        for (uint32_t k = 0; k < 2 * sizes[i]; k++) cr_assert_eq(p.visits[k], 1);
        cr_assert_eq(p.visits[2 * sizes[i]], 0);
    }
    cr_expect_eq(atomic_load(p.wrong), 0);
    assay_simt_set_chip(simt, assay_chip_find("mi300x"));
    cr_expect_str_eq(assay_simt_chip(simt)->name, "mi300x");
    run_ok(simt, visit, &p, 1, 256);
    cr_expect_eq(atomic_load(p.wrong), 0, "the warp size changes with the chip");
    assay_simt_destroy(simt);
}

static void is_self_set(const void *params) {
    **(uint32_t *const *)params = assay_simt_self != NULL;
}

Test(simt_geometry, self_is_null_outside_a_launch) {
    assay_simt *simt = make_simt("h200", 1, 0);
    uint32_t *set = make_tensor(simt, "set", 4);
    cr_expect_null(assay_simt_self);
    run_ok(simt, is_self_set, &set, 1, 1);
    cr_expect_eq(*set, 1);
    cr_expect_null(assay_simt_self);
    assay_simt_destroy(simt);
}

static void launch_again(const void *params) {
    assay_simt *simt = *(assay_simt *const *)params;
    uint32_t nothing = 0;
    uint32_t *pointer = &nothing;
    assay_simt_launch launch = make_launch(is_self_set, &pointer, 1, 1);
    static const assay_simt_site site = {"dev_trap", "kernel.cu", 1};
    if (assay_simt_run(simt, &launch) == ASSAY_OK) assay_simt_trap("it ran", &site);
}

Test(simt_geometry, a_kernel_cannot_launch) {
    assay_simt *simt = make_simt("h200", 1, 0);
    run_ok(simt, launch_again, &simt, 1, 1);
    cr_expect(strstr(assay_last_error(), "launched from inside a kernel") != NULL);
    assay_simt_destroy(simt);
}

/* The nearest f32 to 1/3 is above it; 2^-127 is subnormal. */
static void arithmetic(const void *params) {
    float *out = *(float *const *)params + 2 * assay_simt_self->block_idx[0];
    volatile float one = 1.0f, three = 3.0f, least = 0x1p-126f, half = 0.5f;
    out[0] = one / three;
    out[1] = least * half;
}

Test(simt_geometry, lanes_have_the_standard_float_environment) {
    assay_simt *simt = make_simt("h200", 4, 0);
    enum { BLOCKS = 4096 };
    float *out = make_tensor(simt, "out", 2 * BLOCKS * sizeof *out);
    fesetround(FE_DOWNWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* and flush subnormals, operands and results */
#endif
    assay_simt_launch launch = make_launch(arithmetic, &out, BLOCKS, 1);
    assay_status status = assay_simt_run(simt, &launch);
    int rounding = fegetround();
#if defined(__x86_64__)
    cr_expect_eq(_mm_getcsr() & 0x8040, 0x8040, "so does what else it had set");
#endif
    fesetenv(FE_DFL_ENV);
    cr_assert_eq(status, ASSAY_OK);
    cr_expect_eq(rounding, FE_DOWNWARD, "the caller's rounding comes back");
    for (int i = 0; i < BLOCKS; i++) {
        cr_assert_eq(out[2 * i], 0x1.555556p-2f, "block %d", i);
        cr_assert_eq(out[2 * i + 1], 0x1p-127f, "block %d", i);
    }
    assay_simt_destroy(simt);
}

static void ignore_signal(int signal) { (void)signal; }

Test(simt_geometry, signal_handlers_come_back) {
    assay_simt *simt = make_simt("h200", 1, 0);
    struct sigaction mine = {.sa_handler = ignore_signal}, after;
    sigaction(SIGSEGV, &mine, NULL);
    expect_sound(simt);
    sigaction(SIGSEGV, NULL, &after);
    cr_expect_eq(after.sa_handler, ignore_signal);
    assay_simt_destroy(simt);
}

static volatile sig_atomic_t signals_seen;
static void count_signal(int signal) { signals_seen += signal == SIGSEGV; }
static void count_signal_info(int signal, siginfo_t *info, void *context) {
    signals_seen += signal == SIGSEGV && info != NULL && context != NULL ? 10 : 0;
}

static void raise_signal(const void *params) { raise(*(const int *)params); }

/* A signal that somebody sent is not the lane's doing. */
Test(simt_geometry, signals_that_are_sent_go_to_the_handler_before) {
    assay_simt *simt = make_simt("h200", 1, 0);
    int number = SIGSEGV;
    struct sigaction mine = {.sa_handler = count_signal}, before;
    sigaction(SIGSEGV, &mine, &before);
    run_ok(simt, raise_signal, &number, 1, 3);
    cr_expect_eq(signals_seen, 3);
    mine = (struct sigaction){.sa_flags = SA_SIGINFO};
    mine.sa_sigaction = count_signal_info;
    sigaction(SIGSEGV, &mine, NULL);
    run_ok(simt, raise_signal, &number, 1, 3);
    cr_expect_eq(signals_seen, 33);
    sigaction(SIGSEGV, &before, NULL);
    assay_simt_destroy(simt);
}

Test(simt_geometry, signals_nobody_handles_end_the_process, .signal = SIGBUS) {
    assay_simt *simt = make_simt("h200", 1, 0);
    int number = SIGBUS;
    signal(SIGBUS, SIG_DFL);
    run_ok(simt, raise_signal, &number, 1, 1);
    assay_simt_destroy(simt);
}

Test(simt_geometry, options_are_checked) {
    assay_simt_options options = {.host_threads = -1};
    assay_simt *simt = (assay_simt *)&options;
    cr_expect_eq(assay_simt_create(&options, &simt), ASSAY_ERR_ARGUMENT);
    cr_expect_null(simt);
    cr_assert_eq(assay_simt_create(NULL, &simt), ASSAY_OK);
    cr_expect_str_eq(assay_simt_chip(simt)->name, "h200");
    expect_sound(simt);
    assay_simt_destroy(simt);
    assay_simt_destroy(NULL);
}
