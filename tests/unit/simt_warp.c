/* Warp operations against a plain model. */
#include "simt_kit.h"

typedef struct {
    assay_simt_warp_op op;
    uint32_t arg_base, arg_step, width;
    uint64_t mask; /* lanes that take part, those that do not exist taken out */
    uint64_t *out; /* per thread */
} warp_params;

static uint64_t value_of(uint32_t lane) { return UINT64_C(0x100000001) * (lane + 7); }

/* For votes: not zero in two lanes of three, with bits in the upper half only in some. */
static uint64_t vote_of(uint32_t lane) { return lane % 3 == 0 ? 0 : UINT64_C(1) << lane; }

static uint64_t exists(uint32_t warp, uint32_t warp_size, uint32_t threads) {
    uint32_t count = threads - warp * warp_size;
    if (count > warp_size) count = warp_size;
    return ~UINT64_C(0) >> (64 - count);
}

static bool is_shuffle(assay_simt_warp_op op) {
    return op >= ASSAY_SIMT_SHFL && op <= ASSAY_SIMT_SHFL_XOR;
}

static void warp_kernel(const void *params) {
    SITE(site, "dev_warp", 10);
    const warp_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    uint64_t mask = p->mask & exists(s->warp, s->warp_size, s->block_dim[0]);
    if ((mask >> s->lane & 1) == 0) return;
    uint64_t value = is_shuffle(p->op) ? value_of(s->lane) : vote_of(s->lane);
    uint32_t arg = p->arg_base + p->arg_step * s->lane;
    p->out[s->thread] = assay_simt_warp(p->op, mask, value, arg, p->width, &site);
}

/* The PTX wording, lane by lane; -1: the source is outside the mask. */
static int64_t model_source(const warp_params *p, uint32_t lane) {
    int64_t first = lane / p->width * p->width, last = first + p->width - 1;
    int64_t arg = p->arg_base + p->arg_step * lane, from = lane;
    if (p->op == ASSAY_SIMT_SHFL) from = first + arg % p->width;
    if (p->op == ASSAY_SIMT_SHFL_UP) from = (int64_t)lane - arg;
    if (p->op == ASSAY_SIMT_SHFL_DOWN) from = (int64_t)lane + arg;
    if (p->op == ASSAY_SIMT_SHFL_XOR) from = (int64_t)lane ^ arg;
    if (p->op == ASSAY_SIMT_SHFL_UP ? from < first : from > last) from = lane;
    return from;
}

static uint64_t model(const warp_params *p, uint32_t lane, uint64_t mask) {
    uint64_t ballot = 0;
    for (uint32_t i = 0; i < 64; i++)
        if ((mask >> i & 1) != 0 && vote_of(i) != 0) ballot |= UINT64_C(1) << i;
    switch (p->op) {
    case ASSAY_SIMT_SYNC: return 0;
    case ASSAY_SIMT_BALLOT: return ballot;
    case ASSAY_SIMT_ANY: return ballot != 0;
    case ASSAY_SIMT_ALL: return ballot == mask;
    default: return value_of((uint32_t)model_source(p, lane));
    }
}

static bool in_mask(const warp_params *p, uint64_t mask) {
    for (uint32_t lane = 0; lane < 64; lane++)
        if ((mask >> lane & 1) != 0 && is_shuffle(p->op) &&
            (mask >> model_source(p, lane) & 1) == 0)
            return false;
    return true;
}

/* Returns how many combinations were defined, and so compared. */
static uint32_t sweep(const char *chip, uint32_t threads, uint64_t mask, uint64_t seed) {
    assay_simt *simt = make_simt(chip, 1, seed);
    uint32_t size = assay_simt_chip(simt)->warp_size, compared = 0;
    uint64_t *out = make_tensor(simt, "out", threads * sizeof *out);
    for (int op = ASSAY_SIMT_SYNC; op <= ASSAY_SIMT_ALL; op++)
        for (uint32_t width = 1; width <= size; width *= 2)
            for (uint32_t arg = 0; arg <= size; arg += arg < 4 ? 1 : 7)
                for (uint32_t step = 0; step < 2; step++) {
                    warp_params p = {(assay_simt_warp_op)op, arg, step, width, mask, out};
                    bool defined = true;
                    for (uint32_t w = 0; w * size < threads; w++)
                        defined = defined && in_mask(&p, mask & exists(w, size, threads));
                    if (!defined) continue;
                    if (!is_shuffle(p.op) && (width != size || arg + step > 0)) continue;
                    run_ok(simt, warp_kernel, &p, 1, threads);
                    compared++;
                    for (uint32_t i = 0; i < threads; i++) {
                        uint64_t m = mask & exists(i / size, size, threads);
                        if ((m >> i % size & 1) == 0) continue;
                        cr_assert_eq(out[i], model(&p, i % size, m),
                                     "op %d width %u arg %u+%u*lane mask %llx thread %u", op, width,
                                     arg, step, (unsigned long long)mask, i);
                    }
                }
    assay_simt_destroy(simt);
    return compared;
}

