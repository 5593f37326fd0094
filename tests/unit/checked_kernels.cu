/* Kernels with planted faults, for the executor's checked mode. A comment `@name` marks the line
 * that a finding about access `name` must give. */
#include "device/device.h"
#include "unit/checked_kernels.h"

/* Types that the compiler moves in one piece: a vector, and a struct too odd for registers. */
typedef uint32_t sixteen __attribute__((vector_size(16)));
struct twenty_four {
    uint8_t bytes[24];
};

/* 32 bytes of each thread, for what it reads. */
DEV_INLINE char *own(const checked_params &p) {
    return p.other + 32 * (dev_block_x() * dev_block_dim_x() + dev_thread_x());
}

/* What is read goes where the compiler cannot leave it out. */
DEV_INLINE void access(int32_t hook, char *at, char *spare) {
    uint64_t *const sink = reinterpret_cast<uint64_t *>(spare);
    uint8_t *const at1 = reinterpret_cast<uint8_t *>(at);
    uint16_t *const at2 = reinterpret_cast<uint16_t *>(at);
    uint32_t *const at4 = reinterpret_cast<uint32_t *>(at);
    uint64_t *const at8 = reinterpret_cast<uint64_t *>(at);
    sixteen *const at16 = reinterpret_cast<sixteen *>(at);
    twenty_four *const at24 = reinterpret_cast<twenty_four *>(at);
    float *const chunk = reinterpret_cast<float *>(at);
    sixteen *const own16 = reinterpret_cast<sixteen *>(spare);
    twenty_four *const own24 = reinterpret_cast<twenty_four *>(spare);
    uint32_t expected = 1;
    switch (hook) {
    case HOOK_read1: *sink = *at1; break;                                     /* @read1 */
    case HOOK_write1: *at1 = 1; break;                                        /* @write1 */
    case HOOK_read2: *sink = *at2; break;                                     /* @read2 */
    case HOOK_write2: *at2 = 1; break;                                        /* @write2 */
    case HOOK_read4: *sink = *at4; break;                                     /* @read4 */
    case HOOK_write4: *at4 = 1; break;                                        /* @write4 */
    case HOOK_read8: *sink = *at8; break;                                     /* @read8 */
    case HOOK_write8: *at8 = 1; break;                                        /* @write8 */
    case HOOK_read16: *own16 = *at16; break;                                  /* @read16 */
    case HOOK_write16: *at16 = sixteen{}; break;                              /* @write16 */
    case HOOK_load_chunk: *sink = dev_load_chunk(chunk).words[0]; break;      /* @load_chunk */
    case HOOK_store_chunk: dev_store_chunk(chunk, dev_chunk<float>{}); break; /* @store_chunk */
    case HOOK_read_range: *own24 = *at24; break;                              /* @read_range */
    case HOOK_write_range: *at24 = *own24; break;                             /* @write_range */
    case HOOK_atomic_load: *sink = dev_atomic_load(at4); break;               /* @atomic_load */
    case HOOK_atomic_store: dev_atomic_store(at4, 1u); break;                 /* @atomic_store */
    case HOOK_atomic_add: dev_atomic_add(at4, 1u); break;                     /* @atomic_add */
    case HOOK_atomic_add8: dev_atomic_add(at8, UINT64_C(1)); break;           /* @atomic_add8 */
    case HOOK_atomic_cas: dev_atomic_cas(at4, 1u, 2u); break;                 /* @atomic_cas */
    case HOOK_builtin_add1: __atomic_fetch_add(at1, 1, 0); break;             /* @builtin_add1 */
    case HOOK_builtin_add2: __atomic_fetch_add(at2, 1, 0); break;             /* @builtin_add2 */
    case HOOK_builtin_cas4:
        __atomic_compare_exchange_n(at4, &expected, 2u, false, 0, 0); /* @builtin_cas4 */
        break;
    case HOOK_builtin_load8: *sink = __atomic_load_n(at8, 0); break; /* @builtin_load8 */
    default: break;
    }
}

DEV_KERNEL(1024)
one_kernel(const checked_params p) {
    if (dev_block_x() == p.block && dev_thread_x() == p.thread) access(p.first, p.at, own(p));
}

DEV_KERNEL(1024)
blocks_kernel(const checked_params p) {
    if (dev_thread_x() == 0) access(dev_block_x() == 0 ? p.first : p.second, p.at, own(p));
}

DEV_INLINE void meet(int32_t between) {
    const uint32_t lane = dev_lane();
    switch (between) {
    case BETWEEN_barrier: dev_barrier(); break;
    case BETWEEN_warp_sync: dev_warp_sync(dev_full_mask()); break;
    case BETWEEN_shuffle: dev_shfl_xor(dev_full_mask(), lane, 1); break;
    case BETWEEN_pair_sync:
        if (lane == 3 || lane == 9) dev_warp_sync((dev_mask)1 << 3 | (dev_mask)1 << 9);
        break;
    case BETWEEN_one_sync:
        if (lane == 3 || lane == 10) dev_warp_sync((dev_mask)1 << 3 | (dev_mask)1 << 10);
        break;
    case BETWEEN_chain:
        if (lane == 3 || lane == 10) dev_warp_sync((dev_mask)1 << 3 | (dev_mask)1 << 10);
        if (lane == 9 || lane == 10) dev_warp_sync((dev_mask)1 << 9 | (dev_mask)1 << 10);
        break;
    default: break;
    }
}

