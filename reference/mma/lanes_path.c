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

mma_lanes_function *mma_lanes_for(assay_mma_path path) {
    static mma_lanes_function *const steps[] = {[ASSAY_MMA_PORTABLE] = mma_lanes_step_portable,
                                                [ASSAY_MMA_AVX2] = mma_lanes_step_avx2,
                                                [ASSAY_MMA_AVX512] = mma_lanes_step_avx512};
    if (path == ASSAY_MMA_BEST) {
        if (has(ASSAY_MMA_AVX512)) return mma_lanes_step_avx512;
        return has(ASSAY_MMA_AVX2) ? mma_lanes_step_avx2 : mma_lanes_step_portable;
    }
    return path != ASSAY_MMA_PLAIN && has(path) ? steps[path] : NULL;
}

bool assay_mma_path_available(assay_mma_path path) {
    return path == ASSAY_MMA_BEST || path == ASSAY_MMA_PLAIN ||
           (path > ASSAY_MMA_PLAIN && path <= ASSAY_MMA_AVX512 && has(path));
}
