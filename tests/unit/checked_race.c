/* Races: every pair of accesses, by two blocks to global memory and by two lanes to shared memory,
 * is reported exactly when nothing orders the two and they conflict. */
#include "checked_kit.h"

static bool conflicts(int a, int b) {
    const bool only_reads = hook_kind[a] == 'r' && hook_kind[b] == 'r';
    return !only_reads && !(hook_is_atomic(a) && hook_is_atomic(b));
}

/* How many of `seeds` schedules report what the texts say; the others must be clean. */
static int reports(kit *k, int kernel, int seeds, const char *const *texts) {
    int count = 0;
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++) {
        if (kit_run(k, kernel, seed) == ASSAY_OK) continue;
        cr_expect(kit_says(texts), "%s", assay_last_error());
        count++;
    }
    return count;
}

Test(checked_race, between_blocks) {
    kit k = kit_make(2, 1);
    char *x = kit_alloc(&k, "x", 256, 0);
    memset(x, 0, 256);
    kit_declare(&k, x, 4, 1, 64, 64, true);
    k.params.at = x + 48;
    for (int a = 0; a < HOOK_COUNT; a++)
        for (int b = 0; b < HOOK_COUNT; b++) {
            k.params.first = a;
            k.params.second = b;
            const int expected = conflicts(a, b) ? SEEDS : 0;
            const int got = reports(
                &k, CHECKED_BLOCKS, SEEDS,
                (const char *const[]){"blocks: block (",
                                      " at checked_kernels.cu:", ": \"x\" element [0, 12] is also ",
                                      " by block (", "nothing orders the two", NULL});
            cr_expect_eq(got, expected, "%s and %s: %d of %d", hook_name[a], hook_name[b], got,
                         expected);
        }
    assay_simt_destroy(k.simt);
}

/* Neighbours in one word are no conflict; nor is a block with itself, nor a later launch. */
Test(checked_race, no_conflict_between_blocks) {
    kit k = kit_make(2, 1);
    char *x = kit_alloc(&k, "x", 256, 0);
    memset(x, 0, 256);
    k.params.at = x;
    k.params.first = HOOK_write2;
    k.params.second = HOOK_none;
    for (int launch = 0; launch < 600; launch++) {
        k.params.at = x + launch % 3;
        k.params.first = launch % 3 == 0 ? HOOK_write1 : HOOK_read1;
        cr_assert_eq(kit_run(&k, CHECKED_BLOCKS, 0), ASSAY_OK, "%s", assay_last_error());
    }
    k.geometry.grid[0] = 1;
    k.params.at = x;
    for (int hook = 0; hook < HOOK_COUNT; hook++) {
        k.params.first = hook;
        kit_clean(&k, CHECKED_BLOCKS, 3);
    }
    assay_simt_destroy(k.simt);
}

/* Does `between` order thread 3 before thread `second` of the same block? */
static bool ordered(int between, uint32_t second) {
    if (second == 3 || between == BETWEEN_barrier) return true;
    if (second != 9 || between == BETWEEN_nothing) return false; /* another warp */
    return between != BETWEEN_one_sync;
}

/* Shared memory of 16 words: thread 3 touches words 4 and up; `second`, `offset` bytes on. */
static void every_pair(uint32_t second, int64_t offset, int seeds) {
    static const char *const texts[] = {"shared: block (0,0,0) lane thread (",
                                        " at checked_kernels.cu:",
                                        "race: byte ",
                                        " of shared array \"words\" was ",
                                        "neither a barrier nor a warp operation orders",
                                        NULL};
    kit k = kit_make(1, 64);
    k.params.thread = second;
    k.params.offset = offset;
    for (int between = 0; between < BETWEEN_COUNT; between++)
        for (int a = 0; a < HOOK_COUNT; a++)
            for (int b = 0; b < HOOK_COUNT; b++) {
                if (hook_aligned(b) && (size_t)offset % hook_bytes[b] != 0) continue;
                k.params.first = a;
                k.params.second = b;
                k.params.between = between;
                const bool apart = (size_t)offset >= hook_bytes[a];
                const bool race = !apart && conflicts(a, b) && !ordered(between, second);
                const int got = reports(&k, CHECKED_SHARED, seeds, texts);
                cr_expect_eq(got, race ? seeds : 0, "%s, %d, %s by %u: %d of %d", hook_name[a],
                             between, hook_name[b], second, got, race ? seeds : 0);
            }
    assay_simt_destroy(k.simt);
}

Test(checked_race, in_shared_memory_within_a_warp) { every_pair(9, 0, 10); }
Test(checked_race, in_shared_memory_across_warps) { every_pair(41, 0, 5); }
Test(checked_race, in_shared_memory_with_itself) { every_pair(3, 0, 2); }

/* Bytes of one word that different lanes touch are told apart. */
Test(checked_race, in_shared_memory_side_by_side) {
    every_pair(9, 1, 2);
    every_pair(9, 2, 2);
    every_pair(9, 16, 2);
}

/* Every kind of race at every one of a hundred schedules. */
Test(checked_race, in_shared_memory_under_every_schedule) {
    static const int pairs[][2] = {
        {HOOK_write4, HOOK_read4},       {HOOK_read4, HOOK_write4},
        {HOOK_write4, HOOK_write4},      {HOOK_write1, HOOK_read8},
        {HOOK_store_chunk, HOOK_read2},  {HOOK_read2, HOOK_store_chunk},
        {HOOK_atomic_add, HOOK_read4},   {HOOK_read4, HOOK_atomic_add},
        {HOOK_atomic_add, HOOK_write4},  {HOOK_write4, HOOK_atomic_load},
        {HOOK_write_range, HOOK_read16},
    };
    static const uint32_t seconds[] = {9, 41};
    kit k = kit_make(1, 64);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int s = 0; s < 2; s++)
            for (int between = 0; between < BETWEEN_COUNT; between++) {
                k.params.first = pairs[i][0];
                k.params.second = pairs[i][1];
                k.params.thread = seconds[s];
                k.params.between = between;
                if (ordered(between, seconds[s])) continue;
                EXPECT_FOUND(&k, CHECKED_SHARED, "race: ", "shared array \"words\"");
            }
    assay_simt_destroy(k.simt);
}

Test(checked_race, atomics_and_their_readers_that_have_met) {
    kit k = kit_make(3, 128);
    kit_clean(&k, CHECKED_HISTOGRAM, SEEDS);
    assay_simt_destroy(k.simt);
}
