/* rms_norm forward: y = x / sqrt(mean(x^2) + eps), times a weight.
 *
 * Work split. `lanes` threads share a row (a function of d and the storage type alone, see
 * kernels/launch/rms_norm.c). A row is cut into chunks of 16 bytes; lane t owns chunks t, t +
 * lanes, t + 2 lanes, ... A block holds one row, or several when a row needs fewer than a block's
 * threads.
 *
 * Bytes moved. x read once while a row fits the HELD registers (from L2 a second time beyond),
 * y written once, w once per block and then from cache.
 *
 * Numerics. Each lane keeps one f32 accumulator per element of a chunk, acc = fma(x, x, acc); the
 * accumulators are added pairwise, then the lanes by row_sum. mean = sum / d, r = 1 / sqrt(mean +
 * eps), y = rnd((x * r) * w); R-B rounds x * r to the storage type first, R-C multiplies by 1 + w.
 * Every operation rounds to nearest even; nothing is contracted. The scalar path walks the same
 * chunks in the same order, elements beyond d count as zero (adding exactly nothing), so a row's
 * bits depend on d and the storage type only. The sum of squares overflows f32 from about
 * |x| = 1.8e19/sqrt(d) on: then r = 0, and so is the row.
 *
 * Chips: see rms_norm.def. In place (y == x) is allowed: a lane reads its chunk before it writes
 * it, and every lane has read the whole row before the first write.
 */
#include "device/device.h"
#include "norm/rms_norm.h"
#include "norm/row_sum.h"

/* Chunk `index` of a row of d elements; zeros beyond d. Within a row 32 bits hold every index. */
template <typename T, bool VECTOR>
DEV_INLINE dev_chunk<T> load_chunk(const T *row, uint32_t index, uint32_t d) {
    constexpr uint32_t count = dev_chunk<T>::count;
    const uint32_t first = index * count;
    if (VECTOR && first + count <= d) return dev_load_chunk(row + first);
    dev_chunk<T> chunk = {};
    DEV_UNROLL
    for (uint32_t j = 0; j < count; j++)
        if (first + j < d) dev_set(chunk, j, row[first + j]);
    return chunk;
}

template <typename T>
DEV_INLINE void add_squares(float *acc, const dev_chunk<T> &chunk) {
    DEV_UNROLL
    for (uint32_t j = 0; j < dev_chunk<T>::count; j++) {
        const float x = dev_to_f32(dev_get(chunk, j));
        acc[j] = dev_fma(x, x, acc[j]);
    }
}

/* acc[0] + ... + acc[COUNT - 1], neighbours first. A chunk of zeros adds exactly nothing. */
template <int COUNT>
DEV_INLINE float pairwise_sum(float *acc) {
    DEV_UNROLL
    for (int step = 1; step < COUNT; step *= 2) DEV_UNROLL
    for (int j = 0; j < COUNT; j += 2 * step) acc[j] += acc[j + step];
    return acc[0];
}

/* Element j of a chunk: normalise, weigh, round to the output type. */
template <typename TX, typename TY>
DEV_INLINE TY finish(const dev_chunk<TX> &x, float r, const TX *w, const dev_chunk<TX> &weights,
                     uint32_t j, int convention) {
    float n = dev_to_f32(dev_get(x, j)) * r, weight = dev_to_f32(dev_get(weights, j));
    if (convention == ASSAY_NORM_RB) n = dev_to_f32(dev_from_f32<TX>(n));
    if (convention == ASSAY_NORM_RC) weight = 1.0f + weight;
    return dev_from_f32<TY>(w ? n * weight : n);
}

/* Writes chunk `index` of the row; TY may be wider than TX, then two 16-byte stores cover it. */
template <typename TX, typename TY, bool VECTOR>
DEV_INLINE void write_chunk(TY *y, const dev_chunk<TX> &x, float r, const TX *w, uint32_t index,
                            uint32_t d, int convention) {
    constexpr uint32_t count = dev_chunk<TX>::count;
    constexpr uint32_t per_store = dev_chunk<TY>::count;
    const uint32_t first = index * count;
    dev_chunk<TX> weights = {};
    if (w) weights = load_chunk<TX, VECTOR>(w, index, d);
    if (VECTOR && first + count <= d) {
        DEV_UNROLL
        for (uint32_t s = 0; s < count; s += per_store) {
            dev_chunk<TY> out = {};
            DEV_UNROLL
            for (uint32_t j = 0; j < per_store; j++)
                dev_set(out, j, finish<TX, TY>(x, r, w, weights, s + j, convention));
            dev_store_chunk(y + first + s, out);
        }
    } else {
        DEV_UNROLL
        for (uint32_t j = 0; j < count; j++)
            if (first + j < d) y[first + j] = finish<TX, TY>(x, r, w, weights, j, convention);
    }
}

