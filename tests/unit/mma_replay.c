/* What an H200 returned, recorded by gpu_mma --vectors, against the models. */
#include <criterion/criterion.h>

#include "mma_probe_host.h"

Test(mma, recorded_h200_vectors) {
    mma_probe_replay replay;
    cr_assert(mma_probe_replay_folder(ASSAY_GOLDEN "/h200", &replay), "%s", replay.first);
    cr_expect_eq(replay.blocks, MMA_PROBE_FAMILY_COUNT * MMA_PROBE_MODE_COUNT);
    cr_expect_eq(replay.stale, 0, "%llu blocks were recorded with another generator",
                 (unsigned long long)replay.stale);
    cr_expect_eq(replay.differing, 0, "%llu of %llu results differ, first %s",
                 (unsigned long long)replay.differing, (unsigned long long)replay.compared,
                 replay.first);
}