/* 16 words of shared memory, written by their own lanes; then the pair. */
DEV_KERNEL(1024)
shared_kernel(const checked_params p) {
    dev_shared(uint32_t, words, 16);
    const uint32_t t = dev_thread_x();
    if (t < 16) words[t] = t;
    dev_barrier();
    char *const at = reinterpret_cast<char *>(words);
    if (t == 3) access(p.first, at + 16, own(p));
    meet(p.between);
    if (t == p.thread) access(p.second, at + 16 + p.offset, own(p));
    dev_barrier();
    *reinterpret_cast<uint64_t *>(own(p)) = words[t % 16];
}

DEV_KERNEL(1024)
shared_one_kernel(const checked_params p) {
    dev_shared(uint64_t, array, 8);
    const uint32_t t = dev_thread_x();
    if (t < 4) array[t] = t; /* the rest is never written */
    dev_barrier();
    if (t == p.thread) access(p.first, reinterpret_cast<char *>(array) + p.offset, own(p));
}

/* Clean: counts by shared atomics, read plainly by a lane that has met all who counted. */
DEV_KERNEL(1024)
histogram_kernel(const checked_params p) {
    dev_shared(uint32_t, bins, 33);
    const uint32_t t = dev_thread_x(), warp = t / dev_warp_size();
    if (t < 33) bins[t] = 0;
    dev_barrier();
    dev_atomic_add(&bins[warp], 1u);
    dev_atomic_add(&bins[32], 1u);
    dev_warp_sync(dev_full_mask());
    const uint32_t mine = bins[warp];
    dev_warp_sync(dev_full_mask());
    if (dev_lane() == 5) bins[warp] = mine + 1;
    dev_warp_sync(dev_full_mask());
    const uint32_t again = bins[warp];
    dev_barrier();
    *reinterpret_cast<uint64_t *>(own(p)) = mine + again + bins[32];
}

DEV_KERNEL(1024)
load_kernel(const checked_params p) {
    const float *const x = reinterpret_cast<const float *>(p.at);
    const uint32_t t = dev_thread_x();
    reinterpret_cast<float *>(p.other)[t] = x[t * p.stride + p.offset];
}

DEV_KERNEL(1024)
load_chunk_kernel(const checked_params p) {
    const float *const x = reinterpret_cast<const float *>(p.at);
    const uint32_t t = dev_thread_x();
    dev_store_chunk(reinterpret_cast<float *>(p.other) + 4 * t,
                    dev_load_chunk(x + 4 * t * p.stride));
}

template <typename T>
DEV_KERNEL(1024)
banks_kernel(const checked_params p) {
    dev_shared_dynamic(T, array);
    const uint32_t t = dev_thread_x();
    array[t * p.stride] = (T)t;
    dev_barrier();
    reinterpret_cast<T *>(p.other)[t] = array[t * p.stride];
}

/* Each lane copies 16 bytes a round, and reads what its neighbour has copied. */
DEV_KERNEL(1024)
copies_kernel(const checked_params p) {
    dev_shared(float, tile, 256);
    const float *const x = reinterpret_cast<const float *>(p.at);
    const uint32_t t = dev_thread_x();
    float sum = 0.0f;
    for (uint32_t round = 0; round < 3; round++) {
        const uint32_t from = 256 * round + 4 * t + (p.first == COPIES_outside ? 4 : 0);
        dev_cp_async_16(&tile[4 * t], x + from); /* @copy */
        dev_cp_async_commit();
        if (p.first != COPIES_no_wait) dev_cp_async_wait<0>();
        if (p.first != COPIES_no_barrier) dev_barrier();
        sum += tile[(4 * t + 4) % 256]; /* @copied_read */
        if (p.first == COPIES_no_wait) dev_cp_async_wait<0>();
        if (p.first != COPIES_no_second_barrier) dev_barrier();
    }
    *reinterpret_cast<float *>(own(p)) = sum;
}

/* Warps 0 and 1 fill a tile for warps 2 and 3, round after round. */
DEV_KERNEL(1024)
named_kernel(const checked_params p) {
    enum { FULL = 1, EMPTY = 2, ROUNDS = 4 };
    dev_shared(uint32_t, tile, 64);
    const uint32_t t = dev_thread_x();
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (t < 64) {
            if (round > 0 && p.first != NAMED_empty_too_late) dev_barrier_named(EMPTY, 128);
            tile[t] = round + t; /* @produce */
            if (round > 0 && p.first == NAMED_empty_too_late) dev_barrier_named(EMPTY, 128);
            dev_barrier_arrive(FULL, 128);
        } else {
            if (p.first != NAMED_full_too_late) dev_barrier_named(FULL, 128);
            sum += tile[(t + 7) % 64]; /* @consume */
            if (p.first == NAMED_full_too_late) dev_barrier_named(FULL, 128);
            if (round + 1 < ROUNDS) dev_barrier_arrive(EMPTY, 128);
        }
    }
    *reinterpret_cast<uint32_t *>(own(p)) = sum;
}

