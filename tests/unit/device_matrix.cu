/* Kernels that use each matrix, copy and partial-barrier function of the device layer. */
#include "device/device.h"
#include "unit/device_matrix.h"

/* A lane's registers of a 16 x 16 matrix whose rows are all the same 16 elements. */
DEV_INLINE void same_rows(uint32_t *r, const uint16_t *row) {
    const uint32_t t = dev_lane() % 4;
    for (uint32_t i = 0; i < 4; i++)
        r[i] = row[2 * t + i / 2 * 8] | (uint32_t)row[2 * t + 1 + i / 2 * 8] << 16;
}

template <typename T>
DEV_INLINE void multiply(const uint16_t *row, float *sums) {
    uint32_t a[4], b[2];
    same_rows(a, row);
    b[0] = a[0], b[1] = a[2];
    const float c[4] = {100, 200, 300, 400};
    float whole[4], half[4];
    dev_mma_m16n8k16<T>(whole, a, b, c);
    dev_mma_m16n8k8<T>(half, a, b, c);
    for (uint32_t i = 0; i < 4; i++) {
        sums[8 * dev_lane() + i] = whole[i];
        sums[8 * dev_lane() + 4 + i] = half[i];
    }
}

DEV_KERNEL(32)
multiply_kernel(const device_matrix_params p) {
    multiply<dev_bf16>(p.in, p.sums);
    multiply<dev_f16>(p.in + 16, p.sums + 256);
}

/* Four matrices in, four and two back, straight and transposed. */
DEV_KERNEL(32)
rows_kernel(const device_matrix_params p) {
    dev_shared(uint16_t, rows, 256);
    dev_shared(uint16_t, back, 512);
    const uint32_t lane = dev_lane();
    for (uint32_t i = 0; i < 8; i++) rows[8 * lane + i] = p.in[8 * lane + i];
    dev_barrier();
    uint32_t straight[4], turned[4], two[2], two_turned[2];
    dev_ldmatrix_x4(straight, rows + 8 * lane);
    dev_ldmatrix_x4_trans(turned, rows + 8 * lane);
    dev_ldmatrix_x2(two, rows + 8 * lane);
    dev_ldmatrix_x2_trans(two_turned, rows + 8 * lane);
    dev_stmatrix_x4(back + 8 * lane, straight);
    dev_stmatrix_x2(back + 256 + 8 * lane, two_turned);
    dev_barrier();
    uint32_t *const out = p.out + 16 * lane;
    for (uint32_t i = 0; i < 4; i++) out[i] = straight[i], out[4 + i] = turned[i];
    for (uint32_t i = 0; i < 2; i++) out[8 + i] = two[i], out[10 + i] = two_turned[i];
    out[12] = back[8 * lane + 3];
    out[13] = lane < 16 ? back[256 + 8 * lane + 3] : 0;
}

/* 16, 8 and 4 bytes, whole and in part, in two groups. */
DEV_KERNEL(32)
copy_kernel(const device_matrix_params p) {
    dev_shared(uint32_t, to, 32 * 16);
    const uint32_t lane = dev_lane();
    uint32_t *const mine = to + 16 * lane;
    const uint16_t *const from = p.in + 8 * lane;
    dev_cp_async_16(mine, from);
    dev_cp_async_16(mine + 4, from, 6);
    dev_cp_async_commit();
    dev_cp_async_8(mine + 8, from);
    dev_cp_async_8(mine + 10, from, 4);
    dev_cp_async_4(mine + 12, from);
    dev_cp_async_4(mine + 13, from, 0);
    dev_cp_async_commit();
    dev_cp_async_wait<1>();
    uint32_t *const out = p.out + 16 * lane;
    for (uint32_t i = 0; i < 8; i++) out[i] = mine[i];
    dev_cp_async_wait_all();
    for (uint32_t i = 8; i < 14; i++) out[i] = mine[i];
}

/* Warp 0 fills, warp 1 waits for it; then both meet. */
DEV_KERNEL(64)
barrier_kernel(const device_matrix_params p) {
    dev_shared(uint32_t, values, 32);
    const uint32_t lane = dev_lane();
    if (dev_thread_x() < 32) {
        values[lane] = 3 * lane;
        dev_barrier_arrive(1, 64);
    } else {
        dev_barrier_named(1, 64);
        p.out[lane] = values[31 - lane];
    }
    dev_barrier_named(2, 64);
}

DEV_ENTRY(device_matrix) {
    const device_matrix_params &p = *static_cast<const device_matrix_params *>(params);
    switch (instance) {
    case DEVICE_MATRIX_MULTIPLY: return dev_launch<multiply_kernel>("mma", geometry, p, stream);
    case DEVICE_MATRIX_ROWS: return dev_launch<rows_kernel>("rows", geometry, p, stream);
    case DEVICE_MATRIX_COPY: return dev_launch<copy_kernel>("copy", geometry, p, stream);
    default: return dev_launch<barrier_kernel>("barrier", geometry, p, stream);
    }
}
