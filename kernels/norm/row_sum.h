/* The sum of one value per lane over the lanes of a row, in one fixed order.
 *
 * `lanes` (a power of two up to 1024) consecutive threads share a row, aligned to `lanes`. The tree
 * pairs thread t with t^1, then t^2, t^4, ...: inside a warp by shuffles, across warps through
 * shared memory in the same order. Addition commutes, so every lane ends with the same bits, and
 * they are the same for warps of 32 and of 64. Height: log2(lanes).
 */
#ifndef ASSAY_KERNELS_ROW_SUM_H
#define ASSAY_KERNELS_ROW_SUM_H

#include "device/device.h"

/* Words of shared memory that row_sum needs: one per warp of the largest block. */
#define ROW_SUM_WORDS 32

/* Every thread of the block calls it together, with the same `lanes`. When lanes exceeds the warp
 * the block must be exactly one row, and a barrier must separate two calls. */
DEV_INLINE float row_sum(float v, uint32_t lanes, float *partial) {
    const uint32_t warp_size = dev_warp_size();
    const uint32_t inside = lanes < warp_size ? lanes : warp_size;
    for (uint32_t step = 1; step < inside; step *= 2) v += dev_shfl_xor(dev_full_mask(), v, step);
    if (lanes > warp_size) {
        const uint32_t warps = lanes / warp_size;
        if (dev_lane() == 0) partial[dev_thread_x() / warp_size] = v;
        dev_barrier();
        const uint32_t first = dev_thread_x() / lanes * warps; /* this row's partial sums */
        v = partial[first + dev_lane() % warps];
        for (uint32_t step = 1; step < warps; step *= 2)
            v += dev_shfl_xor(dev_full_mask(), v, step);
    }
    return v;
}

#endif