/* Two warps store two matrices each, and load the other's. */
DEV_KERNEL(1024)
matrix_kernel(const checked_params p) {
    dev_shared(uint32_t, tile, 128);
    const uint32_t t = dev_thread_x(), warp = t / dev_warp_size();
    uint32_t fragments[2] = {t, t};
    uint32_t *const mine = tile + 64 * warp + dev_lane() % 16 * 4;
    uint32_t *const others = tile + 64 * (1 - warp) + dev_lane() % 16 * 4;
    if (p.first != MATRIX_unwritten || warp == 0) dev_stmatrix_x2(mine, fragments); /* @stmatrix */
    if (p.first != MATRIX_race) dev_barrier();
    dev_ldmatrix_x2(fragments, others); /* @ldmatrix */
    *reinterpret_cast<uint32_t *>(own(p)) = fragments[0] + fragments[1];
}

/* A row a block of several warps at a time: sum of squares through shared partial sums, then scale.
 */
template <int FAULT>
DEV_KERNEL(1024)
norm_kernel(const checked_params p) {
    dev_shared(float, partial, 32);
    const uint32_t t = dev_thread_x(), threads = dev_block_dim_x(), warp = dev_warp_size();
    for (int64_t row = dev_block_x(); row < p.rows; row += dev_grid_x()) {
        const uint16_t *const x = p.x + row * p.row_stride;
        uint16_t *const y = p.y + row * p.row_stride;
        const int64_t end = FAULT == NORM_tail_read ? p.d + 1 : p.d;
        float sum = 0.0f;
        for (int64_t i = t; i < end; i += threads) {
            const float v = dev_to_f32(dev_bf16{x[i]}); /* @tail_read */
            sum = dev_fma(v, v, sum);
        }
        for (uint32_t step = 1; step < warp; step *= 2)
            sum += dev_shfl_xor(dev_full_mask(), sum, step);
        const bool writes = FAULT != NORM_partial_unwritten || t / warp + 1 < threads / warp;
        if (dev_lane() == 0 && writes) partial[t / warp] = sum; /* @partial_write */
        if (FAULT != NORM_no_barrier_before_read) dev_barrier();
        sum = 0.0f;
        for (uint32_t w = 0; w < threads / warp; w++) sum += partial[w]; /* @partial_read */
        const float r = dev_div(1.0f, dev_sqrt(dev_div(sum, (float)p.d)));
        const int64_t last = FAULT == NORM_tail_write ? p.d + 1 : p.d;
        for (int64_t i = t; i < last; i += threads) {
            const uint16_t *const from = FAULT == NORM_reads_output ? y : x;
            const float v = dev_to_f32(dev_bf16{i < p.d ? from[i] : x[0]}); /* @reads_output */
            y[i] = dev_f32_to_bf16(v * r).bits;                             /* @tail_write */
        }
        if (FAULT != NORM_no_barrier_between_rows) dev_barrier();
    }
}

template <int FAULT>
static assay_status norm(int fault, const assay_geometry *geometry, const checked_params &p,
                         void *stream) {
    if (fault == FAULT) return dev_launch<norm_kernel<FAULT>>("norm", geometry, p, stream);
    if constexpr (FAULT + 1 < NORM_COUNT) return norm<FAULT + 1>(fault, geometry, p, stream);
    return assay_fail(ASSAY_ERR_INTERNAL, "no instance");
}

DEV_ENTRY(checked_kernels) {
    const checked_params &p = *static_cast<const checked_params *>(params);
    switch (instance) {
    case CHECKED_ONE: return dev_launch<one_kernel>("one", geometry, p, stream);
    case CHECKED_BLOCKS: return dev_launch<blocks_kernel>("blocks", geometry, p, stream);
    case CHECKED_SHARED: return dev_launch<shared_kernel>("shared", geometry, p, stream);
    case CHECKED_SHARED_ONE:
        return dev_launch<shared_one_kernel>("shared_one", geometry, p, stream);
    case CHECKED_HISTOGRAM: return dev_launch<histogram_kernel>("histogram", geometry, p, stream);
    case CHECKED_LOAD: return dev_launch<load_kernel>("load", geometry, p, stream);
    case CHECKED_LOAD_CHUNK:
        return dev_launch<load_chunk_kernel>("load_chunk", geometry, p, stream);
    case CHECKED_BANKS: return dev_launch<banks_kernel<uint32_t>>("banks", geometry, p, stream);
    case CHECKED_BANKS_8: return dev_launch<banks_kernel<uint64_t>>("banks_8", geometry, p, stream);
    case CHECKED_COPIES: return dev_launch<copies_kernel>("copies", geometry, p, stream);
    case CHECKED_NAMED: return dev_launch<named_kernel>("named", geometry, p, stream);
    case CHECKED_MATRIX: return dev_launch<matrix_kernel>("matrix", geometry, p, stream);
    default: return norm<0>(instance - CHECKED_NORM, geometry, p, stream);
    }
}
