/* Accesses that fault: each is named, and the executor outlives it. */
#include <stdio.h>

#include "simt_kit.h"

typedef struct {
    volatile char *pointer;
    uint32_t thread, block;
    bool write;
} access_params;

static void access_memory(const void *params) {
    const access_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    if (s->thread != p->thread || s->block_idx[0] != p->block) return;
    if (p->write)
        *p->pointer = 1;
    else
        (void)*p->pointer;
}

#if defined(__x86_64__)
#define READ ": read "
#define WRITE ": write "
#else
#define READ ": read or write "
#define WRITE ": read or write "
#endif

static void expect_access_error(assay_simt *simt, volatile char *pointer, bool write,
                                const char *text) {
    access_params p = {pointer, 70, 2, write};
    assay_simt_launch launch = make_launch(access_memory, &p, 4, 96);
    EXPECT_KERNEL_ERROR(simt, &launch,
                        "kernel<bf16>: block (2,0,0) lane thread (70,0,0) [warp 2 lane 6]", text);
}

Test(simt_access, past_the_end_and_before_the_start) {
    assay_simt *simt = make_simt("h200", 1, 0);
    make_tensor(simt, "x", 4096);
    char *y = make_tensor(simt, "y", 4096);
    make_tensor(simt, "z", 4096);
    expect_access_error(simt, y + 4096 + 400, false,
                        READ "400 bytes past the end of \"y\" (4096 bytes)");
    expect_access_error(simt, y + 4096 + 5000, true,
                        WRITE "5000 bytes past the end of \"y\" (4096 bytes)");
    expect_access_error(simt, y - 9000, false,
                        READ "9000 bytes before the start of \"y\" (4096 bytes)");
    expect_access_error(simt, y - 9000, true,
                        WRITE "9000 bytes before the start of \"y\" (4096 bytes)");
    assay_simt_destroy(simt);
}

/* The end lies close to the unmapped pages: a page further always faults. */
Test(simt_access, a_page_further_faults_whatever_the_alignment) {
    assay_simt *simt = make_simt("h200", 1, 0);
    for (size_t offset = 0; offset < 256; offset += 50) {
        void *y;
        cr_assert_eq(assay_simt_alloc(simt, "y", 1000, offset, &y), ASSAY_OK);
        expect_access_error(simt, (char *)y + 1000 + 320, true,
                            WRITE "320 bytes past the end of \"y\" (1000 bytes)");
        cr_assert_eq(assay_simt_free(simt, y), ASSAY_OK);
    }
    assay_simt_destroy(simt);
}

Test(simt_access, freed_null_and_far_away) {
    assay_simt *simt = make_simt("h200", 1, 0);
    char *y = make_tensor(simt, "y", 4096);
    cr_assert_eq(assay_simt_free(simt, y), ASSAY_OK);
    expect_access_error(simt, y + 8192, false, READ "in device memory, of which none is allocated");
    char *z = make_tensor(simt, "z", 3 << 20);
    cr_assert_eq(assay_simt_free(simt, z), ASSAY_OK);
    expect_access_error(simt, z + 70000, true,
                        WRITE "70000 bytes into \"z\" (3145728 bytes), which has been freed");
    uintptr_t null = 16, far = UINT64_C(0x200000000000), wild = UINT64_C(0x4141414141414141);
    expect_access_error(simt, (char *)wild, false, "an address that belongs to no allocation");
    expect_access_error(simt, (char *)null, true, WRITE "through a null pointer (address 0x10)");
    expect_access_error(simt, (char *)far, false,
                        "address 0x200000000000 belongs to no allocation");
    assay_simt_destroy(simt);
}

Test(simt_access, on_any_thread_and_again_and_again) {
    assay_simt *simt = make_simt("h200", 4, 0);
    char *y = make_tensor(simt, "y", 4096);
    for (uint32_t i = 0; i < 50; i++) {
        access_params p = {y + 8192, i, 37 + i, true};
        assay_simt_launch launch = make_launch(access_memory, &p, 200, 64);
        char block[40];
        snprintf(block, sizeof block, "block (%u,0,0) lane thread (%u,0,0)", 37 + i, i);
        EXPECT_KERNEL_ERROR(simt, &launch, block, "4096 bytes past the end of \"y\"");
    }
    assay_simt_destroy(simt);
}

/* Many blocks fail, on several threads: the first in visiting order is the one reported. */
static void late_blocks_fail(const void *params) {
    SITE(site, "dev_trap", 77);
    const uint32_t *first = params;
    if (assay_simt_self->block_idx[0] >= *first) assay_simt_trap("row out of range", &site);
}

Test(simt_access, the_first_failing_block_is_reported) {
    assay_simt *simt = make_simt("h200", 4, 0);
    for (uint32_t first = 0; first < 300; first += 13) {
        assay_simt_launch launch = make_launch(late_blocks_fail, &first, 3000, 32);
        char block[40];
        snprintf(block, sizeof block, "block (%u,0,0) lane thread (0,0,0)", first);
        EXPECT_KERNEL_ERROR(simt, &launch, block, "dev_trap at kernel.cu:77",
                            "trap: row out of range");
    }
    assay_simt_destroy(simt);
}

