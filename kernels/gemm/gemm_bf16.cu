/* gemm_bf16: y = x w^T, bf16 operands, f32 accumulation in the matrix units.
 *
 *     y[m][n] = sum over k of x[m][k] * w[n][k]        x (M, K), w (N, K), y (M, N)
 *
 * Work split. A block computes a tile of 64 x 64 of y, its four warps quarters of 32 x 32 of it, in
 * mma.sync m16n8k16: two row blocks times four column blocks of accumulators, 32 floats a lane.
 * k passes through shared memory 32 at a time, in a ring of four stages that asynchronous copies
 * fill three ahead. Blocks take further tiles when the grid is smaller than their number.
 *
 * Shared memory. A stage holds 64 rows of x and 64 of w, each 64 bytes: four chunks of 16 bytes.
 * Chunk c of row r lies at place c ^ (r / 2 % 4), so that the eight rows that ldmatrix reads at
 * once fall into different banks.
 *
 * Bytes moved. x once for each 64 columns of y, w once for each 64 rows, y written once.
 *
 * Numerics. Every element is one chain d = mma(x block, w block, d) over blocks of 16 k in
 * ascending order, from +0; what a block does to the bits is the chip's own (assay/mma.h). k beyond
 * K counts as zeros, which change nothing. So an element depends on its row of x, its row of w and
 * the chip alone: not on M, N, tiles, grid, strides, alignment or the path. Rounded once to y's
 * type. A row of x with a NaN gives a row of NaN.
 *
 * Chips: see gemm_bf16.def. y may not overlap x or w.
 */
#include "device/device.h"
#include "gemm/gemm_bf16.h"

constexpr uint32_t TILE_M = GEMM_BF16_TILE_M, TILE_N = GEMM_BF16_TILE_N, TILE_K = GEMM_BF16_TILE_K;
constexpr uint32_t STAGES = GEMM_BF16_STAGES, THREADS = GEMM_BF16_THREADS;
constexpr uint32_t CHUNK = 8, CHUNKS = TILE_K / CHUNK; /* elements of one; of a row in a stage */
constexpr uint32_t MMA_M = 16, MMA_N = 8, MMA_K = 16;  /* of one instruction */
constexpr uint32_t WARP_M = TILE_M / 2, WARP_N = TILE_N / 2; /* a warp's quarter of the tile */
constexpr uint32_t ROW_BLOCKS = WARP_M / MMA_M, COLUMN_BLOCKS = WARP_N / MMA_N;

/* Where chunk `chunk` of row `row` lies in a stage's half. */
DEV_INLINE uint32_t place(uint32_t row, uint32_t chunk) {
    return row * TILE_K + (chunk ^ (row / 2 % CHUNKS)) * CHUNK;
}

/* Elements from `from` on that exist, up to a chunk. */
DEV_INLINE uint32_t live_elements(int64_t from, int64_t end) {
    return from + CHUNK <= end ? CHUNK : from < end ? (uint32_t)(end - from) : 0;
}

/* Rows first_row .. of a (rows, k) operand, k from first_k on, into a stage's half; zeros beyond
 * the operand's edges. */
template <uint32_t ROWS, bool ASYNC>
DEV_INLINE void load_rows(dev_bf16 *stage, const dev_bf16 *operand, int64_t rows, int64_t k,
                          int64_t stride, int64_t first_row, int64_t first_k) {
    DEV_UNROLL
    for (uint32_t i = dev_thread_x(); i < ROWS * CHUNKS; i += THREADS) {
        const uint32_t row = i / CHUNKS, chunk = i % CHUNKS;
        const int64_t from = first_k + chunk * CHUNK;
        const uint32_t live = first_row + row < rows ? live_elements(from, k) : 0;
        const dev_bf16 *const source = operand + (live ? (first_row + row) * stride + from : 0);
        dev_bf16 *const to = stage + place(row, chunk);
        if (ASYNC) {
            dev_cp_async_16(to, source, live * 2);
        } else {
            dev_chunk<dev_bf16> values = {};
            DEV_UNROLL
            for (uint32_t j = 0; j < CHUNK; j++)
                if (j < live) dev_set(values, j, source[j]);
            dev_store_chunk(to, values);
        }
    }
}

/* acc += this warp's quarter of one stage: the stage's blocks of 16 k in ascending order. */
DEV_INLINE void multiply(float (&acc)[ROW_BLOCKS][COLUMN_BLOCKS][4], const dev_bf16 *x,
                         const dev_bf16 *w, uint32_t warp_row, uint32_t warp_column) {
    /* Lane 8i + j names row j of matrix i. Of x: rows 0-7, rows 8-15, then both at the second half
     * of k. Of w: columns 0-7 at both halves of k, then columns 8-15. */
    const uint32_t lane = dev_lane();
    const uint32_t x_row = warp_row + lane % 16, x_half = lane / 16;
    const uint32_t w_row = warp_column + lane % 8 + lane / 16 * 8, w_half = lane / 8 % 2;
    DEV_UNROLL
    for (uint32_t step = 0; step < TILE_K / MMA_K; step++) {
        uint32_t a[ROW_BLOCKS][4], b[COLUMN_BLOCKS][2];
        DEV_UNROLL
        for (uint32_t i = 0; i < ROW_BLOCKS; i++)
            dev_ldmatrix_x4(a[i], x + place(x_row + MMA_M * i, 2 * step + x_half));
        DEV_UNROLL
        for (uint32_t j = 0; j < COLUMN_BLOCKS; j += 2) {
            uint32_t pair[4];
            dev_ldmatrix_x4(pair, w + place(w_row + MMA_N * j, 2 * step + w_half));
            b[j][0] = pair[0], b[j][1] = pair[1];
            b[j + 1][0] = pair[2], b[j + 1][1] = pair[3];
        }
        DEV_UNROLL
        for (uint32_t i = 0; i < ROW_BLOCKS; i++) DEV_UNROLL
        for (uint32_t j = 0; j < COLUMN_BLOCKS; j++)
            dev_mma_m16n8k16<dev_bf16>(acc[i][j], a[i], b[j], acc[i][j]);
    }
}

