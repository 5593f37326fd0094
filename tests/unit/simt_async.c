/* Asynchronous copies and named barriers. */
#include "assay/simt_async.h"
#include "simt_kit.h"

typedef struct {
    const uint8_t *in;
    uint8_t *out;
    uint32_t *words;
    int what;
} async_params;

SITE(array, "dev_shared", 10);
SITE(copy, "dev_cp_async_16", 11);

static uint8_t *tile(size_t bytes) { return assay_simt_shared("tile", bytes, 16, &array); }

/* ---- What a copy does ------------------------------------------------------------------------ */

/* Every size, with every number of valid bytes: one lane a pair. */
static void sizes_kernel(const void *params) {
    const async_params *p = params;
    const uint32_t lane = assay_simt_self->thread, bytes = 4u << lane / 32, valid = lane % 32;
    uint8_t *shared = tile(96 * 16) + 16 * lane;
    for (int i = 0; i < 16; i++) shared[i] = 0x77;
    if (valid > bytes) return;
    assay_simt_cp_async(shared, p->in + 16 * lane, bytes, valid, &copy);
    for (uint32_t i = 0; i < 16; i++) p->out[32 * lane + i] = shared[i];
    assay_simt_cp_async_commit();
    assay_simt_cp_async_wait(0);
    for (uint32_t i = 0; i < 16; i++) p->out[32 * lane + 16 + i] = shared[i];
}

Test(simt_async, a_copy_is_poison_until_its_wait_and_zero_beyond_its_valid_bytes) {
    assay_simt *simt = make_simt("h200", 1, 0);
    uint8_t *in = make_tensor(simt, "in", 96 * 16), *out = make_tensor(simt, "out", 96 * 32);
    for (int i = 0; i < 96 * 16; i++) in[i] = (uint8_t)(1 + i % 200);
    const async_params p = {.in = in, .out = out};
    run_ok(simt, sizes_kernel, &p, 1, 96);
    for (uint32_t lane = 0; lane < 96; lane++) {
        const uint32_t bytes = 4u << lane / 32, valid = lane % 32;
        if (valid > bytes) continue;
        for (uint32_t i = 0; i < 16; i++) {
            const uint8_t early = out[32 * lane + i], late = out[32 * lane + 16 + i];
            cr_expect_eq(early, i < bytes ? 0xff : 0x77, "lane %u byte %u", lane, i);
            cr_expect_eq(late,
                         i >= bytes  ? 0x77
                         : i < valid ? in[16 * lane + i]
                                     : 0,
                         "lane %u byte %u", lane, i);
        }
    }
    assay_simt_destroy(simt);
}

/* Six copies in groups of 1, 2, 0 and 2, and one in none; after each wait, which have landed. */
static void groups_kernel(const void *params) {
    static const uint32_t waits[] = {4, 3, 2, 1, 0};
    const async_params *p = params;
    uint8_t *shared = tile(96);
    uint32_t used = 0;
    for (int group = 0; group < 4; group++) {
        for (int i = 0; i < (group == 0 ? 1 : group == 2 ? 0 : 2); i++, used++)
            assay_simt_cp_async(shared + 16 * used, p->in + 16 * used, 16, 16, &copy);
        assay_simt_cp_async_commit();
    }
    assay_simt_cp_async(shared + 80, p->in + 80, 16, 16, &copy);
    for (int w = 0; w < 6; w++) {
        if (w < 5)
            assay_simt_cp_async_wait(waits[w]);
        else
            assay_simt_cp_async_wait_all();
        p->words[w] = 0;
        for (uint32_t i = 0; i < 6; i++) p->words[w] |= (shared[16 * i] != 0xff ? 1u : 0u) << i;
    }
}

Test(simt_async, a_wait_completes_the_groups_it_covers_and_no_more) {
    static const uint32_t expected[] = {0x00, 0x01, 0x07, 0x07, 0x1f, 0x3f};
    assay_simt *simt = make_simt("h200", 1, 0);
    uint8_t *in = make_tensor(simt, "in", 96);
    memset(in, 3, 96);
    const async_params p = {.in = in, .words = make_tensor(simt, "words", 24)};
    run_ok(simt, groups_kernel, &p, 1, 1);
    for (int w = 0; w < 6; w++)
        cr_expect_eq(p.words[w], expected[w], "wait %d: 0x%x", w, p.words[w]);
    assay_simt_destroy(simt);
}