typedef struct {
    _Atomic uint32_t *started;
    uint32_t late; /* of blocks 0 and 1, the one that fails when the other has */
} late_params;

static void both_fail(const void *params) {
    SITE(site, "dev_trap", 78);
    const late_params *p = params;
    atomic_fetch_add(p->started, 1);
    while (atomic_load(p->started) < 2) assay_simt_atomic_point(&site);
    if (assay_simt_self->block_idx[0] == p->late)
        for (volatile int i = 0; i < 10000000; i++) continue;
    assay_simt_trap("both", &site);
}

Test(simt_access, the_first_failing_block_is_reported_whichever_fails_first) {
    assay_simt *simt = make_simt("h200", 2, 0);
    for (uint32_t late = 0; late < 2; late++) {
        late_params p = {make_tensor(simt, "started", 4), late};
        atomic_init(p.started, 0);
        assay_simt_launch launch = make_launch(both_fail, &p, 2, 1);
        EXPECT_KERNEL_ERROR(simt, &launch, "block (0,0,0)", "trap: both");
    }
    assay_simt_destroy(simt);
}

static int recurse(volatile const int *depth, int level) {
    volatile char frame[200];
    frame[0] = (char)level;
    if (level >= *depth) return frame[0];
    return recurse(depth, level + 1) + frame[0];
}

static void deep(const void *params) {
    if (assay_simt_self->thread == 40) recurse(params, 0);
}

Test(simt_access, stack_overflow) {
    assay_simt *simt = make_simt("h200", 1, 0);
    int depth = 20;
    run_ok(simt, deep, &depth, 1, 64);
    depth = 1 << 20;
    assay_simt_launch launch = make_launch(deep, &depth, 1, 64);
    EXPECT_KERNEL_ERROR(simt, &launch, "lane thread (40,0,0) [warp 1 lane 8]: stack overflow");
    assay_simt_destroy(simt);
}

__attribute__((no_sanitize("undefined"))) static void divide(const void *params) {
    volatile int zero = 0, one = 1;
    *(int *)(uintptr_t)params = one / zero;
}

Test(simt_access, integer_division_by_zero) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(divide, make_tensor(simt, "y", 4), 1, 1);
#if defined(__x86_64__)
    EXPECT_KERNEL_ERROR(simt, &launch, "lane thread (0,0,0) [warp 0 lane 0]: integer division");
#endif
    assay_simt_destroy(simt);
}

static void unreachable(const void *params) {
    if (*(const int *)params == 1) __builtin_trap();
}

Test(simt_access, code_the_compiler_took_to_be_unreachable) {
    assay_simt *simt = make_simt("h200", 1, 0);
    int one = 1;
    assay_simt_launch launch = make_launch(unreachable, &one, 1, 1);
#if defined(__x86_64__)
    EXPECT_KERNEL_ERROR(simt, &launch, "[warp 0 lane 0]: illegal instruction");
#endif
    assay_simt_destroy(simt);
}

static void shared_access(const void *params) {
    SITE(first, "dev_shared", 50);
    SITE(second, "dev_shared", 51);
    const ptrdiff_t *at = params;
    char *a = assay_simt_shared("a", 100, 4, &first);
    char *b = assay_simt_shared("b", 200, 4, &second);
    if (at[0] != 0) a[at[0]] = 1;
    if (at[1] != 0) b[at[1]] = 1;
    if (at[2] != 0) ((char *)assay_simt_shared_dynamic(&first))[at[2]] = 1;
}

Test(simt_access, shared_red_zones) {
    static const struct {
        ptrdiff_t at[3];
        const char *text;
    } cases[] = {
        {{100, 0, 0},
         "block (0,0,0): write 0 bytes past the end of shared array \"a\" (100 bytes)"},
        {{-1, 0, 0}, "write 1 bytes before the start of shared array \"a\" (100 bytes)"},
        {{0, 203, 0}, "write 3 bytes past the end of shared array \"b\" (200 bytes)"},
        {{0, -64, 0}, "write 64 bytes before the start of shared array \"b\" (200 bytes)"},
        {{0, 0, 48}, "past the end of shared array \"dynamic shared memory\" (48 bytes)"},
        {{-200, 0, 0}, WRITE "200 bytes before the start of shared array \"a\" (100 bytes)"},
        {{0, 600000, 0}, WRITE "599800 bytes past the end of shared array \"b\" (200 bytes)"},
    };
    assay_simt *simt = make_simt("h200", 1, 0);
    for (size_t i = 0; i < MEMBERS(cases); i++) {
        assay_simt_launch launch = make_launch(shared_access, cases[i].at, 1, 32);
        launch.geometry.shared_bytes = 48;
        EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0)", cases[i].text);
    }
    ptrdiff_t inside[3] = {99, 199, 47};
    assay_simt_launch launch = make_launch(shared_access, inside, 1, 32);
    launch.geometry.shared_bytes = 48;
    cr_expect_eq(assay_simt_run(simt, &launch), ASSAY_OK, "%s", assay_last_error());
    assay_simt_destroy(simt);
}
