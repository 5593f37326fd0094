/* Counting: known patterns give known numbers, the same under every schedule. */
#include "checked_kit.h"

static assay_simt_counters count(kit *k, int kernel) {
    assay_simt_counters first = {0};
    for (uint64_t seed = 0; seed < 10; seed++) {
        cr_assert(assay_simt_set_counting(k->simt, true));
        cr_assert_eq(kit_run(k, kernel, seed), ASSAY_OK, "%s", assay_last_error());
        const assay_simt_counters now = assay_simt_counted(k->simt);
        if (seed == 0) first = now;
        cr_assert_eq(memcmp(&first, &now, sizeof now), 0, "another count under seed %d", (int)seed);
    }
    return first;
}

/* A warp of 32 loads an f32 each: sectors touched, and the least that would do. */
Test(checked_count, sectors_of_a_load) {
    static const struct {
        const char *pattern;
        uint32_t stride;
        int64_t offset;
        uint64_t sectors, least, distinct;
    } cases[] = {
        {"coalesced", 1, 0, 4, 4, 128},   {"misaligned", 1, 1, 5, 4, 128},
        {"stride 2", 2, 0, 8, 4, 128},    {"stride 4", 4, 0, 16, 4, 128},
        {"stride 32", 32, 0, 32, 4, 128}, {"broadcast", 0, 3, 1, 1, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kit k = kit_make(1, 32);
        k.params.at = kit_alloc(&k, "x", 8192, 0);
        k.params.stride = cases[i].stride;
        k.params.offset = cases[i].offset;
        const assay_simt_counters c = count(&k, CHECKED_LOAD);
        cr_expect_eq(c.global_loads, 32);
        cr_expect_eq(c.bytes_loaded, 128);
        cr_expect_eq(c.load_requests, 1);
        cr_expect_eq(c.load_sectors, cases[i].sectors, "%s: %d", cases[i].pattern,
                     (int)c.load_sectors);
        cr_expect_eq(c.least_load_sectors, cases[i].least, "%s", cases[i].pattern);
        cr_expect_eq(c.unique_loaded, cases[i].distinct, "%s", cases[i].pattern);
        cr_expect_eq(c.store_requests, 1);
        cr_expect_eq(c.store_sectors, 4);
        cr_expect_eq(c.unique_stored, 128);
        cr_expect_eq(c.lane_operations, 64);
        assay_simt_destroy(k.simt);
    }
}

/* Blocks and warps add up; chunks of 16 bytes are one access. */
Test(checked_count, sectors_of_chunks) {
    for (uint32_t stride = 1; stride <= 2; stride++) {
        kit k = kit_make(1, 128);
        k.params.at = kit_alloc(&k, "x", 8192, 0);
        k.params.stride = stride;
        const assay_simt_counters c = count(&k, CHECKED_LOAD_CHUNK);
        cr_expect_eq(c.global_loads, 128);
        cr_expect_eq(c.load_requests, 4);
        cr_expect_eq(c.load_sectors, stride * 64);
        cr_expect_eq(c.least_load_sectors, 64);
        cr_expect_eq(c.bytes_stored, 2048);
        cr_expect_eq(c.store_sectors, 64);
        assay_simt_destroy(k.simt);
    }
}

/* A store and a load of one word a lane, `stride` words apart. */
Test(checked_count, bank_conflicts) {
    static const struct {
        int kernel;
        uint32_t stride;
        uint64_t wavefronts, least;
    } cases[] = {
        {CHECKED_BANKS, 1, 1, 1},   {CHECKED_BANKS, 2, 2, 1},     {CHECKED_BANKS, 32, 32, 1},
        {CHECKED_BANKS, 33, 1, 1},  {CHECKED_BANKS, 8, 8, 1},     {CHECKED_BANKS_8, 1, 2, 2},
        {CHECKED_BANKS_8, 2, 4, 2}, {CHECKED_BANKS_8, 16, 32, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kit k = kit_make(1, 32);
        k.params.stride = cases[i].stride;
        k.geometry.shared_bytes = 8192;
        const assay_simt_counters c = count(&k, cases[i].kernel);
        cr_expect_eq(c.shared_loads, 32);
        cr_expect_eq(c.shared_stores, 32);
        cr_expect_eq(c.shared_requests, 2);
        cr_expect_eq(c.shared_wavefronts, 2 * cases[i].wavefronts, "%d: %d", (int)i,
                     (int)c.shared_wavefronts);
        cr_expect_eq(c.least_wavefronts, 2 * cases[i].least);
        assay_simt_destroy(k.simt);
    }
}

Test(checked_count, barriers_shuffles_and_atomics) {
    kit k = kit_make(3, 128);
    const assay_simt_counters c = count(&k, CHECKED_HISTOGRAM);
    cr_expect_eq(c.barriers, 3 * 2);
    cr_expect_eq(c.warp_ops, 3 * 4 * 3);
    cr_expect_eq(c.shared_atomics, 3 * 2 * 128);
    cr_expect_eq(c.shared_stores, 3 * (33 + 4));
    cr_expect_eq(c.shared_loads, 3 * 3 * 128);
    cr_expect_eq(c.global_stores, 3 * 128);
    cr_expect_eq(c.lane_operations, 3 * (128 * (2 + 3 + 2 + 3 + 1) + 37));
    assay_simt_destroy(k.simt);
}

Test(checked_count, launches_add_up) {
    kit k = kit_make(1, 32);
    k.params.at = kit_alloc(&k, "x", 8192, 0);
    k.params.stride = 2;
    cr_assert(assay_simt_set_counting(k.simt, true));
    for (uint64_t launches = 1; launches <= 3; launches++) {
        kit_clean(&k, CHECKED_LOAD, 1);
        cr_expect_eq(assay_simt_counted(k.simt).load_sectors, 8 * launches);
        cr_expect_eq(assay_simt_counted(k.simt).unique_loaded, 128 * launches);
    }
    cr_assert(assay_simt_set_counting(k.simt, true));
    cr_expect_eq(assay_simt_counted(k.simt).load_sectors, 0);
    assay_simt_destroy(k.simt);
}

Test(checked_count, nothing_unless_asked) {
    kit k = kit_make(1, 32);
    k.params.at = kit_alloc(&k, "x", 8192, 0);
    kit_clean(&k, CHECKED_LOAD, 1);
    cr_expect_eq(assay_simt_counted(k.simt).global_loads, 0);
    assay_simt_destroy(k.simt);
}