/* Long queues, blocks one after the other on one worker: nothing is left from the block before. */
static void queue_kernel(const void *params) {
    const async_params *p = params;
    const uint32_t lane = assay_simt_self->thread, block = assay_simt_self->block_idx[0];
    uint8_t *shared = tile(64 * 16);
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 1 + round % 5; i++)
            assay_simt_cp_async(shared + 16 * lane, p->in + 16 * ((round + lane + block) % 64), 16,
                                16, &copy);
        assay_simt_cp_async_commit();
        assay_simt_cp_async_wait(round % 3);
    }
    assay_simt_cp_async_wait_all();
    p->words[64 * block + lane] = shared[16 * lane];
}

Test(simt_async, queues_run_on_through_rounds_and_blocks) {
    assay_simt *simt = make_simt("h200", 2, 5);
    uint8_t *in = make_tensor(simt, "in", 64 * 16);
    for (int i = 0; i < 64 * 16; i++) in[i] = (uint8_t)(i / 16);
    const async_params p = {.in = in, .words = make_tensor(simt, "words", 40 * 64 * 4)};
    run_ok(simt, queue_kernel, &p, 40, 64);
    for (uint32_t block = 0; block < 40; block++)
        for (uint32_t lane = 0; lane < 64; lane++)
            cr_assert_eq(p.words[64 * block + lane], (99 + lane + block) % 64);
    assay_simt_destroy(simt);
}

/* ---- What is an error ------------------------------------------------------------------------ */

enum {
    DST_MISALIGNED,
    SRC_MISALIGNED,
    THREE_BYTES,
    TOO_MANY_VALID,
    DST_NOT_SHARED,
    DST_OVER_END,
    SRC_NOT_DEVICE,
    SRC_OVER_END,
    NOT_WAITED,
    NOT_COMMITTED,
    NOTHING_COPIED /* no error: an address that is not looked at */
};

static void wrong_kernel(const void *params) {
    const async_params *p = params;
    uint8_t *shared = tile(64), local[32];
    const uint8_t *in = p->in;
    switch (p->what) {
    case DST_MISALIGNED: assay_simt_cp_async(shared + 4, in, 16, 16, &copy); break;
    case SRC_MISALIGNED: assay_simt_cp_async(shared, in + 2, 4, 4, &copy); break;
    case THREE_BYTES: assay_simt_cp_async(shared, in, 3, 3, &copy); break;
    case TOO_MANY_VALID: assay_simt_cp_async(shared, in, 8, 9, &copy); break;
    case DST_NOT_SHARED: assay_simt_cp_async(p->out, in, 16, 16, &copy); break;
    case DST_OVER_END: assay_simt_cp_async(shared + 64, in, 16, 16, &copy); break;
    case SRC_NOT_DEVICE:
        assay_simt_cp_async(shared, local + 16 - (uintptr_t)local % 16, 16, 16, &copy);
        break;
    case SRC_OVER_END: assay_simt_cp_async(shared, in + 96, 16, 9, &copy); break;
    case NOTHING_COPIED: assay_simt_cp_async(shared, in + 4096, 16, 0, &copy); break;
    default: assay_simt_cp_async(shared, in, 16, 16, &copy);
    }
    if (p->what == NOT_WAITED) assay_simt_cp_async_commit();
    if (p->what == NOTHING_COPIED) assay_simt_cp_async_wait_all();
}

Test(simt_async, wrong_copies_are_named) {
    static const char *const texts[] = {
        [DST_MISALIGNED] = "the destination is 4 bytes past a multiple of 16",
        [SRC_MISALIGNED] = "the source is 2 bytes past a multiple of 4",
        [THREE_BYTES] = "3 bytes; there may be 4, 8 or 16",
        [TOO_MANY_VALID] = "9 of 8 bytes are to be copied",
        [DST_NOT_SHARED] = "the destination's 16 bytes lie in no shared array",
        [DST_OVER_END] = "the destination's 16 bytes lie in no shared array",
        [SRC_NOT_DEVICE] = "the source's 16 bytes lie in no tensor",
        [SRC_OVER_END] = "the source's 9 bytes lie in no tensor",
        [NOT_WAITED] = "returned with 1 copies pending, this one first; no wait covers it",
        [NOT_COMMITTED] = "returned with 1 copies pending, this one first; it was not committed",
    };
    assay_simt *simt = make_simt("h200", 1, 0);
    async_params p = {.in = make_tensor(simt, "in", 104), .out = make_tensor(simt, "out", 64)};
    const assay_simt_launch launch = make_launch(wrong_kernel, &p, 1, 1);
    for (p.what = 0; p.what < (int)MEMBERS(texts); p.what++)
        EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0) lane thread (0,0,0)",
                            "dev_cp_async_16 at kernel.cu:11", texts[p.what]);
    p.what = NOTHING_COPIED;
    run_ok(simt, wrong_kernel, &p, 1, 1);
    assay_simt_destroy(simt);
}