/* Writes a warp's quarter, whose first element is (row, column) of y. */
template <typename TY>
DEV_INLINE void write(const gemm_bf16_params &p, const float (&acc)[ROW_BLOCKS][COLUMN_BLOCKS][4],
                      int64_t row, int64_t column) {
    TY *const y = static_cast<TY *>(p.y);
    const uint32_t lane = dev_lane();
    DEV_UNROLL
    for (uint32_t i = 0; i < ROW_BLOCKS; i++) DEV_UNROLL
    for (uint32_t j = 0; j < COLUMN_BLOCKS; j++) DEV_UNROLL
    for (uint32_t e = 0; e < 4; e++) {
        const int64_t m = row + MMA_M * i + lane / 4 + e / 2 * 8;
        const int64_t n = column + MMA_N * j + lane % 4 * 2 + e % 2;
        if (m < p.m && n < p.n) y[m * p.y_stride + n] = dev_from_f32<TY>(acc[i][j][e]);
    }
}

template <typename TY, bool ASYNC>
DEV_KERNEL(GEMM_BF16_THREADS)
gemm_bf16_kernel(const gemm_bf16_params p) {
    dev_shared(dev_bf16, x_stages, STAGES * TILE_M * TILE_K);
    dev_shared(dev_bf16, w_stages, STAGES * TILE_N * TILE_K);
    const dev_bf16 *const x = static_cast<const dev_bf16 *>(p.x);
    const dev_bf16 *const w = static_cast<const dev_bf16 *>(p.w);
    const uint32_t warp = dev_thread_x() / 32;
    const uint32_t warp_row = warp / 2 * WARP_M, warp_column = warp % 2 * WARP_N;
    const int64_t column_tiles = (p.n + TILE_N - 1) / TILE_N;
    const int64_t tiles = (p.m + TILE_M - 1) / TILE_M * column_tiles;
    const int64_t steps = (p.k + TILE_K - 1) / TILE_K;

    for (int64_t tile = dev_block_x(); tile < tiles; tile += dev_grid_x()) {
        const int64_t row = tile / column_tiles * TILE_M, column = tile % column_tiles * TILE_N;

        /* Step `step` of k into its place in the ring; beyond the last an empty group, so that the
         * same number of groups is always in flight. */
        auto load = [&](int64_t step) {
            if (step < steps) {
                const uint32_t stage = (uint32_t)(step % STAGES);
                load_rows<TILE_M, ASYNC>(x_stages + stage * TILE_M * TILE_K, x, p.m, p.k,
                                         p.x_stride, row, step * TILE_K);
                load_rows<TILE_N, ASYNC>(w_stages + stage * TILE_N * TILE_K, w, p.n, p.k,
                                         p.w_stride, column, step * TILE_K);
            }
            dev_cp_async_commit();
        };

        float acc[ROW_BLOCKS][COLUMN_BLOCKS][4] = {};
        for (int64_t step = 0; step < STAGES - 1; step++) load(step);
        for (int64_t step = 0; step < steps; step++) {
            dev_cp_async_wait<STAGES - 2>();
            dev_barrier(); /* this step has landed; nobody reads the one before it any more */
            load(step + STAGES - 1);
            const uint32_t stage = (uint32_t)(step % STAGES);
            multiply(acc, x_stages + stage * TILE_M * TILE_K, w_stages + stage * TILE_N * TILE_K,
                     warp_row, warp_column);
        }
        write<TY>(p, acc, row + warp_row, column + warp_column);
        dev_barrier(); /* before the next tile's first copies */
    }
}

template <typename TY>
static assay_status launch(int variant, const char *const *names, const assay_geometry *geometry,
                           const gemm_bf16_params &p, void *stream) {
    if (variant == GEMM_BF16_ASYNC)
        return dev_launch<gemm_bf16_kernel<TY, true>>(names[variant], geometry, p, stream);
    return dev_launch<gemm_bf16_kernel<TY, false>>(names[variant], geometry, p, stream);
}

/* The table's names of the storage types. */
typedef float f32;
typedef dev_bf16 bf16;

DEV_ENTRY(gemm_bf16) {
    const gemm_bf16_params &p = *static_cast<const gemm_bf16_params *>(params);
    const int variant = instance % GEMM_BF16_VARIANTS;
    int pair = instance / GEMM_BF16_VARIANTS;
#define ASSAY_INSTANCE(op, tx, ty, archs)                                                          \
    if (pair-- == 0) {                                                                             \
        static const char *const names[GEMM_BF16_VARIANTS] = {                                     \
            #op "<" #tx "," #ty ",scalar>",                                                        \
            #op "<" #tx "," #ty ",async>",                                                         \
        };                                                                                         \
        return launch<ty>(variant, names, geometry, p, stream);                                    \
    }
#include "gemm/gemm_bf16.def"
#undef ASSAY_INSTANCE
    return assay_fail(ASSAY_ERR_INTERNAL, "gemm_bf16: no instance %d", instance);
}
