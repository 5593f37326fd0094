/* Which lane kernel this processor runs. */
#include "lanes_step.h"

static bool has(assay_mma_path path) {
#if defined(__x86_64__)
    if (path == ASSAY_MMA_AVX2) return __builtin_cpu_supports("avx2");
    if (path == ASSAY_MMA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return path == ASSAY_MMA_PORTABLE;
}

const mma_lanes *mma_lanes_for(assay_mma_path path) {
    if (path == ASSAY_MMA_BEST)
        path = has(ASSAY_MMA_AVX512) ? ASSAY_MMA_AVX512
               : has(ASSAY_MMA_AVX2) ? ASSAY_MMA_AVX2
                                     : ASSAY_MMA_PORTABLE;
    if (!has(path)) return NULL;
    switch (path) {
    case ASSAY_MMA_AVX512: return &mma_lanes_avx512;
    case ASSAY_MMA_AVX2: return &mma_lanes_avx2;
    default: return &mma_lanes_portable;
    }
}

bool assay_mma_path_available(assay_mma_path path) {
    return path == ASSAY_MMA_BEST || path == ASSAY_MMA_PLAIN || has(path);
}