template <typename TX, typename TY, bool VECTOR>
DEV_KERNEL(1024)
rms_norm_kernel(const rms_norm_params p) {
    constexpr uint32_t count = dev_chunk<TX>::count;
    constexpr uint32_t HELD = RMS_NORM_HELD;
    dev_shared(float, partial, ROW_SUM_WORDS);
    const uint32_t lanes = p.lanes, d = (uint32_t)p.d;
    const uint32_t lane = dev_thread_x() % lanes;
    const int64_t rows_per_block = dev_block_dim_x() / lanes;
    const TX *const w = static_cast<const TX *>(p.w);

    for (int64_t first = dev_block_x() * rows_per_block; first < p.rows;
         first += dev_grid_x() * rows_per_block) {
        const int64_t row = first + dev_thread_x() / lanes;
        const bool live = row < p.rows; /* the others keep the warp complete, with no chunk */
        const uint32_t chunks = live ? (d + count - 1) / count : 0;
        const TX *const x = static_cast<const TX *>(p.x) + (live ? row * p.x_stride : 0);
        TY *const y = static_cast<TY *>(p.y) + (live ? row * p.y_stride : 0);

        dev_chunk<TX> held[HELD];
        DEV_UNROLL
        for (uint32_t k = 0; k < HELD; k++) {
            const uint32_t index = lane + k * lanes;
            held[k] = index < chunks ? load_chunk<TX, VECTOR>(x, index, d) : dev_chunk<TX>{};
        }
        float acc[count] = {};
        DEV_UNROLL
        for (uint32_t k = 0; k < HELD; k++) add_squares(acc, held[k]);
        for (uint32_t index = lane + HELD * lanes; index < chunks; index += lanes)
            add_squares(acc, load_chunk<TX, VECTOR>(x, index, d));

        const float sum = row_sum(pairwise_sum<count>(acc), lanes, partial);
        const float r = dev_div(1.0f, dev_sqrt(dev_div(sum, (float)d) + p.eps));

        DEV_UNROLL
        for (uint32_t k = 0; k < HELD; k++) {
            const uint32_t index = lane + k * lanes;
            if (index < chunks)
                write_chunk<TX, TY, VECTOR>(y, held[k], r, w, index, d, p.convention);
        }
        for (uint32_t index = lane + HELD * lanes; index < chunks; index += lanes)
            write_chunk<TX, TY, VECTOR>(y, load_chunk<TX, VECTOR>(x, index, d), r, w, index, d,
                                        p.convention);
        if (lanes > dev_warp_size()) dev_barrier(); /* before the next row's partial sums */
    }
}

template <typename TX, typename TY>
static assay_status launch(int variant, const char *const *names, const assay_geometry *geometry,
                           const rms_norm_params &p, void *stream) {
    if (variant == RMS_NORM_VECTOR)
        return dev_launch<rms_norm_kernel<TX, TY, true>>(names[variant], geometry, p, stream);
    return dev_launch<rms_norm_kernel<TX, TY, false>>(names[variant], geometry, p, stream);
}

/* The table's names of the storage types. */
typedef float f32;
typedef dev_f16 f16;
typedef dev_bf16 bf16;

DEV_ENTRY(rms_norm) {
    const rms_norm_params &p = *static_cast<const rms_norm_params *>(params);
    const int variant = instance % RMS_NORM_VARIANTS;
    int pair = instance / RMS_NORM_VARIANTS;
#define ASSAY_INSTANCE(op, tx, ty, archs)                                                          \
    if (pair-- == 0) {                                                                             \
        static const char *const names[RMS_NORM_VARIANTS] = {                                      \
            #op "<" #tx "," #ty ",scalar>",                                                        \
            #op "<" #tx "," #ty ",vector>",                                                        \
        };                                                                                         \
        return launch<tx, ty>(variant, names, geometry, p, stream);                                \
    }
#include "norm/rms_norm.def"
#undef ASSAY_INSTANCE
    return assay_fail(ASSAY_ERR_INTERNAL, "rms_norm: no instance %d", instance);
}