Test(simt_warp, full_warps) {
    cr_expect_gt(sweep("h200", 64, UINT32_MAX, 0), 300);
    cr_expect_gt(sweep("mi300x", 128, UINT64_MAX, 0), 400);
}
Test(simt_warp, partial_last_warp) {
    cr_expect_gt(sweep("h200", 45, UINT32_MAX, 0), 100);
    cr_expect_gt(sweep("mi300x", 64 + 37, UINT64_MAX, 0), 100);
    cr_expect_gt(sweep("h200", 1, UINT32_MAX, 0), 100);
}
Test(simt_warp, part_masks) {
    cr_expect_gt(sweep("h200", 64, 0x0000ffff, 0), 100);
    cr_expect_gt(sweep("h200", 64, 0xf0f000f0, 0), 50);
    cr_expect_gt(sweep("h200", 32, 0x80000000, 0), 50);
    cr_expect_gt(sweep("mi300x", 64, UINT64_C(0xffffffff00000000), 0), 100);
}
Test(simt_warp, any_order) {
    for (uint64_t seed = 1; seed < 4; seed++) {
        cr_expect_gt(sweep("h200", 77, UINT32_MAX, seed), 100);
        cr_expect_gt(sweep("mi300x", 64, UINT64_C(0x00ffff0000ffff00), seed), 100);
    }
}

/* The halves do different shuffles, a different number of times, at the same moment. */
static void halves(const void *params) {
    SITE(low_site, "dev_shfl_xor", 20);
    SITE(high_site, "dev_shfl", 21);
    const assay_simt_lane *s = assay_simt_self;
    uint64_t *out = *(uint64_t *const *)params, value = s->lane;
    if (s->lane < 16) {
        for (uint32_t step = 8; step > 0; step /= 2)
            value += assay_simt_warp(ASSAY_SIMT_SHFL_XOR, 0xffff, value, step, 32, &low_site);
    } else {
        for (uint32_t i = 0; i < 7; i++)
            value = assay_simt_warp(ASSAY_SIMT_SHFL, 0xffff0000, value, 16 + (s->lane + 1) % 16, 32,
                                    &high_site);
    }
    out[s->thread] = value;
}

Test(simt_warp, disjoint_masks_are_in_flight_together) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        uint64_t *out = make_tensor(simt, "out", 32 * sizeof *out);
        run_ok(simt, halves, &out, 1, 32);
        for (uint32_t i = 0; i < 16; i++) cr_assert_eq(out[i], 120, "seed %d", (int)seed);
        for (uint32_t i = 16; i < 32; i++)
            cr_assert_eq(out[i], 16 + (i + 7) % 16, "seed %d lane %u", (int)seed, i);
        cr_expect_eq(assay_simt_last_stats(simt).warp_ops, 4 + 7);
        assay_simt_destroy(simt);
    }
}

/* Masks that overlap are in order as long as no lane is wanted in two places at once: lane 0 meets
 * every other lane, one after another, while those wait. */
static void rounds(const void *params) {
    SITE(site, "dev_shfl", 30);
    const assay_simt_lane *s = assay_simt_self;
    uint64_t *out = *(uint64_t *const *)params, sum = 0;
    for (uint32_t other = 31; s->lane == 0 && other > 0; other--)
        sum += assay_simt_warp(ASSAY_SIMT_SHFL, UINT64_C(1) << other | 1, 100, other, 32, &site);
    if (s->lane != 0)
        sum = assay_simt_warp(ASSAY_SIMT_SHFL, UINT64_C(1) << s->lane | 1, s->lane, 0, 32, &site);
    out[s->thread] = sum;
}

Test(simt_warp, overlapping_masks_that_can_complete_do) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        assay_simt *simt = make_simt("h200", 1, seed);
        uint64_t *out = make_tensor(simt, "out", 32 * sizeof *out);
        run_ok(simt, rounds, &out, 1, 32);
        cr_expect_eq(out[0], 31 * 32 / 2);
        for (uint32_t i = 1; i < 32; i++) cr_assert_eq(out[i], 100);
        assay_simt_destroy(simt);
    }
}