/* ---- Named barriers -------------------------------------------------------------------------- */

SITE(named, "dev_barrier_named", 20);
SITE(arrival, "dev_barrier_arrive", 21);

/* Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, by turns; warp 4 feeds warp 5. */
static void named_kernel(const void *params) {
    const async_params *p = params;
    const assay_simt_lane *self = assay_simt_self;
    uint32_t *shared = (uint32_t *)(void *)tile(192 * 4);
    if (self->warp < 4) {
        const uint32_t pair = self->thread / 64, first = 64 * pair, place = self->thread % 64;
        for (uint32_t round = 0; round < 5; round++) {
            shared[self->thread] = round * 1000 + self->thread;
            assay_simt_named_barrier(1 + pair, 64, &named);
            p->words[self->thread] = shared[first + (place + 32) % 64];
            assay_simt_named_barrier(1 + pair, 64, &named);
        }
    } else if (self->warp == 4) {
        shared[128 + self->lane] = 7 * self->lane; /* above the others' words */
        assay_simt_named_arrive(9, 64, &arrival);
    } else {
        assay_simt_named_barrier(9, 64, &named);
        p->words[128 + self->lane] = shared[128 + self->lane];
    }
}

Test(simt_async, named_barriers_hold_their_part_of_the_block) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        const async_params p = {.words = make_tensor(simt, "words", 192 * 4)};
        run_ok(simt, named_kernel, &p, 3, 192);
        for (uint32_t i = 0; i < 128; i++)
            cr_assert_eq(p.words[i], 4000 + i / 64 * 64 + (i % 64 + 32) % 64, "thread %u: %u", i,
                         p.words[i]);
        assay_simt_destroy(simt);
    }
}

enum { ID_ZERO, ID_SIXTEEN, HALF_A_WARP, MORE_THAN_THE_BLOCK, TWO_COUNTS, MISSING, IN_WARP_OP };

static void wrong_named_kernel(const void *params) {
    SITE(sync, "dev_warp_sync", 22);
    const async_params *p = params;
    const assay_simt_lane *self = assay_simt_self;
    switch (p->what) {
    case ID_ZERO: assay_simt_named_barrier(0, 64, &named); break;
    case ID_SIXTEEN: assay_simt_named_arrive(16, 64, &arrival); break;
    case HALF_A_WARP: assay_simt_named_barrier(1, 48, &named); break;
    case MORE_THAN_THE_BLOCK: assay_simt_named_barrier(1, 96, &named); break;
    case TWO_COUNTS: assay_simt_named_barrier(1, self->thread == 40 ? 32 : 64, &named); break;
    case MISSING:
        if (self->warp == 0) assay_simt_named_barrier(3, 64, &named);
        break;
    default:
        if (self->lane == 1)
            assay_simt_named_barrier(1, 64, &named);
        else
            assay_simt_warp(ASSAY_SIMT_SYNC, UINT32_MAX, 0, 0, 32, &sync);
    }
}

Test(simt_async, wrong_named_barriers_are_named) {
    static const char *const texts[] = {
        [ID_ZERO] = "barrier 0; there are 1 to 15",
        [ID_SIXTEEN] = "dev_barrier_arrive at kernel.cu:21: barrier 16",
        [HALF_A_WARP] = "48 lanes: expected a multiple of 32 up to the block's 64",
        [MORE_THAN_THE_BLOCK] = "96 lanes: expected",
        [TWO_COUNTS] = "barrier 1 is of 32 lanes here, of 64 for lane thread (0,0,0)",
        [MISSING] = "deadlock: no lane of the block can run: 32 lanes waiting in dev_barrier_named",
        [IN_WARP_OP] = "lane 1 of the mask 0xffffffff waits in dev_barrier_named at kernel.cu:20",
    };
    assay_simt *simt = make_simt("h200", 1, 0);
    async_params p = {0};
    const assay_simt_launch launch = make_launch(wrong_named_kernel, &p, 1, 64);
    for (p.what = 0; p.what < (int)MEMBERS(texts); p.what++)
        EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: block (0,0,0)", texts[p.what]);
    assay_simt_destroy(simt);
}
